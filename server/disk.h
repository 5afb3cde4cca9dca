/* disk.h - how much the data folder may take, and what the disk has left
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_DISK_H
#define LODE_SERVER_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server.h"

/* Bytes of data sets (those that are still arriving count as a whole), of results and of the
 * database. Loop thread. */
uint64_t disk_used(server *s);
/* Whether there is room for so many bytes more, by the limit of the data folder and on the disk. On
 * false, `message` is a sentence for people, and the answer 507. Loop thread. */
bool disk_room(server *s, uint64_t more, char *message, size_t message_bytes);
/* Whether the disk itself has room: for what is within the limit already. */
bool disk_free(const server *s, uint64_t more, char *message, size_t message_bytes);

#endif
