/* salvage.h - `lode serve --recover`: rebuilds the database
 *
 * First salvage_rows.c copies readable rows into a new database, which replaces the old one when it
 * is complete. Then salvage.c adds rows for files that have none.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_SALVAGE_H
#define LODE_SERVER_SALVAGE_H

#include "server.h"
#include "storage/database.h"

typedef struct salvage_source {
    const char *path;     /* of the old database; it may be missing */
    const char *id;       /* its id, from the marker of the folder; "": unknown */
    const char *datasets; /* the folder of uploads */
    uint64_t highest;     /* highest id of a file in the folder */
} salvage_source;

/* Copies the readable rows of the old database, unless it belongs to another folder (*foreign).
 * False: the new database cannot be written. */
bool salvage_rows(struct database *to, const salvage_source *from, bool *foreign);

/* Creates rows for files in datasets/, results/ and lost/ that have none, and prints what it did on
 * standard error. Runs before the parts start. False: `why` has the reason. */
bool salvage(server *s, char *why, size_t room);

/* ---- for both files: rows are committed in batches ----------------------------------- */

typedef struct salvage_batch {
    database *db;
    db_change *change; /* rows that are not committed yet */
    size_t rows;       /* number of rows in `change` */
    bool failed;
} salvage_batch;

void batch_store(salvage_batch *b);
/* Adds a statement; its values follow. */
void batch_statement(salvage_batch *b, const char *sql);
/* Ids up to `highest` are never used again. */
void batch_sequence(salvage_batch *b, const char *table, uint64_t highest);

#endif
