/* salvage.h - `lode serve --recover`: what a damaged or missing database leaves
 *
 * Rows first (salvage_rows.c), into a new database that takes the place of the old one when it is
 * complete; then files that have no row (salvage.c), in the database that is in use.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_SALVAGE_H
#define LODE_SERVER_SALVAGE_H

#include "server.h"
#include "storage/database.h"

typedef struct salvage_source {
    const char *path;     /* of the old database; it need not be there */
    const char *id;       /* its number, by the marker of the folder; "": not known */
    const char *datasets; /* the folder of uploads */
    uint64_t highest;     /* number of a file in the folder */
} salvage_source;

/* Copies what can be read of the old database, unless it is another folder's. False: the new one
 * cannot be written. */
bool salvage_rows(struct database *to, const salvage_source *from, bool *foreign);

/* Makes rows for files in datasets/, results/ and lost/ that have none, and lists what it did on
 * standard error. Runs before the parts start. False: `why` says so. */
bool salvage(server *s, char *why, size_t room);

/* ---- for both: rows that are stored some hundred at a time ----------------------------------- */

typedef struct salvage_batch {
    database *db;
    db_change *change; /* rows that are not stored yet */
    size_t rows;       /* of it */
    bool failed;
} salvage_batch;

void batch_store(salvage_batch *b);
/* The next statement of what is stored; its values follow. */
void batch_statement(salvage_batch *b, const char *sql);
/* No number up to this one is given out again. */
void batch_sequence(salvage_batch *b, const char *table, uint64_t highest);

#endif
