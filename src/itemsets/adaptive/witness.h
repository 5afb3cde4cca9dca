/* witness.h - looks for a transaction that shows that a subset has more support
 *
 * The item x of a set has a witness if a transaction holds all of the set but x: then the set
 * without x has more support. Witnesses are looked for in the occurrences of the root, a line of
 * columns after the other, and mostly found in one of the first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_WITNESS_H
#define LODE_ITEMSETS_ADAPTIVE_WITNESS_H

#include "itemsets/adaptive/occurrences.h"

/* What to look for: transactions that hold n items, the rarest of them first, and lack one. */
typedef struct witness_search {
    const adaptive *a;
    const occurrences *where;
    uint32_t *items;       /* by their numbers in the root */
    const uint64_t **rows; /* of these; if the first one has one, then all have */
    uint32_t n, lacks;
} witness_search;

/* Adds an item that witnesses must hold. */
static inline void witness_add(witness_search *s, uint32_t item) {
    s->items[s->n] = item;
    if (item < s->where->n_rows) s->rows[s->n] = occurrences_row(s->where, item);
    s->n++;
}

bool witness_exists(const witness_search *s);

#endif
