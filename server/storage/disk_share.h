/* disk_share.h - how much running jobs may write, all together
 *
 * Workers count what they write in one file that all of them have mapped, lode.disk; the server
 * says there how far they may go (`lode worker`, value `disk`). That changes as other files come
 * and go, and as other programs use the disk: so it is computed anew some times a second while a
 * job runs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_DISK_SHARE_H
#define LODE_SERVER_DISK_SHARE_H

#include "server.h"

/* False: `why` says so. */
bool disk_share_start(server *s, char *why, size_t room);
void disk_share_stop(server *s);
/* A job begins: from now on the limit is kept up to date, until none runs any more. */
void disk_share_watch(server *s);

#endif
