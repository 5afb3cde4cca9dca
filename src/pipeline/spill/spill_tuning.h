/* spill_tuning.h - measured or guessed constants of this folder
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_SPILL_SPILL_TUNING_H
#define LODE_PIPELINE_SPILL_SPILL_TUNING_H

/* Ranges of items with separate sizes in a survey: groups consist of them, so with few of them
 * groups are smaller than they could be. The table of their square takes at most 24 MiB, and one
 * part in SPILL_SURVEY_SHARE of the memory; a survey needs little else. */
#define SPILL_BINS         1024
#define SPILL_SURVEY_SHARE 4

/* Counters of pairs take at most one part in this many of the memory; and so does a bit row with
 * one bit per item. */
#define SPILL_PAIR_SHARE 3
#define SPILL_PAIR_ITEMS 16384

/* Maximum number of groups written in one pass; each has a file and a buffer, and most systems
 * allow a program 1,024 files. Below a group that is divided again it is halved each time. If there
 * are more groups, they are written and mined in several rounds. If a program may open fewer files,
 * half of them are for the groups of a part, the others for the levels below. */
#define SPILL_GROUPS       ((size_t)240)
#define SPILL_GROUPS_LEAST ((size_t)8)
#define SPILL_FILES_LEAST  ((size_t)2)

/* The buffers of all groups take one part in this many of the memory; bytes of a buffer. */
#define SPILL_BUFFER_SHARE 8
#define SPILL_BUFFER_LEAST ((size_t)8 << 10)
#define SPILL_BUFFER_MOST  ((size_t)256 << 10)

/* Groups are chosen to need at most this fraction of the memory, by the figures of the engine. */
#define SPILL_FILL 0.9

/* Of the bytes that an engine needs for a job, one part in this many is for the path of one thread,
 * from the root of its search to a leaf (adaptive: an eighth of its root, or a quarter, for a half
 * or all of it). The next constant is the fixed memory of a thread. Without this, at 32 MiB and two
 * threads, one of 109 groups of T40I10 ran out of memory after its first patterns. */
#define SPILL_PATH         5
#define SPILL_THREAD_BYTES ((uint64_t)1 << 20)
/* … plus this for each item that may be frequent, as in the root. */
#define SPILL_ITEM_BYTES 24

/* Groups leave room for up to this many threads, whose own bytes take at most one part in this many
 * of the memory: with more, groups would become too small. For 20,000 transactions with 24 items
 * and 3 MiB, two threads would have had 14,571 groups and 8.7 s, one has 0.07 s. */
#define SPILL_THREADS       4
#define SPILL_THREADS_SHARE 8

/* Maximum words of bits for sorting rows of ids into the order of numbers. */
#define SPILL_SORT_WORDS 64

/* Equal transactions are merged if fewer than this fraction of the first SPILL_MERGE_SAMPLE of a
 * part are distinct. Of their first 4,096 transactions, without infrequent items, connect at 90%
 * has 20 distinct ones, connect at 50% 660, mushroom at 30% 103 (and chess at 70% 546 of 3,196);
 * but accidents at 50% has 3,628 and T10I4D100K at 1% 3,958. So any fraction from 0.2 to 0.85
 * separates these. */
#define SPILL_MERGE_SAMPLE 4096
#define SPILL_MERGE_PAYS   0.6
/* Parts with more items are not checked: their equal rows are short, so merging them would save
 * little. Dense data have far fewer items; connect has 129. [guess] */
#define SPILL_MERGE_ITEMS 1024

/* Items per block of a part in memory: small enough that base/mem.h does not take separate pages
 * for it, so that the next part finds its memory resident. */
#define SPILL_BLOCK_ITEMS ((size_t)1 << 14)

#endif
