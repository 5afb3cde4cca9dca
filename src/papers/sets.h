/* sets.h - the frequent itemsets of a level as a table of bits, as pbi and gpu-apriori keep them
 *
 * Row i is set number i; bit r of it stands for the item of rank r. Kept unions are appended to a
 * second table, which takes the place of the first at the end of the level.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_SETS_H
#define LODE_PAPERS_SETS_H

#include "papers/levelwise.h"

/* The state of such a method, or the start of it. */
typedef struct sets_state {
    size_t words; /* per row */
    vec_u64 table, kept;
    vec_u32 last, kept_last; /* the last item of each set */
} sets_state;

LODE_NODISCARD lode_status sets_start(levelwise *w, size_t words);
/* Keeps the union of the pair, and its transaction row. */
LODE_NODISCARD lode_status sets_keep(levelwise *w, backend_pair pair, size_t i);
LODE_NODISCARD lode_status sets_advance(levelwise *w);
void sets_items(const levelwise *w, uint32_t set, uint32_t *out);
void sets_stop(levelwise *w);

static inline backend_sets sets_table(const sets_state *s, size_t n) {
    return (backend_sets){.data = s->table.data, .n = n, .words = s->words};
}

static inline const uint64_t *sets_row(const sets_state *s, size_t i) {
    return s->table.data + i * s->words;
}

#endif
