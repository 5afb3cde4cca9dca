/* sort_tuning.h - measured or guessed constants of sorted output
 *
 * Measured with chess at 40% (6.4 million itemsets, 49 MiB of rows) and connect at 50% (88 million,
 * 674 MiB), two cores.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_SORT_TUNING_H
#define LODE_WRITE_CORE_SORT_TUNING_H

#include <stddef.h>

/* Rows kept in memory, by all workers together, unless the user has set a budget; sorting may take
 * as much again. The rest goes to the scratch file. Doubling it saves nothing measurable: the cost
 * of a run is writing and reading the file once. */
#define SORT_MEMORY ((size_t)128 << 20)
/* Fractions: of the rest of a budget; of what a budget set by the user leaves beyond SORT_MEMORY,
 * so that a larger one avoids the scratch file. And the minimum for a worker. */
#define SORT_SHARE       16
#define SORT_AMPLE_SHARE 8
#define SORT_LEAST       ((size_t)64 << 10)

/* Arrays of at least this many bytes ask for huge pages: page faults were a tenth of a run. */
#define SORT_HUGE_BYTES ((size_t)4 << 20)

/* One row per this many bytes of a segment is kept as a sample, to cut segments. */
#define SORT_BLOCK_BYTES ((size_t)8 << 10)
/* Rows that a thread merges and writes at a time: together with their text they stay in the second
 * level cache of a core. */
#define SORT_PIECE_BYTES ((size_t)128 << 10)
/* Memory for merging: without a budget, and as a fraction of what is left of one. */
#define SORT_MERGE_MEMORY ((size_t)64 << 20)
#define SORT_MERGE_SHARE  4
/* Text that a thread formats before its turn. Lines are assumed to have the maximum length, so that
 * most of it stays empty. */
#define SORT_TEXT_BYTES ((size_t)4 << 20)
#define SORT_TEXT_SHARE 16
#define SORT_TEXT_LEAST ((size_t)64 << 10)

#endif
