/* compare_stored.c - rows of comparisons in the database
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "compare/compare.h"

/* The job may be deleted before the row is stored. */
#define STORE_ROW                                                                                  \
    "INSERT OR REPLACE INTO comparisons (job, position, row) SELECT ?1, ?2, ?3"                    \
    " WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ?1)"

static void compare_add_row(db_change *change, const comparison *c, size_t position) {
    char *row = json_dumps(json_array_get(c->rows, position), JSON_COMPACT);
    db_change_count(change, c->job);
    db_change_count(change, position);
    db_change_text(change, row);
    free(row);
}

void compare_store(server *s, const comparison *c, size_t position) {
    db_change *change = db_change_new(STORE_ROW);
    compare_add_row(change, c, position);
    db_send_surely(s->db, change, NULL, NULL);
}

void compare_store_all(server *s, const comparison *c, db_stored done, void *user) {
    db_change *change = db_change_new("DELETE FROM comparisons WHERE job = ?");
    db_change_count(change, c->job);
    for (size_t i = 0; i < json_array_size(c->rows); i++) {
        db_change_then(change, STORE_ROW);
        compare_add_row(change, c, i);
    }
    db_send_surely(s->db, change, done, user);
}

/* For a comparison that is not complete, the current rows are in memory. */
json_t *compare_load(server *s, uint64_t job) {
    const comparison *c = compare_find(s, job);
    if (c) return json_copy(c->rows);
    sqlite3_stmt *q =
        db_statement(s->db, "SELECT row FROM comparisons WHERE job = ? ORDER BY position");
    json_t *rows = json_array();
    db_step step;
    db_bind_count(q, 1, job);
    while ((step = db_next(s->db, q)) == DB_ROW) {
        json_array_append_new(rows, json_loads(db_text(q, 0), 0, NULL));
    }
    if (step == DB_END) return rows;
    json_decref(rows);
    return NULL;
}

bool compare_recover(server *s) {
    return db_make(
        s->db, db_change_new(
                   "UPDATE comparisons SET row = json_set(row, '$.state', 'failed', '$.message', "
                   "'the server was restarted before this run') WHERE CASE WHEN json_valid(row) "
                   "THEN json_extract(row, '$.state') IN ('waiting', 'running') END"));
}

void compare_replay(server *s, listener *l) {
    json_t *rows = compare_load(s, l->job);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        events_send_one(l, "compare", json_array_get(rows, i));
    }
    json_decref(rows);
}
