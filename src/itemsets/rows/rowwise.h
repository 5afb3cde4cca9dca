/* rowwise.h - row enumeration: closed and maximal sets of data with few rows and many columns
 *
 * Thirty samples of 8,000 genes have far more items than transactions. Searched by items, every set
 * is compared with thousands of others. But a set is determined by its transactions, which are so
 * few that they fit into a word. So this search adds rows (transactions), and keeps the columns
 * (items) that are in all rows so far.
 *
 *     rows added    columns in all of them     rows with all these: the set's transactions
 *     2             a c d f                    2
 *     2 5           a d f                      2 5 7         7 is added by the closure
 *     2 5 7 9       d                          2 5 7 9       closed set d, support 4
 *
 * A node is a closed set of rows X, the columns that contain it, and the row that was added last.
 * Children add one later row r that is not in X, keep the columns with it, and close X again: the
 * rows in all columns that are kept. If that adds a row before r, the same set is found where that
 * row is added, and the child is dropped. So each closed set is found once, and no found set needs
 * to be stored (the prefix-preserving closure of LCM, with rows for items). A set is frequent if X
 * weighs enough.
 *
 * What makes it fast: a column is dropped as soon as its rows from r on, together with X, are too
 * few to be frequent. Every frequent set below is contained in kept columns, and only in these, so
 * the columns of a node are its items, however many were dropped before. For maximal sets, a branch
 * ends where it becomes frequent: below are only subsets of its items.
 *
 *   rowwise.c         threads, report; whether to search this way
 *     rowwise_probe*.c    random probes of the trees of rows and of items, for that decision
 *     rowwise_table.c     rows and distinct columns of the data
 *     rowwise_walk.c      the search: branches for idle workers, the sink, maximal sets, memory
 *   rowwise_kernels*.c    the inner loops for each instruction set
 *   rowwise_tuning.h      constants that were measured or guessed
 *
 * After: row enumeration: Pan, Cong, Tung, Yang, Zaki: CARPENTER, 2003. Prefix-preserving closure:
 *        Uno, Asai, Uchida, Arimura: LCM, 2003.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ROWS_ROWWISE_H
#define LODE_ITEMSETS_ROWS_ROWWISE_H

#include "itemsets/rows/rowwise_walk.h"
#include "pipeline/engine/item_task.h"

/* Runs the job if row enumeration supports it, memory is enough in any case, and it is expected to
 * be faster than a search by items; otherwise *done is false, and nothing has happened. The
 * environment variable LODE_CROSSWISE, for tests and measurements, overrides the expectation:
 * `always` or `never`. */
LODE_NODISCARD lode_status rowwise_run(engine_task *task, bool *done);

/* ---- whether to use row enumeration ---------------------------------------------------------- */

/* By shape alone, most data are left to the search by items: too many rows, or too few items for
 * each. For the rest, the time of both searches depends on how items co-occur, and is estimated by
 * random probes of both trees (rowwise_probe.h): a few at first, and more if the estimates are
 * close and probes cost next to nothing in comparison. */

typedef enum rowwise_choice { ROWWISE_NEVER, ROWWISE_PERHAPS, ROWWISE_ALWAYS } rowwise_choice;

#endif
