/* salvage_rows.c - copies the readable rows of a damaged database; see salvage.h
 *
 * Rows are read one by one, by id, so that a damaged page loses only its own rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "http/text.h"
#include "storage/database.h"
#include "storage/folder.h"
#include "storage/salvage.h"
#include "system/config.h"

#define SALVAGE_GROUP 500              /* rows per transaction */
#define SALVAGE_MOST  ((uint64_t)1e6)  /* maximum number of ids that are tried */
#define SALVAGE_GAP   ((uint64_t)1000) /* ids to try after the highest known one */

/* ---- storing --------------------------------------------------------------------------------- */

void batch_store(salvage_batch *b) {
    if (b->change && !db_make(b->db, b->change)) b->failed = true;
    b->change = NULL;
    b->rows = 0;
}

void batch_statement(salvage_batch *b, const char *sql) {
    if (b->rows == SALVAGE_GROUP) batch_store(b);
    if (b->change) {
        db_change_then(b->change, sql);
    } else {
        b->change = db_change_new(sql);
        b->failed = b->failed || !b->change;
    }
    b->rows++;
}

void batch_sequence(salvage_batch *b, const char *table, uint64_t highest) {
    batch_statement(b, "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0 WHERE NOT EXISTS "
                       "(SELECT 1 FROM sqlite_sequence WHERE name = ?1)");
    db_change_text(b->change, table);
    batch_statement(b, "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?");
    db_change_count(b->change, highest);
    db_change_text(b->change, table);
}

/* ---- tables ---------------------------------------------------------------------------------- */

#define DATASET_COLUMNS                                                                            \
    "id, name, kind, bytes, received, state, read, clean, profile, message, created, used"
#define JOB_COLUMNS                                                                                \
    "id, dataset, dataset_name, kind, options, read, clean, state, message, hint, patterns, "      \
    "min_count, total, bytes, algorithm, device, times, report, created, started, ended"

/* Rows of a table without ids belong to rows of a table with ids. */
static const struct salvage_table {
    const char *name, *highest, *select, *insert;
} salvage_tables[] = {
    {"datasets", "SELECT max(id) FROM datasets",
     "SELECT " DATASET_COLUMNS " FROM datasets WHERE id = ?",
     "INSERT OR IGNORE INTO datasets (" DATASET_COLUMNS
     ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
    {"jobs", "SELECT max(id) FROM jobs", "SELECT " JOB_COLUMNS " FROM jobs WHERE id = ?",
     "INSERT OR IGNORE INTO jobs (" JOB_COLUMNS
     ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
    /* Databases of older servers do not have these columns. */
    {"jobs", "SELECT max(id) FROM jobs", "SELECT name, note, family, id FROM jobs WHERE id = ?",
     "UPDATE jobs SET name = ?, note = ?, family = ? WHERE id = ?"},
    {"jobs", "SELECT max(id) FROM jobs", "SELECT job, position, row FROM comparisons WHERE job = ?",
     "INSERT OR IGNORE INTO comparisons (job, position, row) SELECT ?1, ?2, ?3 "
     "WHERE json_valid(?3) AND EXISTS (SELECT 1 FROM jobs WHERE id = ?1)"},
    {"datasets", "SELECT max(id) FROM trash",
     "SELECT kind, id FROM trash WHERE kind = 'dataset' AND id = ?",
     "INSERT OR IGNORE INTO trash (kind, id) VALUES (?, ?)"},
    {"jobs", "SELECT max(id) FROM trash",
     "SELECT kind, id FROM trash WHERE kind = 'job' AND id = ?",
     "INSERT OR IGNORE INTO trash (kind, id) VALUES (?, ?)"},
    {"views", "SELECT max(id) FROM views",
     "SELECT id, text, created, created FROM views WHERE id = ?",
     "INSERT OR IGNORE INTO views (id, text, created, used) VALUES (?, ?, ?, ?)"},
};

/* Whether all text columns of a row are text; otherwise the page is damaged. */
static bool row_is_sound(sqlite3_stmt *q) {
    for (int i = 0; i < sqlite3_column_count(q); i++) {
        if (sqlite3_column_type(q, i) == SQLITE_BLOB) return false;
        if (sqlite3_column_type(q, i) != SQLITE_TEXT) continue;
        const char *words = db_text(q, i);
        if (!text_is_utf8(words, (size_t)sqlite3_column_bytes(q, i))) return false;
    }
    return true;
}

static void row_copy(salvage_batch *b, sqlite3_stmt *q, const char *insert) {
    if (!row_is_sound(q)) return;
    batch_statement(b, insert);
    for (int i = 0; i < sqlite3_column_count(q); i++) {
        switch (sqlite3_column_type(q, i)) {
        case SQLITE_INTEGER: db_change_count(b->change, db_count(q, i)); break;
        case SQLITE_FLOAT: db_change_real(b->change, db_real(q, i)); break;
        default: db_change_text(b->change, db_is_null(q, i) ? NULL : db_text(q, i)); break;
        }
    }
}

/* A number from the old database; 0: unreadable or not plausible. */
static uint64_t old_number(sqlite3 *old, const char *sql, const char *name) {
    sqlite3_stmt *q = NULL;
    uint64_t n = 0;
    if (sqlite3_prepare_v2(old, sql, -1, &q, NULL) == SQLITE_OK) {
        if (name) db_bind_text(q, 1, name);
        if (sqlite3_step(q) == SQLITE_ROW) n = db_count(q, 0);
    }
    sqlite3_finalize(q);
    return n <= FOLDER_NUMBER_MOST ? n : 0;
}

/* The highest id that a table has used, as far as it can be read. */
static uint64_t table_highest(sqlite3 *old, const struct salvage_table *t, uint64_t least) {
    uint64_t given = old_number(old, "SELECT seq FROM sqlite_sequence WHERE name = ?", t->name);
    uint64_t there = old_number(old, t->highest, NULL);
    if (given > least) least = given;
    return there > least ? there : least;
}

static void table_copy(salvage_batch *b, sqlite3 *old, const struct salvage_table *t,
                       uint64_t least) {
    sqlite3_stmt *q = NULL;
    uint64_t highest = table_highest(old, t, least), last = highest;
    if (sqlite3_prepare_v2(old, t->select, -1, &q, NULL) != SQLITE_OK) return;
    for (uint64_t id = 1; id <= last + SALVAGE_GAP && id <= SALVAGE_MOST && !b->failed; id++) {
        db_bind_count(q, 1, id);
        for (; sqlite3_step(q) == SQLITE_ROW; last = id > last ? id : last) {
            row_copy(b, q, t->insert);
        }
        sqlite3_reset(q);
    }
    sqlite3_finalize(q);
    batch_sequence(b, t->name, last);
}

/* ---- whose rows they are --------------------------------------------------------------------- */

/* Whether most rows have files of their size in the folder. */
static bool rows_fit(sqlite3 *old, const salvage_source *from) {
    sqlite3_stmt *q = NULL;
    size_t fit = 0, misfit = 0;
    if (sqlite3_prepare_v2(old, "SELECT bytes FROM datasets WHERE id = ?", -1, &q, NULL) !=
        SQLITE_OK)
        return false;
    for (uint64_t id = 1; id <= from->highest && id <= SALVAGE_MOST; id++) {
        char path[FOLDER_PATH_BYTES];
        struct stat file;
        snprintf(path, sizeof path, "%s/%" PRIu64 ".data", from->datasets, id);
        if (stat(path, &file) != 0) continue;
        db_bind_count(q, 1, id);
        bool same = sqlite3_step(q) == SQLITE_ROW && db_count(q, 0) == (uint64_t)file.st_size;
        fit += same;
        misfit += !same;
        sqlite3_reset(q);
    }
    sqlite3_finalize(q);
    return fit > misfit;
}

/* Whether the database belongs to another folder: its id differs, and its rows do not match the
 * files. */
static bool old_is_foreign(sqlite3 *old, const salvage_source *from) {
    sqlite3_stmt *q = NULL;
    bool known = from->id[0] &&
                 sqlite3_prepare_v2(old, "SELECT id FROM folder", -1, &q, NULL) == SQLITE_OK &&
                 sqlite3_step(q) == SQLITE_ROW;
    bool other = known && strcmp(db_text(q, 0), from->id) != 0;
    sqlite3_finalize(q);
    return other && !rows_fit(old, from);
}

bool salvage_rows(struct database *to, const salvage_source *from, bool *foreign) {
    salvage_batch b = {.db = to};
    sqlite3 *old = NULL;
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOFOLLOW;
    bool open = sqlite3_open_v2(from->path, &old, flags, NULL) == SQLITE_OK;
    if (open) sqlite3_db_config(old, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    *foreign = open && old_is_foreign(old, from);
    for (size_t i = 0; open && !*foreign && i < sizeof salvage_tables / sizeof *salvage_tables;
         i++) {
        table_copy(&b, old, &salvage_tables[i], from->highest);
    }
    batch_store(&b);
    sqlite3_close(old);
    return !b.failed;
}
