/* discard.h - deletes files without blocking the loop
 *
 * The name is removed at once. A task thread frees the disk space, because that can take seconds
 * for a large file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_DISCARD_H
#define LODE_SERVER_DISCARD_H

#include "server.h"

/* Deletes a file; a missing file is not an error. False: the file is still there, and a message was
 * printed. Loop thread. */
bool discard_file(const server *s, const char *path);
/* The same for a file in an open folder. */
bool discard_in(const server *s, int folder, const char *name);
/* Closes the last descriptor of a file that has been unlinked. */
void discard_fd(const server *s, int fd);

#endif
