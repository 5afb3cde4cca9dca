/* uploads.h - a file arrives in slices, and goes on where it was cut off
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_UPLOADS_H
#define LODE_SERVER_UPLOADS_H

#include <stdint.h>

#include "http/request.h"
#include "server.h"

/* PUT /datasets/ID/content?offset=N: the next slice. */
void uploads_put(server *s, request *r);
/* Baskets or graphs, by the beginning of a file; "": it cannot be told; reading will say more. */
const char *upload_kind(const char *path);
/* The data set is deleted: what is still being written of it goes as well. */
void uploads_abandon(server *s, uint64_t id);

#endif
