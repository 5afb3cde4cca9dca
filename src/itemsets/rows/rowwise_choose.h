/* rowwise_choose.h - whether to search rowwise
 *
 * By shape alone, most data are left to the search by items: too many rows, or too few items for
 * each. For the rest, what both searches will take depends on how the items go together, and is
 * estimated by random probes into the tree of each (rowwise_probe.h): a few at first, and more
 * where both are expected to take about as long and probes cost next to nothing of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ROWS_ROWWISE_CHOOSE_H
#define LODE_ITEMSETS_ROWS_ROWWISE_CHOOSE_H

#include "itemsets/rows/rowwise_walk.h"

typedef enum rowwise_choice { ROWWISE_NEVER, ROWWISE_PERHAPS, ROWWISE_ALWAYS } rowwise_choice;

/* What can be said without looking at the transactions. */
rowwise_choice rowwise_choose_by_shape(const engine_task *task);

/* Whether the search by rows is expected to be faster. */
LODE_NODISCARD lode_status rowwise_choose_by_probing(engine_task *task, const rowwise_table *table,
                                                     bool *pays);

#endif
