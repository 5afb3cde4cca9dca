/* front.h - the listening sockets, and how a request reaches its route
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_FRONT_H
#define LODE_SERVER_FRONT_H

#include <stdbool.h>
#include <stddef.h>

#include "server.h"
#include "system/config.h"

typedef struct http_front http_front;

/* Opens the configured sockets and sets s->http; requests arrive once the loop runs. False: `why`
 * has one sentence. */
bool front_start(server *s, char *why, size_t room);
/* Stops accepting connections. */
void front_close(http_front *f);
/* Sends delayed answers now. */
void front_hurry(http_front *f);
/* Whether a request has not been answered, or an answer is still being sent. */
bool front_is_busy(const http_front *f);
/* Closes all connections. No request may be answered after this call. */
void front_free(http_front *f);

/* The address for a browser; "" if the server listens only on a Unix socket. */
const char *front_url(const http_front *f);

/* ---- sockets to listen on -------------------------------------------------------------------- */

/* Raises the limit of open files as far as allowed, and returns how many connections fit. */
size_t listen_room(size_t wanted);

#endif
