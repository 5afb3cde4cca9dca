/* compare_stored.c - rows of comparisons in the database
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "compare.h"
#include "database.h"

bool compare_store(server *s, const comparison *c, size_t position) {
    sqlite3_stmt *q = db_statement(
        s->db, "INSERT OR REPLACE INTO comparisons (job, position, row) VALUES (?, ?, ?)");
    char *row = json_dumps(json_array_get(c->rows, position), JSON_COMPACT);
    bool stored = q && row;
    if (stored) {
        db_bind_count(q, 1, c->job);
        db_bind_count(q, 2, position);
        db_bind_text(q, 3, row);
        stored = db_run(s->db, q);
    }
    free(row);
    return stored;
}

json_t *compare_load(server *s, uint64_t job) {
    sqlite3_stmt *q =
        db_statement(s->db, "SELECT row FROM comparisons WHERE job = ? ORDER BY position");
    json_t *rows = q ? json_array() : NULL;
    if (!rows) return NULL;
    db_bind_count(q, 1, job);
    while (db_row(s->db, q)) json_array_append_new(rows, json_loads(db_text(q, 0), 0, NULL));
    return rows;
}

bool compare_recover(server *s) {
    sqlite3_stmt *q = db_statement(
        s->db, "UPDATE comparisons SET row = json_set(row, '$.state', 'failed', '$.message',"
               " 'the server was started anew before this row had run')"
               " WHERE json_extract(row, '$.state') IN ('waiting', 'running')");
    return q && db_run(s->db, q);
}

void compare_replay(server *s, listener *l) {
    json_t *rows = compare_load(s, l->job);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        events_send_one(l, "compare", json_array_get(rows, i));
    }
    json_decref(rows);
}
