/* closure.h - the closure check of rows by a sample of the transactions
 *
 * Closed sets are not counted with earlier items: what matters is whether one of these is in all
 * transactions, and mostly a few columns tell that it is not. So, where columns are many, the rows
 * of earlier items are kept for the first columns only:
 *
 *     columns           0 1 2 3 4 5 6 7 8 …
 *     item to be added  0 1 1 0 1 0 1 0 1 …
 *     earlier item      1 0 1 1 1               lacks column 1: not in all transactions
 *     earlier item      1 1 1 0 1               may be: the rows of the root decide
 *
 * How often an earlier item occurs is not known then, so none is dropped for being rare. When too
 * few columns of the sample are left, the rows of the child are made anew from those of the root.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ADAPTIVE_CLOSURE_H
#define LODE_ADAPTIVE_CLOSURE_H

#include "adaptive/shape.h"

/* Whether the earlier rows of a child are to be sampled: then those below it are, too. */
bool closure_uses_sample(const adaptive *a, const rows_db *db, const child_items *c);

/* How much of the rows of earlier items a child has. */
typedef struct closure_part {
    size_t from_words; /* words of the parent's rows that are looked at */
    size_t words;      /* words of the child's */
    size_t columns;    /* that are known in these */
    bool sampled;      /* not all columns are */
    bool spent;        /* the parent's sample has too few columns of the child */
} closure_part;

/* How much a child needs, whose columns are those of `row`. */
closure_part closure_choose(const adaptive *a, const rows_db *db, const uint64_t *row,
                            const child_items *c, bool compact);

/* The columns of the child, as a row of the root. */
LODE_NODISCARD lode_status closure_cover(adaptive *a, const child_items *c, uint64_t **cover);

/* Adds the earlier items to a child of a sampled database, or finds out that one of them is in all
 * transactions. */
LODE_NODISCARD lode_status closure_add_earlier(adaptive *a, const database *db, child_items *c);

#endif
