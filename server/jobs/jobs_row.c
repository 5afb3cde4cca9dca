/* jobs_row.c - jobs in the database
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobs/jobs_live.h"

/* Unless the request has its own, the read and clean options are copied from the data set: they may
 * change later, but queries about the job refer to the data that it has mined. */
db_change *job_row_insert(const job_wish *wish) {
    char *words = json_dumps(wish->options, JSON_COMPACT);
    char *read = wish->read ? json_dumps(wish->read, JSON_COMPACT) : NULL;
    char *clean = wish->clean ? json_dumps(wish->clean, JSON_COMPACT) : NULL;
    db_change *c = NULL;
    if (words && (read || !wish->read) && (clean || !wish->clean)) {
        c = db_change_new(
            "INSERT INTO jobs (dataset, dataset_name, kind, options, read, clean, state, created, "
            "family) SELECT id, name, ?2, ?3, coalesce(?4, read), coalesce(?5, clean), 'queued', "
            "?6, (SELECT coalesce(j.family, j.id) FROM jobs j WHERE j.id = ?7 AND j.dataset = ?1 "
            "AND j.kind = ?2) FROM datasets WHERE id = ?1");
    }
    db_change_count(c, wish->dataset);
    db_change_text(c, job_kind_names[wish->kind]);
    db_change_text(c, words);
    db_change_text(c, read);
    db_change_text(c, clean);
    db_change_real(c, db_now());
    db_change_count(c, wish->from);
    free(words);
    free(read);
    free(clean);
    return c;
}

json_t *job_row_options(server *s, uint64_t id) {
    sqlite3_stmt *q = db_statement(s->db, "SELECT options FROM jobs WHERE id = ?");
    db_bind_count(q, 1, id);
    json_t *options = db_next(s->db, q) == DB_ROW ? json_loads(db_text(q, 0), 0, NULL) : NULL;
    db_done(q);
    return options;
}

db_change *job_row_described(uint64_t id, const char *name, const char *note) {
    db_change *c = db_change_new(
        "UPDATE jobs SET name = coalesce(?2, name), note = coalesce(?3, note) WHERE id = ?1");
    db_change_count(c, id);
    db_change_text(c, name);
    db_change_text(c, note);
    return c;
}

/* Stores the options of the job with the new threshold, so that everything shown matches them. */
db_change *job_row_raised(server *s, uint64_t id, const char *min_support) {
    json_t *options = job_row_options(s, id);
    bool set =
        options && json_object_set_new(options, "min-support", json_string(min_support)) == 0;
    char *words = set ? json_dumps(options, JSON_COMPACT) : NULL;
    db_change *c = words ? db_change_new("UPDATE jobs SET options = ?2 WHERE id = ?1") : NULL;
    db_change_count(c, id);
    db_change_text(c, words);
    free(words);
    json_decref(options);
    return c;
}

db_change *job_row_started(const live_job *job) {
    db_change *c = db_change_new("UPDATE jobs SET state = 'running', started = ?2"
                                 " WHERE id = ?1 AND state = 'queued'");
    db_change_count(c, job->id);
    db_change_real(c, job->began);
    return c;
}

static uint64_t row_figure(const json_t *report, const char *group, const char *name) {
    json_int_t n = json_integer_value(json_object_get(json_object_get(report, group), name));
    return n > 0 ? (uint64_t)n : 0;
}

static const char *row_words(const json_t *report, const char *group, const char *name) {
    return json_string_value(json_object_get(json_object_get(report, group), name));
}

/* The total that shares refer to: with holdout, only the part of the data that was searched. */
static uint64_t row_total(const json_t *report) {
    uint64_t searched = row_figure(report, "rules", "searched");
    uint64_t weight = row_figure(report, "input", "weight");
    if (searched > 0) return searched;
    return weight > 0 ? weight : row_figure(report, "input", "graphs");
}

static void row_add_result(db_change *c, const json_t *done) {
    const json_t *report = json_object_get(done, "report");
    json_int_t patterns = json_integer_value(json_object_get(done, "patterns"));
    json_int_t bytes = json_integer_value(json_object_get(done, "bytes"));
    uint64_t count = row_figure(report, "threshold", "final_count");
    if (count == 0) count = row_figure(report, "threshold", "count");
    db_change_count(c, patterns > 0 ? (uint64_t)patterns : 0);
    db_change_count(c, count);
    db_change_count(c, row_total(report));
    db_change_count(c, bytes > 0 ? (uint64_t)bytes : 0);
    db_change_text(c, row_words(report, "algorithm", "name"));
    db_change_text(c, row_words(report, "device", "name"));
}

db_change *job_row_ended(uint64_t id, const job_end *end) {
    db_change *c = db_change_new(
        "UPDATE jobs SET state = ?2, message = ?3, hint = ?4, ended = ?5, patterns = ?6,"
        " min_count = ?7, total = ?8, bytes = ?9, algorithm = ?10, device = ?11, times = ?12,"
        " report = ?13, fingerprint = ?14 WHERE id = ?1");
    const json_t *report = json_object_get(end->done, "report");
    json_t *times = report ? job_times(report) : NULL;
    char *times_text = times ? json_dumps(times, JSON_COMPACT) : NULL;
    char *report_text = report ? json_dumps(report, JSON_COMPACT) : NULL;
    db_change_count(c, id);
    db_change_text(c, end->state);
    db_change_text(c, end->message);
    db_change_text(c, end->hint);
    db_change_real(c, db_now());
    row_add_result(c, end->done);
    db_change_text(c, times_text);
    db_change_text(c, report_text);
    db_change_text(c, end->fingerprint);
    free(times_text);
    free(report_text);
    json_decref(times);
    return c;
}

db_change *job_row_found(uint64_t id, const lode_store_info *result, uint64_t bytes) {
    db_change *c = db_change_new(
        "UPDATE jobs SET state = ?2, message = 'the server stopped before it recorded the end of "
        "this job; the result is complete', hint = NULL, ended = coalesce(ended, ?3), patterns = "
        "?4, min_count = ?5, total = ?6, bytes = ?7 WHERE id = ?1");
    db_change_count(c, id);
    db_change_text(c, result->ended ? "done" : "kept");
    db_change_real(c, db_now());
    db_change_count(c, result->rows);
    db_change_count(c, result->min_count);
    db_change_count(c, result->total);
    db_change_count(c, bytes);
    return c;
}

db_step job_row_state(server *s, uint64_t id, char state[16]) {
    sqlite3_stmt *q = db_statement(s->db, "SELECT state FROM jobs WHERE id = ?");
    db_bind_count(q, 1, id);
    db_step step = db_next(s->db, q);
    if (step == DB_ROW) snprintf(state, 16, "%s", db_text(q, 0));
    db_done(q);
    return step;
}

db_step job_row_source(server *s, uint64_t id, worker_source *out) {
    sqlite3_stmt *q =
        db_statement(s->db, "SELECT dataset, read, clean, fingerprint FROM jobs WHERE id = ?");
    *out = (worker_source){0};
    db_bind_count(q, 1, id);
    db_step step = db_next(s->db, q);
    if (step == DB_ROW) {
        const worker_source row = {.dataset = db_count(q, 0),
                                   .read = (char *)db_text(q, 1),
                                   .clean = (char *)db_text(q, 2),
                                   .fingerprint = db_is_null(q, 3) ? NULL : (char *)db_text(q, 3)};
        if (!worker_source_copy(out, &row)) step = DB_FAILED;
    }
    db_done(q);
    return step;
}

void job_reply_missing(request *r, uint64_t id, db_step step) {
    if (step == DB_FAILED) {
        reply_unreadable(r);
    } else {
        reply_error(r, 404, "notfound", "There is no job %" PRIu64 ".", id);
    }
}

/* ---- the paper's line: how long a job took, and with what, from the library's report --------- */

/* Reports of graphs have other phases: device time corresponds to counting, and testing codes to
 * candidate generation. */

static double times_find(const json_t *report, const char *group, const char *name) {
    return json_number_value(json_object_get(json_object_get(report, group), name));
}

/* 1: all devices were busy all the time; absent for algorithms without devices. */
static json_t *times_utilisation(const json_t *report) {
    double share = times_find(report, "device", "utilisation");
    return share > 0 ? json_real(share) : json_null();
}

json_t *job_times(const json_t *report) {
    bool graphs = json_object_get(json_object_get(report, "times"), "device") != NULL;
    double prepare = times_find(report, "times", "preprocess");
    double candidate = times_find(report, "times", graphs ? "test" : "candidate");
    double counting = times_find(report, "times", graphs ? "device" : "counting");
    double transfer = times_find(report, "times", graphs ? "start" : "transfer");
    return json_pack(
        "{s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:o}", "total", times_find(report, "times", "total"), "read",
        times_find(report, "times", "read"), "prepare", prepare, "candidate", candidate, "counting",
        counting, "transfer", transfer, "output", times_find(report, "times", "output"),
        "utilisation", times_utilisation(report));
}
