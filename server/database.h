/* database.h - SQLite: opened in WAL mode, statements prepared once
 *
 * Loop thread only. SQL is always a constant of the program; values are bound.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_DATABASE_H
#define LODE_SERVER_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct database database;

/* Opens or makes the file and brings it to today's schema. NULL: `why` says so in one sentence. */
database *db_open(const char *path, char *why, size_t room);
void db_close(database *db);
sqlite3 *db_handle(database *db);

/* `sql` must be a literal: it is prepared once and found again by its address or its text. It comes
 * reset and without values. NULL: no memory, or the database is broken. */
sqlite3_stmt *db_statement(database *db, const char *sql);

/* Values are numbered from 1. NULL texts are bound as NULL. */
void db_bind_count(sqlite3_stmt *s, int i, uint64_t n);
void db_bind_real(sqlite3_stmt *s, int i, double x);
void db_bind_text(sqlite3_stmt *s, int i, const char *words);
void db_bind_bytes(sqlite3_stmt *s, int i, const char *words, size_t n); /* a text of n bytes */

/* True while there is a row; after the last one, or a failure, the statement is reset. */
bool db_row(database *db, sqlite3_stmt *s);
/* Runs a statement without rows. False: db_message says why. */
bool db_run(database *db, sqlite3_stmt *s);
/* Ends a query early. */
void db_done(sqlite3_stmt *s);

/* Columns are numbered from 0. A text is valid until the next step; never NULL ("" for NULL). */
uint64_t db_count(sqlite3_stmt *s, int i);
double db_real(sqlite3_stmt *s, int i);
const char *db_text(sqlite3_stmt *s, int i);
bool db_is_null(sqlite3_stmt *s, int i);

uint64_t db_last_id(database *db);
unsigned db_changes(database *db);
/* What the last failure was; `full`: for want of room on the disk. */
const char *db_message(database *db);
bool db_full(database *db);

/* All or nothing; they nest. */
bool db_begin(database *db);
bool db_commit(database *db);
void db_rollback(database *db);

/* Seconds since 1970, as times are stored. */
double db_now(void);

#endif
