/* spill_tuning.h - numbers of this folder that were measured or guessed
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_SPILL_SPILL_TUNING_H
#define LODE_PIPELINE_SPILL_SPILL_TUNING_H

/* Ranges of items whose sizes a survey tells apart: groups consist of them, so few of them make
 * groups smaller than they might be. A table of their square takes 24 MiB at the most, and one
 * in SPILL_SURVEY_SHARE parts of the memory, of which a survey needs little else. */
#define SPILL_BINS         1024
#define SPILL_SURVEY_SHARE 4

/* Counters of pairs take one in this many parts of the memory, at the most; and a row of bits, one
 * for each item, has this many. */
#define SPILL_PAIR_SHARE 3
#define SPILL_PAIR_ITEMS 16384

/* Groups that are written in one pass; each has a file and a buffer, and most systems allow a
 * program 1,024 files. Below a group that is divided again they are half as many each time. If
 * there are more groups, they are written and mined in several rounds. Where a program may open
 * fewer files, half of them are for the groups of a part, the others for what is below these. */
#define SPILL_GROUPS       ((size_t)240)
#define SPILL_GROUPS_LEAST ((size_t)8)
#define SPILL_FILES_LEAST  ((size_t)2)

/* The buffers of all groups take one in this many parts of the memory; a buffer has these bytes. */
#define SPILL_BUFFER_SHARE 8
#define SPILL_BUFFER_LEAST ((size_t)8 << 10)
#define SPILL_BUFFER_MOST  ((size_t)256 << 10)

/* Groups are chosen to need this share of the memory at the most, by the figures of the engine. */
#define SPILL_FILL 0.9

/* Of the bytes that an engine says a job needs, one in so many is for the path of one thread, from
 * the root of its search to a leaf (adaptive: an eighth of its root, or a quarter, for a half or
 * the whole of it). A thread has these bytes beside. With the figures as they are, 32 MiB and two
 * threads, one of 109 groups of T40I10 ran out of memory after its first patterns. */
#define SPILL_PATH         5
#define SPILL_THREAD_BYTES ((uint64_t)1 << 20)
/* … and for each item that may be frequent, as has the root. */
#define SPILL_ITEM_BYTES 24

/* Groups are chosen so that up to so many threads have room, whose own bytes take one in so many
 * parts of the memory at the most: for more, they would become too small. Of 20,000 transactions
 * with 24 items and 3 MiB, two threads would have had 14,571 groups and 8.7 s, one has 0.07 s. */
#define SPILL_THREADS       4
#define SPILL_THREADS_SHARE 8

/* Words of bits by which rows of ids are brought into the order of numbers, at the most. */
#define SPILL_SORT_WORDS 64

/* Equal transactions are merged where fewer than this share of the first so many of a part are
 * different. Of their first 4,096 transactions, without infrequent items, connect at 90% has 20
 * different ones, connect at 50% 660, mushroom at 30% 103 (and chess at 70% 546 of 3,196); but
 * accidents at 50% has 3,628 and T10I4D100K at 1% 3,958. So any share from 0.2 to 0.85 tells these
 * apart. */
#define SPILL_MERGE_SAMPLE 4096
#define SPILL_MERGE_PAYS   0.6
/* A part with more items is not looked at: where rows of so many items are equal, they are short,
 * and merging would save little. Dense data have far fewer, connect 129. [guess] */
#define SPILL_MERGE_ITEMS 1024

/* Transactions of a part in memory, in a block of so many items: less than base/mem.h takes as
 * pages of their own, so that the next part finds them resident. */
#define SPILL_BLOCK_ITEMS ((size_t)1 << 14)

#endif
