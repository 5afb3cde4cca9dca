/* watch.h - watched rows by some of their columns
 *
 * Closed sets are not counted with watched items: what matters is whether one of these is in all
 * transactions, and mostly a few columns tell that it is not. So, where columns are many, watched
 * rows are kept for the first columns only:
 *
 *     columns           0 1 2 3 4 5 6 7 8 …
 *     item to be added  0 1 1 0 1 0 1 0 1 …
 *     watched item      1 0 1 1 1               lacks column 1: not in all transactions
 *     watched item      1 1 1 0 1               may be: the rows of the root decide
 *
 * How often they occur is not known then, so none is dropped for being rare. When too few columns
 * are left of a sample, the rows of the child are made anew, from those of the root.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ADAPTIVE_WATCH_H
#define LODE_ADAPTIVE_WATCH_H

#include "adaptive/adaptive.h"

/* Whether the rows of a child are to be made like this: then those below it are, too. */
bool watch_by_sample(const adaptive *a, const rows_db *db, const child_items *c);

/* What becomes of watched rows. */
typedef struct watch_part {
    size_t from_words; /* of the rows of the parent, that are looked at */
    size_t words;      /* of those of the child */
    size_t columns;    /* that are known then */
    bool sampled;      /* not all of them */
    bool spent;        /* too few: the parent knows no more */
} watch_part;

/* How much of the watched rows a child needs, whose columns are those of `row`. */
watch_part watch_choose(const adaptive *a, const rows_db *db, const uint64_t *row,
                        const child_items *c, bool compact);

/* The columns of the child as a row of the root. */
LODE_NODISCARD lode_status watch_cover(adaptive *a, const child_items *c, uint64_t **cover);

/* Adds the watched items behind the item of the child to it, or finds out that one of them is in
 * all transactions. The database has samples. */
LODE_NODISCARD lode_status watch_add(adaptive *a, const rows_db *db, child_items *c);

#endif
