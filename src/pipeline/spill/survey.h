/* survey.h - how large every group of items would be, and which groups fit
 *
 * The roots of a part are divided into bins, ranges of numbers in which about as many items occur.
 * One pass over the transactions counts, for each pair of bins m <= y, those whose rarest item
 * within bins 0 … y is in bin m, and what they would take:
 *
 *     size of the group of bins x … y  =  sum over m = x … y of at(m, y)
 *
 * because a transaction is in that group if its rarest item up to y is not below x; it is written
 * once, up to that item, or with all of its items where rarer ones are needed. So sizes of groups
 * are exact: transactions, items, and bytes on disk.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_SPILL_SURVEY_H
#define LODE_PIPELINE_SPILL_SURVEY_H

#include "pipeline/spill/spill_part.h"

typedef struct spill_size {
    uint64_t n_rows, n_items, n_bytes;
    uint32_t n_kinds; /* different items, at the most; 0 = not known */
} spill_size;

typedef struct spill_group {
    uint32_t first, end; /* numbers of items */
    spill_size size;
    spool *run; /* once it is written */
} spill_group;

typedef struct spill_groups {
    spill_group list[SPILL_BINS]; /* from the rarest items to the most frequent */
    unsigned n;
    uint64_t n_bytes, n_items; /* of all */
} spill_groups;

/* Chooses groups that each need at most `room` bytes to be mined, where that is possible. */
LODE_NODISCARD lode_status spill_choose(spill_job *s, const spill_part *part, const spill_counts *c,
                                        uint64_t room, spill_groups *out);

/* Whether a part of this size can be mined with `room` bytes. */
bool spill_fits(const spill_job *s, uint64_t room, uint64_t n_rows, uint64_t n_occurrences,
                uint32_t n_items);

#endif
