/* recount.h - counts the supports of given sets in a data set, in one pass
 *
 * The sets form a prefix tree. Transactions are taken in groups of 64. In a group, each item of the
 * sets has a mask with one bit for each transaction; the mask of a set is the intersection of the
 * masks of its items. Only branches whose mask is not zero are visited:
 *
 *     sets ab, abd, c     root ─ a ─ b* ─ d*       transactions  0: a b c   a 101   ab 001   c 001
 *     (* = end of a set)    └── c*                               1: b       b 011
 *                                                                2: a       c 001   abd 000
 *
 * So a set costs little in dense data, where a mask counts many transactions at once, and nothing
 * in groups without its first items.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_RECOUNT_H
#define LODE_DATA_TRANSACTIONS_RECOUNT_H

#include "data/transactions/dataset.h"

/* n sets: set i has the items items[offsets[i]] … items[offsets[i + 1] - 1], ascending. Sets may be
 * in any order and repeated. */
typedef struct recount_sets {
    const uint32_t *items;
    const uint64_t *offsets; /* n + 1; not used if n is 0 */
    uint64_t *supports;      /* n; the result */
    size_t n;
} recount_sets;

/* Fills in sets->supports. map[id in the data] is the id in the sets, or RECOUNT_NO_ITEM; `map`
 * NULL = ids are the same. Ids in the sets must be below `item_bound`. The data must be in memory
 * (dataset_in_memory()). Uses all threads. Errors: NOMEM, BUDGET; those of job_check(). */
#define RECOUNT_NO_ITEM UINT32_MAX
LODE_NODISCARD lode_status recount(lode_job *job, const lode_dataset *data, const uint32_t *map,
                                   uint32_t item_bound, const recount_sets *sets);

/* Works like recount(), with ids of the data, but on the calling thread alone, which may be one of
 * many that search. Only a cancelled job ends it, not one that has reached a limit. */
LODE_NODISCARD lode_status recount_alone(lode_job *job, const lode_dataset *data,
                                         const recount_sets *sets);

#endif
