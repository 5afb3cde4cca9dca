/* rows.h - the closure check of rows by a sample of the transactions
 *
 * An earlier item makes a set non-closed if it is in *all* transactions of the set. Its exact count
 * is not needed, and a few columns usually show that it is not in all. So, if there are many
 * columns, the rows of earlier items are kept for the first columns only. This is an optimisation
 * of the rows shape; the plain check is in child_add().
 *
 *     columns           0 1 2 3 4 5 6 7 8 …
 *     item to be added  0 1 1 0 1 0 1 0 1 …
 *     earlier item      1 0 1 1 1               lacks column 1: not in all transactions
 *     earlier item      1 1 1 0 1               possible: the rows of the root decide
 *
 * The supports of earlier items are then unknown, so none is dropped for being infrequent. When too
 * few columns of the sample are left, the rows of the child are made again from those of the root.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_ROWS_H
#define LODE_ITEMSETS_ADAPTIVE_ROWS_H

#include "itemsets/adaptive/shape.h"

/* Whether to sample the earlier rows of a child, and of all databases below it. */
bool closure_uses_sample(const adaptive *a, const rows_db *db, const child_items *c);

/* The part of the rows of earlier items that a child has. */
typedef struct closure_part {
    size_t from_words; /* words read of each earlier row of the parent */
    size_t words;      /* words of each earlier row of the child */
    size_t columns;    /* columns covered by the child's earlier rows */
    bool sampled;      /* these are only a sample */
    bool spent;        /* too little of the parent's sample is left: take a new one from the root */
} closure_part;

/* Chooses that part. `row`: the row of the item that is added, so the columns of the child. */
closure_part closure_choose(const adaptive *a, const rows_db *db, const uint64_t *row,
                            const child_items *c, bool compact);

/* The columns of the child, as a row of the root. */
LODE_NODISCARD lode_status closure_cover(adaptive *a, const child_items *c, uint64_t **cover);

/* Adds the earlier items to a child of a sampled database, or finds that one of them is in all
 * transactions. */
LODE_NODISCARD lode_status closure_add_earlier(adaptive *a, const database *db, child_items *c);

#endif
