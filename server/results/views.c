/* views.c - see views.h
 *
 * A view is the part of the page address after #, which browsers do not send to the server. It must
 * begin with "#/", so that a short link can only lead to this page.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/views.h"

#include <inttypes.h>
#include <string.h>

#include "storage/database.h"
#include "storage/disk.h"
#include "storage/listing.h"

#define VIEW_BYTES    16384
#define VIEWS_MOST    10000 /* maximum number of views; the least recently used are removed first */
#define VIEWS_PAGE    100
#define VIEWS_SECONDS 600 /* seconds by which `used` may be out of date */

static void views_stored(void *user, const db_outcome *outcome) {
    if (outcome->stored) {
        reply_json(user, 201, json_pack("{s:I}", "id", (json_int_t)outcome->id));
    } else {
        reply_unstored(user, outcome);
    }
}

static void views_insert(server *s, request *r, const char *words) {
    const double now = db_now();
    db_change *c = db_change_new("INSERT INTO views (text, created, used) VALUES (?1, ?2, ?2)");
    db_change_text(c, words);
    db_change_real(c, now);
    db_change_then(
        c, "DELETE FROM views WHERE id IN "
           "(SELECT id FROM views WHERE id <> last_insert_rowid() ORDER BY used DESC, id DESC "
           "LIMIT -1 OFFSET ?)");
    db_change_count(c, VIEWS_MOST - 1);
    db_send(s->db, c, views_stored, r);
}

void views_create(server *s, request *r) {
    char message[256];
    json_t *body = request_object(r), *value;
    if (!body) return;
    value = json_object_get(body, "text");
    const char *words = json_string_value(value);
    if (!words || json_object_size(body) != 1 || strncmp(words, "#/", 2) != 0 ||
        strlen(words) != json_string_length(value)) {
        reply_error(r, 422, "invalid",
                    "text: expected the part of the address that begins with #/.");
    } else if (json_string_length(value) > VIEW_BYTES) {
        reply_error(r, 413, "toolarge", "A view can have at most %d bytes.", VIEW_BYTES);
    } else if (!disk_room(s, json_string_length(value), message, sizeof message)) {
        reply_error(r, 507, "unavailable", "%s", message);
    } else if (request_may_keep(r)) {
        views_insert(s, r, words);
    }
}

void views_list(server *s, request *r) {
    listing list;
    db_step step;
    if (!listing_read(r, VIEWS_PAGE, VIEWS_MOST, &list)) return;
    sqlite3_stmt *q =
        db_statement(s->db, "SELECT id, text FROM views WHERE id < ? ORDER BY id DESC");
    db_bind_count(q, 1, list.before);
    while ((step = db_next(s->db, q)) == DB_ROW && listing_has_room(&list)) {
        listing_add(
            &list, db_count(q, 0),
            json_pack("{s:I, s:s}", "id", (json_int_t)db_count(q, 0), "text", db_text(q, 1)));
    }
    list.failed = step == DB_FAILED;
    db_done(q);
    listing_reply(r, &list, "views");
}

static void views_reply_missing(request *r, db_step step) {
    if (step == DB_FAILED) {
        reply_unreadable(r);
    } else {
        reply_error(r, 404, "notfound", "There is no view %" PRIu64 ".", request_number(r, 0));
    }
}

static void views_touch(server *s, uint64_t id) {
    db_change *c = db_change_new("UPDATE views SET used = ? WHERE id = ?");
    db_change_real(c, db_now());
    db_change_count(c, id);
    db_send(s->db, c, NULL, NULL);
}

void views_get(server *s, request *r) {
    const uint64_t id = request_number(r, 0);
    sqlite3_stmt *q = db_statement(s->db, "SELECT text, used FROM views WHERE id = ?");
    db_bind_count(q, 1, id);
    const db_step step = db_next(s->db, q);
    if (step != DB_ROW) {
        views_reply_missing(r, step);
        return;
    }
    json_t *answer = json_pack("{s:s}", "text", db_text(q, 0));
    const bool old = db_real(q, 1) < db_now() - VIEWS_SECONDS;
    db_done(q);
    if (old) views_touch(s, id);
    reply_json(r, 200, answer);
}

static void views_deleted(void *user, const db_outcome *outcome) {
    if (!outcome->stored) {
        reply_unstored(user, outcome);
    } else if (outcome->rows == 0) {
        views_reply_missing(user, DB_END);
    } else {
        reply_empty(user, 204);
    }
}

void views_delete(server *s, request *r) {
    db_change *c = db_change_new("DELETE FROM views WHERE id = ?");
    db_change_count(c, request_number(r, 0));
    db_send(s->db, c, views_deleted, r);
}
