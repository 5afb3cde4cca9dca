/* lists.h - iteration over the lists of a database, for lists.c and strips.c
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_LISTS_H
#define LODE_ITEMSETS_ADAPTIVE_LISTS_H

#include "itemsets/adaptive/shape.h"

/* The part of a list that is read, relative to the position of the item that was added: items
 * before this position may be added next, items after it are earlier items. */
typedef enum list_part { LIST_BEFORE, LIST_BEHIND, LIST_WHOLE } list_part;

/* The lists that contain an item are far apart in memory. While the i-th list is read, prefetches a
 * list a little ahead. */
static inline void list_prefetch(const lists_db *db, const lists_child *c, uint32_t i) {
    uint32_t later = i + PREFETCH_AHEAD < c->n_places ? i + PREFETCH_AHEAD : i;
    const uint32_t *end = db->lists + c->places[later] - 1;
    __builtin_prefetch(end);
    __builtin_prefetch(end - 16);
}

/* Returns the end of the items that count in a list, searching from `place` on. In a list of the
 * root, items that are infrequent in this job may follow. */
static inline uint32_t list_end(const database *db, uint32_t place) {
    while (db->lists.lists[place] < db->items.n) place++;
    return place;
}

#endif
