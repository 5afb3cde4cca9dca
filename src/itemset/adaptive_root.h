/* adaptive_root.h - from the data set to the database of the empty prefix
 *
 * Items that are not frequent are dropped, the others numbered from the most frequent, and those in
 * every transaction set aside. At most 64 items become words, with equal transactions merged; more
 * become rows where they are dense, and lists where they are not. Where a budget of memory has no
 * room for all lists, they are made for a slice of the items at a time: the transactions that hold
 * one of these.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSET_ADAPTIVE_ROOT_H
#define LODE_ITEMSET_ADAPTIVE_ROOT_H

#include "itemset/adaptive.h"

typedef struct adaptive_root {
    arena arena;            /* holds the items */
    arena slice;            /* holds words and lists */
    uint32_t n_frequent;    /* with the perfect ones */
    const uint32_t *always; /* ids of the items in every transaction */
    uint32_t n_always;
    item_list items;
    const twins *twins;   /* what the items stand for; NULL: each for itself */
    const uint32_t *rank; /* by item id: its number, or ROOT_NO_RANK */
    uint32_t first, end;  /* the slice: items that can be searched below */
    enum { ROOT_WORDS, ROOT_ROWS, ROOT_LISTS, ROOT_ITEMS } shape; /* the last: nothing below */
    words_db words;
    rows_db rows;
    size_t rows_bytes; /* not from the arena: they are filled by all threads */
    sparse_db sparse;
} adaptive_root;

#define ROOT_NO_RANK UINT32_MAX

/* Ranks the items. */
LODE_NODISCARD lode_status adaptive_root_make(adaptive_root *root, const engine_task *task);
/* Goes on to the next slice; at the end, first == end. */
LODE_NODISCARD lode_status adaptive_root_next(adaptive_root *root, const engine_task *task);
/* Whether sets are told by watching earlier items. */
static inline bool adaptive_target_watches(lode_target target) {
    return target == LODE_TARGET_CLOSED || target == LODE_TARGET_MAXIMAL;
}

/* Bytes that the whole root takes, as words or as lists, and at most so many that a thread takes
 * for the conditional databases on its way down from there. */
uint64_t adaptive_root_need(const engine_sizes *sizes);
uint64_t adaptive_way_need(uint64_t root_bytes, lode_target target);

void adaptive_root_clear(adaptive_root *root);

#endif
