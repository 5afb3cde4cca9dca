/* schema.c - the tables of the database, and their migrations
 *
 * The version of a file is SQLite's user_version. Each migration runs in a transaction of its own,
 * so after a crash the file is as it was before or after a migration. A file of a newer program is
 * refused.
 *
 *   folder       one row: the id of the database, which is also in the marker file of its folder
 *   trash        deleted data sets and jobs whose files still exist; the next start removes them
 *   views.used   when a link was last used: the links unused for the longest time are deleted first
 *   jobs.fingerprint  fingerprint of the data that were mined; queries that count in the data
 *                require it. NULL: unknown, because an older server mined the result
 *   jobs.name, jobs.note  what a user has written about a result; '' = nothing
 *   jobs.family  id of the first job of a series in which each job changes options of an earlier
 *                one; NULL: the job itself is the first
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "storage/schema.h"

#include <stdio.h>

/* Step i migrates from version i to version i + 1. Published steps are never changed. */
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

    "CREATE TABLE folder (id TEXT NOT NULL);"
    "INSERT INTO folder VALUES (lower(hex(randomblob(16))));"
    "CREATE TABLE trash ("
    " kind TEXT NOT NULL,"
    " id INTEGER NOT NULL,"
    " PRIMARY KEY (kind, id)) WITHOUT ROWID;"
    "ALTER TABLE views ADD COLUMN used REAL NOT NULL DEFAULT 0;"
    "UPDATE views SET used = created;"
    "CREATE INDEX views_by_use ON views (used);",

    "ALTER TABLE jobs ADD COLUMN fingerprint TEXT;",

    "ALTER TABLE jobs ADD COLUMN name TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE jobs ADD COLUMN note TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE jobs ADD COLUMN family INTEGER;"
    "CREATE INDEX jobs_by_family ON jobs (coalesce(family, id));",
};

#define N_STEPS ((int)(sizeof steps / sizeof *steps))

bool schema_version(sqlite3 *db, int *version) {
    sqlite3_stmt *s = NULL;
    bool known = sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &s, NULL) == SQLITE_OK &&
                 sqlite3_step(s) == SQLITE_ROW;
    *version = known ? sqlite3_column_int(s, 0) : 0;
    sqlite3_finalize(s);
    return known;
}

bool schema_is_ours(sqlite3 *db) {
    static const char *const tables[] = {
        "SELECT id, name, kind, bytes, received, state, read, clean, created, used FROM datasets",
        "SELECT id, dataset, dataset_name, kind, options, state, bytes, report FROM jobs"};
    bool ours = true;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        sqlite3_stmt *s = NULL;
        ours = ours && sqlite3_prepare_v2(db, tables[i], -1, &s, NULL) == SQLITE_OK;
        sqlite3_finalize(s);
    }
    return ours;
}

/* False: `why` has SQLite's message, which a rollback would replace. */
static bool run_step(sqlite3 *db, int i, char *why, size_t room) {
    char mark[48];
    snprintf(mark, sizeof mark, "PRAGMA user_version = %d", i + 1);
    if (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_exec(db, steps[i], NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_exec(db, mark, NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK)
        return true;
    snprintf(why, room, "cannot upgrade the database from version %d to %d: %s", i, i + 1,
             sqlite3_errmsg(db));
    if (!sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

bool schema_update(sqlite3 *db, char *why, size_t room) {
    int version;
    if (!schema_version(db, &version)) {
        snprintf(why, room, "the database cannot be read: %s", sqlite3_errmsg(db));
        return false;
    }
    if (version < 0 || version > N_STEPS) {
        snprintf(why, room,
                 "the database was written by %s (version %d; this lode knows versions up to %d)",
                 version < 0 ? "another program" : "a newer lode", version, N_STEPS);
        return false;
    }
    /* Turns on auto_vacuum, so that deleted rows return their space to the disk (database_write.c).
     * That requires a VACUUM, which rewrites the file; if the disk has no room for it, the file
     * works as before. */
    sqlite3_stmt *s = NULL;
    bool shrinks = sqlite3_prepare_v2(db, "PRAGMA auto_vacuum", -1, &s, NULL) == SQLITE_OK &&
                   sqlite3_step(s) == SQLITE_ROW && sqlite3_column_int(s, 0) == 2;
    sqlite3_finalize(s);
    if (!shrinks) sqlite3_exec(db, "PRAGMA auto_vacuum = INCREMENTAL; VACUUM;", NULL, NULL, NULL);
    for (; version < N_STEPS; version++) {
        if (!run_step(db, version, why, room)) return false;
    }
    return true;
}
