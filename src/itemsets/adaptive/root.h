/* root.h - the database of the empty prefix as one job sees it
 *
 * A base (base.h) is kept with the data set. A job takes or makes a base for its own threshold or a
 * lower one, and uses only the first items of the base, which are frequent for the job:
 *
 *     base of a job with threshold 10    items  e  a  c  d  b        supports  90 55 31 17 12
 *     root of a job with threshold 20    items  e  a  c
 *
 * Rows and lists are used unchanged. Words are copied without the bits of the other items, and
 * words that become equal are merged; words are far fewer than transactions, so the copy is small.
 * If the complete base does not fit into the memory budget, the job makes its own base, slice by
 * slice.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_ROOT_H
#define LODE_ITEMSETS_ADAPTIVE_ROOT_H

#include "itemsets/adaptive/base.h"

typedef struct adaptive_root {
    prepared *shared;    /* owns the base, unless it is `alone` */
    adaptive_base *own;  /* the base, if only this job uses it (made slice by slice, or for sets
                          * of one item); otherwise NULL */
    adaptive_base alone; /* a base for sets of one item, without a database */
    arena narrow;        /* holds words that were made narrower */
    prepared_origin origin;
    uint32_t n_frequent;    /* this field and the next five: as in the base, but for this job */
    const uint32_t *always; /* ids of the items in every transaction */
    uint32_t n_always;
    item_list items;
    const twins *twins;
    const uint32_t *rank;
    uint32_t from, to;   /* items whose branches are searched: all, unless there is a root range */
    uint32_t first, end; /* the part of [from, to) that is in the slice */
    uint32_t always_from, always_to; /* likewise: the range among the items in every transaction */
    bool is_range;                   /* only some branches of the root are searched */
    uint8_t *wanted; /* by rank (branch.h): whether to search the branch; NULL = all [from, to) */
    size_t n_wanted; /* bytes of `wanted` */
    database db;     /* of the slice */
} adaptive_root;

/* Takes a base that is kept with the data, or makes one, with its first slice. */
LODE_NODISCARD lode_status adaptive_root_open(adaptive_root *root, const engine_task *task);
/* Moves to the next slice; *more is false if there is none. */
LODE_NODISCARD lode_status adaptive_root_next(adaptive_root *root, const engine_task *task,
                                              bool *more);
void adaptive_root_close(adaptive_root *root, const engine_task *task);

/* Makes the bases that jobs with the threshold of the task, or a higher one, will need. */
LODE_NODISCARD lode_status adaptive_root_prepare(engine_task *task);

#endif
