/* trash.c - see trash.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "storage/trash.h"

#include <event2/event.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/datasets.h"
#include "jobs/jobs_live.h"
#include "storage/discard.h"
#include "storage/folder.h"

/* Incomplete files of a worker are removed when its process ends (workers_room.c). */
bool trash_files(server *s, trash_entry e) {
    char path[FOLDER_PATH_BYTES];
    if (e.job) {
        job_result_path(s, e.id, path);
        return discard_file(s, path);
    }
    dataset_path(s, e.id, true, path);
    bool gone = discard_file(s, path);
    dataset_path(s, e.id, false, path);
    return discard_file(s, path) && gone;
}

/* ---- putting in ------------------------------------------------------------------------------ */

/* Answers the request to delete when the rows are gone. */
typedef struct deletion {
    server *server;
    trash_entry entry;
    db_stored done;
    void *user;
    bool made_room;
} deletion;

static void trash_statements(db_change *c, const char *const *statements, size_t n, uint64_t id) {
    for (size_t i = 0; i < n; i++) {
        if (i > 0) db_change_then(c, statements[i]);
        db_change_count(c, id);
    }
}

static db_change *deletion_change(trash_entry e) {
    static const char *const job[] = {
        "INSERT OR IGNORE INTO trash SELECT 'job', id FROM jobs WHERE id = ?",
        "DELETE FROM comparisons WHERE job = ?", "DELETE FROM jobs WHERE id = ?"};
    static const char *const dataset_and_jobs[] = {
        "INSERT OR IGNORE INTO trash SELECT 'job', id FROM jobs WHERE dataset = ?",
        "INSERT OR IGNORE INTO trash SELECT 'dataset', id FROM datasets WHERE id = ?",
        "DELETE FROM comparisons WHERE job IN (SELECT id FROM jobs WHERE dataset = ?)",
        "DELETE FROM jobs WHERE dataset = ?", "DELETE FROM datasets WHERE id = ?"};
    db_change *c = db_change_new(e.job ? job[0] : dataset_and_jobs[0]);
    trash_statements(c, e.job ? job : dataset_and_jobs, e.job ? 3 : 5, e.id);
    return c;
}

static void deletion_done(void *user, const db_outcome *outcome) {
    deletion *d = user;
    if (outcome->full && !d->made_room) {
        d->made_room = true;
        /* If the disk is full, the files are removed first. */
        server *s = d->server;
        sqlite3_stmt *q =
            db_statement(s->db, d->entry.job ? "SELECT id FROM jobs WHERE id = ?"
                                             : "SELECT id FROM jobs WHERE dataset = ?");
        db_bind_count(q, 1, d->entry.id);
        while (db_next(s->db, q) == DB_ROW) trash_files(s, (trash_entry){true, db_count(q, 0)});
        if (!d->entry.job) trash_files(s, d->entry);
        db_send(d->server->db, deletion_change(d->entry), deletion_done, d);
        return;
    }
    if (outcome->stored) trash_wake(d->server);
    if (d->done) d->done(d->user, outcome);
    free(d);
}

static void trash_put(server *s, trash_entry e, db_stored done, void *user) {
    static const db_outcome no_memory = {.given_up = true,
                                         .message = "the server is out of memory"};
    deletion *d = malloc(sizeof *d);
    if (d) {
        *d = (deletion){s, e, done, user, false};
        db_send(s->db, deletion_change(e), deletion_done, d);
    } else if (done) {
        done(user, &no_memory);
    }
}

void trash_job(server *s, uint64_t id, db_stored done, void *user) {
    trash_put(s, (trash_entry){true, id}, done, user);
}

void trash_dataset(server *s, uint64_t id, db_stored done, void *user) {
    trash_put(s, (trash_entry){false, id}, done, user);
}

/* ---- emptying -------------------------------------------------------------------------------- */

bool trash_list(server *s, trash_entry **out, size_t *n) {
    sqlite3_stmt *q = db_statement(s->db, "SELECT kind, id FROM trash ORDER BY kind DESC, id DESC");
    db_step step;
    size_t room = 0;
    *out = NULL;
    *n = 0;
    while ((step = db_next(s->db, q)) == DB_ROW) {
        if (*n == room) {
            room = room ? 2 * room : 16;
            trash_entry *more = realloc(*out, room * sizeof *more);
            if (!more) break;
            *out = more;
        }
        (*out)[(*n)++] = (trash_entry){strcmp(db_text(q, 0), "job") == 0, db_count(q, 1)};
    }
    db_done(q);
    return step == DB_END;
}

db_change *trash_forget(const trash_entry *list, size_t n) {
    static const char sql[] = "DELETE FROM trash WHERE kind = ? AND id = ?";
    db_change *c = db_change_new(sql);
    for (size_t i = 0; i < n; i++) {
        if (i > 0) db_change_then(c, sql);
        db_change_text(c, list[i].job ? "job" : "dataset");
        db_change_count(c, list[i].id);
    }
    return c;
}

void trash_wake(server *s) {
    event_active(s->emptying, EV_TIMEOUT, 0);
}

/* Incomplete files of workers of a killed server. */
typedef struct trash_halves {
    server *server;
    const trash_entry *list; /* jobs first, from the highest id down */
    size_t n;
} trash_halves;

static int trash_compare(const void *a, const void *b) {
    const trash_entry *x = a, *y = b;
    if (x->job != y->job) return x->job ? -1 : 1;
    return x->id > y->id ? -1 : x->id < y->id;
}

static void trash_half(void *user, int folder, const char *name) {
    const trash_halves *h = user;
    bool whole;
    const trash_entry it = {true, folder_result(name, &whole)};
    if (it.id == 0 || whole || !bsearch(&it, h->list, h->n, sizeof it, trash_compare)) return;
    (void)discard_in(h->server, folder, name);
}

bool trash_recover(server *s) {
    trash_entry *list;
    size_t n, gone = 0;
    if (!trash_list(s, &list, &n)) {
        free(list);
        return false;
    }
    trash_halves halves = {s, list, n};
    if (n > 0) (void)folder_each(s->config->results_dir, trash_half, &halves);
    for (size_t i = 0; i < n; i++) {
        if (trash_files(s, list[i])) list[gone++] = list[i];
    }
    bool fine = gone == 0 || db_make(s->db, trash_forget(list, gone));
    free(list);
    return fine;
}
