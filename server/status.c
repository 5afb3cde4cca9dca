/* status.c - see status.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "status.h"

#include "database.h"
#include "disk.h"
#include "workers.h"

static json_int_t status_jobs(server *s, const char *state) {
    sqlite3_stmt *q = db_statement(s->db, "SELECT COUNT(*) FROM jobs WHERE state = ?");
    if (!q) return 0;
    db_bind_text(q, 1, state);
    const json_int_t n = db_row(s->db, q) ? (json_int_t)db_count(q, 0) : 0;
    db_done(q);
    return n;
}

void status_get(server *s, request *r) {
    reply_json(r, 200,
               json_pack("{s:I, s:I, s:o, s:I, s:I}", "jobs_running", status_jobs(s, "running"),
                         "jobs_queued", status_jobs(s, "queued"), "workers",
                         workers_list(s->workers), "connections", (json_int_t)server_connections(s),
                         "disk_used", (json_int_t)disk_used(s)));
}
