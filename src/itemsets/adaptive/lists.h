/* lists.h - iteration over the lists of a database, for lists.c and strips.c
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_LISTS_H
#define LODE_ITEMSETS_ADAPTIVE_LISTS_H

#include "itemsets/adaptive/shape.h"

/* Items before a position may be added; those after it are earlier items. */
typedef enum list_part { LIST_BEFORE, LIST_BEHIND, LIST_WHOLE } list_part;

/* The lists of an item are far apart: prefetches one a little ahead. */
static inline void list_prefetch(const lists_db *db, const lists_child *c, uint32_t i) {
    uint32_t later = i + PREFETCH_AHEAD < c->n_places ? i + PREFETCH_AHEAD : i;
    const uint32_t *end = db->lists + c->places[later] - 1;
    __builtin_prefetch(end);
    __builtin_prefetch(end - 16);
}

/* The end of the items to read: those of the root may be followed by infrequent items. */
static inline uint32_t list_end(const database *db, uint32_t place) {
    while (db->lists.lists[place] < db->items.n) place++;
    return place;
}

#endif
