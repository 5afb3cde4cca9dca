/* database.c - SQLite: opened in WAL mode, statements prepared once
 *
 * synchronous=FULL: a result that was reported as finished is still there after a power cut. There
 * are a few writes per job, so that this costs nothing that anybody could see.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "schema.h"

#define MAX_STATEMENTS 256

struct database {
    sqlite3 *handle;
    struct {
        const char *sql;
        sqlite3_stmt *statement;
    } prepared[MAX_STATEMENTS];
    size_t n_prepared;
    unsigned depth; /* of transactions */
    bool undone;    /* an inner one was rolled back: the outer ones cannot be committed */
    char message[256];
    bool full;
};

static bool db_configure(sqlite3 *handle, char *why, size_t room) {
    static const char settings[] = "PRAGMA journal_mode = WAL;"
                                   "PRAGMA synchronous = FULL;"
                                   "PRAGMA foreign_keys = ON;"
                                   "PRAGMA trusted_schema = OFF;"
                                   "PRAGMA journal_size_limit = 16777216;";
    sqlite3_busy_timeout(handle, 2000);
    sqlite3_extended_result_codes(handle, 1);
    if (sqlite3_exec(handle, settings, NULL, NULL, NULL) == SQLITE_OK) return true;
    snprintf(why, room, "the database cannot be opened: %s", sqlite3_errmsg(handle));
    return false;
}

database *db_open(const char *path, char *why, size_t room) {
    database *db = calloc(1, sizeof *db);
    if (!db) {
        snprintf(why, room, "no memory for the database");
        return NULL;
    }
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &db->handle, flags, NULL) != SQLITE_OK) {
        snprintf(why, room, "the database cannot be opened: %s",
                 db->handle ? sqlite3_errmsg(db->handle) : "no memory");
        db_close(db);
        return NULL;
    }
    if (!db_configure(db->handle, why, room) || !schema_update(db->handle, why, room)) {
        db_close(db);
        return NULL;
    }
    return db;
}

void db_close(database *db) {
    if (!db) return;
    for (size_t i = 0; i < db->n_prepared; i++) sqlite3_finalize(db->prepared[i].statement);
    sqlite3_close(db->handle);
    free(db);
}

sqlite3 *db_handle(database *db) {
    return db->handle;
}

static void db_remember(database *db, int code) {
    snprintf(db->message, sizeof db->message, "%s", sqlite3_errmsg(db->handle));
    db->full = (code & 0xFF) == SQLITE_FULL;
}

sqlite3_stmt *db_statement(database *db, const char *sql) {
    for (size_t i = 0; i < db->n_prepared; i++) {
        if (db->prepared[i].sql != sql && strcmp(db->prepared[i].sql, sql) != 0) continue;
        sqlite3_reset(db->prepared[i].statement);
        sqlite3_clear_bindings(db->prepared[i].statement);
        return db->prepared[i].statement;
    }
    if (db->n_prepared == MAX_STATEMENTS) {
        snprintf(db->message, sizeof db->message, "too many statements");
        return NULL;
    }
    sqlite3_stmt *s;
    int code = sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &s, NULL);
    if (code != SQLITE_OK) {
        db_remember(db, code);
        return NULL;
    }
    db->prepared[db->n_prepared].sql = sql;
    db->prepared[db->n_prepared++].statement = s;
    return s;
}

void db_bind_count(sqlite3_stmt *s, int i, uint64_t n) {
    sqlite3_bind_int64(s, i, n > INT64_MAX ? INT64_MAX : (sqlite3_int64)n);
}

void db_bind_real(sqlite3_stmt *s, int i, double x) {
    sqlite3_bind_double(s, i, x);
}

void db_bind_text(sqlite3_stmt *s, int i, const char *words) {
    if (words) {
        sqlite3_bind_text(s, i, words, -1, SQLITE_TRANSIENT);
    } else {
        sqlite3_bind_null(s, i);
    }
}

void db_bind_bytes(sqlite3_stmt *s, int i, const char *words, size_t n) {
    sqlite3_bind_text64(s, i, words, n, SQLITE_TRANSIENT, SQLITE_UTF8);
}

bool db_row(database *db, sqlite3_stmt *s) {
    if (!s) return false;
    int code = sqlite3_step(s);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) db_remember(db, code);
    sqlite3_reset(s);
    return false;
}

bool db_run(database *db, sqlite3_stmt *s) {
    if (!s) return false;
    int code = sqlite3_step(s);
    if (code != SQLITE_DONE && code != SQLITE_ROW) db_remember(db, code);
    sqlite3_reset(s);
    return code == SQLITE_DONE || code == SQLITE_ROW;
}

void db_done(sqlite3_stmt *s) {
    if (s) sqlite3_reset(s);
}

uint64_t db_count(sqlite3_stmt *s, int i) {
    sqlite3_int64 n = sqlite3_column_int64(s, i);
    return n < 0 ? 0 : (uint64_t)n;
}

double db_real(sqlite3_stmt *s, int i) {
    return sqlite3_column_double(s, i);
}

const char *db_text(sqlite3_stmt *s, int i) {
    const unsigned char *words = sqlite3_column_text(s, i);
    return words ? (const char *)words : "";
}

bool db_is_null(sqlite3_stmt *s, int i) {
    return sqlite3_column_type(s, i) == SQLITE_NULL;
}

uint64_t db_last_id(database *db) {
    return (uint64_t)sqlite3_last_insert_rowid(db->handle);
}

unsigned db_changes(database *db) {
    return (unsigned)sqlite3_changes(db->handle);
}

const char *db_message(database *db) {
    return db->message;
}

bool db_full(database *db) {
    return db->full;
}

bool db_begin(database *db) {
    if (db->depth == 0) {
        if (!db_run(db, db_statement(db, "BEGIN IMMEDIATE"))) return false;
        db->undone = false;
    }
    db->depth++;
    return true;
}

bool db_commit(database *db) {
    if (db->depth == 0) return false;
    if (--db->depth) return !db->undone;
    if (!db->undone && db_run(db, db_statement(db, "COMMIT"))) return true;
    if (!sqlite3_get_autocommit(db->handle)) db_run(db, db_statement(db, "ROLLBACK"));
    return false;
}

void db_rollback(database *db) {
    if (db->depth == 0) return;
    db->undone = true;
    if (--db->depth) return;
    if (!sqlite3_get_autocommit(db->handle)) db_run(db, db_statement(db, "ROLLBACK"));
}

double db_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
