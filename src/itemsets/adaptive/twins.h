/* twins.h - equivalent items: those that occur in exactly the same transactions
 *
 * Two transactions of 100,000 items have three kinds of items: those of the first, of the second,
 * and of both. Searched one by one, each is compared with all others. But items of one kind (twins)
 * are in every closed and every maximal set together, and no generator has two of them. So the
 * search takes one item of each kind, and its twins are added when sets are reported:
 *
 *     transactions        a b c d     b d e          twins    a c | b d | e
 *     closed sets of a, b, e          b, ab, be   →  bd, abcd, bde
 *     generators                      a, e        →  a, c, e
 *
 * Kinds are found by partition refinement: each transaction splits the kinds of which it has only a
 * part.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_TWINS_H
#define LODE_ITEMSETS_ADAPTIVE_TWINS_H

#include "itemsets/adaptive/adaptive.h"

/* Whether enough pairs of items occur together to make looking for twins worthwhile. */
bool twins_pay(const lode_dataset *data, lode_target target, uint32_t n_items);

typedef struct twins_search {
    const engine_task *task;
    arena *keep, *scratch; /* for the result, and for the search */
    item_list items;       /* the items to examine; then one of each kind */
    const uint32_t *rank;  /* by item id: its number among them, or NO_RANK */
} twins_search;

/* Keeps one item of each kind; changes nothing if that would not save much. */
LODE_NODISCARD lode_status twins_find(twins_search *s, const twins **out);

/* Opens a worker's buffers to report sets of this many items; does nothing without twins. */
LODE_NODISCARD lode_status twins_open(adaptive *a, const twins *t, uint32_t n_frequent);

/* Reports prefix + id for each id, with the twins of all of them. */
LODE_NODISCARD lode_status twins_emit(adaptive *a, const uint32_t *ids, const uint64_t *supports,
                                      uint32_t n);

#endif
