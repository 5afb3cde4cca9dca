/* database.h - SQLite: queries on the loop, changes on a writer thread
 *
 * Queries read committed data and never wait for a change. A change is a transaction: a list of
 * statements that the writer thread executes, in the order in which changes were sent. So a slow
 * disk, or another program that has locked the file, delays only requests that wait for their own
 * change. SQL is always a constant of the program; values are bound.
 *
 * Call all functions on the loop thread. Only db_bind_*() are also called by the writer thread.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_DATABASE_H
#define LODE_SERVER_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_base;
typedef struct database database;

#define DB_ID_BYTES 33 /* database id: 32 hexadecimal digits and a zero byte */

typedef struct db_opening {
    const char *path;
    const char *id; /* the id that the database must have; NULL: any */
    bool create;    /* create it if it does not exist */
    bool unusable;  /* set by db_open() if it fails because of the content of the file */
} db_opening;

/* Opens the file, checks that all of it can be read, and upgrades its schema. A file that is
 * damaged or has another id is left unchanged. NULL: `why` has one sentence; unless `unusable` is
 * set, another try may succeed, for example if another program has locked the file. */
database *db_open(db_opening *how, char *why, size_t room);
void db_close(database *db);
/* The id of this database, chosen when it was created. */
const char *db_id(const database *db);

/* ---- queries --------------------------------------------------------------------------------- */

/* `sql` must be a literal: it is prepared once and found again by its address or text. The
 * statement is returned reset and without values. NULL: out of memory, or the database is broken;
 * db_next() accepts NULL. */
sqlite3_stmt *db_statement(database *db, const char *sql);

/* Values are numbered from 1. NULL texts are bound as NULL. The statement may be NULL. */
void db_bind_count(sqlite3_stmt *s, int i, uint64_t n);
void db_bind_real(sqlite3_stmt *s, int i, double x);
void db_bind_text(sqlite3_stmt *s, int i, const char *words);

/* A failed query is not an empty result: every caller tells them apart. */
typedef enum db_step { DB_END, DB_ROW, DB_FAILED } db_step;

/* The next row. After the last one, or a failure, the statement is reset; db_message() has the
 * error. */
__attribute__((warn_unused_result)) db_step db_next(database *db, sqlite3_stmt *s);
/* Ends a query early. */
void db_done(sqlite3_stmt *s);
/* The first column of the only row of a query; false: the query failed. */
__attribute__((warn_unused_result)) bool db_number(database *db, sqlite3_stmt *s, uint64_t *out);

/* Columns are numbered from 0. A text is valid until the next step; never NULL ("" for NULL). */
uint64_t db_count(sqlite3_stmt *s, int i);
double db_real(sqlite3_stmt *s, int i);
const char *db_text(sqlite3_stmt *s, int i);
bool db_is_null(sqlite3_stmt *s, int i);

/* The last error of a query. */
const char *db_message(const database *db);

/* ---- changes --------------------------------------------------------------------------------- */

typedef struct db_change db_change;

/* The outcome of a change. */
typedef struct db_outcome {
    bool stored;
    bool full;           /* it failed because the disk is full */
    bool given_up;       /* it failed, and is not tried again */
    uint64_t id;         /* rowid of the last inserted row */
    unsigned rows;       /* rows that the last statement changed */
    const char *message; /* why it failed */
} db_outcome;

typedef void (*db_stored)(void *user, const db_outcome *outcome);

/* Begins a change with its first statement. NULL: out of memory; all functions below accept
 * NULL. */
db_change *db_change_new(const char *sql);
/* Adds a statement. */
void db_change_then(db_change *c, const char *sql);
/* Binds the next value of the last statement. NULL texts are stored as NULL. */
void db_change_count(db_change *c, uint64_t n);
void db_change_real(db_change *c, double x);
void db_change_text(db_change *c, const char *words);

/* Queues the change; `done` (may be NULL) is called on the loop: later or, if memory runs out, at
 * once. The change fails after a few seconds if another program has locked the database. */
void db_send(database *db, db_change *steals, db_stored done, void *user);
/* The same, but retries until it succeeds or the server shuts down: for changes that must not be
 * lost. `done` is called for each failure, with `stored` false, and once for the success. */
void db_send_surely(database *db, db_change *steals, db_stored done, void *user);
/* Executes the change at once; only before db_run_changes(). */
__attribute__((warn_unused_result)) bool db_make(database *db, db_change *steals);

/* Starts the writer thread. False: out of memory or threads. */
bool db_run_changes(database *db, struct event_base *base);
/* Executes all queued changes and calls their `done`. No change may be sent after that. */
void db_end_changes(database *db);

/* The current time in seconds since 1970, as it is stored. */
double db_now(void);

#endif
