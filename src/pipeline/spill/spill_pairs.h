/* spill_pairs.h - which pairs of items are frequent in a part, and what groups need because of that
 *
 * A set of a group has an item of the group, its root, and every other item of it is frequent
 * together with that one. So of a transaction a group needs its roots, and what is frequent
 * together with one of these:
 *
 *     transaction   0  1  2  3  4  7       group [3, 5), frequent with 3: 0    with 4: 2 7
 *     written       0     2  3  4          and 7, where rarer items are needed
 *
 * Supports of all frequent sets of the group stay exact, and no other set becomes frequent. An item
 * that is in all transactions of a set is frequent with its root, too, so closed and maximal sets
 * are told as before. With T40I10 at 1% a root has 26 such partners of 377, so that what groups
 * take together becomes smaller by as much.
 *
 * All pairs of a root and another item are counted in one pass, if their counters fit. They tell,
 * without another pass, how large a group becomes at the most: an item is written at most as often
 * as it occurs, and as often as it occurs together with roots.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_SPILL_SPILL_PAIRS_H
#define LODE_PIPELINE_SPILL_SPILL_PAIRS_H

#include "pipeline/spill/survey.h"

typedef struct spill_pairs {
    bool known;
    uint32_t n;        /* items that are needed: places 0 … n - 1, in the order of numbers … */
    uint32_t *numbers; /* … by place … */
    uint32_t *places;  /* … and the place of each number */
    uint32_t first, end; /* places of the roots */
    uint32_t words;      /* of a row of bits, one for each place */
    uint64_t *partners;  /* by root, from `first` on: itself, and what is frequent with it */
    mem_kept kept;       /* these arrays */
} spill_pairs;

/* Counts the pairs of a part, and chooses groups that each need at most a share of the memory that
 * is left. p->known stays false, and nothing is done, where the counters take too much of it. */
LODE_NODISCARD lode_status spill_choose_by_pairs(spill_job *s, const spill_part *part,
                                                 const spill_counts *c, spill_pairs *p,
                                                 spill_groups *out);
void spill_pairs_free(spill_job *s, spill_pairs *p);

/* The bits of a root. */
static inline const uint64_t *spill_partners(const spill_pairs *p, uint32_t place) {
    return p->partners + (size_t)(place - p->first) * p->words;
}

#endif
