/* schema.h - the tables of the database, and their migrations
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_SCHEMA_H
#define LODE_SERVER_SCHEMA_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

/* Runs the missing migrations, each in its own transaction. */
bool schema_update(sqlite3 *db, char *why, size_t room);
/* Whether the database has the tables of a server, of any version. */
bool schema_is_ours(sqlite3 *db);
/* The schema version; 0: no tables yet. False: it cannot be read. */
bool schema_version(sqlite3 *db, int *version);

#endif
