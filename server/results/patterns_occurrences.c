/* patterns_occurrences.c - where a graph pattern occurs
 *
 * The result has the pattern; a worker has the graphs. A task reads the row and writes its labels
 * and edges as lines, which are sent to the worker of the data set; the answer of the worker is the
 * answer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobs/jobs_live.h"
#include "results/patterns_write.h"
#include "results/stores_ask.h"
#include "results/stores_routes.h"
#include "workers/workers.h"

#define PLACES_GRAPHS 100 /* at most */

typedef struct places_ask {
    server *server;
    request *request;
    worker_source source;
    char skip[24], rows[24];
} places_ask;

static void places_free(places_ask *p) {
    worker_source_clear(&p->source);
    free(p);
}

/* ---- the pattern, on a task thread ---------------------------------------------------------- */

/* Each name and value ends with a zero: labels may have any other character. */
static void places_add(text *out, const char *name, const char *value, size_t bytes) {
    text_add(out, name, strlen(name) + 1);
    text_add(out, value, bytes);
    text_add(out, "", 1);
}

static void places_write(const code_graph *g, text *out) {
    text edge = TEXT_INIT;
    for (uint32_t i = 0; i < g->n_vertices; i++) {
        places_add(out, "vertex", g->vertices[i].words, g->vertices[i].bytes);
    }
    for (uint32_t i = 0; i < g->n_edges; i++) {
        const code_edge *e = &g->edges[i];
        text_clear(&edge);
        text_printf(&edge, "%u %u ", e->from, e->to);
        text_add(&edge, e->label.words, e->label.bytes);
        places_add(out, "edge", edge.data ? edge.data : "", edge.length);
    }
    out->failed |= edge.failed;
    text_free(&edge);
}

static lode_status places_fail(store_failure *why, lode_status status, const char *words) {
    why->status = status;
    snprintf(why->message, sizeof why->message, "%s", words);
    return status;
}

static lode_status places_work(const question *q, store_handle *h, text *out, store_failure *why) {
    lode_store_row row = LODE_INIT(lode_store_row);
    row_writer w;
    code_graph g = {0};
    if (q->from >= h->info.rows) return places_fail(why, LODE_NOTFOUND, "this row does not exist");
    lode_status status = row_writer_init(&w, h, out, NULL, why);
    if (status == LODE_OK) status = lode_store_row_at(h->store, q->from, &row);
    if (status == LODE_OK) status = row_graph(&w, &row, &g);
    if (status == LODE_OK && g.n_vertices == 0) {
        status = places_fail(why, LODE_INVALID,
                             "the labels of this pattern contain brackets or dashes, so its "
                             "vertices and edges cannot be told apart");
    }
    if (status == LODE_OK) places_write(&g, out);
    code_graph_free(&g);
    row_writer_clear(&w);
    return status;
}

/* ---- the worker ----------------------------------------------------------------------------- */

static void places_done(void *user, bool ok, const char *json, size_t bytes) {
    places_ask *p = user;
    if (ok) {
        reply_text(p->request, 200, json, bytes);
    } else {
        reply_status(p->request, json, bytes);
    }
    places_free(p);
}

static void places_got_pattern(void *user, const fact *held, const store_failure *why) {
    places_ask *p = user;
    if (!held) {
        stores_reply_failure(p->request, why);
        places_free(p);
        return;
    }
    worker_request *q = worker_request_new("occurrences");
    const char *at = held->data, *end = at + held->bytes;
    while (at < end) {
        const char *value = at + strlen(at) + 1;
        worker_request_add(q, at, value);
        at = value + strlen(value) + 1;
    }
    worker_request_add(q, "skip", p->skip);
    worker_request_add(q, "rows", p->rows);
    worker_reply reply = {.done = places_done,
                          .user = p,
                          .request = p->request,
                          .client = request_client(p->request)};
    if (!workers_may_ask(p->server->workers, p->request)) {
        worker_request_free(q);
        places_free(p);
        return;
    }
    if (workers_ask_soon(p->server->workers, &p->source, q, reply)) return;
    reply_error(p->request, 503, "unavailable", "the server is out of memory");
    places_free(p);
}

/* False: it has been answered. */
static bool places_read(request *r, places_ask *p) {
    uint64_t skips[2] = {0, UINT32_MAX}, counts[2] = {1, PLACES_GRAPHS}, skip, rows;
    if (!request_count(r, "skip", skips, 0, &skip)) return false;
    if (!request_count(r, "rows", counts, 12, &rows)) return false;
    snprintf(p->skip, sizeof p->skip, "%llu", (unsigned long long)skip);
    snprintf(p->rows, sizeof p->rows, "%llu", (unsigned long long)rows);
    return true;
}

void route_occurrences(server *s, request *r) {
    result_job job;
    if (!result_of_request(s, r, &job)) return;
    if (job.kind != RESULT_GRAPHS) {
        reply_error(r, 422, "invalid", "only results of graphs have occurrences");
        return;
    }
    places_ask *p = malloc(sizeof *p);
    if (!p) {
        reply_error(r, 503, "unavailable", "the server is out of memory");
        return;
    }
    *p = (places_ask){.server = s, .request = r};
    const db_step step = job_row_source(s, job.id, &p->source);
    if (step != DB_ROW) job_reply_missing(r, job.id, step);
    if (step != DB_ROW || !places_read(r, p)) {
        places_free(p);
        return;
    }
    question *q = question_new(job.id, places_work, NULL, NULL);
    if (q) {
        q->quick = true;
        q->from = request_number(r, 1);
        (void)question_key(q, "pattern %llu", (unsigned long long)q->from);
    }
    asked_ask(stores_asked(s->stores), q, r, places_got_pattern, p);
}
