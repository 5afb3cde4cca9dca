/* rowwise.h - row enumeration: closed and maximal sets of data with few rows and many columns
 *
 * Thirty samples of 8,000 genes have far more items than transactions. A search by items would
 * compare every set with thousands of items. But a closed set is determined by its transactions,
 * which are so few that they fit into a word. So this search adds rows (transactions), and keeps
 * the columns (items) that are in all rows so far.
 *
 *     rows added    columns in all of them     rows with all these: the set's transactions
 *     2             a c d f                    2
 *     2 5           a d f                      2 5 7         7 is added by the closure
 *     2 5 7 9       d                          2 5 7 9       closed set d, support 4
 *
 * A node is a closed set of rows X, the columns that contain all of X, and the row that was added
 * last. A child adds one later row r that is not in X, keeps the columns with r, and closes X
 * again: X becomes all rows that every kept column contains. If closing adds a row before r, the
 * same set is found where that row is added, so the child is dropped. So each closed set is found
 * once, and no found set needs to be stored (the prefix-preserving closure of LCM, with rows for
 * items). A set is frequent if the rows of X together weigh enough.
 *
 * What makes the search fast: a column is dropped as soon as its rows from r on, together with X,
 * are too few to be frequent. Such a column cannot be an item of a frequent set below, so once a
 * node is frequent, its columns are exactly its items, however many were dropped before. For
 * maximal sets, a branch ends where it becomes frequent: below are only subsets of its items.
 *
 *   rowwise.c         threads, report; whether to search this way
 *     rowwise_probe*.c    random probes of the trees of rows and of items, for that decision
 *     rowwise_table.c     rows and distinct columns of the data
 *     rowwise_walk.c      the search: branches for idle workers, the sink, maximal sets, memory
 *   rowwise_kernels*.c    the inner loops for each instruction set
 *   rowwise_tuning.h      constants that were measured or guessed
 *
 * Sources: row enumeration: Pan, Cong, Tung, Yang, Zaki: CARPENTER, 2003. Prefix-preserving
 *        closure: Uno, Asai, Uchida, Arimura: LCM, 2003.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ROWS_ROWWISE_H
#define LODE_ITEMSETS_ROWS_ROWWISE_H

#include "itemsets/rows/rowwise_walk.h"
#include "pipeline/engine/item_task.h"

/* Runs the job and sets *done if row enumeration supports the job, certainly has enough memory, and
 * is expected to be faster than a search by items. Otherwise *done is false, and nothing was
 * reported. The environment variable LODE_CROSSWISE (`always` or `never`), for tests and
 * measurements, overrides the expectation. */
LODE_NODISCARD lode_status rowwise_run(engine_task *task, bool *done);

/* ---- whether to use row enumeration ---------------------------------------------------------- */

/* Most data are left to the search by items for their shape alone: too many rows, or too few items
 * for each row. For the rest, the time of both searches depends on how items co-occur, and is
 * estimated by random probes of both search trees (rowwise_probe.h): a few at first, and more if
 * the estimates are close and probes cost next to nothing compared with the search. PERHAPS means
 * that probes decide. */

typedef enum rowwise_choice { ROWWISE_NEVER, ROWWISE_PERHAPS, ROWWISE_ALWAYS } rowwise_choice;

#endif
