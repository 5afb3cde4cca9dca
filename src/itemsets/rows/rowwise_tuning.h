/* rowwise_tuning.h - measured or guessed constants of this folder
 *
 * None of them changes the result, only the speed, or how even the progress is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ROWS_ROWWISE_TUNING_H
#define LODE_ITEMSETS_ROWS_ROWWISE_TUNING_H

/* Branches of fewer columns are not given to other threads: giving a branch takes about a
 * microsecond, as long as searching such a branch. [guess] */
#define ROWWISE_GIVE_COLUMNS 8
/* Nodes between two checks of the clock; a node takes about 0.1 µs. [guess] */
#define ROWWISE_TICK 1024
/* Nodes between two checks for a stop. [guess] */
#define ROWWISE_CHECK 16

/* ---- which search (rowwise.c) --------------------------------------------------------- */

/* With fewer frequent items than this for each row, the search by items is as good. [guess] */
#define ROWWISE_ITEMS_PER_ROW 2
/* Number of probes of each tree before the first decision … [guess] */
#define ROWWISE_PROBES_LEAST 8
/* … and in total, at most. [guess] */
#define ROWWISE_PROBES_MOST 512
/* After n probes, the decision is clear if one search is expected to take 1 + ROWWISE_CLEAR /
 * sqrt(n) times as long as the other. Measured on 121 random shapes [table]:
 *
 *     ROWWISE_CLEAR       6     20     40     80
 *     sum of squares     12     12      6      3     of ln(time of the choice / time of the better)
 *     time of probes    1 %    1 %    2 %    2 %     of the time of the better search */
#define ROWWISE_CLEAR 80
/* Probing also ends when it has taken this share of the expected time of the faster search, divided
 * by the ratio of the two times (slower / faster). Measured likewise, on 178 shapes [table]:
 *
 *     ROWWISE_PROBES_SHARE    0.01     0.02     0.05      0.1
 *     sum of squares           2.3      1.6      1.4      1.4
 *     time of probes         0.6 %    0.7 %    1.1 %    1.7 %
 *
 * Modules of genes (120 x 4,000, threshold 7) need more than 0.02. */
#define ROWWISE_PROBES_SHARE 0.05

/* Nanoseconds of a search with AVX-512. Fitted to the CPU time of 178 random shapes of 12 to 1,000
 * rows (bench/shape_data.py): mostly within a factor of 1.4 for the search by rows, and of 1.8 by
 * items. With these numbers, the sum of squares above is 1.4, and the worst choice takes 2.5 times
 * as long as the better one.
 *
 * By rows, a node takes … */
#define ROWWISE_NODE_NS 10
/* … and each row that is tried there, with columns of one word … */
#define ROWWISE_TRY_NS 4
/* … or of several, … */
#define ROWWISE_TRY_WORDS_NS 45
/* … and each word of a column that is looked at. */
#define ROWWISE_WORD_NS 0.8
/* By items, a closed set takes … */
#define ROWWISE_SET_NS 250
/* … and each item that is tried as an extension of the set, … */
#define ROWWISE_CHILD_NS 150
/* … and each word of an item that is counted there, where few bits are set … */
#define ROWWISE_SPARSE_NS 1
/* … or many. */
#define ROWWISE_DENSE_NS 0.35
/* Words of an item that are counted in the time of one step along a list. [a step: 3 ns or more] */
#define ROWWISE_LIST_WORDS 5
/* The search by items starts from rows of bits if one bit in this many is set. [ROOT_ROWS_ONE_IN
 * of adaptive] */
#define ROWWISE_DENSE_ONE_IN 40

#endif
