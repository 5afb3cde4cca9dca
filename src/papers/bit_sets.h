/* bit_sets.h - the frequent sets of a level as a bit table: for pbi and gpu-apriori
 *
 * Row i is set number i; its bit r stands for the item of rank r. Kept unions are appended to a
 * second table, which replaces the first at the end of the level.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_BIT_SETS_H
#define LODE_PAPERS_BIT_SETS_H

#include "papers/levelwise.h"

/* levelwise.sets of these methods. */
typedef struct bit_sets {
    size_t words; /* per row */
    vec_u64 table, kept;
    vec_u32 last, kept_last; /* the last item of each set */
} bit_sets;

/* Rows of whole words, and rows rounded to 16 bytes as in the paper on pbi. In the latter, the
 * table is initially empty if levels may stay on the device (levelwise_may_stay). */
extern const levelwise_sets levelwise_bits, levelwise_bits_16;

/* The table of the current level. */
static inline backend_sets bit_sets_table(const levelwise *w) {
    const bit_sets *s = w->sets;
    return (backend_sets){.data = s->table.data, .n = w->n_sets, .words = s->words};
}

/* Sets w->last, after the table of the level was replaced. */
LODE_NODISCARD lode_status bit_sets_find_last(levelwise *w);

static inline const uint64_t *bit_sets_row(const bit_sets *s, size_t i) {
    return s->table.data + i * s->words;
}

#endif
