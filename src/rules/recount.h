/* recount.h - counts the supports of given sets in a data set, in one pass
 *
 * The sets form a prefix tree. For each transaction, its items are marked, and only the branches of
 * marked items are visited; at each set, the count goes up:
 *
 *     sets ab, abd, c        root ─ a ─ b* ─ d*        transaction a b c visits a, ab*, c*
 *     (* = end of a set)        └── c*
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_RECOUNT_H
#define LODE_RULES_RECOUNT_H

#include "data/transactions/dataset.h"
#include "write/itemsets/item_columns.h"

/* Fills in sets->supports. Sets may be in any order and repeated; their items must ascend. map[id
 * in the data] is the id in the sets, or RECOUNT_NO_ITEM; `map` NULL = ids are the same. Ids in the
 * sets must be below `item_bound`. Uses all threads. Errors: NOMEM, BUDGET; those of
 * job_check(). */
#define RECOUNT_NO_ITEM UINT32_MAX
LODE_NODISCARD lode_status recount(lode_job *job, const lode_dataset *data, const uint32_t *map,
                                   uint32_t item_bound, columns *sets);

#endif
