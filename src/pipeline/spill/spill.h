/* spill.h - itemsets of data that are larger than memory: the map of this folder
 *
 * Frequent items are numbered from the most frequent (0) to the rarest, once and for all data. A
 * set belongs to the rarest of its items, so ranges of numbers divide all sets into groups. What a
 * group needs are the transactions that hold one of its items, since those hold all its sets:
 *
 *     numbers    0  1  2  3  4  5  6  7        group [4, 6)
 *     data       0     2     4        7        → 0 2 4       its items, and more frequent ones
 *                   1     3     5              → 1 3 5
 *                0  1        3        7          nothing
 *
 * Of these, it gets what is frequent together with one of its own, where pairs of items could be
 * counted (spill_pairs.h). Supports of all sets of the group are exact in them. For closed and
 * maximal sets rarer items are kept as well: an item that could join a set, and be part of all its
 * transactions, may be any. Where many transactions are equal, these are merged (spill_rows.h).
 *
 *   spill.c         what is done with a part: mine it, if it fits; or divide it, and mine the parts
 *     spill_pairs.c which items groups need of a transaction, how large that is; which groups fit
 *     survey.c      the same where pairs of items are too many to be counted
 *     groups.c      writes the transactions of each group to a file of its own
 *     spill_part.c  brings a part into memory, and has the engine mine it
 *       spill_rows.c  the transactions of a part, by numbers, from memory or from disk
 *       spill_rows.c equal transactions become one
 *     spill_roots.c ranges of items that are searched instead of all: shares and tasks
 *   spill_tuning.h  every number that was measured or guessed
 *
 * A group that turns out not to fit is a part like the first, and is divided again. A part of one
 * item that does not fit is searched for sets that hold it: it becomes part of the prefix, and the
 * items below it are divided into groups. So parts become smaller until they fit, or are empty.
 *
 * Engines know nothing of this: they get a data set with an order of its own and a range of roots.
 * Files have no names (spool.h), so nothing is left behind however the program ends.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_SPILL_SPILL_H
#define LODE_PIPELINE_SPILL_SPILL_H

#include "pipeline/engine/item_task.h"

/* Mines the transactions of task->items.data from disk, with this engine, into the sink of the
 * task. The data set is on disk, or has a folder for that. Errors: IO (a full disk); those of the
 * engine. */
LODE_NODISCARD lode_status spill_run(engine_task *task, const lode_engine *engine);

/* Divides a search of data on disk into branches that spill_run() can search: ranges of items,
 * which are the same in every process. */
LODE_NODISCARD lode_status spill_divide_search(engine_task *task, struct branch_list *into);

/* Says that this is not mined from disk, and how much memory would be enough: BUDGET. */
LODE_NODISCARD lode_status spill_refuse(const engine_task *task, const char *what);

#endif
