/* cross_dive.h - how large the trees of both searches are, told by random dives
 *
 * A dive goes down a tree along children that are drawn at random. What it meets counts for as many
 * nodes as it had been unlikely to meet (Knuth: Estimating the efficiency of backtrack programs,
 * 1975), so that the mean of many dives is the whole tree. There is a kind of dive for each search,
 * and both are needed: the tree of rows is as deep as sets are frequent, that of items as deep as
 * they are long, and the deeper a tree, the less is known of it after so many dives.
 *
 * How a child is drawn changes nothing of the mean, but much of how far single dives are from it.
 * Most rows, or items, lead nowhere. So it is drawn from the table: among rows, first a column, and
 * then one of its rows, from the first up to the last one that leaves enough of them; among items,
 * one of all the places where they are. Each child then has a chance for every column, or row, that
 * goes on with it.
 *
 *     90 samples of 2,733 genes, closed at 24          nodes by rows    closed sets
 *     there are                                              104,030          8,443
 *     512 dives along rows, early ones more likely            27,900              0
 *     512 dives as above: rows, items                         55,300          8,130
 *
 * Rows weigh 1 here, and the threshold is made to fit: weights would change little.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ROWS_CROSS_DIVE_H
#define LODE_ITEMSETS_ROWS_CROSS_DIVE_H

#include "base/rng.h"
#include "itemsets/rows/cross_walk.h"

typedef struct cross_diver {
    cross_walker walker; /* for its levels */
    cross_rows rows;     /* those of the table, each of weight 1 */
    uint32_t min;        /* rows that a frequent set needs */
    rng random;
    cross_node root;    /* of rows */
    cross_list ordered; /* all columns, from the most frequent on; `which` are places here */
    uint32_t *supports; /* of these, … */
    uint64_t *before;   /* … and sums of those before each */
    bool dense;         /* enough bits are set that the search by items starts from rows of bits */
    double root_words;  /* that the root of items looks at */
    uint32_t *counts, *later; /* of the columns of a node, for a moment */
    double looked;            /* words of columns that dives have looked at */
    mem_kept kept;
} cross_diver;

/* The work of a search: sums over the nodes of its tree. */
typedef struct cross_work {
    double nodes;
    double tries; /* children that are looked at, … */
    double words; /* … and words of columns there */
} cross_work;

/* `d` must be zero. Also after a failure, cross_diver_close() frees what it holds. */
LODE_NODISCARD lode_status cross_diver_open(cross_diver *d, engine_task *task,
                                            const cross_table *table);
void cross_diver_close(cross_diver *d, mem *m);

/* Adds what one dive tells of a whole tree. */
LODE_NODISCARD lode_status cross_dive_rows(cross_diver *d, cross_work *work);
LODE_NODISCARD lode_status cross_dive_items(cross_diver *d, cross_work *work);

/* For cross_diver_open(): the words that a node of items looks at, where the first `addable` of its
 * columns, which have so many of its rows, may be added (cross_dive_items.c). */
double cross_item_words(const cross_diver *d, const cross_node *node, const uint32_t *counts,
                        uint32_t addable);

#endif
