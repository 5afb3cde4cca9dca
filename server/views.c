/* views.c - see views.h
 *
 * A view is the part of the page's address behind the #, which never reaches the server
 * otherwise. It must begin with "#/", so that a short link leads nowhere but to this page.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "views.h"

#include <inttypes.h>
#include <string.h>

#include "database.h"
#include "datasets.h"

#define VIEW_BYTES 16384

static void views_insert(server *s, request *r, const char *words) {
    sqlite3_stmt *q = db_statement(s->db, "INSERT INTO views (text, created) VALUES (?, ?)");
    if (q) {
        db_bind_text(q, 1, words);
        db_bind_real(q, 2, db_now());
    }
    if (q && db_run(s->db, q)) {
        reply_json(r, 201, json_pack("{s:I}", "id", (json_int_t)db_last_id(s->db)));
    } else {
        datasets_refuse(s, r);
    }
}

void views_create(server *s, request *r) {
    json_t *body = request_object(r), *value;
    if (!body) return;
    value = json_object_get(body, "text");
    const char *words = json_string_value(value);
    if (!words || json_object_size(body) != 1 || strncmp(words, "#/", 2) != 0 ||
        strlen(words) != json_string_length(value)) {
        reply_error(r, 422, "invalid", "text: expected the part of the address from #/ on.");
    } else if (json_string_length(value) > VIEW_BYTES) {
        reply_error(r, 413, "toolarge", "A view has at most %d bytes.", VIEW_BYTES);
    } else {
        views_insert(s, r, words);
    }
}

void views_get(server *s, request *r) {
    json_t *answer = NULL;
    sqlite3_stmt *q = db_statement(s->db, "SELECT text FROM views WHERE id = ?");
    if (q) {
        db_bind_count(q, 1, request_number(r, 0));
        if (db_row(s->db, q)) answer = json_pack("{s:s}", "text", db_text(q, 0));
        db_done(q);
    }
    if (answer) {
        reply_json(r, 200, answer);
    } else {
        reply_error(r, 404, "notfound", "There is no view %" PRIu64 ".", request_number(r, 0));
    }
}
