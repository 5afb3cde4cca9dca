/* database_write.c - changes of the database, on the writer thread; see database.h
 *
 * A change is tried for a few seconds after it was sent. A change that must not be lost is queued
 * again after a pause, until it succeeds.
 *
 * Deleting rows and storing the end of a job must work even if the disk is full. Then the log is
 * restarted, so that it reuses its space; if that is not enough, the spare file next to the
 * database is deleted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "storage/database_connection.h"
#include "system/config.h"
#include "system/tasks.h"

#define CHANGE_PATIENCE 2.0  /* seconds from when a change was sent */
#define CHANGE_PAUSE    0.25 /* pause before a retry */
#define CHANGES_WAITING 100000
#define SPARE_BYTES     ((uint64_t)1 << 20)
#define SPARE_LEAST     ((uint64_t)1 << 16)
#define SPARE_SECONDS   5.0 /* between two checks */
#define SHRINK_PAGES    256 /* free pages that are returned to the disk at a time */

typedef struct change_value {
    enum { VALUE_COUNT, VALUE_REAL, VALUE_TEXT, VALUE_NULL } type;
    uint64_t count;
    double real;
    char *text;
} change_value;

typedef struct change_statement {
    const char *sql;
    size_t n_values;
} change_statement;

struct db_change {
    change_statement *statements;
    change_value *values; /* of all statements, one after the other */
    size_t n_statements, n_values;
    bool incomplete; /* memory ran out while it was built */
    bool impossible; /* a constraint failed: a retry would fail as well */
    database *db;
    db_stored done;
    void *user;
    bool surely;
    double sent;
    struct db_change *next; /* in the list of changes to be retried */
    db_outcome outcome;
    char message[256];
};

static double change_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- what it is ------------------------------------------------------------------------------ */

void db_change_then(db_change *c, const char *sql) {
    if (!c) return;
    change_statement *more = realloc(c->statements, (c->n_statements + 1) * sizeof *more);
    c->incomplete = c->incomplete || !more;
    if (!more) return;
    c->statements = more;
    more[c->n_statements++] = (change_statement){.sql = sql};
}

db_change *db_change_new(const char *sql) {
    db_change *c = calloc(1, sizeof *c);
    db_change_then(c, sql);
    return c;
}

static void change_free(db_change *c) {
    if (!c) return;
    for (size_t i = 0; i < c->n_values; i++) free(c->values[i].text);
    free(c->values);
    free(c->statements);
    free(c);
}

static void change_add(db_change *c, change_value value) {
    if (!c) return;
    change_value *more =
        c->incomplete ? NULL : realloc(c->values, (c->n_values + 1) * sizeof *more);
    if (!more) {
        c->incomplete = true;
        free(value.text);
        return;
    }
    c->values = more;
    more[c->n_values++] = value;
    c->statements[c->n_statements - 1].n_values++;
}

void db_change_count(db_change *c, uint64_t n) {
    change_add(c, (change_value){.type = VALUE_COUNT, .count = n});
}

void db_change_real(db_change *c, double x) {
    change_add(c, (change_value){.type = VALUE_REAL, .real = x});
}

void db_change_text(db_change *c, const char *words) {
    char *copy = c && words ? strdup(words) : NULL;
    if (c && words && !copy) c->incomplete = true;
    change_add(c, (change_value){.type = words ? VALUE_TEXT : VALUE_NULL, .text = copy});
}

/* ---- the spare file -------------------------------------------------------------------------- */

static void spare_path(const database *db, char *path, size_t room) {
    snprintf(path, room, "%s-spare", db->path);
}

/* True: there was one, and its space is free now. */
static bool spare_give(database *db) {
    char path[FOLDER_PATH_BYTES];
    spare_path(db, path, sizeof path);
    db->spare_looked = 0;
    return unlink(path) == 0;
}

/* Creates the spare file again, with at most half of the free space. */
static void spare_keep(database *db) {
    char path[FOLDER_PATH_BYTES];
    struct statvfs disk;
    double now = change_clock();
    if (db->spare_looked > 0 && now - db->spare_looked < SPARE_SECONDS) return;
    db->spare_looked = now;
    spare_path(db, path, sizeof path);
    if (access(path, F_OK) == 0 || statvfs(db->path, &disk) != 0) return;
    uint64_t half = (uint64_t)disk.f_bavail * disk.f_frsize / 2;
    uint64_t bytes = half < SPARE_BYTES ? half : SPARE_BYTES;
    int fd = bytes < SPARE_LEAST
                 ? -1
                 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return;
    if (posix_fallocate(fd, 0, (off_t)bytes) != 0) unlink(path);
    close(fd);
}

/* ---- on the thread --------------------------------------------------------------------------- */

static void change_bind(sqlite3_stmt *s, int i, const change_value *v) {
    switch (v->type) {
    case VALUE_COUNT: db_bind_count(s, i, v->count); break;
    case VALUE_REAL: db_bind_real(s, i, v->real); break;
    case VALUE_TEXT: sqlite3_bind_text(s, i, v->text, -1, SQLITE_STATIC); break;
    case VALUE_NULL: sqlite3_bind_null(s, i); break;
    }
}

/* Runs a statement to its end. */
static int change_step(db_connection *to, const char *sql, const change_value *values, size_t n) {
    sqlite3_stmt *s = db_prepare_once(to, sql);
    if (!s) {
        int code = sqlite3_errcode(to->handle);
        return code == SQLITE_OK ? SQLITE_NOMEM : code;
    }
    for (size_t i = 0; i < n; i++) change_bind(s, (int)i + 1, &values[i]);
    int code;
    do {
        code = sqlite3_step(s);
    } while (code == SQLITE_ROW);
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* Executes the change once; returns SQLite's code. */
static int change_try(db_change *c) {
    db_connection *to = &c->db->writer;
    const change_value *values = c->values;
    int code = change_step(to, "BEGIN IMMEDIATE", NULL, 0);
    for (size_t i = 0; code == SQLITE_OK && i < c->n_statements; i++) {
        code = change_step(to, c->statements[i].sql, values, c->statements[i].n_values);
        values += c->statements[i].n_values;
    }
    if (code == SQLITE_OK) {
        c->outcome.id = (uint64_t)sqlite3_last_insert_rowid(to->handle);
        c->outcome.rows = (unsigned)sqlite3_changes(to->handle);
        code = change_step(to, "COMMIT", NULL, 0);
    }
    if (code == SQLITE_OK) {
        /* Returns free pages of deleted rows to the disk, some at a time. This writes to the log,
         * so it may fail on a full disk; a later change tries again. */
        sqlite3_stmt *s = db_prepare_once(to, "PRAGMA freelist_count");
        int free_pages = s && sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int(s, 0) : 0;
        sqlite3_reset(s);
        if (free_pages >= SHRINK_PAGES) change_step(to, "PRAGMA incremental_vacuum(256)", NULL, 0);
        return code;
    }
    snprintf(c->message, sizeof c->message, "%s", sqlite3_errmsg(to->handle));
    if (!sqlite3_get_autocommit(to->handle)) change_step(to, "ROLLBACK", NULL, 0);
    return code;
}

/* SQLite does not report a quota as "full". */
static bool change_is_full(const db_change *c, int code) {
    int reason = sqlite3_system_errno(c->db->writer.handle);
    if ((code & 0xFF) == SQLITE_IOERR) return reason == ENOSPC || reason == EDQUOT;
    return (code & 0xFF) == SQLITE_FULL;
}

/* Changes that must not be lost keep their order: none is executed while an earlier one waits. */
static bool change_must_wait(const db_change *c) {
    const database *db = c->db;
    return c->surely && db->held && db->held != c && !atomic_load(&db->ending);
}

static void change_work(void *arg) {
    db_change *c = arg;
    double left = CHANGE_PATIENCE - (change_clock() - c->sent);
    if (c->incomplete) {
        snprintf(c->message, sizeof c->message, "the server is out of memory");
        return;
    }
    if (change_must_wait(c)) {
        snprintf(c->message, sizeof c->message, "an earlier change has not been stored yet");
        return;
    }
    sqlite3_busy_timeout(c->db->writer.handle, left > 0 ? (int)(left * 1000) : 0);
    int code = change_try(c);
    if (change_is_full(c, code)) {
        sqlite3_wal_checkpoint_v2(c->db->writer.handle, NULL, SQLITE_CHECKPOINT_RESTART, NULL,
                                  NULL);
        code = change_try(c);
    }
    if (change_is_full(c, code) && spare_give(c->db)) code = change_try(c);
    c->outcome.stored = code == SQLITE_OK;
    c->outcome.full = change_is_full(c, code);
    c->impossible = (code & 0xFF) == SQLITE_CONSTRAINT || (code & 0xFF) == SQLITE_ERROR;
    if (c->surely) c->db->held = c->outcome.stored || c->impossible ? NULL : c;
    if (c->outcome.stored) spare_keep(c->db);
}

/* ---- on the loop ----------------------------------------------------------------------------- */

static void change_queue(db_change *c);

/* Retries all waiting changes, in their order. */
static void change_again(evutil_socket_t fd, short what, void *arg) {
    database *db = arg;
    db_change *c = db->waiting;
    (void)fd, (void)what;
    db->waiting = NULL;
    for (db_change *next; c; c = next) {
        next = c->next;
        change_queue(c);
    }
}

/* False: no further retry. */
static bool change_wait(db_change *c) {
    const struct timeval pause = {.tv_usec = (suseconds_t)(CHANGE_PAUSE * 1e6)};
    db_change **end = &c->db->waiting;
    if (!c->surely || c->incomplete || c->impossible || !c->db->changes) return false;
    while (*end) end = &(*end)->next;
    c->next = NULL;
    *end = c;
    event_add(c->db->again, &pause);
    return true;
}

static void change_done(void *arg) {
    db_change *c = arg;
    bool again = !c->outcome.stored && change_wait(c);
    c->outcome.message = c->message;
    c->outcome.given_up = !c->outcome.stored && !again;
    if (c->done) c->done(c->user, &c->outcome);
    if (!again) change_free(c);
}

static void change_queue(db_change *c) {
    c->sent = change_clock();
    c->outcome = (db_outcome){0};
    if (!c->db->base) { /* at start, nobody is delayed */
        change_work(c);
        change_done(c);
        return;
    }
    if (c->db->changes && tasks_add(c->db->changes, change_work, change_done, c)) return;
    snprintf(c->message, sizeof c->message, "the server is shutting down or overloaded");
    change_done(c);
}

static void change_send(database *db, db_change *c, db_stored done, void *user, bool surely) {
    static const db_outcome no_memory = {.given_up = true,
                                         .message = "the server is out of memory"};
    if (!c) {
        if (done) done(user, &no_memory);
        return;
    }
    c->db = db;
    c->done = done;
    c->user = user;
    c->surely = surely;
    change_queue(c);
}

void db_send(database *db, db_change *steals, db_stored done, void *user) {
    change_send(db, steals, done, user, false);
}

void db_send_surely(database *db, db_change *steals, db_stored done, void *user) {
    change_send(db, steals, done, user, true);
}

bool db_make(database *db, db_change *steals) {
    if (!steals) return false;
    steals->db = db;
    steals->sent = change_clock();
    change_work(steals);
    bool stored = steals->outcome.stored;
    if (!stored) snprintf(db->message, sizeof db->message, "%s", steals->message);
    change_free(steals);
    return stored;
}

bool db_run_changes(database *db, struct event_base *base) {
    db->base = base;
    db->again = event_new(base, -1, 0, change_again, db);
    if (db->again) db->changes = tasks_new(base, 1, CHANGES_WAITING);
    return db->changes != NULL;
}

void db_end_changes(database *db) {
    struct task_pool *changes = db ? db->changes : NULL;
    if (!changes) return;
    atomic_store(&db->ending, true);
    change_again(-1, 0, db); /* each gets one more try */
    db->changes = NULL;      /* changes that fail now are not retried */
    tasks_free(changes);
    event_free(db->again);
}
