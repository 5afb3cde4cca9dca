/* front.h - the listening side: the way of a request to its route
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_FRONT_H
#define LODE_SERVER_FRONT_H

#include <stdbool.h>
#include <stddef.h>

#include "server.h"
#include "system/config.h"

typedef struct http_front http_front;

/* Listens as the configuration says; requests come once the loop runs. False: `why` says so in one
 * sentence. Sets s->http. */
bool front_start(server *s, char *why, size_t room);
/* Takes no new connections. */
void front_close(http_front *f);
/* Answers that are held back go out now. */
void front_hurry(http_front *f);
/* Whether something was asked and not answered, or an answer is on its way. */
bool front_is_busy(const http_front *f);
/* Cuts what is still open. Nobody may answer a request after that. */
void front_free(http_front *f);

/* Where it listens, as a browser wants it; "" with a Unix socket alone. */
const char *front_url(const http_front *f);

/* ---- sockets to listen on -------------------------------------------------------------------- */

/* A listening socket; -1: `why` says so in one sentence. */
int listen_tcp(const config *c, char *why, size_t room);
int listen_unix(const char *path, char *why, size_t room);
/* Writes "http://127.0.0.1:8080/" for a socket. */
void listen_url(int fd, char *url, size_t room);
/* Lets the process open as many files as it may, and returns how many connections fit. */
size_t listen_room(size_t wanted);

#endif
