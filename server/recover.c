/* recover.c - what a start finds that an end without warning has left
 *
 * A result counts when its job is in the database as ended: the worker has renamed the file before
 * it said so, and the row was written after that. Everything else in results/ is half of something
 * and goes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"
#include "database.h"
#include "jobs_live.h"

static bool recover_jobs(server *s) {
    sqlite3_stmt *q = db_statement(
        s->db, "UPDATE jobs SET state = 'lost', ended = ?1,"
               " message = 'the server ended without warning while this job ran',"
               " hint = 'Results that were finished are all there; this one can be started again.'"
               " WHERE state = 'running'");
    if (!q) return false;
    db_bind_real(q, 1, db_now());
    return db_run(s->db, q);
}

/* Whether a job has a result. */
static bool recover_has_result(server *s, uint64_t id) {
    char state[16];
    return job_row_state(s, id, state) &&
           (strcmp(state, "done") == 0 || strcmp(state, "kept") == 0 ||
            strcmp(state, "limit") == 0);
}

/* "12.arrow"; 0: it has another name. */
static uint64_t recover_number(const char *name) {
    char again[64];
    uint64_t id = strtoull(name, NULL, 10);
    snprintf(again, sizeof again, "%" PRIu64 ".arrow", id);
    return strcmp(again, name) == 0 ? id : 0;
}

static void recover_remove(DIR *folder, const char *name) {
    if (unlinkat(dirfd(folder), name, 0) == 0) return;
    fprintf(stderr, "lode-server: cannot remove results/%s: %s\n", name, strerror(errno));
}

static bool recover_files(server *s) {
    DIR *folder = opendir(s->config->results_dir);
    struct dirent *entry;
    if (!folder) return false;
    while ((entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.') continue;
        uint64_t id = recover_number(entry->d_name);
        if (id == 0 || !recover_has_result(s, id)) recover_remove(folder, entry->d_name);
    }
    closedir(folder);
    return true;
}

/* Those that waited wait again, in their order. */
static bool recover_queue(server *s) {
    sqlite3_stmt *q = db_statement(
        s->db, "SELECT id, dataset, kind FROM jobs WHERE state = 'queued' ORDER BY id");
    bool added = q != NULL;
    while (added && db_row(s->db, q)) {
        job_kind kind = JOB_ITEMSETS;
        job_kind_find(db_text(q, 2), &kind);
        added = jobs_add(s, db_count(q, 0), db_count(q, 1), kind) != NULL;
    }
    return added;
}

bool jobs_recover(server *s, char *why, size_t room) {
    if (!recover_jobs(s) || !compare_recover(s)) {
        snprintf(why, room, "jobs that were cut off cannot be marked: %s", db_message(s->db));
    } else if (!recover_files(s)) {
        snprintf(why, room, "the folder of results cannot be read: %s", strerror(errno));
    } else if (!recover_queue(s)) {
        snprintf(why, room, "jobs that wait cannot be read: %s", db_message(s->db));
    } else {
        return true;
    }
    return false;
}
