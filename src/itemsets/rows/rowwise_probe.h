/* rowwise_probe.h - estimates the trees of both searches by random probes
 *
 * A probe descends a tree along random children. A node counts as many times as it was unlikely to
 * be met (Knuth: Estimating the efficiency of backtrack programs, 1975), so that the mean of many
 * probes is the size of the tree. Both searches have their own kind of probe: the tree of rows is
 * as deep as sets are frequent, that of items as deep as they are long, and the deeper a tree, the
 * less accurate is the same number of probes.
 *
 * How a child is drawn does not change the mean, but much of the variance. Most rows, or items,
 * lead nowhere. So it is drawn from the table: for rows, first a column, and then one of its rows,
 * up to the last one that leaves enough of them; for items, one of all their occurrences. Each
 * child then has a chance for every column, or row, that continues with it.
 *
 *
 *     90 samples of 2,733 genes, closed at 24          nodes by rows    closed sets
 *     there are                                              104,030          8,443
 *     512 probes along rows, early ones more likely            27,900              0
 *     512 probes as above: rows, items                         55,300          8,130
 *
 * Rows weigh 1 here, and the threshold is scaled to match: weights would change little.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ROWS_ROWWISE_PROBE_H
#define LODE_ITEMSETS_ROWS_ROWWISE_PROBE_H

#include "base/rng.h"
#include "itemsets/rows/rowwise_walk.h"

typedef struct rowwise_prober {
    rowwise_walker walker; /* for its levels */
    rowwise_rows rows;     /* those of the table, each of weight 1 */
    uint32_t min;          /* minimum rows of a frequent set */
    rng random;
    rowwise_node root;    /* of rows */
    rowwise_list ordered; /* all columns, from the most frequent on; `which` are positions here */
    uint32_t *supports;   /* of these … */
    uint64_t *before;     /* … and sums of those before each */
    bool dense;        /* enough bits are set that the search by items would start from bit rows */
    double root_words; /* words read by the root of items */
    uint32_t *counts, *later; /* of the columns of a node; scratch */
    double looked;            /* words of columns read by probes */
    mem_kept kept;
} rowwise_prober;

/* The work of a search: sums over the nodes of its tree. */
typedef struct rowwise_work {
    double nodes;
    double tries; /* children that are tried … */
    double words; /* … and words of columns read there */
} rowwise_work;

/* `d` must be zero. Also after a failure, rowwise_prober_close() frees what it holds. */
LODE_NODISCARD lode_status rowwise_prober_open(rowwise_prober *d, engine_task *task,
                                               const rowwise_table *table);
void rowwise_prober_close(rowwise_prober *d, mem *m);

/* Adds the estimate of one probe for the whole tree. */
LODE_NODISCARD lode_status rowwise_probe_rows(rowwise_prober *d, rowwise_work *work);
LODE_NODISCARD lode_status rowwise_probe_items(rowwise_prober *d, rowwise_work *work);

#endif
