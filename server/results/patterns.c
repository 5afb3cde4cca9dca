/* patterns.c - pages of patterns and of rules
 *
 * What:   a page needs its row numbers and, if requested, the number of matching rows. Both are
 *         facts (stores_facts.h), which other pages of the same view may have put into the cache.
 *         Then a task thread writes its rows.
 * Views:  the first page of a view queries a small piece of its rows. If a client requests more
 *         pages, the server prepares what serves all of them: marks if the view is in file order,
 *         otherwise a large piece (patterns_view.h).
 * Direct: pages of all rows in file order need neither marks nor pieces.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "results/patterns_view.h"
#include "results/patterns_write.h"
#include "results/stores_ask.h"
#include "results/stores_routes.h"
#include "system/tasks.h"

#define PAGE_ROWS  1000 /* at most */
#define PAGE_USUAL 100

typedef struct page_ask {
    server *server;
    request *request;
    uint64_t job;
    query *query;
    char *measures;
    uint64_t skip, found;
    bool wants_found, knows_found;
    uint64_t rows[PAGE_ROWS];
    size_t want, n;
    bool ended;  /* no rows follow */
    bool placed; /* its rows are found from `place` on */
    view_place place;
    double begun;
    text out;
    store_failure why;
} page_ask;

static void page_step(page_ask *p);

static double page_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void page_free(page_ask *p) {
    query_free(p->query);
    free(p->measures);
    text_free(&p->out);
    free(p);
}

static void page_fail(page_ask *p, const store_failure *why) {
    stores_reply_failure(p->request, why);
    page_free(p);
}

static void page_fail_memory(page_ask *p) {
    static const store_failure why = {LODE_NOMEM, "the server is out of memory"};
    page_fail(p, &why);
}

/* Whether the row numbers are known without a query: all rows, in file order. */
static bool page_is_direct(const page_ask *p) {
    return query_finds_all(p->query) && !p->query->sort;
}

/* ---- writing the rows ----------------------------------------------------------------------- */

static void page_write_head(page_ask *p, const store_handle *h) {
    text_printf(&p->out, "{\"total\":%llu,\"found\":", (unsigned long long)h->info.rows);
    if (query_finds_all(p->query)) {
        text_json_count(&p->out, h->info.rows);
    } else if (p->knows_found) {
        text_json_count(&p->out, p->found);
    } else {
        text_put(&p->out, "null");
    }
    text_printf(&p->out, ",\"skip\":%llu,\"rows\":[", (unsigned long long)p->skip);
}

/* Finds the remaining rows: those of a direct page, and those after a mark. */
static lode_status page_find_rows(page_ask *p, store_handle *h) {
    if (page_is_direct(p)) {
        uint64_t left = p->skip < h->info.rows ? h->info.rows - p->skip : 0;
        p->n = left < p->want ? (size_t)left : p->want;
        for (size_t i = 0; i < p->n; i++) p->rows[i] = p->skip + i;
    }
    if (!p->placed) return LODE_OK;
    lode_query_options o = p->query->options;
    o.from = p->place.from;
    return lode_store_rows(h->store, &o, p->place.skip, p->rows, p->want, &p->n);
}

static lode_status page_write(page_ask *p, store_handle *h) {
    row_writer w;
    lode_status status = row_writer_init(&w, h, &p->out, p->measures, &p->why);
    if (status == LODE_OK) status = page_find_rows(p, h);
    page_write_head(p, h);
    for (size_t i = 0; status == LODE_OK && i < p->n; i++) {
        if (i > 0) text_char(&p->out, ',');
        status = row_write(&w, p->rows[i]);
    }
    row_writer_clear(&w);
    text_put(&p->out, "],\"seconds\":");
    text_json_number(&p->out, page_clock() - p->begun);
    text_char(&p->out, '}');
    return status;
}

static void page_work(void *arg) {
    page_ask *p = arg;
    store_handle *h = stores_take(p->server->stores, p->job, &p->why);
    if (!h) return;
    (void)stores_settle(h, page_write(p, h), &p->why);
    stores_give(p->server->stores, h);
}

static void page_done(void *arg) {
    page_ask *p = arg;
    if (p->why.status != LODE_OK) {
        page_fail(p, &p->why);
    } else if (p->out.failed) {
        page_fail_memory(p);
    } else {
        reply_text(p->request, 200, p->out.data, p->out.length);
        page_free(p);
    }
}

/* ---- what has to be known ------------------------------------------------------------------- */

static void page_counted(void *user, const fact *held, const store_failure *why) {
    page_ask *p = user;
    if (!held) {
        page_fail(p, why);
        return;
    }
    memcpy(&p->found, held->data, sizeof p->found);
    p->knows_found = true;
    page_step(p);
}

/* Places a page with the marks of its view; p->n of its rows may already be known. */
static void page_place(page_ask *p, const fact *marks) {
    p->place = view_place_of(marks, p->skip);
    p->found = p->place.found;
    p->knows_found = true;
    p->placed = p->skip < p->found && p->want > 0;
    p->ended = true;
    p->n = 0;
}

static void page_got_marks(void *user, const fact *held, const store_failure *why) {
    page_ask *p = user;
    if (!held) {
        page_fail(p, why);
        return;
    }
    page_place(p, held);
    page_step(p);
}

/* Whether the number of matching rows must be queried. */
static bool page_needs_count(const page_ask *p) {
    return p->wants_found && !p->knows_found && !query_finds_all(p->query);
}

static void page_take(page_ask *p, const fact *piece) {
    uint64_t found;
    size_t taken = view_take(piece, p->skip + p->n, p->want - p->n, p->rows + p->n, &found);
    p->n += taken;
    p->ended = taken == 0 || p->skip + p->n >= found;
    if (found == UINT64_MAX) return;
    p->found = found;
    p->knows_found = true;
}

/* Takes the next rows of the page from the cache; false: they are not cached. */
static bool page_take_known(page_ask *p) {
    facts *f = stores_facts(p->server->stores);
    fact *known = p->query->sort ? NULL : view_known_marks(f, p->job, p->query);
    if (known) page_place(p, known);
    for (unsigned i = 0; !known && i < 2; i++) {
        known = view_known_piece(f, p->job, p->query, p->skip + p->n, i ? view_small : view_large);
        if (known) page_take(p, known);
    }
    facts_let_go(known);
    return known != NULL;
}

static void page_got_piece(void *user, const fact *held, const store_failure *why) {
    page_ask *p = user;
    if (!held) {
        page_fail(p, why);
        return;
    }
    page_take(p, held);
    page_step(p);
}

static void page_ask_rows(page_ask *p) {
    asked *line = stores_asked(p->server->stores);
    bool first = facts_missed(stores_facts(p->server->stores), p->job, p->query->view) == 1;
    if (!first && !p->query->sort) {
        asked_ask(line, view_ask_marks(p->job, p->query), p->request, page_got_marks, p);
        return;
    }
    question *q = view_ask_piece(p->job, p->query, p->skip + p->n, first ? view_small : view_large,
                                 page_needs_count(p));
    asked_ask(line, q, p->request, page_got_piece, p);
}

/* Queries the next missing fact; when all are known, writes the rows. */
static void page_step(page_ask *p) {
    static const store_failure busy = {LODE_CANCELLED, "the server is busy; try again in a moment"};
    bool direct = page_is_direct(p);
    if (p->knows_found && p->skip + p->n >= p->found) p->ended = true;
    while (!direct && !p->ended && p->n < p->want) {
        if (page_take_known(p)) continue;
        page_ask_rows(p);
        return;
    }
    if (page_needs_count(p)) {
        question *q = view_ask_count(p->job, p->query);
        asked_ask(stores_asked(p->server->stores), q, p->request, page_counted, p);
        return;
    }
    if (tasks_add_for(p->server->tasks, request_client(p->request), page_work, page_done, p))
        return;
    page_fail(p, &busy);
}

/* ---- the request ---------------------------------------------------------------------------- */

/* False: it has been answered. */
static bool page_read(page_ask *p) {
    request *r = p->request;
    uint64_t skips[2] = {0, (uint64_t)1 << 53}, counts[2] = {0, PAGE_ROWS}, want;
    const char *measures = request_value(r, "measures");
    if (!request_count(r, "skip", skips, 0, &p->skip)) return false;
    if (!request_count(r, "rows", counts, PAGE_USUAL, &want)) return false;
    if (!request_switch(r, "found", true, &p->wants_found)) return false;
    p->want = (size_t)want;
    p->measures = measures ? strdup(measures) : NULL;
    if (measures && !p->measures) {
        reply_error(r, 503, "unavailable", "the server is out of memory");
        return false;
    }
    p->query = query_of_request(r, true);
    return p->query != NULL;
}

static void page_of_request(server *s, request *r, uint64_t job) {
    page_ask *p = calloc(1, sizeof *p);
    if (!p) {
        reply_error(r, 503, "unavailable", "the server is out of memory");
        return;
    }
    p->server = s;
    p->request = r;
    p->job = job;
    p->begun = page_clock();
    if (page_read(p)) {
        page_step(p);
    } else {
        page_free(p);
    }
}

void route_patterns(server *s, request *r) {
    result_job job;
    if (!result_of_request(s, r, &job)) return;
    if (job.kind == RESULT_RULES) {
        reply_error(r, 404, "notfound", "job %llu has rules; request /jobs/%llu/rules",
                    (unsigned long long)job.id, (unsigned long long)job.id);
        return;
    }
    page_of_request(s, r, job.id);
}

void route_rules(server *s, request *r) {
    result_job job;
    if (!result_of_request(s, r, &job)) return;
    if (job.kind != RESULT_RULES) {
        reply_error(r, 404, "notfound", "job %llu has %s; request /jobs/%llu/patterns",
                    (unsigned long long)job.id, result_kind_name(job.kind),
                    (unsigned long long)job.id);
        return;
    }
    page_of_request(s, r, job.id);
}
