/* datasets_row.c - rows of data sets: loading, showing, adding and deleting them
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "datasets.h"

void dataset_clear(dataset *d) {
    free(d->name);
    free(d->kind);
    free(d->state);
    free(d->read);
    free(d->clean);
    free(d->profile);
    free(d->message);
    *d = (dataset){0};
}

/* A copy of a column; where that is NULL, NULL. */
static bool row_text(sqlite3_stmt *q, int column, char **out) {
    *out = db_is_null(q, column) ? NULL : strdup(db_text(q, column));
    return *out || db_is_null(q, column);
}

static bool row_take(sqlite3_stmt *q, dataset *d) {
    *d = (dataset){.id = db_count(q, 0),
                   .bytes = db_count(q, 3),
                   .received = db_count(q, 4),
                   .created = db_real(q, 10),
                   .jobs = db_count(q, 11)};
    bool all = row_text(q, 1, &d->name) && row_text(q, 2, &d->kind) && row_text(q, 5, &d->state) &&
               row_text(q, 6, &d->read) && row_text(q, 7, &d->clean) &&
               row_text(q, 8, &d->profile) && row_text(q, 9, &d->message);
    if (!all) dataset_clear(d);
    return all;
}

#define ROW_COLUMNS                                                                                \
    "SELECT id, name, kind, bytes, received, state, read, clean, profile, message, created, "      \
    "(SELECT COUNT(*) FROM jobs WHERE dataset = datasets.id) FROM datasets "

bool dataset_load(server *s, uint64_t id, dataset *out) {
    sqlite3_stmt *q = db_statement(s->db, ROW_COLUMNS "WHERE id = ?");
    *out = (dataset){0};
    if (!q) return false;
    db_bind_count(q, 1, id);
    bool found = db_row(s->db, q) && row_take(q, out);
    db_done(q);
    return found;
}

/* Text that this server has written; what cannot be read any more is as if it were not there. */
static json_t *row_object(const char *words) {
    json_t *object = words ? json_loads(words, 0, NULL) : NULL;
    if (json_is_object(object)) return object;
    json_decref(object);
    return NULL;
}

static json_t *dataset_row_options(const char *words) {
    json_t *object = row_object(words);
    return object ? object : json_object();
}

json_t *dataset_json(const dataset *d) {
    json_t *profile = row_object(d->profile);
    return json_pack("{s:I, s:s, s:s, s:I, s:I, s:s, s:o, s:o, s:o, s:f, s:I, s:o}", "id",
                     (json_int_t)d->id, "name", d->name ? d->name : "", "kind",
                     d->kind ? d->kind : "", "bytes", (json_int_t)d->bytes, "received",
                     (json_int_t)d->received, "state", d->state ? d->state : "broken", "read",
                     dataset_row_options(d->read), "clean", dataset_row_options(d->clean),
                     "profile", profile ? profile : json_null(), "created", d->created, "jobs",
                     (json_int_t)d->jobs, "message",
                     d->message ? json_string(d->message) : json_null());
}

void datasets_fill(server *s, listing *list) {
    sqlite3_stmt *q = db_statement(s->db, ROW_COLUMNS "WHERE id < ? ORDER BY id DESC");
    dataset d;
    if (q) {
        db_bind_count(q, 1, list->before);
    } else {
        listing_add(list, 0, NULL);
    }
    while (q && db_row(s->db, q) && listing_has_room(list)) {
        const bool taken = row_take(q, &d);
        listing_add(list, db_count(q, 0), taken ? dataset_json(&d) : NULL);
        if (taken) dataset_clear(&d);
    }
    if (q) db_done(q);
}

bool dataset_of(server *s, request *r, bool ready, dataset *out) {
    const uint64_t id = request_number(r, 0);
    if (!dataset_load(s, id, out)) {
        reply_error(r, 404, "notfound", "There is no data set %" PRIu64 "; it may have expired.",
                    id);
        return false;
    }
    if (!ready || (out->state && strcmp(out->state, "ready") == 0)) return true;
    if (out->state && strcmp(out->state, "uploading") == 0) {
        reply_error(r, 409, "conflict",
                    "The file has not arrived yet: %" PRIu64 " of %" PRIu64 " bytes are here.",
                    out->received, out->bytes);
    } else {
        reply_error(r, 409, "conflict", "%s",
                    out->message ? out->message : "The file of this data set is lost.");
    }
    dataset_clear(out);
    return false;
}

void dataset_reply(server *s, request *r, int code, uint64_t id) {
    dataset d;
    if (!dataset_load(s, id, &d)) {
        reply_error(r, 404, "notfound", "There is no data set %" PRIu64 ".", id);
        return;
    }
    reply_json(r, code, dataset_json(&d));
    dataset_clear(&d);
}

void datasets_refuse(server *s, request *r) {
    if (db_full(s->db)) {
        reply_error(r, 507, "unavailable",
                    "The disk of the server is full; delete data sets that are not needed.");
    } else {
        reply_error(r, 503, "unavailable", "The database did not take it: %s.", db_message(s->db));
    }
}

/* So that nobody fills the table with empty files. */
#define ROW_MOST 10000

static bool row_too_many(server *s, request *r) {
    sqlite3_stmt *q = db_statement(s->db, "SELECT COUNT(*) FROM datasets");
    const bool many = q && db_row(s->db, q) && db_count(q, 0) >= ROW_MOST;
    if (q) db_done(q);
    if (many) {
        reply_error(r, 429, "toomany", "There are %d data sets; delete some that are not needed.",
                    ROW_MOST);
    }
    return many;
}

uint64_t dataset_insert(server *s, request *r, const char *name, uint64_t bytes) {
    if (row_too_many(s, r)) return 0;
    sqlite3_stmt *q = db_statement(
        s->db, "INSERT INTO datasets (name, kind, bytes, received, state, read, clean, created, "
               "used) VALUES (?, '', ?, 0, 'uploading', '{}', '{}', ?, ?)");
    if (q) {
        const double now = db_now();
        db_bind_text(q, 1, name);
        db_bind_count(q, 2, bytes);
        db_bind_real(q, 3, now);
        db_bind_real(q, 4, now);
    }
    if (q && db_run(s->db, q)) return db_last_id(s->db);
    datasets_refuse(s, r);
    return 0;
}

void dataset_path(const server *s, uint64_t id, bool arriving, char path[DATASET_PATH_BYTES]) {
    snprintf(path, DATASET_PATH_BYTES, "%s/%" PRIu64 ".%s", s->config->datasets_dir, id,
             arriving ? "part" : "data");
}

bool dataset_ready(server *s, uint64_t id, uint64_t bytes, const char *kind) {
    sqlite3_stmt *q = db_statement(s->db, "UPDATE datasets SET state = 'ready', bytes = ?, "
                                          "received = ?, kind = ?, message = NULL WHERE id = ?");
    if (!q) return false;
    db_bind_count(q, 1, bytes);
    db_bind_count(q, 2, bytes);
    db_bind_text(q, 3, kind);
    db_bind_count(q, 4, id);
    return db_run(s->db, q);
}

/* Seconds by which `used` may lag behind, so that looking at results does not write each time. */
#define TOUCH_SECONDS 600

void datasets_touch(server *s, uint64_t id) {
    const double now = db_now();
    sqlite3_stmt *q = db_statement(s->db, "UPDATE datasets SET used = ? WHERE id = ? AND used < ?");
    if (!q) return;
    db_bind_real(q, 1, now);
    db_bind_count(q, 2, id);
    db_bind_real(q, 3, now - TOUCH_SECONDS);
    db_run(s->db, q);
}

void datasets_touch_job(server *s, uint64_t job) {
    sqlite3_stmt *q = db_statement(s->db, "SELECT dataset FROM jobs WHERE id = ?");
    if (!q) return;
    db_bind_count(q, 1, job);
    const bool found = db_row(s->db, q);
    const uint64_t id = found ? db_count(q, 0) : 0;
    db_done(q);
    if (found) datasets_touch(s, id);
}
