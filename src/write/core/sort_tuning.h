/* sort_tuning.h - measured or guessed constants of sorted output
 *
 * They were measured on two cores with the data sets chess at a support of 40% (6.4 million
 * itemsets, 49 MiB of rows) and connect at 50% (88 million itemsets, 674 MiB of rows).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_SORT_TUNING_H
#define LODE_WRITE_CORE_SORT_TUNING_H

#include <stddef.h>

/* Bytes of rows that all workers together keep in memory if the user has not set a budget. Sorting
 * may take the same amount in addition. Further rows go to the scratch file. Doubling the value
 * saves no measurable time, because a run writes and reads the file only once. */
#define SORT_MEMORY ((size_t)128 << 20)
/* With a budget, all workers together keep 1 / SORT_SHARE of what is left of the budget, and at
 * most SORT_MEMORY. If the user has set the budget, and more is left than SORT_SHARE * SORT_MEMORY,
 * 1 / SORT_AMPLE_SHARE of the excess is added, so that a larger budget avoids the scratch file. A
 * worker may always keep SORT_LEAST. */
#define SORT_SHARE       16
#define SORT_AMPLE_SHARE 8
#define SORT_LEAST       ((size_t)64 << 10)

/* Arrays of at least this many bytes use huge pages, because page faults took a tenth of a run. */
#define SORT_HUGE_BYTES ((size_t)4 << 20)

/* One row per this many bytes of a segment is kept as a sample, which shows where to cut segments
 * into pieces (sort_pieces.h). */
#define SORT_BLOCK_BYTES ((size_t)8 << 10)
/* Bytes of rows that a thread merges and writes at a time. Rows and their text together stay in the
 * second level cache of a core. */
#define SORT_PIECE_BYTES ((size_t)128 << 10)
/* Memory for merging: in bytes if there is no budget, and as a fraction of the rest of a budget. */
#define SORT_MERGE_MEMORY ((size_t)64 << 20)
#define SORT_MERGE_SHARE  4
/* Bytes for text that a thread formats before its turn. Lines are assumed to have the maximum
 * length, so most of these bytes stay empty. */
#define SORT_TEXT_BYTES ((size_t)4 << 20)
#define SORT_TEXT_SHARE 16
#define SORT_TEXT_LEAST ((size_t)64 << 10)

#endif
