/* jobs_json.c - a job as the API shows it: its row, and its state in memory while it waits or runs
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "jobs/jobs_live.h"

/* A newer result of the same family. It replaces an older job that has ended, unless a user has
 * described that job: lists can fold the older job under the newest result of the family. */
#define JOB_NEWER_RESULT                                                                           \
    "EXISTS (SELECT 1 FROM jobs n WHERE coalesce(n.family, n.id) = coalesce(jobs.family, jobs.id)" \
    " AND n.id > jobs.id AND n.state IN ('done', 'kept', 'limit'))"
/* How many jobs are folded under this one. */
#define JOB_FOLDED                                                                                 \
    "CASE WHEN state IN ('done', 'kept', 'limit') AND NOT " JOB_NEWER_RESULT                       \
    " THEN (SELECT count(*) FROM jobs o WHERE coalesce(o.family, o.id) ="                          \
    " coalesce(jobs.family, jobs.id) AND o.id < jobs.id AND o.name = '' AND o.note = ''"           \
    " AND o.state NOT IN ('queued', 'running')) ELSE 0 END"

#define JOB_COLUMNS                                                                                \
    "id, dataset, dataset_name, kind, options, state, message, hint, created, started, ended,"     \
    " patterns, min_count, total, bytes, times, algorithm, device, read, clean, fingerprint,"      \
    " CASE WHEN json_valid(report) THEN json_extract(report, '$.rules.ranked') END,"               \
    " CASE WHEN json_valid(report) THEN nullif(json_extract(report, '$.rules.order'), '') END,"    \
    " name, note, coalesce(family, id), " JOB_FOLDED

enum {
    COL_ID,
    COL_DATASET,
    COL_NAME,
    COL_KIND,
    COL_OPTIONS,
    COL_STATE,
    COL_MESSAGE,
    COL_HINT,
    COL_CREATED,
    COL_STARTED,
    COL_ENDED,
    COL_PATTERNS,
    COL_MIN_COUNT,
    COL_TOTAL,
    COL_BYTES,
    COL_TIMES,
    COL_ALGORITHM,
    COL_DEVICE,
    COL_READ,
    COL_CLEAN,
    COL_FINGERPRINT,
    COL_RANKED,
    COL_RANKED_BY,
    COL_TITLE,
    COL_NOTE,
    COL_FAMILY,
    COL_FOLDED,
    COL_REPORT
};

static json_t *json_of_text(sqlite3_stmt *q, int column) {
    if (db_is_null(q, column)) return json_null();
    return json_string(db_text(q, column));
}

static json_t *json_of_real(sqlite3_stmt *q, int column) {
    return db_is_null(q, column) ? json_null() : json_real(db_real(q, column));
}

static json_t *json_of_json(sqlite3_stmt *q, int column) {
    json_t *value = db_is_null(q, column) ? NULL : json_loads(db_text(q, column), 0, NULL);
    return value ? value : json_null();
}

static json_t *json_command(sqlite3_stmt *q, json_t *options) {
    json_t *read = json_of_json(q, COL_READ), *clean = json_of_json(q, COL_CLEAN), *words = NULL;
    text line = TEXT_INIT;
    job_command c = {JOB_ITEMSETS, db_text(q, COL_NAME), options, read, clean};
    job_kind_find(db_text(q, COL_KIND), &c.kind);
    job_command_write(&c, &line);
    if (!line.failed) words = json_stringn(line.data, line.length);
    text_free(&line);
    json_decref(read);
    json_decref(clean);
    return words ? words : json_null();
}

/* Place in the queue, progress, and state that is not in the row yet. */
static void json_add_live(server *s, json_t *out, uint64_t id) {
    const live_job *job = jobs_find(s->jobs, id);
    json_t *progress = NULL;
    if (job && job->progress.length > 0) {
        progress = json_loadb(job->progress.data, job->progress.length, 0, NULL);
    }
    json_object_set_new(out, "position", json_integer(job ? (json_int_t)job->place : 0));
    json_object_set_new(out, "progress", progress ? progress : json_null());
    if (job && (job->running || job->ended)) {
        json_object_set_new(out, "state", json_string("running"));
        json_object_set_new(out, "started", json_real(job->began));
    }
    if (job && job->unstored) {
        json_object_set_new(out, "message",
                            json_sprintf("The search has ended and its result is kept; the server "
                                         "could not record this yet and keeps trying: %s.",
                                         job->unstored));
    }
}

static json_t *json_of_row(server *s, sqlite3_stmt *q, bool with_report) {
    json_t *out = json_object();
    json_t *options = json_of_json(q, COL_OPTIONS);
    static const struct {
        const char *name;
        int column;
    } counts[] = {{"id", COL_ID},
                  {"dataset", COL_DATASET},
                  {"patterns", COL_PATTERNS},
                  {"min_count", COL_MIN_COUNT},
                  {"total", COL_TOTAL},
                  {"bytes", COL_BYTES},
                  {"ranked", COL_RANKED},
                  {"family", COL_FAMILY},
                  {"folded", COL_FOLDED}},
      words[] = {{"dataset_name", COL_NAME},
                 {"kind", COL_KIND},
                 {"state", COL_STATE},
                 {"message", COL_MESSAGE},
                 {"hint", COL_HINT},
                 {"algorithm", COL_ALGORITHM},
                 {"device", COL_DEVICE},
                 {"fingerprint", COL_FINGERPRINT},
                 {"ranked_by", COL_RANKED_BY},
                 {"name", COL_TITLE},
                 {"note", COL_NOTE}},
      reals[] = {{"created", COL_CREATED}, {"started", COL_STARTED}, {"ended", COL_ENDED}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        json_object_set_new(out, counts[i].name,
                            json_integer((json_int_t)db_count(q, counts[i].column)));
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        json_object_set_new(out, words[i].name, json_of_text(q, words[i].column));
    }
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        json_object_set_new(out, reals[i].name, json_of_real(q, reals[i].column));
    }
    json_object_set_new(out, "command", json_command(q, options));
    json_object_set_new(out, "options", options);
    json_object_set_new(out, "times", json_of_json(q, COL_TIMES));
    if (with_report) { /* not in lists, to keep them short */
        json_object_set_new(out, "read", json_of_json(q, COL_READ));
        json_object_set_new(out, "clean", json_of_json(q, COL_CLEAN));
        json_object_set_new(out, "report", json_of_json(q, COL_REPORT));
    }
    json_add_live(s, out, db_count(q, COL_ID));
    return out;
}

json_t *job_json(server *s, uint64_t id, db_step *step) {
    sqlite3_stmt *q = db_statement(s->db, "SELECT " JOB_COLUMNS ", report FROM jobs WHERE id = ?");
    db_bind_count(q, 1, id);
    db_step got = db_next(s->db, q);
    json_t *out = got == DB_ROW ? json_of_row(s, q, true) : NULL;
    db_done(q);
    if (step) *step = got;
    return out;
}

void job_reply(server *s, request *r, int code, uint64_t id) {
    db_step step;
    json_t *job = job_json(s, id, &step);
    if (step == DB_ROW) {
        reply_json(r, code, job);
    } else {
        job_reply_missing(r, id, step);
    }
}

void jobs_fill(server *s, const jobs_wanted *wanted, listing *list) {
    sqlite3_stmt *q = db_statement(
        s->db, "SELECT " JOB_COLUMNS " FROM jobs WHERE (?1 = 0 OR dataset = ?1) AND id < ?2"
               " AND (?3 = 0 OR coalesce(family, id) = ?3)"
               " AND (?4 = 0 OR name <> '' OR note <> '' OR state IN ('queued', 'running')"
               " OR NOT " JOB_NEWER_RESULT ") ORDER BY id DESC");
    db_step step;
    db_bind_count(q, 1, wanted->dataset);
    db_bind_count(q, 2, list->before);
    db_bind_count(q, 3, wanted->family);
    db_bind_count(q, 4, wanted->unfolded);
    while ((step = db_next(s->db, q)) == DB_ROW && listing_has_room(list)) {
        listing_add(list, db_count(q, COL_ID), json_of_row(s, q, false));
    }
    list->failed = step == DB_FAILED;
    db_done(q);
}
