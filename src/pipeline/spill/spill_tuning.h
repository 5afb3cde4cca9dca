/* spill_tuning.h - measured or guessed constants of this folder
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_SPILL_SPILL_TUNING_H
#define LODE_PIPELINE_SPILL_SPILL_TUNING_H

/* Number of bins, the ranges of items for which a survey computes separate sizes (survey.h). Groups
 * consist of whole bins, so with few bins groups are smaller than they could be. The table of all
 * pairs of bins takes at most 24 MiB, and at most 1 / SPILL_SURVEY_SHARE of the memory; a survey
 * needs little else. */
#define SPILL_BINS         1024
#define SPILL_SURVEY_SHARE 4

/* Counters of pairs, together with a bit row for each root, take at most 1 / this of the memory.
 * Pairs are not counted if there are more than SPILL_PAIR_ITEMS items. */
#define SPILL_PAIR_SHARE 3
#define SPILL_PAIR_ITEMS 16384

/* Maximum number of groups written in one pass; each has a file and a buffer, and most systems
 * allow a program 1,024 open files. A group that is too large is divided into groups again; the
 * maximum of such a level is half that of the level above, and at least SPILL_GROUPS_LEAST. If
 * there are more groups, they are written and mined in several rounds. If the system allows too few
 * open files for this, a level may use half of the files that are left, and the levels below share
 * the other half; each level may use at least SPILL_FILES_LEAST. */
#define SPILL_GROUPS       ((size_t)240)
#define SPILL_GROUPS_LEAST ((size_t)8)
#define SPILL_FILES_LEAST  ((size_t)2)

/* The buffers of all groups together take 1 / SPILL_BUFFER_SHARE of the memory. A buffer has at
 * least SPILL_BUFFER_LEAST and at most SPILL_BUFFER_MOST bytes. */
#define SPILL_BUFFER_SHARE 8
#define SPILL_BUFFER_LEAST ((size_t)8 << 10)
#define SPILL_BUFFER_MOST  ((size_t)256 << 10)

/* Groups are chosen so that mining each takes at most this fraction of the memory, as estimated by
 * the engine. */
#define SPILL_FILL 0.9

/* The memory of a thread, beyond what the engine shares among threads. The data on its path, from
 * the root of the search to a leaf, are assumed to take 1 / SPILL_PATH of the bytes that the engine
 * needs for a job. (Measured in `adaptive`: an eighth of the bytes of the root where the engine
 * needs half of these bytes, and a quarter where it needs all of them.) In addition, a thread takes
 * SPILL_THREAD_BYTES, and SPILL_ITEM_BYTES for each item of the root. Before this was taken into
 * account, one of 109 groups of T40I10, with 32 MiB and two threads, ran out of memory after its
 * first patterns. */
#define SPILL_PATH         5
#define SPILL_THREAD_BYTES ((uint64_t)1 << 20)
#define SPILL_ITEM_BYTES   24

/* Groups leave room for up to this many threads, if the bytes of the threads take at most 1 /
 * SPILL_THREADS_SHARE of the memory: with more, groups would become too small. For 20,000
 * transactions with 24 items and 3 MiB, two threads would have led to 14,571 groups and 8.7 s; one
 * thread takes 0.07 s. */
#define SPILL_THREADS       4
#define SPILL_THREADS_SHARE 8

/* To sort a row of ids by number, a bit is set for each number, if these bits take at most this
 * many words. */
#define SPILL_SORT_WORDS 64

/* Equal transactions are merged if less than the fraction SPILL_MERGE_PAYS of the first
 * SPILL_MERGE_SAMPLE transactions of a part are distinct. Distinct transactions among the first
 * 4,096, without infrequent items:
 *
 *     merging pays         connect at 90%: 20; connect at 50%: 660; mushroom at 30%: 103;
 *                          chess at 70%: 546 (of 3,196)
 *     it does not          accidents at 50%: 3,628; T10I4D100K at 1%: 3,958
 *
 * So any fraction from 0.2 to 0.85 separates these data sets. */
#define SPILL_MERGE_SAMPLE 4096
#define SPILL_MERGE_PAYS   0.6
/* Parts with more items are not checked: their equal rows are short, so merging them would save
 * little. Dense data have far fewer items; connect has 129. [guess] */
#define SPILL_MERGE_ITEMS 1024

/* Items per block of a part in memory: small enough that base/mem.h does not take separate pages
 * for the block, so that the next part reuses memory that is already resident. */
#define SPILL_BLOCK_ITEMS ((size_t)1 << 14)

#endif
