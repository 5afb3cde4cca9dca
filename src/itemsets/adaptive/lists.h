/* lists.h - steps through the lists of a database: what lists.c and strips.c share
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_LISTS_H
#define LODE_ITEMSETS_ADAPTIVE_LISTS_H

#include "itemsets/adaptive/shape.h"

/* The items before a place may be added; those after it are earlier items. */
typedef enum list_part { LIST_BEFORE, LIST_BEHIND, LIST_WHOLE } list_part;

/* The lists of an item lie far apart: prefetches the one that comes a little later. */
static inline void list_prefetch(const lists_db *db, const lists_child *c, uint32_t i) {
    uint32_t later = i + PREFETCH_AHEAD < c->n_places ? i + PREFETCH_AHEAD : i;
    const uint32_t *end = db->lists + c->places[later] - 1;
    __builtin_prefetch(end);
    __builtin_prefetch(end - 16);
}

/* Where the items to look at end: those of the root may go on with items that are not frequent. */
static inline uint32_t list_end(const database *db, uint32_t place) {
    while (db->lists.lists[place] < db->items.n) place++;
    return place;
}

#endif
