/* recover.c - what a start repairs after the server was killed
 *
 * A result counts if its job is in the database as ended. The worker renames the file before it
 * reports the end, so a complete file of an interrupted job is its result; an incomplete one is
 * removed. A file without a job is moved to lost/.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "compare/compare.h"
#include "jobs/jobs_live.h"
#include "storage/discard.h"
#include "storage/folder.h"

static bool recover_jobs(server *s) {
    db_change *c =
        db_change_new("UPDATE jobs SET state = 'lost', ended = ?1, message = 'the server stopped "
                      "unexpectedly while this job was running', hint = 'Finished results are not "
                      "affected; this job can be started again.' WHERE state = 'running'");
    db_change_real(c, db_now());
    return db_make(s->db, c);
}

/* ---- results --------------------------------------------------------------------------------- */

bool job_result_info(const char *path, lode_store_info *out) {
    lode_job *job = NULL;
    lode_store *store = NULL;
    const lode_job_options o = {.size = sizeof o, .threads = 1};
    *out = (lode_store_info)LODE_INIT(lode_store_info);
    bool whole = lode_job_create(&job, NULL, &o) == LODE_OK &&
                 lode_store_open(job, &store, path) == LODE_OK && lode_store_about(store, out);
    lode_store_free(store);
    lode_job_free(job);
    return whole;
}

/* Records the result of an interrupted job; false: there is none, or the database failed. */
static bool recover_result(server *s, uint64_t id, bool *found) {
    char path[FOLDER_PATH_BYTES];
    struct stat file;
    lode_store_info result;
    job_result_path(s, id, path);
    *found = lstat(path, &file) == 0 && S_ISREG(file.st_mode) && job_result_info(path, &result);
    return !*found || db_make(s->db, job_row_found(id, &result, (uint64_t)file.st_size));
}

typedef struct recovery {
    server *server;
    bool failed; /* the database could not be read or written */
    bool stuck;  /* a file could not be moved, so its id might be used again */
} recovery;

/* Whether a result has the size in its row; otherwise it does not belong to this job. */
static bool recover_fits(recovery *r, uint64_t id) {
    database *db = r->server->db;
    char path[FOLDER_PATH_BYTES];
    struct stat file;
    uint64_t bytes;
    sqlite3_stmt *q = db_statement(db, "SELECT bytes FROM jobs WHERE id = ?");
    db_bind_count(q, 1, id);
    if (!db_number(db, q, &bytes)) r->failed = true;
    job_result_path(r->server, id, path);
    return stat(path, &file) != 0 || (uint64_t)file.st_size == bytes;
}

/* Whether the file of a known job stays. */
static bool recover_keeps(recovery *r, uint64_t id, const char *state, bool whole) {
    bool found = false;
    if (strcmp(state, "done") == 0 || strcmp(state, "kept") == 0 || strcmp(state, "limit") == 0) {
        return whole && recover_fits(r, id);
    }
    if (whole && (strcmp(state, "running") == 0 || strcmp(state, "lost") == 0) &&
        !recover_result(r->server, id, &found)) {
        r->failed = true;
    }
    return found;
}

/* Other files are ignored and stay. */
static void recover_file(void *user, int folder, const char *name) {
    recovery *r = user;
    server *s = r->server;
    char state[16];
    bool whole;
    uint64_t id = folder_result(name, &whole);
    if (id == 0 || r->failed) return;
    db_step step = job_row_state(s, id, state);
    if (step == DB_FAILED) {
        r->failed = true;
    } else if (step == DB_END || (whole && !recover_keeps(r, id, state, whole) && !r->failed)) {
        r->stuck = r->stuck || !folder_lose(s->folder, folder, name);
    } else if (!whole) {
        discard_in(s, folder, name); /* a killed worker was writing it */
    }
}

/* "compare-12.fimi", and "export-12-0x7f" of an older server: temporary files made from a
 * result. */
static void recover_temporary(void *user, int folder, const char *name) {
    const bool compare = strncmp(name, "compare-", 8) == 0;
    if (!compare && strncmp(name, "export-", 7) != 0) return;
    const char *number = strchr(name, '-') + 1, *rest = number + strspn(number, "0123456789");
    const bool half =
        strncmp(rest, "-0x", 3) == 0 && !rest[3 + strspn(rest + 3, "0123456789abcdef")];
    if (rest > number && (compare ? strcmp(rest, ".fimi") == 0 : half)) {
        discard_in(user, folder, name);
    }
}

/* ---- the queue ------------------------------------------------------------------------------- */

/* Queues the waiting jobs again, in their order. */
static bool recover_queue(server *s) {
    sqlite3_stmt *q = db_statement(
        s->db, "SELECT id, dataset, kind FROM jobs WHERE state = 'queued' ORDER BY id");
    db_step step;
    bool added = true;
    while ((step = db_next(s->db, q)) == DB_ROW) {
        live_job *job = jobs_add(s, db_count(q, 0), 0);
        added = job != NULL;
        if (!job) break;
        job->dataset = db_count(q, 1);
        job_kind_find(db_text(q, 2), &job->kind);
    }
    db_done(q);
    return added && step == DB_END;
}

bool jobs_recover(server *s, char *why, size_t room) {
    recovery r = {.server = s};
    const config *c = s->config;
    if (!folder_each(c->results_dir, recover_file, &r) ||
        !folder_each(c->tmp_dir, recover_temporary, s)) {
        snprintf(why, room, "the folder of results cannot be read: %s", strerror(errno));
    } else if (r.stuck) {
        snprintf(why, room, "files without a database row could not be moved to lost/ (see above)");
    } else if (r.failed || !recover_jobs(s) || !compare_recover(s)) {
        snprintf(why, room, "cannot mark interrupted jobs: %s", db_message(s->db));
    } else if (!recover_queue(s)) {
        snprintf(why, room, "cannot read queued jobs: %s", db_message(s->db));
    } else {
        return true;
    }
    return false;
}
