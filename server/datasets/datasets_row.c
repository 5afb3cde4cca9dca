/* datasets_row.c - rows of data sets: loads, shows and adds them
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/datasets.h"
#include "storage/database.h"

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

/* A copy of a text column; NULL stays NULL. */
static bool row_text(sqlite3_stmt *q, int column, char **out) {
    *out = db_is_null(q, column) ? NULL : strdup(db_text(q, column));
    return *out || db_is_null(q, column);
}

static bool row_take(sqlite3_stmt *q, dataset *d) {
    *d = (dataset){.id = db_count(q, 0),
                   .bytes = db_count(q, 3),
                   .received = db_count(q, 4),
                   .created = db_real(q, 10),
                   .used = db_real(q, 11),
                   .jobs = db_count(q, 12)};
    bool all = row_text(q, 1, &d->name) && row_text(q, 2, &d->kind) && row_text(q, 5, &d->state) &&
               row_text(q, 6, &d->read) && row_text(q, 7, &d->clean) &&
               row_text(q, 8, &d->profile) && row_text(q, 9, &d->message);
    if (!all) dataset_clear(d);
    return all;
}

#define ROW_COLUMNS                                                                                \
    "SELECT id, name, kind, bytes, received, state, read, clean, profile, message, created, "      \
    "used, "                                                                                       \
    "(SELECT COUNT(*) FROM jobs WHERE dataset = datasets.id) FROM datasets "

db_step dataset_load(server *s, uint64_t id, dataset *out) {
    sqlite3_stmt *q = db_statement(s->db, ROW_COLUMNS "WHERE id = ?");
    *out = (dataset){0};
    db_bind_count(q, 1, id);
    db_step step = db_next(s->db, q);
    if (step == DB_ROW && !row_take(q, out)) step = DB_FAILED;
    db_done(q);
    return step;
}

/* JSON that the server has stored; unreadable text counts as missing. */
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

/* The data set as the API shows it; NULL: out of memory. */
static json_t *dataset_json(const dataset *d) {
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
    db_step step;
    db_bind_count(q, 1, list->before);
    while ((step = db_next(s->db, q)) == DB_ROW && listing_has_room(list)) {
        const bool taken = row_take(q, &d);
        listing_add(list, db_count(q, 0), taken ? dataset_json(&d) : NULL);
        if (taken) dataset_clear(&d);
    }
    list->failed = step == DB_FAILED;
    db_done(q);
}

/* Answers for a data set that could not be loaded. */
static void dataset_reply_missing(request *r, uint64_t id, db_step step) {
    if (step == DB_FAILED) {
        reply_unreadable(r);
    } else {
        reply_error(r, 404, "notfound", "There is no data set %" PRIu64 "; it may have expired.",
                    id);
    }
}

bool dataset_of(server *s, request *r, bool ready, dataset *out) {
    const uint64_t id = request_number(r, 0);
    const db_step step = dataset_load(s, id, out);
    if (step != DB_ROW) {
        dataset_reply_missing(r, id, step);
        return false;
    }
    if (!ready || (out->state && strcmp(out->state, "ready") == 0)) return true;
    if (out->state && strcmp(out->state, "uploading") == 0) {
        reply_error(r, 409, "conflict",
                    "The file has not arrived completely: %" PRIu64 " of %" PRIu64
                    " bytes received.",
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
    const db_step step = dataset_load(s, id, &d);
    if (step != DB_ROW) {
        dataset_reply_missing(r, id, step);
        return;
    }
    reply_json(r, code, dataset_json(&d));
    dataset_clear(&d);
}

/* Limits the number of data sets, so that nobody fills the table. */
#define ROW_MOST 10000

bool datasets_may_grow(server *s, request *r) {
    uint64_t n;
    if (!db_number(s->db, db_statement(s->db, "SELECT COUNT(*) FROM datasets"), &n)) {
        reply_unreadable(r);
        return false;
    }
    if (n < ROW_MOST) return true;
    reply_error(r, 429, "toomany",
                "The server has %d data sets, the maximum; delete some that are not needed.",
                ROW_MOST);
    return false;
}

void dataset_insert(server *s, const char *name, uint64_t bytes, db_stored done, void *user) {
    const double now = db_now();
    db_change *c =
        db_change_new("INSERT INTO datasets (name, kind, bytes, received, state, read, clean, "
                      "created, used) VALUES (?, '', ?, 0, 'uploading', '{}', '{}', ?, ?)");
    db_change_text(c, name);
    db_change_count(c, bytes);
    db_change_real(c, now);
    db_change_real(c, now);
    db_send(s->db, c, done, user);
}

void dataset_path(const server *s, uint64_t id, bool arriving, char path[FOLDER_PATH_BYTES]) {
    snprintf(path, FOLDER_PATH_BYTES, "%s/%" PRIu64 ".%s", s->config->datasets_dir, id,
             arriving ? "part" : "data");
}

db_change *dataset_ready(uint64_t id, uint64_t bytes, const char *kind) {
    db_change *c = db_change_new("UPDATE datasets SET state = 'ready', bytes = ?, received = ?, "
                                 "kind = ?, message = NULL WHERE id = ?");
    db_change_count(c, bytes);
    db_change_count(c, bytes);
    db_change_text(c, kind);
    db_change_count(c, id);
    return c;
}

/* Seconds by which `used` may be out of date, so that viewing results does not write each time. */
#define TOUCH_SECONDS 600

void datasets_touch(server *s, uint64_t id) {
    const double now = db_now();
    sqlite3_stmt *q = db_statement(s->db, "SELECT 1 FROM datasets WHERE id = ? AND used < ?");
    db_bind_count(q, 1, id);
    db_bind_real(q, 2, now - TOUCH_SECONDS);
    const bool old = db_next(s->db, q) == DB_ROW; /* a row that cannot be read stays unchanged */
    db_done(q);
    if (!old) return;
    db_change *c = db_change_new("UPDATE datasets SET used = ? WHERE id = ?");
    db_change_real(c, now);
    db_change_count(c, id);
    db_send(s->db, c, NULL, NULL);
}
