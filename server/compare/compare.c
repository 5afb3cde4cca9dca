/* compare.c - the queue of comparisons; see compare.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "compare/compare.h"

#include <event2/event.h>
#include <stdlib.h>
#include <string.h>

#include "compare/peers.h"

#define COMPARE_PAUSE_USEC 300000 /* pause before an interrupted row starts again */

/* ---- one row --------------------------------------------------------------------------------- */

static void compare_tell(server *s, const comparison *c, size_t row) {
    if (s->closing) return;
    compare_store(s, c, row);
    events_send_json(s->jobs->listeners, c->job, "compare", json_array_get(c->rows, row));
}

/* The run has ended, or the row starts again. Its comparison may have been deleted. */
static void compare_row_over(server *s, bool again) {
    struct comparisons *all = s->jobs->comparisons;
    const struct timeval pause = {.tv_usec = COMPARE_PAUSE_USEC};
    comparison *c = all->running;
    all->running = NULL;
    all->call = NULL;
    all->peer = NULL;
    if (c) {
        json_t *row = json_array_get(c->rows, all->row);
        if (again && strcmp(compare_row_text(row, "state"), "running") == 0) {
            compare_row_state(row, "waiting", NULL);
        }
        compare_tell(s, c, all->row);
    }
    if (s->closing) return;
    if (!again || event_add(all->again, &pause) != 0) compare_pump(s);
}

static void compare_mined(void *user, bool ok, const char *json, size_t bytes) {
    server *s = user;
    struct comparisons *all = s->jobs->comparisons;
    json_t *reply = json_loadb(json, bytes, 0, NULL);
    const char *status = json_string_value(json_object_get(reply, "status"));
    bool disturbed = !ok && status && strcmp(status, "cancelled") == 0;
    if (all->running && !disturbed) {
        json_t *run = json_deep_copy(json_array_get(all->running->plan, all->row));
        compare_row_fill(run, ok, reply);
        compare_row_take(all->running, all->row, run);
    }
    json_decref(reply);
    compare_row_over(s, disturbed);
}

static void compare_peer_done(void *user, const peer_result *result) {
    server *s = user;
    struct comparisons *all = s->jobs->comparisons;
    if (all->running && !result->stopped) {
        json_t *run = json_deep_copy(json_array_get(all->running->plan, all->row));
        peers_fill(run, result);
        compare_row_take(all->running, all->row, run);
    }
    compare_row_over(s, result->stopped);
}

static bool compare_begin(server *s, comparison *c, size_t row) {
    struct comparisons *all = s->jobs->comparisons;
    json_t *it = json_array_get(c->rows, row), *asked = json_array_get(c->plan, row);
    const worker_reply reply = {.done = compare_mined, .user = s};
    all->running = c;
    all->row = row;
    if (strcmp(compare_row_text(asked, "kind"), "peer") == 0) {
        const peer_listener to = {compare_peer_done, s};
        all->peer = peers_start(s, c, compare_row_text(asked, "name"), to);
    } else {
        all->call =
            workers_ask_low_priority(s->workers, &c->source, compare_request(s, c, asked), reply);
    }
    const bool first = json_array_size(json_array_get(c->runs, row)) == 0;
    if (first) compare_row_state(it, "running", NULL); /* a row that is repeated shows its times */
    if (!all->peer && !all->call) {
        all->running = NULL;
        json_array_append_new(json_array_get(c->runs, row), json_null());
        if (first) compare_row_state(it, "failed", "the server could not start this run");
    }
    if (first) compare_tell(s, c, row);
    return all->running != NULL;
}

/* ---- the line -------------------------------------------------------------------------------- */

/* Interrupts the running row; it starts again later. */
static void compare_give_way(struct comparisons *all) {
    if (all->call) workers_control(all->call, worker_request_new("cancel"));
    if (all->peer) peers_stop(all->peer);
}

/* A comparison stays in memory until its last row is in the database. */
typedef struct completion {
    server *server;
    uint64_t job;
} completion;

static void compare_completed(void *user, const db_outcome *outcome) {
    completion *done = user;
    server *s = done->server;
    if (!outcome->stored && !outcome->given_up) return; /* it is tried again */
    comparison *c = compare_find(s, done->job); /* NULL: the job was deleted in the meantime */
    if (c && c->complete) compare_unlink(s, c);
    if (!s->closing) job_hush(s, done->job);
    free(done);
}

static void compare_complete(server *s, comparison *c) {
    completion *done = malloc(sizeof *done);
    c->complete = true;
    if (!done) {
        compare_unlink(s, c);
        return;
    }
    *done = (completion){s, c->job};
    compare_store_all(s, c, compare_completed, done);
}

static comparison *compare_next(const struct comparisons *all) {
    comparison *c = all->first;
    while (c && c->complete) c = c->next;
    return c;
}

void compare_pump(server *s) {
    struct comparisons *all = s->jobs->comparisons;
    comparison *c;
    if (all->call || all->peer) {
        if (s->jobs->first) compare_give_way(all);
        return;
    }
    while ((c = compare_next(all)) != NULL && !s->jobs->first && !s->closing) {
        size_t row = compare_next_row(c);
        if (row == json_array_size(c->rows)) {
            compare_complete(s, c);
        } else if (compare_begin(s, c, row)) {
            return;
        }
    }
}

static void compare_again(evutil_socket_t fd, short what, void *user) {
    (void)fd, (void)what;
    compare_pump(user);
}

/* The result of the running row is dropped. */
static void compare_cut(server *s, const comparison *c) {
    struct comparisons *all = s->jobs->comparisons;
    if (all->running != c) return;
    all->running = NULL;
    compare_give_way(all);
}

void compare_forget(server *s, uint64_t job) {
    comparison *c = compare_find(s, job);
    if (!c) return;
    compare_cut(s, c);
    compare_unlink(s, c);
}

/* Finished rows stay. */
void compare_quit(server *s, uint64_t job) {
    comparison *c = compare_find(s, job);
    for (size_t i = 0; c && i < json_array_size(c->rows); i++) {
        json_t *row = json_array_get(c->rows, i);
        const char *state = compare_row_text(row, "state");
        if (strcmp(state, "waiting") != 0 && strcmp(state, "running") != 0) continue;
        compare_row_state(row, "stopped", NULL);
        events_send_json(s->jobs->listeners, job, "compare", row);
    }
    if (!c || c->complete) return;
    compare_cut(s, c);
    compare_complete(s, c);
}

/* ---- a new one ------------------------------------------------------------------------------- */

/* A comparison of the job, without rows yet; the caller frees *report. NULL: no such job. */
static comparison *compare_of_job(server *s, uint64_t job, json_t **report) {
    sqlite3_stmt *q =
        db_statement(s->db, "SELECT kind, options, min_count, report FROM jobs WHERE id = ?");
    db_bind_count(q, 1, job);
    if (db_next(s->db, q) != DB_ROW) return NULL;
    comparison *c = calloc(1, sizeof *c);
    if (!c) {
        db_done(q);
        return NULL;
    }
    *c = (comparison){.job = job, .min_count = db_count(q, 2)};
    job_kind_find(db_text(q, 0), &c->kind);
    c->options = json_loads(db_text(q, 1), 0, NULL);
    *report = json_loads(db_text(q, 3), 0, NULL);
    db_done(q);
    if (job_row_source(s, job, &c->source) == DB_ROW) return c;
    json_decref(*report);
    *report = NULL;
    compare_free(c);
    return NULL;
}

bool compare_start(server *s, uint64_t job, const json_t *algorithms, const char *device) {
    json_t *report = NULL;
    comparison *c = compare_of_job(s, job, &report);
    if (!c) return false;
    c->rows = compare_plan(s, c, report, algorithms, device);
    json_decref(report);
    c->plan = json_deep_copy(c->rows);
    c->runs = json_array();
    for (size_t i = 0; i < json_array_size(c->rows); i++) {
        json_array_append_new(c->runs, json_array());
    }
    if (!c->options || !c->plan || json_array_size(c->runs) != json_array_size(c->rows)) {
        compare_free(c);
        return false;
    }
    compare_forget(s, job); /* the rows of the last one are replaced */
    compare_store_all(s, c, NULL, NULL);
    comparison **end = &s->jobs->comparisons->first;
    while (*end) end = &(*end)->next;
    *end = c;
    compare_pump(s);
    return true;
}

/* ---- the part -------------------------------------------------------------------------------- */

bool compare_open(server *s) {
    struct comparisons *all = calloc(1, sizeof *all);
    s->jobs->comparisons = all;
    if (all) all->again = event_new(s->base, -1, 0, compare_again, s);
    return all && all->again;
}

void compare_close(server *s) {
    compare_give_way(s->jobs->comparisons);
}

void compare_stop(server *s) {
    struct comparisons *all = s->jobs->comparisons;
    if (!all) return;
    if (all->peer) peers_abandon(all->peer);
    while (all->first) compare_unlink(s, all->first);
    if (all->again) event_free(all->again);
    free(all);
    s->jobs->comparisons = NULL;
}
