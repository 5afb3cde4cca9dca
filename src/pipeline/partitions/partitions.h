/* partitions.h - searches single branches with engines that only search whole data sets
 *
 * A branch (engine/engine.h) is a prefix and a range of ranks; a rank is the number of an item,
 * from the most frequent on. Any engine for itemsets can search a branch: the transactions with the
 * prefix become a data set, the engine searches the sets whose rarest item is in the range, and the
 * sink adds the prefix to each set.
 *
 *     ranks      0  1  2  3  4  5        branch: prefix 4, range [1, 3)
 *     data       0     2     4           → 0 2         the engine searches the sets 1, 0 1 (root 1)
 *                   1  2  3  4  5        → 1 2         and 2, 0 2, 1 2, 0 1 2 (root 2); the sink
 *                0  1        4           → 0 1         adds 4 to each
 *                0     2  3                nothing
 *
 * Supports in this data set are exact. For closed and maximal sets, items of higher ranks stay in
 * the data, because one of them may be in all transactions of a set. These items are not roots, so
 * closed and maximal sets require an engine that supports ranges of roots. For other targets, an
 * engine without such ranges searches a range root by root.
 * The files of this folder:
 *
 *   partitions.c      a stack of pieces: which is searched next, which is handed out
 *     partition_data.c   the data of a prefix, and the engine run that searches them
 *   partition_base.c   divides a search into branches; ranks, tid-lists, supports, expected work
 *   partition_base.h   constants that were measured or guessed
 *
 * The code of this folder runs on the host, between two runs of the engine. So tasks work on every
 * device.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_PARTITIONS_PARTITIONS_H
#define LODE_PIPELINE_PARTITIONS_PARTITIONS_H

#include "pipeline/engine/branches.h"
#include "write/itemsets/item_filter.h"

/* Divides a search into branches that partitions_run() can search with any engine. */
LODE_NODISCARD lode_status partitions_divide(engine_task *task, branch_list *into);

/* Searches task->parts.branches with an engine that does not support branches. `filter`: that of
 * the task's sink, or NULL. Between two runs of the engine, branches are handed out if other
 * processes ask for them. Errors: those of the engine. */
LODE_NODISCARD lode_status partitions_run(engine_task *task, const lode_engine *engine,
                                          const item_filter *filter);

/* Estimates the bytes that this takes in addition to what the engine needs. */
uint64_t partitions_need(const engine_task *task);

#endif
