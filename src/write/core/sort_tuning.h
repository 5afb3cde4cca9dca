/* sort_tuning.h - numbers of sorted output that were measured or guessed
 *
 * Measured with chess at 40% (6.4 million itemsets, 49 MiB of rows) and connect at 50% (88 million,
 * 674 MiB), two cores.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_SORT_TUNING_H
#define LODE_WRITE_CORE_SORT_TUNING_H

#include <stddef.h>

/* Rows that are kept in memory, by all workers together, unless the user has chosen a budget;
 * sorting them may take as much again. The rest goes to the scratch file. Twice as much saves
 * nothing that can be measured: what a run costs is writing and reading it once. */
#define SORT_MEMORY ((size_t)128 << 20)
/* At most this part of what is left of a budget; of what a chosen budget leaves beyond SORT_MEMORY,
 * so that a higher one saves the scratch file, this part; and what a worker needs at the least. */
#define SORT_SHARE       16
#define SORT_AMPLE_SHARE 8
#define SORT_LEAST       ((size_t)64 << 10)

/* Piles of rows of so many bytes ask for huge pages: a tenth of a run was page faults. */
#define SORT_HUGE_BYTES ((size_t)4 << 20)

/* One row in so many bytes of a segment is remembered, to cut segments by it. */
#define SORT_BLOCK_BYTES ((size_t)8 << 10)
/* Rows that a thread merges and writes in one go: with the text of them it stays in the second
 * level cache of a core. */
#define SORT_PIECE_BYTES ((size_t)128 << 10)
/* Of the memory for merging: what is there without a budget, and the part of what is left. */
#define SORT_MERGE_MEMORY ((size_t)64 << 20)
#define SORT_MERGE_SHARE  4
/* Text that a thread makes before its turn. Lines are guessed as long as they may be, so that most
 * of it stays empty. */
#define SORT_TEXT_BYTES ((size_t)4 << 20)
#define SORT_TEXT_SHARE 16
#define SORT_TEXT_LEAST ((size_t)64 << 10)

#endif
