/* disk.h - limits of the data folder and free disk space
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_DISK_H
#define LODE_SERVER_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server.h"

/* Bytes used by data sets (an unfinished upload counts with its full size), by results, including
 * those being written, and by the database. False: the database cannot be read. Loop thread. */
__attribute__((warn_unused_result)) bool disk_used(server *s, uint64_t *bytes);
/* How many bytes may still be written. False: the database cannot be read. */
__attribute__((warn_unused_result)) bool disk_left(server *s, uint64_t *bytes);
/* Whether the space that an upload has reserved is still reserved. */
struct dataset;
bool disk_is_reserved(const struct dataset *d);
/* Whether `more` bytes fit into the limit of the data folder and on the disk. If not, `message` is
 * a sentence for people; answer 507. Loop thread. */
bool disk_room(server *s, uint64_t more, char *message, size_t message_bytes);
/* The same for the disk alone: for bytes that are already counted against the limit. */
bool disk_free(const server *s, uint64_t more, char *message, size_t message_bytes);

/* ---- how much running jobs may write, all together ------------------------------------------- */

/* All workers map one file, lode.disk, and count there what they write; the server writes the limit
 * into it (`lode worker`, value `disk`). The limit changes as other files and programs use the
 * disk, so the server updates it a few times per second while a job runs. */

/* False: `why` has the reason. */
bool disk_share_start(server *s, char *why, size_t room);
void disk_share_stop(server *s);
/* A job starts: keeps the limit up to date until no job runs. */
void disk_share_watch(server *s);

#endif
