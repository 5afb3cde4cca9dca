/* rowwise.h - closed and maximal sets of data with few rows and many columns
 *
 * Thirty samples of 8,000 genes have far more items than transactions. Searched by items, every set
 * is compared with thousands of others; but it is told by its transactions, of which there are so
 * few that they fit into a word. So this search goes rowwise: it adds rows (transactions), and
 * what is left of the columns (items) are those that are in all rows so far.
 *
 *     rows added    columns in all of them     rows that hold all these: the set's transactions
 *     2             a c d f                    2
 *     2 5           a d f                      2 5 7         7 came along, for nothing
 *     2 5 7 9       d                          2 5 7 9       closed set d, support 4
 *
 * A node is a closed set of rows X, the columns that hold it, and the row that was added last.
 * Children add one later row r that is not in X, keep the columns that hold it, and close X again:
 * the rows in all columns that are kept. If that brings in a row before r, the same set is found
 * where that row is added, and the child is dropped. So each closed set is found once, and nothing
 * that was found needs to be remembered (the prefix-preserving closure of LCM, with rows for
 * items). A set is frequent if X weighs enough.
 *
 * What makes it fast: a column is dropped as soon as its rows from r on, with X, are too few to be
 * frequent. Every frequent set below is held by columns that are kept, and only by these, so the
 * columns of a node are its items, however much was dropped on the way. For maximal sets, a branch
 * ends where it becomes frequent: below are only subsets of its items.
 *
 *   rowwise.c         the engine's half: threads, report
 *     rowwise.c    whether to search this way
 *       rowwise_probe*.c   … as random probes into the trees of rows and of items tell
 *     rowwise_table.c     rows and different columns of the data
 *     rowwise_walk.c      the search
 *       rowwise_walk.c    branches for idle workers
 *       rowwise_walk.c    to the sink; which sets are maximal
 *     rowwise_walk.c    memory of the search
 *   rowwise_kernels*.c    the inner loops for each instruction set
 *   rowwise_tuning.h      numbers that were measured
 *
 * After: row enumeration: Pan, Cong, Tung, Yang, Zaki: CARPENTER, 2003. Prefix-preserving closure:
 *        Uno, Asai, Uchida, Arimura: LCM, 2003.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ROWS_ROWWISEWISE_H
#define LODE_ITEMSETS_ROWS_ROWWISEWISE_H

#include "itemsets/rows/rowwise_walk.h"
#include "pipeline/engine/item_task.h"

/* Runs the job if it can be searched rowwise, memory is enough in any case, and that is expected
 * to be faster than by items; else *done is false, and nothing has happened. The environment
 * variable LODE_CROSSWISE, for tests and measurements, overrules what is expected: `always` or
 * `never`. */
LODE_NODISCARD lode_status rowwise_run(engine_task *task, bool *done);

/* ---- whether to search rowwise --------------------------------------------------------------- */

/* By shape alone, most data are left to the search by items: too many rows, or too few items for
 * each. For the rest, what both searches will take depends on how the items go together, and is
 * estimated by random probes into the tree of each (rowwise_probe.h): a few at first, and more
 * where both are expected to take about as long and probes cost next to nothing of it. */

typedef enum rowwise_choice { ROWWISE_NEVER, ROWWISE_PERHAPS, ROWWISE_ALWAYS } rowwise_choice;

/* What can be said without looking at the transactions. */
rowwise_choice rowwise_choose_by_shape(const engine_task *task);

/* Whether the search by rows is expected to be faster. */
LODE_NODISCARD lode_status rowwise_choose_by_probing(engine_task *task, const rowwise_table *table,
                                                     bool *pays);

#endif
