/* disk.h - how much the data folder may take, and what the disk has left
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_DISK_H
#define LODE_SERVER_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server.h"

/* Bytes of data sets (those that are arriving count as a whole), of results, also those that are
 * being written, and of the database. False: the database cannot be read. Loop thread. */
__attribute__((warn_unused_result)) bool disk_used(server *s, uint64_t *bytes);
/* How many bytes may still be written. False: the database cannot be read. */
__attribute__((warn_unused_result)) bool disk_left(server *s, uint64_t *bytes);
/* Whether an upload still has the room that it was announced with. */
struct dataset;
bool disk_is_reserved(const struct dataset *d);
/* Whether there is room for so many bytes more, by the limit of the data folder and on the disk. On
 * false, `message` is a sentence for people, and the answer 507. Loop thread. */
bool disk_room(server *s, uint64_t more, char *message, size_t message_bytes);
/* Whether the disk itself has room: for what is within the limit already. */
bool disk_free(const server *s, uint64_t more, char *message, size_t message_bytes);

/* ---- how much running jobs may write, all together ------------------------------------------- */

/* Workers count what they write in one file that all of them have mapped, lode.disk; the server
 * says there how far they may go (`lode worker`, value `disk`). That changes as other files come
 * and go, and as other programs use the disk: so it is computed anew some times a second while a
 * job runs. */

/* False: `why` says so. */
bool disk_share_start(server *s, char *why, size_t room);
void disk_share_stop(server *s);
/* A job begins: from now on the limit is kept up to date, until none runs any more. */
void disk_share_watch(server *s);

#endif
