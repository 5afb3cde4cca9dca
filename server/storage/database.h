/* database.h - SQLite: questions on the loop, changes on a thread of their own
 *
 * Questions read what is committed; they never wait for a change. A change is a list of statements
 * that is made as a whole or not at all, by one thread, in the order in which changes were sent. So
 * a slow disk, or another program that has locked the file, holds up nobody but those who wait for
 * their own change. SQL is always a constant of the program; values are bound.
 *
 * All functions are for the loop thread; the writer's thread binds values as well.
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

#define DB_ID_BYTES 33 /* of the number of a database: 32 hexadecimal digits and a zero */

typedef struct db_opening {
    const char *path;
    const char *id; /* the number that the database must have; NULL: any */
    bool create;    /* make it if there is none */
    bool unusable;  /* set by db_open() if it fails because of what the file holds */
} db_opening;

/* Opens the file, checks that all of it can be read, and brings it to today's schema. A file that
 * is damaged, or has another number, stays as it is. NULL: `why` says so in one sentence. Unless
 * `unusable` is set then, another try may do better, as when another program has locked it. */
database *db_open(db_opening *how, char *why, size_t room);
void db_close(database *db);
/* The number that this database was given when it was made. */
const char *db_id(const database *db);

/* ---- questions ------------------------------------------------------------------------------- */

/* `sql` must be a literal: it is prepared once and found again by its address or its text. It comes
 * reset and without values. NULL: no memory, or the database is broken; db_next() takes that. */
sqlite3_stmt *db_statement(database *db, const char *sql);

/* Values are numbered from 1. NULL texts are bound as NULL. The statement may be NULL. */
void db_bind_count(sqlite3_stmt *s, int i, uint64_t n);
void db_bind_real(sqlite3_stmt *s, int i, double x);
void db_bind_text(sqlite3_stmt *s, int i, const char *words);

/* An answer that could not be read is not an empty answer: every caller tells them apart. */
typedef enum db_step { DB_END, DB_ROW, DB_FAILED } db_step;

/* The next row. After the last one, or a failure, the statement is reset; db_message() says what
 * failed. */
__attribute__((warn_unused_result)) db_step db_next(database *db, sqlite3_stmt *s);
/* Ends a query early. */
void db_done(sqlite3_stmt *s);
/* The first column of the only row of a query; false: it could not be read. */
__attribute__((warn_unused_result)) bool db_number(database *db, sqlite3_stmt *s, uint64_t *out);

/* Columns are numbered from 0. A text is valid until the next step; never NULL ("" for NULL). */
uint64_t db_count(sqlite3_stmt *s, int i);
double db_real(sqlite3_stmt *s, int i);
const char *db_text(sqlite3_stmt *s, int i);
bool db_is_null(sqlite3_stmt *s, int i);

/* What the last failure was. */
const char *db_message(const database *db);

/* ---- changes --------------------------------------------------------------------------------- */

typedef struct db_change db_change;

/* What came of a change. */
typedef struct db_outcome {
    bool stored;
    bool full;           /* it failed for want of room on the disk */
    bool given_up;       /* it failed, and is not tried again */
    uint64_t id;         /* of the last row that it inserted */
    unsigned rows;       /* that its last statement has changed */
    const char *message; /* why it failed */
} db_outcome;

typedef void (*db_stored)(void *user, const db_outcome *outcome);

/* A change begins with its first statement. NULL: no memory, which all functions below take. */
db_change *db_change_new(const char *sql);
/* One more statement. */
void db_change_then(db_change *c, const char *sql);
/* The next value of the last statement. NULL texts are stored as NULL. */
void db_change_count(db_change *c, uint64_t n);
void db_change_real(db_change *c, double x);
void db_change_text(db_change *c, const char *words);

/* Makes the change; `done` (may be NULL) is called from the loop: later or, if there is no memory,
 * at once. It fails after a few seconds if the database is locked by another program. */
void db_send(database *db, db_change *steals, db_stored done, void *user);
/* The same, and tries again until it is made or the server ends: for what must not be lost. `done`
 * is then told of each failure, with `stored` false, and once of the success. */
void db_send_surely(database *db, db_change *steals, db_stored done, void *user);
/* Makes the change at once, before db_run_changes(). */
__attribute__((warn_unused_result)) bool db_make(database *db, db_change *steals);

/* From now on changes are made by a thread. False: no memory or no thread. */
bool db_run_changes(database *db, struct event_base *base);
/* Makes all that were sent, and calls their functions. Nothing may be sent after that. */
void db_end_changes(database *db);

/* Seconds since 1970, as times are stored. */
double db_now(void);

#endif
