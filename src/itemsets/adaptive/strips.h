/* strips.h - makes strips, also for children of lists
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_STRIPS_H
#define LODE_ITEMSETS_ADAPTIVE_STRIPS_H

#include "itemsets/adaptive/lists.h"
#include "itemsets/adaptive/shape.h"

/* The number of strips for this many transactions. */
static inline unsigned strips_for(uint32_t transactions) {
    return (transactions + 63) / 64;
}

/* Allocates the strips of a database; the caller fills them in at *out. Each item gets as many
 * words as the transactions need; there is some padding that the kernels read and ignore. */
LODE_NODISCARD lode_status strips_take(adaptive *a, uint32_t n_items, uint32_t transactions,
                                       strips_db *below, uint64_t **out);

/* ---- the strips of a child of lists, made in one pass ---------------------------------------- */

/* A child with few transactions has a bit for each of them. While its lists are read, the bit of a
 * transaction is set in the word of each of its items:
 *
 *     lists of the child                     words
 *     0:  a c d          bit 0               a  011        a is in transactions 0 and 1
 *     1:  a b c          bit 1               b  110        …
 *     2:  b c            bit 2               c  111
 *                                            d  001
 *
 * (In each word, the bit of transaction 0 is the last one.) The number of bits of a word is the
 * support of the item, and the words of the frequent items are the strips of the child. So counting
 * and making the child take one pass instead of two. */

/* Whether a child with these transactions should be made in one pass. */
bool gather_suits(const adaptive *a, const database *db, const lists_child *c);

/* Reads one part of the lists, and appends the frequent items and their words to `found`. The
 * counts of these items are left in a->scratch.item_counts. */
LODE_NODISCARD lode_status gather_part(adaptive *a, const database *db, shape_child *c,
                                       list_part part, found_items *found);

/* Makes the strips from the gathered items that the child has kept. */
LODE_NODISCARD lode_status gather_make_strips(adaptive *a, const shape_child *c, strips_db *below);

#endif
