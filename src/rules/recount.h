/* recount.h - the supports of given sets in a data set, by one pass
 *
 * The sets make a tree of prefixes. For every transaction the part of the tree is visited that it
 * holds, by marks of its items:
 *
 *     sets ab abd c          root ─ a ─ b* ─ d*        transaction a b c: a, ab*, c*
 *                               └── c*
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_RECOUNT_H
#define LODE_RULES_RECOUNT_H

#include "data/transactions/dataset.h"
#include "write/itemsets/item_columns.h"

/* Fills in sets->supports: sets in any order, also equal ones, items ascending. map[id of data] is
 * the id in the sets, or RECOUNT_NO_ITEM; NULL: they are the same. `item_bound`: of the ids in the
 * sets. With all threads. Errors: NOMEM, BUDGET; those of job_check(). */
#define RECOUNT_NO_ITEM UINT32_MAX
LODE_NODISCARD lode_status recount(lode_job *job, const lode_dataset *data, const uint32_t *map,
                                   uint32_t item_bound, columns *sets);

#endif
