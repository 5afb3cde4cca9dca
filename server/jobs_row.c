/* jobs_row.c - jobs in the database
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "jobs_live.h"

/* How the data are read is copied from the data set: it may change later. */
uint64_t job_row_insert(server *s, const live_job *job, const json_t *options) {
    sqlite3_stmt *q = db_statement(
        s->db,
        "INSERT INTO jobs (dataset, dataset_name, kind, options, read, clean, state, created)"
        " SELECT id, name, ?2, ?3, read, clean, 'queued', ?4 FROM datasets WHERE id = ?1");
    char *words = json_dumps(options, JSON_COMPACT);
    uint64_t id = 0;
    if (q && words) {
        db_bind_count(q, 1, job->dataset);
        db_bind_text(q, 2, job_kind_names[job->kind]);
        db_bind_text(q, 3, words);
        db_bind_real(q, 4, db_now());
        if (db_run(s->db, q) && db_changes(s->db) == 1) id = db_last_id(s->db);
    }
    free(words);
    return id;
}

bool job_row_started(server *s, uint64_t id) {
    sqlite3_stmt *q = db_statement(
        s->db, "UPDATE jobs SET state = 'running', started = ?2,"
               " read = coalesce((SELECT read FROM datasets d WHERE d.id = dataset), read),"
               " clean = coalesce((SELECT clean FROM datasets d WHERE d.id = dataset), clean)"
               " WHERE id = ?1");
    if (!q) return false;
    db_bind_count(q, 1, id);
    db_bind_real(q, 2, db_now());
    return db_run(s->db, q);
}

static uint64_t row_figure(const json_t *report, const char *group, const char *name) {
    json_int_t n = json_integer_value(json_object_get(json_object_get(report, group), name));
    return n > 0 ? (uint64_t)n : 0;
}

static const char *row_words(const json_t *report, const char *group, const char *name) {
    return json_string_value(json_object_get(json_object_get(report, group), name));
}

/* What a share is a share of. */
static uint64_t row_total(const json_t *report) {
    uint64_t weight = row_figure(report, "input", "weight");
    return weight > 0 ? weight : row_figure(report, "input", "graphs");
}

static void row_bind_result(sqlite3_stmt *q, const json_t *done) {
    const json_t *report = json_object_get(done, "report");
    json_int_t patterns = json_integer_value(json_object_get(done, "patterns"));
    json_int_t bytes = json_integer_value(json_object_get(done, "bytes"));
    uint64_t count = row_figure(report, "threshold", "final_count");
    if (count == 0) count = row_figure(report, "threshold", "count");
    db_bind_count(q, 6, patterns > 0 ? (uint64_t)patterns : 0);
    db_bind_count(q, 7, count);
    db_bind_count(q, 8, row_total(report));
    db_bind_count(q, 9, bytes > 0 ? (uint64_t)bytes : 0);
    db_bind_text(q, 10, row_words(report, "algorithm", "name"));
    db_bind_text(q, 11, row_words(report, "device", "name"));
}

bool job_row_ended(server *s, uint64_t id, const job_end *end) {
    sqlite3_stmt *q = db_statement(
        s->db,
        "UPDATE jobs SET state = ?2, message = ?3, hint = ?4, ended = ?5, patterns = ?6,"
        " min_count = ?7, total = ?8, bytes = ?9, algorithm = ?10, device = ?11, times = ?12,"
        " report = ?13 WHERE id = ?1");
    if (!q) return false;
    const json_t *report = json_object_get(end->done, "report");
    json_t *times = report ? job_times(report) : NULL;
    char *times_text = times ? json_dumps(times, JSON_COMPACT) : NULL;
    char *report_text = report ? json_dumps(report, JSON_COMPACT) : NULL;
    db_bind_count(q, 1, id);
    db_bind_text(q, 2, end->state);
    db_bind_text(q, 3, end->message);
    db_bind_text(q, 4, end->hint);
    db_bind_real(q, 5, db_now());
    row_bind_result(q, end->done);
    db_bind_text(q, 12, times_text);
    db_bind_text(q, 13, report_text);
    bool done = db_run(s->db, q);
    free(times_text);
    free(report_text);
    json_decref(times);
    return done;
}

bool job_row_delete(server *s, uint64_t id) {
    sqlite3_stmt *rows = db_statement(s->db, "DELETE FROM comparisons WHERE job = ?");
    sqlite3_stmt *job = db_statement(s->db, "DELETE FROM jobs WHERE id = ?");
    if (!rows || !job || !db_begin(s->db)) return false;
    db_bind_count(rows, 1, id);
    db_bind_count(job, 1, id);
    if (db_run(s->db, rows) && db_run(s->db, job)) return db_commit(s->db);
    db_rollback(s->db);
    return false;
}

bool job_row_state(server *s, uint64_t id, char state[16]) {
    sqlite3_stmt *q = db_statement(s->db, "SELECT state FROM jobs WHERE id = ?");
    if (!q) return false;
    db_bind_count(q, 1, id);
    if (!db_row(s->db, q)) return false;
    snprintf(state, 16, "%s", db_text(q, 0));
    db_done(q);
    return true;
}
