/* listing.h - pages of rows, newest first, limited in rows and bytes
 *
 * A page has at most `limit` rows, and ends earlier at LISTING_BYTES, because names and profiles
 * may be long. The client requests the next page with before=N, where N is `next` of this page.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_LISTING_H
#define LODE_SERVER_LISTING_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "http/request.h"

#define LISTING_BYTES ((size_t)2 << 20)

typedef struct listing {
    uint64_t before; /* only rows with lower ids */
    uint64_t limit;
    json_t *rows;  /* NULL: no memory */
    size_t bytes;  /* of all rows */
    uint64_t last; /* the id of the last row */
    bool more;     /* there are more rows */
    bool failed;   /* the database could not be read to the end */
} listing;

/* Reads the parameters `before` and `limit`. False: the request has been answered. */
bool listing_read(request *r, uint64_t fallback, uint64_t most, listing *out);
/* Whether another row fits; if not, sets `more`. Call it when there is another row. */
bool listing_has_room(listing *l);
/* Adds a row. NULL: out of memory; listing_reply() then answers with an error. */
void listing_add(listing *l, uint64_t id, json_t *steals);
/* {"NAME": […], "next": N or null}, or 503 */
void listing_reply(request *r, listing *l, const char *name);

#endif
