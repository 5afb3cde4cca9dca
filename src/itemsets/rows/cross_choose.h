/* cross_choose.h - whether to search crosswise
 *
 * By shape alone, most data are left to the search by items: too many rows, or too few items for
 * each. For the rest, what both searches will take depends on how the items go together, and is
 * estimated by random dives into the tree of each (cross_dive.h): a few at first, and more where
 * both are expected to take about as long and dives cost next to nothing of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ROWS_CROSS_CHOOSE_H
#define LODE_ITEMSETS_ROWS_CROSS_CHOOSE_H

#include "itemsets/rows/cross_walk.h"

typedef enum cross_choice { CROSS_NEVER, CROSS_PERHAPS, CROSS_ALWAYS } cross_choice;

/* What can be said without looking at the transactions. */
cross_choice cross_choose_by_shape(const engine_task *task);

/* Whether the search by rows is expected to be faster. */
LODE_NODISCARD lode_status cross_choose_by_probing(engine_task *task, const cross_table *table,
                                                   bool *pays);

#endif
