/* database.c - SQLite: opening, and queries
 *
 * Two connections to one file in WAL mode: one for changes, which is opened and checked first, and
 * one that only reads. synchronous=FULL, so a result that was reported as finished survives a power
 * cut. A job makes only a few changes, so the cost is not noticeable.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "storage/database_connection.h"
#include "storage/schema.h"

/* ---- opening --------------------------------------------------------------------------------- */

static bool db_connect(db_connection *c, const char *path, int flags, char *why, size_t room) {
    flags |= SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
    if (sqlite3_open_v2(path, &c->handle, flags, NULL) == SQLITE_OK) {
        sqlite3_extended_result_codes(c->handle, 1);
        return true;
    }
    snprintf(why, room, "the database cannot be opened: %s",
             c->handle ? sqlite3_errmsg(c->handle) : "out of memory");
    return false;
}

/* What SQLite found wrong with the file, in one line; "": nothing. */
static void db_check(sqlite3 *handle, char *found, size_t room) {
    sqlite3_stmt *s = NULL;
    bool read =
        sqlite3_prepare_v2(handle, "PRAGMA integrity_check(1)", -1, &s, NULL) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW;
    const char *said = read ? (const char *)sqlite3_column_text(s, 0) : sqlite3_errmsg(handle);
    snprintf(found, room, "%s", said ? said : "out of memory");
    if (read && strcmp(found, "ok") == 0) found[0] = '\0';
    for (char *c = found; *c; c++) {
        if (*c == '\n') *c = ' ';
    }
    sqlite3_finalize(s);
}

/* Whether SQLite's last error was due to the content of the file, not to the machine. */
static bool db_is_unusable(sqlite3 *handle) {
    int code = sqlite3_errcode(handle) & 0xFF;
    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR;
}

/* An unreadable page would look like missing rows. */
static bool db_is_whole(sqlite3 *handle, db_opening *how, char *why, size_t room) {
    char found[256];
    db_check(handle, found, sizeof found);
    int code = sqlite3_errcode(handle) & 0xFF;
    if (!found[0]) return true;
    how->unusable =
        code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE || db_is_unusable(handle);
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED) {
        snprintf(why, room, "another program has locked the database lode.sqlite: %s", found);
    } else if (!how->unusable) {
        snprintf(why, room, "the database lode.sqlite cannot be read: %s", found);
    } else {
        snprintf(why, room,
                 "the database lode.sqlite is damaged (%s); restore it from a backup, or start "
                 "once with --recover to save what can be read; nothing was changed",
                 found);
    }
    return false;
}

/* "": no id yet. */
static bool db_read_id(sqlite3 *handle, char id[DB_ID_BYTES]) {
    int version;
    sqlite3_stmt *s = NULL;
    id[0] = '\0';
    if (!schema_version(handle, &version)) return false;
    if (version < 2) return true;
    bool read = sqlite3_prepare_v2(handle, "SELECT id FROM folder", -1, &s, NULL) == SQLITE_OK &&
                sqlite3_step(s) == SQLITE_ROW;
    if (read) snprintf(id, DB_ID_BYTES, "%s", (const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    return read;
}

static bool db_has_id(sqlite3 *handle, db_opening *how, char *why, size_t room) {
    char id[DB_ID_BYTES];
    if (!db_read_id(handle, id)) {
        how->unusable = db_is_unusable(handle);
        snprintf(why, room, "the database cannot be read: %s", sqlite3_errmsg(handle));
        return false;
    }
    if (!how->id || strcmp(id, how->id) == 0) return true;
    how->unusable = true;
    snprintf(why, room,
             "the database lode.sqlite belongs to another folder; restore the right database and "
             "its lode.sqlite-wal, or start once with --recover to create a new database from the "
             "files");
    return false;
}

static bool db_configure(sqlite3 *handle, char *why, size_t room) {
    static const char settings[] = "PRAGMA journal_mode = WAL;"
                                   "PRAGMA synchronous = FULL;"
                                   "PRAGMA foreign_keys = ON;"
                                   "PRAGMA trusted_schema = OFF;"
                                   "PRAGMA journal_size_limit = 16777216;";
    if (sqlite3_exec(handle, settings, NULL, NULL, NULL) == SQLITE_OK) return true;
    snprintf(why, room, "the database cannot be opened: %s", sqlite3_errmsg(handle));
    return false;
}

/* The log is not merged into the file before the database is known to be ours and intact: the two
 * may not belong together. Afterwards it is merged, so that the file has the tables and the id even
 * if it is copied without the log. */
static bool db_prepare(database *db, db_opening *how, char *why, size_t room) {
    sqlite3 *handle = db->writer.handle;
    sqlite3_busy_timeout(handle, DB_BUSY_MS);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (!db_is_whole(handle, how, why, room) || !db_has_id(handle, how, why, room)) return false;
    sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    if (!db_configure(handle, why, room) || !schema_update(handle, why, room)) {
        how->unusable = db_is_unusable(handle);
        return false;
    }
    sqlite3_wal_checkpoint_v2(handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    if (!db_read_id(handle, db->id)) {
        snprintf(why, room, "the database cannot be read: %s", sqlite3_errmsg(handle));
        return false;
    }
    return db_connect(&db->reader, how->path, SQLITE_OPEN_READONLY, why, room);
}

database *db_open(db_opening *how, char *why, size_t room) {
    database *db = calloc(1, sizeof *db);
    int flags = SQLITE_OPEN_READWRITE | (how->create ? SQLITE_OPEN_CREATE : 0);
    snprintf(why, room, "out of memory for the database");
    if (db) db->path = strdup(how->path);
    if (!db || !db->path || !db_connect(&db->writer, how->path, flags, why, room) ||
        !db_prepare(db, how, why, room)) {
        db_close(db);
        return NULL;
    }
    return db;
}

static void db_disconnect(db_connection *c) {
    for (size_t i = 0; i < c->n_prepared; i++) sqlite3_finalize(c->prepared[i].statement);
    sqlite3_close(c->handle);
}

void db_close(database *db) {
    if (!db) return;
    db_disconnect(&db->reader);
    db_disconnect(&db->writer); /* closing the last connection merges the log into the file */
    free(db->path);
    free(db);
}

const char *db_id(const database *db) {
    return db->id;
}

/* ---- questions ------------------------------------------------------------------------------- */

sqlite3_stmt *db_prepare_once(db_connection *c, const char *sql) {
    for (size_t i = 0; i < c->n_prepared; i++) {
        if (c->prepared[i].sql != sql && strcmp(c->prepared[i].sql, sql) != 0) continue;
        sqlite3_reset(c->prepared[i].statement);
        sqlite3_clear_bindings(c->prepared[i].statement);
        return c->prepared[i].statement;
    }
    sqlite3_stmt *s = NULL;
    if (c->n_prepared == DB_STATEMENTS ||
        sqlite3_prepare_v3(c->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &s, NULL) != SQLITE_OK)
        return NULL;
    c->prepared[c->n_prepared].sql = sql;
    c->prepared[c->n_prepared++].statement = s;
    return s;
}

static void db_remember(database *db) {
    snprintf(db->message, sizeof db->message, "%s", sqlite3_errmsg(db->reader.handle));
}

sqlite3_stmt *db_statement(database *db, const char *sql) {
    sqlite3_stmt *s = db_prepare_once(&db->reader, sql);
    if (!s) db_remember(db);
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

db_step db_next(database *db, sqlite3_stmt *s) {
    int code = s ? sqlite3_step(s) : SQLITE_ERROR;
    if (code == SQLITE_ROW) return DB_ROW;
    if (s && code != SQLITE_DONE) db_remember(db);
    sqlite3_reset(s);
    return code == SQLITE_DONE ? DB_END : DB_FAILED;
}

void db_done(sqlite3_stmt *s) {
    sqlite3_reset(s);
}

bool db_number(database *db, sqlite3_stmt *s, uint64_t *out) {
    db_step step = db_next(db, s);
    *out = step == DB_ROW ? db_count(s, 0) : 0;
    db_done(s);
    return step != DB_FAILED;
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

const char *db_message(const database *db) {
    return db->message;
}

double db_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
