/* fold_words.h - few sets of several families, made family by family and then sorted
 *
 * They are words of
 *
 *     items chosen below the node | a bit for every rank from that of the node on | support
 *
 * so that an item adds a number to the word of a set, whatever else is in it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_FOLD_WORDS_H
#define LODE_WRITE_ITEMSETS_FOLD_WORDS_H

#include "write/itemsets/fold_run.h"

/* A family below a node of the walk. */
typedef struct fold_state {
    uint32_t family;
    uint16_t at;    /* the next of its items */
    uint16_t free;  /* free items from there on */
    uint32_t rank;  /* of the next item */
    uint32_t index; /* of the bits that were chosen */
} fold_state;

/* The words of a node, as fold_words_fit() finds them. */
typedef struct fold_words {
    unsigned support_bits, rank_bits, size_bits;
    uint32_t last; /* rank */
} fold_words;

/* Whether the sets below a node, whose first item has this rank, are few and short enough. */
bool fold_words_fit(fold_words *w, const fold_run *run, const fold_state *list, uint32_t n,
                    uint32_t rank);
/* Puts them out; all begin with the items of `set`. */
LODE_NODISCARD lode_status fold_words_all(const fold_words *w, const fold_run *run,
                                          const fold_state *list, uint32_t n, const fold_set *set);

#endif
