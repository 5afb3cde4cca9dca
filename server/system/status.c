/* status.c - see status.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "system/status.h"

#include "storage/database.h"
#include "storage/disk.h"
#include "workers/workers.h"

static bool status_jobs(server *s, const char *state, uint64_t *n) {
    sqlite3_stmt *q = db_statement(s->db, "SELECT COUNT(*) FROM jobs WHERE state = ?");
    db_bind_text(q, 1, state);
    return db_number(s->db, q, n);
}

void status_get(server *s, request *r) {
    uint64_t running, queued, disk;
    if (!status_jobs(s, "running", &running) || !status_jobs(s, "queued", &queued) ||
        !disk_used(s, &disk)) {
        reply_unreadable(r);
        return;
    }
    reply_json(r, 200,
               json_pack("{s:I, s:I, s:o, s:I, s:I}", "jobs_running", (json_int_t)running,
                         "jobs_queued", (json_int_t)queued, "workers", workers_list(s->workers),
                         "connections", (json_int_t)server_connections(s), "disk_used",
                         (json_int_t)disk));
}
