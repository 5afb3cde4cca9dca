/* listen.h - sockets to listen on
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_LISTEN_H
#define LODE_SERVER_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "system/config.h"

/* A listening socket; -1: `why` says so in one sentence. */
int listen_tcp(const config *c, char *why, size_t room);
int listen_unix(const char *path, char *why, size_t room);
/* Writes "http://127.0.0.1:8080/" for a socket. */
void listen_url(int fd, char *url, size_t room);
/* Lets the process open as many files as it may, and returns how many connections fit. */
size_t listen_room(size_t wanted);

#endif
