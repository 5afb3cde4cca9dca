/* twins.h - equivalent items: those that occur in exactly the same transactions
 *
 * Two transactions of 100,000 items have three kinds of items: those only in the first, those only
 * in the second, and those in both. If each item were searched, it would be compared with all
 * others. But a closed or maximal set has either all items of a kind (twins) or none, and no
 * generator has two items of a kind. So the search takes one item of each kind, and the twins of
 * that item are added when sets are reported:
 *
 *     transactions        a b c d     b d e          twins    a c | b d | e
 *     closed sets of a, b, e          b, ab, be   →  bd, abcd, bde
 *     generators                      a, e        →  a, c, e
 *
 * Kinds are found by partition refinement: each transaction splits the kinds of which it contains
 * only a part.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_TWINS_H
#define LODE_ITEMSETS_ADAPTIVE_TWINS_H

#include "itemsets/adaptive/adaptive.h"

/* Whether enough pairs of items occur together to make looking for twins worthwhile. Always false
 * for all frequent sets and for top-k. */
bool twins_pay(const lode_dataset *data, lode_target target, uint32_t n_items);

typedef struct twins_search {
    const engine_task *task;
    arena *keep, *scratch; /* memory for the result, and for finding it */
    item_list items;       /* the items to examine; after twins_find(), one of each kind */
    const uint32_t *rank;  /* by item id: its number in `items`, or NO_RANK */
} twins_search;

/* Keeps one item of each kind, and sets *out. If that would not save much, changes neither the
 * items nor *out. */
LODE_NODISCARD lode_status twins_find(twins_search *s, const twins **out);

/* Sets a->root.twins and opens the worker's buffers to report sets of up to n_frequent items.
 * Without twins (NULL), there are no buffers. */
LODE_NODISCARD lode_status twins_open(adaptive *a, const twins *t, uint32_t n_frequent);

/* Reports prefix + id for each id. For closed and maximal sets, the twins of all items are added to
 * the set; for generators, every set that has one twin of each item is reported. */
LODE_NODISCARD lode_status twins_emit(adaptive *a, const uint32_t *ids, const uint64_t *supports,
                                      uint32_t n);

#endif
