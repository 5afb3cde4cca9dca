/* survey.h - computes the size of every possible group of items, and chooses groups that fit
 *
 * The roots of a part are divided into bins, ranges of numbers with about the same number of
 * occurrences. For each pair of bins m <= y, one pass over the transactions computes at(m, y): the
 * number and size of the transactions whose rarest item within bins 0 … y is in bin m. Then
 *
 *     size of the group of bins x … y  =  sum over m = x … y of at(m, y)
 *
 * because a transaction is in that group if its rarest item within bins 0 … y is in bin x or later.
 * The transaction is written once, up to that item, or with all of its items if rarer ones are
 * needed. So the sizes of groups are exact: transactions, items, and bytes on disk.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_SPILL_SURVEY_H
#define LODE_PIPELINE_SPILL_SURVEY_H

#include "pipeline/spill/spill_part.h"

/* The size of a group: transactions, items in all transactions together, bytes on disk. */
typedef struct spill_size {
    uint64_t n_rows, n_items, n_bytes;
    uint32_t n_kinds; /* the number of distinct items is at most this; 0 = unknown */
} spill_size;

typedef struct spill_group {
    uint32_t first, end; /* numbers of items */
    spill_size size;
    spool *run; /* its file, while the file exists; otherwise NULL */
} spill_group;

typedef struct spill_groups {
    spill_group list[SPILL_BINS]; /* from the rarest items to the most frequent */
    unsigned n;
    uint64_t n_bytes, n_items; /* of all groups */
} spill_groups;

/* Chooses groups that can each be mined with `room` bytes, or consist of a single bin. */
LODE_NODISCARD lode_status spill_choose(spill_job *s, const spill_part *part, const spill_counts *c,
                                        uint64_t room, spill_groups *out);

/* Whether a part of this size can be mined with `room` bytes. */
bool spill_fits(const spill_job *s, uint64_t room, uint64_t n_rows, uint64_t n_occurrences,
                uint32_t n_items);

#endif
