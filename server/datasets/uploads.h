/* uploads.h - uploads in slices; an interrupted upload can continue
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_UPLOADS_H
#define LODE_SERVER_UPLOADS_H

#include <stdint.h>

#include "http/request.h"
#include "server.h"

/* PUT /datasets/ID/content?offset=N: the next slice. */
void uploads_put(server *s, request *r);
/* "baskets" or "graphs", guessed from the first lines; "": unknown until the file is read. */
const char *upload_kind(const char *path);
/* The data set is deleted: drops the slice that is being written. */
void uploads_abandon(server *s, uint64_t id);

#endif
