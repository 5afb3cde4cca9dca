/* compare.c - the line of comparisons; see compare.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

#include <event2/event.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "peers.h"

#define COMPARE_PAUSE_USEC 300000 /* before a row that was disturbed begins again */

/* ---- one row --------------------------------------------------------------------------------- */

static void compare_tell(server *s, const comparison *c, size_t row) {
    if (s->closing) return;
    compare_store(s, c, row);
    events_send_json(s->jobs->listeners, c->job, "compare", json_array_get(c->rows, row));
}

/* The row is over, or begins again. Its comparison may be gone. */
static void compare_row_over(server *s, bool again) {
    struct comparisons *all = s->jobs->comparisons;
    const struct timeval pause = {.tv_usec = COMPARE_PAUSE_USEC};
    comparison *c = all->running;
    all->running = NULL;
    all->call = NULL;
    all->peer = NULL;
    if (c) {
        if (again) compare_row_state(json_array_get(c->rows, all->row), "waiting", NULL);
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
        compare_row_fill(json_array_get(all->running->rows, all->row), ok, reply);
    }
    json_decref(reply);
    compare_row_over(s, disturbed);
}

static void compare_peer_done(void *user, const peer_result *result) {
    server *s = user;
    struct comparisons *all = s->jobs->comparisons;
    if (all->running && !result->stopped) {
        peers_fill(json_array_get(all->running->rows, all->row), result);
    }
    compare_row_over(s, result->stopped);
}

static bool compare_begin(server *s, comparison *c, size_t row) {
    struct comparisons *all = s->jobs->comparisons;
    json_t *it = json_array_get(c->rows, row);
    const worker_reply reply = {NULL, compare_mined, s};
    all->running = c;
    all->row = row;
    if (strcmp(compare_row_text(it, "kind"), "peer") == 0) {
        const peer_listener to = {compare_peer_done, s};
        all->peer = peers_start(s, c, compare_row_text(it, "name"), to);
    } else {
        all->call = workers_ask_humbly(s->workers, c->dataset, compare_request(s, c, it), reply);
    }
    compare_row_state(it, "running", NULL);
    if (!all->peer && !all->call) {
        all->running = NULL;
        compare_row_state(it, "failed", "the server could not start it");
    }
    compare_tell(s, c, row);
    return all->running != NULL;
}

/* ---- the line -------------------------------------------------------------------------------- */

static size_t compare_next_row(const comparison *c) {
    size_t row = 0;
    while (row < json_array_size(c->rows) &&
           strcmp(compare_row_text(json_array_get(c->rows, row), "state"), "waiting") != 0) {
        row++;
    }
    return row;
}

/* Ends the row that runs, so that it begins again later. */
static void compare_give_way(struct comparisons *all) {
    if (all->call) workers_control(all->call, worker_request_new("cancel"));
    if (all->peer) peers_stop(all->peer);
}

void compare_pump(server *s) {
    struct comparisons *all = s->jobs->comparisons;
    if (all->call || all->peer) {
        if (s->jobs->first) compare_give_way(all);
        return;
    }
    while (all->first && !s->jobs->first && !s->closing) {
        comparison *c = all->first;
        size_t row = compare_next_row(c);
        if (row < json_array_size(c->rows)) {
            if (compare_begin(s, c, row)) return;
            continue;
        }
        uint64_t job = c->job;
        compare_unlink(s, c);
        job_hush(s, job);
    }
}

static void compare_again(evutil_socket_t fd, short what, void *user) {
    (void)fd, (void)what;
    compare_pump(user);
}

void compare_forget(server *s, uint64_t job) {
    struct comparisons *all = s->jobs->comparisons;
    comparison *c = compare_find(s, job);
    if (!c) return;
    if (all->running == c) {
        all->running = NULL; /* what comes of the row is thrown away */
        compare_give_way(all);
    }
    compare_unlink(s, c);
}

/* Rows that have run stay. */
void compare_quit(server *s, uint64_t job) {
    comparison *c = compare_find(s, job);
    for (size_t i = 0; c && i < json_array_size(c->rows); i++) {
        json_t *row = json_array_get(c->rows, i);
        const char *state = compare_row_text(row, "state");
        if (strcmp(state, "waiting") != 0 && strcmp(state, "running") != 0) continue;
        compare_row_state(row, "stopped", NULL);
        compare_tell(s, c, i);
    }
    compare_forget(s, job);
    job_hush(s, job);
}

/* ---- a new one ------------------------------------------------------------------------------- */

/* A comparison of the job, without rows yet; *report is the caller's. NULL: no such job. */
static comparison *compare_of_job(server *s, uint64_t job, json_t **report) {
    sqlite3_stmt *q = db_statement(
        s->db, "SELECT dataset, kind, options, min_count, report FROM jobs WHERE id = ?");
    comparison *c = q ? calloc(1, sizeof *c) : NULL;
    if (!c) return NULL;
    db_bind_count(q, 1, job);
    if (!db_row(s->db, q)) {
        free(c);
        return NULL;
    }
    *c = (comparison){.job = job, .dataset = db_count(q, 0), .min_count = db_count(q, 3)};
    job_kind_find(db_text(q, 1), &c->kind);
    c->options = json_loads(db_text(q, 2), 0, NULL);
    *report = json_loads(db_text(q, 4), 0, NULL);
    db_done(q);
    return c;
}

static bool compare_store_all(server *s, const comparison *c) {
    sqlite3_stmt *q = db_statement(s->db, "DELETE FROM comparisons WHERE job = ?");
    if (!q || !db_begin(s->db)) return false;
    db_bind_count(q, 1, c->job);
    bool stored = db_run(s->db, q);
    for (size_t i = 0; stored && i < json_array_size(c->rows); i++) stored = compare_store(s, c, i);
    if (stored) return db_commit(s->db);
    db_rollback(s->db);
    return false;
}

bool compare_start(server *s, uint64_t job, const json_t *algorithms, const char *device) {
    json_t *report = NULL;
    comparison *c = compare_of_job(s, job, &report);
    if (!c) return false;
    c->rows = compare_plan(c, report, algorithms, device);
    json_decref(report);
    if (!c->options || !c->rows || !compare_store_all(s, c)) {
        compare_free(c);
        return false;
    }
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
