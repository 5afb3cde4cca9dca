/* discard.h - files that are no longer needed
 *
 * A name goes at once. What the file takes on the disk is given back by a task thread, because
 * that takes seconds for a large one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_DISCARD_H
#define LODE_SERVER_DISCARD_H

#include "server.h"

/* Loop thread. It is no failure if there is none. False: it is still there, and a message was
 * printed. */
bool discard_file(const server *s, const char *path);
/* A file of a folder that is open. */
bool discard_in(const server *s, int folder, const char *name);
/* The last descriptor of a file that has no name any more. */
void discard_fd(const server *s, int fd);

#endif
