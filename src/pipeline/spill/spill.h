/* spill.h - mines itemsets of data that are larger than memory: the map of this folder
 *
 * Frequent items are numbered from the most frequent (0) to the rarest, once for all data. A set
 * belongs to the rarest of its items, so ranges of numbers divide all sets into groups. The items
 * of a group are those in its range. A group needs the transactions with at least one of its items,
 * because these contain all its sets:
 *
 *     numbers    0  1  2  3  4  5  6  7        group [4, 6)
 *     data       0     2     4        7        → 0 2 4       its items, and more frequent ones
 *                   1     3     5              → 1 3 5
 *                0  1        3        7          nothing
 *
 * If pairs of items could be counted (spill_pairs.h), the group only gets items that are frequent
 * together with one of its own items. Supports of all sets of the group are exact in these data.
 * For closed and maximal sets, rarer items are kept as well, because any of them could be in all
 * transactions of a set. Equal transactions are merged if there are many (spill_rows.h).
 *
 *   spill.c           decides about a part: mine it, if it fits; otherwise divide it into groups
 *     spill_pairs.c     which items groups need, how large the groups are, and which groups fit
 *     survey.c          the same if there are too many pairs of items to count
 *     groups.c          writes the transactions of each group to its own file
 *     spill_part.c      loads a part into memory, and runs the engine on it
 *       spill_rows.c      the transactions of a part, as numbers, from memory or disk; merges equal
 *                         ones
 *     spill_roots.c     restricts the search to ranges of items: shares and tasks
 *   spill_tuning.h    constants that were measured or guessed
 *
 * The whole data set is the first part. A group is a part as well: if it turns out not to fit, it
 * is divided again. If a part of one item does not fit, that item is added to the prefix (the items
 * that all further sets contain), and the more frequent items are divided into groups. So parts
 * become smaller until they fit, or are empty.
 *
 * Engines know nothing about parts: they get a data set with its own item order and a root range.
 * Files are unnamed (spool.h), so nothing is left behind however the program ends.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_SPILL_SPILL_H
#define LODE_PIPELINE_SPILL_SPILL_H

#include "pipeline/engine/item_task.h"

/* Mines the transactions of task->items.data from disk, with this engine, into the sink of the
 * task. The data set must be on disk, or have a folder for files. Errors: IO (a full disk); those
 * of the engine. */
LODE_NODISCARD lode_status spill_run(engine_task *task, const lode_engine *engine);

/* Divides a search of data on disk into branches that spill_run() can search: ranges of items, the
 * same in every process. */
LODE_NODISCARD lode_status spill_divide_search(engine_task *task, struct branch_list *into);

/* Fails with BUDGET: the message says that `what` cannot be mined from disk, and how much memory
 * would be enough. */
LODE_NODISCARD lode_status spill_refuse(const engine_task *task, const char *what);

#endif
