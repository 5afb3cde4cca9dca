/* datasets_delete.c - a data set goes with all that belongs to it
 *
 * The row goes before the file: a file without a row is swept away at the next start, a row without
 * a file would be a broken data set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "database.h"
#include "datasets.h"
#include "discard.h"
#include "jobs.h"
#include "uploads.h"
#include "workers.h"

bool dataset_delete(server *s, uint64_t id) {
    char path[DATASET_PATH_BYTES];
    jobs_delete_of(s, id);
    workers_forget(s->workers, id);
    sqlite3_stmt *q = db_statement(s->db, "DELETE FROM datasets WHERE id = ?");
    if (!q) return false;
    db_bind_count(q, 1, id);
    if (!db_run(s->db, q)) return false;
    uploads_abandon(s, id);
    dataset_path(s, id, true, path);
    discard_file(s, path);
    dataset_path(s, id, false, path);
    discard_file(s, path);
    return true;
}
