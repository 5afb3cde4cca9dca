/* spill_pairs.h - frequent pairs of items in a part, which show the items that each group needs
 *
 * The root of a set is its rarest item, which is one of the items of its group. In a frequent set,
 * every other item is frequent together with the root. So a group needs, of each transaction, its
 * roots (the items of the group) and the items that are frequent together with one of these:
 *
 *     transaction   0  1  2  3  4  7       group [3, 5), frequent with 3: 0    with 4: 2 7
 *     written       0     2  3  4          and 7, if rarer items are needed
 *
 * Supports of all frequent sets of the group stay exact, and no other set becomes frequent. An item
 * that is in all transactions of a frequent set is also frequent together with the root of the set,
 * so closed and maximal sets are recognised as before. In T40I10 at 1%, a root has 26 such partners
 * among 377 items, so groups become smaller by this ratio.
 *
 * All pairs of a root and another item are counted in one pass, if their counters fit. These counts
 * give an upper bound for the size of a group without another pass: an item is written at most as
 * often as it occurs, and at most as often as the sum of its counts with all roots of the group.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_SPILL_SPILL_PAIRS_H
#define LODE_PIPELINE_SPILL_SPILL_PAIRS_H

#include "pipeline/spill/survey.h"

typedef struct spill_pairs {
    bool known;        /* pairs were counted */
    uint32_t n;        /* needed items; they have positions 0 … n - 1, in the order of numbers */
    uint32_t *numbers; /* by position: the number */
    uint32_t *places;  /* by number: the position */
    uint32_t first, end; /* positions of the roots */
    uint32_t words;      /* of a bit row with one bit per position */
    uint64_t *partners;  /* a bit row for each root: the root, and the items frequent with it */
    mem_kept kept;       /* owns these arrays */
} spill_pairs;

/* Counts the pairs of a part, and chooses groups that can each be mined with the memory that is
 * left (spill_room()). If the counters would take too much memory, nothing is done and p->known
 * stays false. Call spill_pairs_free() in any case. */
LODE_NODISCARD lode_status spill_choose_by_pairs(spill_job *s, const spill_part *part,
                                                 const spill_counts *c, spill_pairs *p,
                                                 spill_groups *out);
void spill_pairs_free(spill_job *s, spill_pairs *p);

/* The bit row of the root at position `place`. */
static inline const uint64_t *spill_partners(const spill_pairs *p, uint32_t place) {
    return p->partners + (size_t)(place - p->first) * p->words;
}

#endif
