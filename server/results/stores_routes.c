/* stores_routes.c - the routes of results, and the start and shutdown of this part
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/stores_routes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/request.h"
#include "results/stores.h"
#include "results/stores_ask.h"
#include "results/stores_facts.h"
#include "storage/database.h"
#include "system/tasks.h"

const route result_routes[] = {
    {"GET", "/jobs/:id/columns", route_columns, "of*"},
    {"GET", "/jobs/:id/patterns", route_patterns,
     "sort reverse skip rows measures found " ROUTE_FILTER},
    {"GET", "/jobs/:id/rules", route_rules, "sort reverse skip rows measures found " ROUTE_FILTER},
    {"GET", "/jobs/:id/histogram", route_histogram,
     "x x-bins x-log x-low x-high y y-bins y-log y-low y-high " ROUTE_FILTER},
    {"GET", "/jobs/:id/network", route_network, "by edges " ROUTE_FILTER},
    {"GET", "/jobs/:id/rows/:row", route_row, NULL},
    {"GET", "/jobs/:id/occurrences/:row", route_occurrences, "skip rows"},
    {"GET", "/jobs/:id/diff/:other", route_diff, "part sort skip rows measures"},
    {"GET", "/jobs/:id/export", route_export, "format sort reverse measures " ROUTE_FILTER},
    {NULL, NULL, NULL, NULL},
};

/* ---- which jobs have a result that can be asked ---------------------------------------------- */

static const char *const result_kinds[] = {"itemsets", "rules", "graphs"};

const char *result_kind_name(result_kind kind) {
    return result_kinds[kind];
}

static bool result_has_file(const char *state) {
    return strcmp(state, "done") == 0 || strcmp(state, "kept") == 0 || strcmp(state, "limit") == 0;
}

bool result_of_request(server *s, request *r, result_job *out) {
    return result_of_number(s, r, 0, out);
}

bool result_of_number(server *s, request *r, unsigned number, result_job *out) {
    uint64_t id = request_number(r, number);
    sqlite3_stmt *q = db_statement(s->db, "SELECT dataset, kind, state FROM jobs WHERE id = ?");
    db_bind_count(q, 1, id);
    const db_step step = db_next(s->db, q);
    if (step == DB_FAILED) {
        reply_unreadable(r);
        return false;
    }
    if (step == DB_END) {
        reply_error(r, 404, "notfound", "there is no job %llu", (unsigned long long)id);
        return false;
    }
    unsigned kind = 0;
    while (kind < 2 && strcmp(db_text(q, 1), result_kinds[kind]) != 0) kind++;
    *out = (result_job){id, db_count(q, 0), (result_kind)kind};
    bool there = result_has_file(db_text(q, 2));
    if (!there) {
        reply_error(r, 409, "conflict", "job %llu has no result: it is %s", (unsigned long long)id,
                    db_text(q, 2));
    }
    db_done(q);
    return there;
}

/* ---- results as a part of the server: how they start, end and are forgotten ------------------ */

#define STORES_THREADS 64 /* threads of the context: more than task threads, so nobody waits */

static void stores_nothing(void *arg) {
    (void)arg;
}

/* A task thread unmaps the files, because that takes long for a large result. */
void stores_forget(server *s, uint64_t job) {
    asked_forget(s->stores->asked, job);
    facts_forget(s->stores->facts, job);
    store_handle *dropped = stores_drop(s->stores, job, false);
    if (dropped && tasks_add(s->tasks, stores_close_all, stores_nothing, dropped)) return;
    stores_close_all(dropped);
}

static void stores_stop(server *s) {
    stores *p = s->stores;
    if (!p) return;
    asked_free(p->asked);
    facts_free(p->facts);
    stores_close_all(stores_drop(p, 0, true));
    lode_ctx_free(p->ctx);
    pthread_mutex_destroy(&p->lock);
    free(p);
    s->stores = NULL;
}

static bool stores_start(server *s, char *why, size_t room) {
    lode_ctx_options options = {.size = sizeof options, .threads = STORES_THREADS};
    stores *p = calloc(1, sizeof *p);
    if (!p) goto failed;
    lode_store_guard();
    s->stores = p;
    pthread_mutex_init(&p->lock, NULL);
    p->results_dir = s->config->results_dir;
    p->facts = facts_new();
    p->asked = asked_new(s);
    if (p->facts && p->asked && lode_ctx_create(&p->ctx, &options) == LODE_OK) return true;
    stores_stop(s);
failed:
    snprintf(why, room, "out of memory for results");
    return false;
}

static void stores_closing(server *s) {
    asked_close(s->stores->asked);
}

const server_part stores_part = {"stores", stores_start, stores_closing, stores_stop};
