/* cross_choose.h - whether to search crosswise
 *
 * By shape alone, most data are left to the search by items: too many rows, or too few items for
 * each. For the rest, what both searches will take depends on how the items go together, and is
 * estimated by dives: each goes down the tree of rows along rows that are drawn at random, and what
 * it meets counts for as many nodes as it had been unlikely to meet (Knuth: Estimating the
 * efficiency of backtrack programs, 1975). The tree has a node for each closed set, so that dives
 * also tell how many of these there are, of how many items, and with it the time by items.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CROSSWISE_CROSS_CHOOSE_H
#define LODE_CROSSWISE_CROSS_CHOOSE_H

#include "crosswise/cross_walk.h"

typedef enum cross_choice { CROSS_NEVER, CROSS_PERHAPS, CROSS_ALWAYS } cross_choice;

/* What can be said without looking at the transactions. */
cross_choice cross_choose_by_shape(const engine_task *task);

/* Whether the search by rows is expected to be faster. */
LODE_NODISCARD lode_status cross_choose_by_probing(engine_task *task, const cross_table *table,
                                                   bool *pays);

#endif
