/* schema.h - the tables, and how older ones become today's
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_SCHEMA_H
#define LODE_SERVER_SCHEMA_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

/* Runs the migrations that are missing, each in a transaction of its own. */
bool schema_update(sqlite3 *db, char *why, size_t room);
/* Whether the tables of a server are there, of any version. */
bool schema_is_ours(sqlite3 *db);
/* The version of the tables; 0: there are none yet. False: it cannot be read. */
bool schema_version(sqlite3 *db, int *version);

#endif
