/* listing.h - lists of rows by pages: the newest first, bounded by number and by bytes
 *
 * A page has at most `limit` rows, and no more once it has LISTING_BYTES: names and profiles may be
 * long. What is left is asked for with before=N, where N is what the page says under "next".
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
    uint64_t before; /* only rows with lower numbers */
    uint64_t limit;
    json_t *rows;  /* NULL: no memory */
    size_t bytes;  /* of all rows */
    uint64_t last; /* the number of the last one */
    bool more;     /* there are others */
    bool failed;   /* the database could not be read to the end */
} listing;

/* Reads `before` and `limit`. False: it has been answered. */
bool listing_read(request *r, uint64_t fallback, uint64_t most, listing *out);
/* Whether another row fits; if not, there is more. To be asked when there is a row. */
bool listing_has_room(listing *l);
/* NULL: no memory, and the list will be answered so. */
void listing_add(listing *l, uint64_t id, json_t *steals);
/* {"NAME": […], "next": N or null}, or 503 */
void listing_reply(request *r, listing *l, const char *name);

#endif
