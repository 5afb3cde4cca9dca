/* listing.c - see listing.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "storage/listing.h"

bool listing_read(request *r, uint64_t fallback, uint64_t most, listing *out) {
    const uint64_t some[2] = {1, most}, any[2] = {1, INT64_MAX};
    *out = (listing){0};
    if (!request_count(r, "limit", some, fallback, &out->limit)) return false;
    if (!request_count(r, "before", any, INT64_MAX, &out->before)) return false;
    out->rows = json_array();
    return true;
}

bool listing_has_room(listing *l) {
    bool room = l->rows && json_array_size(l->rows) < l->limit && l->bytes < LISTING_BYTES;
    l->more = l->more || !room;
    return room;
}

void listing_add(listing *l, uint64_t id, json_t *steals) {
    size_t bytes = steals ? json_dumpb(steals, NULL, 0, JSON_COMPACT) : 0;
    l->last = id;
    l->bytes += bytes;
    if (bytes > 0 && json_array_append_new(l->rows, steals) == 0) return;
    if (bytes == 0) json_decref(steals);
    json_decref(l->rows);
    l->rows = NULL;
}

void listing_reply(request *r, listing *l, const char *name) {
    if (l->failed) {
        json_decref(l->rows);
        reply_unreadable(r);
        return;
    }
    json_t *next = l->more ? json_integer((json_int_t)l->last) : json_null();
    reply_json(r, 200, json_pack("{s:o, s:o}", name, l->rows, "next", next));
}
