/* cross_tuning.h - every number of this folder that was measured or guessed
 *
 * None of them changes what is found, only how fast, or how even the progress.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CROSSWISE_CROSS_TUNING_H
#define LODE_CROSSWISE_CROSS_TUNING_H

/* Branches of fewer columns are not given to other threads: that takes about a microsecond, as
 * long as searching them. [guess] */
#define CROSS_GIVE_COLUMNS 8
/* Nodes between two looks at the clock, of about a tenth of a microsecond each. [guess] */
#define CROSS_TICK 1024
/* Nodes between two questions whether to go on. [guess] */
#define CROSS_CHECK 16

/* ---- which search (cross_choose.c) ----------------------------------------------------------- */

/* With fewer frequent items for each row, the search by items is as good. [guess] */
#define CROSS_ITEMS_PER_ROW 2
/* Dives into the tree of rows that tell how large it is. [guess] */
#define CROSS_DIVES 512

/* The costs below were set by hand from single runs, not fitted; docs/rows.md has the map that the
 * choice was checked with afterwards, with AVX-512 only.
 *
 * Nanoseconds that a node takes, whatever its columns, … [guess] */
#define CROSS_NODE_NS 60
/* … each row that is tried, … [guess] */
#define CROSS_TRY_NS 8
/* … and each word of a column that is looked at there. [guess] */
#define CROSS_WORD_NS 0.25
/* By items: nanoseconds for each pair of items and word, … [30 x 16,000 at 8: 0.2 s, 7,745 frequent
 * items, so 7 or so] */
#define CROSS_PAIR_NS 6
/* … each closed set, … [60 x 8,000 at 8: 1.3 million sets in 2.3 s, pairs and all] */
#define CROSS_SET_NS 1500
/* … and each item of it, which is compared with others. [guess: sets of modules took 90
 * microseconds each, of a length that was not looked at] */
#define CROSS_ITEM_NS 100

#endif
