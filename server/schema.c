/* schema.c - the tables, and how older ones become today's
 *
 * The version of a file is SQLite's user_version. Each step is run in a transaction of its own, so
 * that a server that is killed in the middle finds the file as it was before or after a step. A
 * file of a newer program is refused: nothing is guessed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "schema.h"

#include <stdio.h>

/* Step i leads from version i to version i + 1. Old ones are never changed. */
static const char *const steps[] = {
    "CREATE TABLE datasets ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " name TEXT NOT NULL,"
    " kind TEXT NOT NULL DEFAULT '',"
    " bytes INTEGER NOT NULL,"
    " received INTEGER NOT NULL DEFAULT 0,"
    " state TEXT NOT NULL,"
    " read TEXT NOT NULL DEFAULT '{}',"
    " clean TEXT NOT NULL DEFAULT '{}',"
    " profile TEXT,"
    " message TEXT,"
    " created REAL NOT NULL,"
    " used REAL NOT NULL);"
    "CREATE TABLE jobs ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " dataset INTEGER NOT NULL,"
    " dataset_name TEXT NOT NULL,"
    " kind TEXT NOT NULL,"
    " options TEXT NOT NULL DEFAULT '{}',"
    " read TEXT NOT NULL DEFAULT '{}',"
    " clean TEXT NOT NULL DEFAULT '{}',"
    " state TEXT NOT NULL,"
    " message TEXT,"
    " hint TEXT,"
    " patterns INTEGER NOT NULL DEFAULT 0,"
    " min_count INTEGER NOT NULL DEFAULT 0,"
    " total INTEGER NOT NULL DEFAULT 0,"
    " bytes INTEGER NOT NULL DEFAULT 0,"
    " algorithm TEXT,"
    " device TEXT,"
    " times TEXT,"
    " report TEXT,"
    " created REAL NOT NULL,"
    " started REAL,"
    " ended REAL);"
    "CREATE INDEX jobs_by_dataset ON jobs (dataset);"
    "CREATE TABLE comparisons ("
    " job INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,"
    " position INTEGER NOT NULL,"
    " row TEXT NOT NULL,"
    " PRIMARY KEY (job, position)) WITHOUT ROWID;"
    "CREATE TABLE views ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " text TEXT NOT NULL,"
    " created REAL NOT NULL);",
};

#define N_STEPS ((int)(sizeof steps / sizeof *steps))

static int version_of(sqlite3 *db) {
    sqlite3_stmt *s;
    int version = -1;
    if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &s, NULL) != SQLITE_OK) return -1;
    if (sqlite3_step(s) == SQLITE_ROW) version = sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    return version;
}

static bool run_step(sqlite3 *db, int i) {
    char mark[48];
    snprintf(mark, sizeof mark, "PRAGMA user_version = %d", i + 1);
    if (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK) return false;
    if (sqlite3_exec(db, steps[i], NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_exec(db, mark, NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK)
        return true;
    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

bool schema_update(sqlite3 *db, char *why, size_t room) {
    int version = version_of(db);
    if (version < 0) {
        snprintf(why, room, "the database cannot be read: %s", sqlite3_errmsg(db));
        return false;
    }
    if (version > N_STEPS) {
        snprintf(why, room, "the database is of a newer lode (version %d; this one knows up to %d)",
                 version, N_STEPS);
        return false;
    }
    for (; version < N_STEPS; version++) {
        if (run_step(db, version)) continue;
        snprintf(why, room, "the database cannot be brought from version %d to %d: %s", version,
                 version + 1, sqlite3_errmsg(db));
        return false;
    }
    return true;
}
