/* spill_merge.h - equal transactions of a part become one, with the sum of their weights
 *
 * Of dense data with few frequent items, many transactions are equal once the other items are left
 * out: of the 67,557 transactions of connect 2,415 are different with items in half of them, and 39
 * with items in nine of ten. Such a part may fit as a whole, where dividing it would not make it
 * much smaller.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_SPILL_SPILL_MERGE_H
#define LODE_PIPELINE_SPILL_SPILL_MERGE_H

#include "pipeline/spill/spill_part.h"

/* Whether many of the first transactions of a part are equal. */
LODE_NODISCARD lode_status spill_merge_pays(spill_job *s, const spill_part *part,
                                            const spill_counts *c, bool *pays);

/* Where each different row is: in which block, and the how manieth it is there. */
typedef struct merge_slot {
    uint64_t hash; /* 0: free */
    uint32_t block, row;
} merge_slot;

typedef struct merge_table {
    merge_slot *slots; /* a power of two, at most half of them used; NULL: rows are not merged */
    size_t n_slots, n;
} merge_table;

LODE_NODISCARD lode_status merge_table_open(mem *m, merge_table *t);
void merge_table_close(mem *m, merge_table *t);
/* Makes room for one more. */
LODE_NODISCARD lode_status merge_table_reserve(mem *m, merge_table *t);
/* A hash of a row that is not 0. */
uint64_t merge_hash(const uint32_t *items, uint32_t n);

/* The slot where the search for a hash begins, and the one after a slot. */
static inline size_t merge_first(const merge_table *t, uint64_t hash) {
    return hash & (t->n_slots - 1);
}

static inline size_t merge_next(const merge_table *t, size_t slot) {
    return (slot + 1) & (t->n_slots - 1);
}

#endif
