/* base.h - the base: the database of the empty prefix, made from the data set
 *
 * Infrequent items are dropped, the others are numbered from the most frequent on, and those in
 * every transaction are set aside. The rest becomes words, rows or lists (shape_of_root()). If the
 * lists do not all fit into the memory budget, they are made for one slice of the items at a time,
 * from the transactions that contain at least one item of the slice.
 *
 * A base that is not cut into slices is kept with the data set and shared between jobs (root.h).
 * The items that are frequent at a higher threshold come first in a base, so a base also serves all
 * higher thresholds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_BASE_H
#define LODE_ITEMSETS_ADAPTIVE_BASE_H

#include "itemsets/adaptive/shape.h"

/* What a base is made for. root.c, key_fits(), says which jobs can use it. */
typedef struct base_key {
    uint64_t min_count; /* the base has all items with at least this support */
    shape_kind shape;   /* the best shape, which may not fit into the budget */
    bool lattices;      /* lattices are used, so words are worthwhile even if few are equal */
    bool twins;         /* items in the same transactions are searched as one */
    bool spread;        /* columns are mixed, so that the first ones are a fair sample (rows.c) */
} base_key;

typedef struct adaptive_base {
    base_key key;
    arena arena;                  /* holds the items */
    arena slice;                  /* holds words and lists */
    uint32_t n_frequent;          /* items, including those in every transaction and all twins */
    const uint32_t *ids;          /* ids of these items, the most frequent first; among equal
                                   * supports, the largest id first */
    const uint32_t *all_supports; /* their supports, in the same order */
    uint32_t n_always;            /* number of items in every transaction; they are the first ones
                                   * in `ids` */
    item_list items;              /* the other items: those to search, without further twins */
    const twins *twins;           /* the items that each item stands for; NULL = only itself */
    const uint32_t *rank;         /* by item id: its number in `items`, or NO_RANK */
    uint32_t first, end;          /* the slice: the items whose branches `db` can be used for */
    database db;                  /* of that slice */
    size_t rows_bytes;            /* of rows, which are in no arena because all threads fill them */
} adaptive_base;

/* Counts what determines the shape, without ranking the items. */
root_counts adaptive_base_survey(const lode_dataset *data, uint64_t min_count);
/* The key of the base that is best for a target if memory does not matter. */
base_key adaptive_base_key(const lode_dataset *data, lode_target target, uint64_t min_count);

/* Ranks the items, and finds twins if the key asks for them. `base` must be zero except for its
 * key; it takes its memory from `m`. */
LODE_NODISCARD lode_status adaptive_base_rank(adaptive_base *base, const engine_task *task, mem *m);
/* Replaces the database by that of the next slice. If no slice is left, first == end afterwards. */
LODE_NODISCARD lode_status adaptive_base_next(adaptive_base *base, const engine_task *task);
/* Whether the slice has all items to search. */
static inline bool adaptive_base_is_whole(const adaptive_base *base) {
    return base->first == 0 && base->end == base->items.n;
}
void adaptive_base_clear(adaptive_base *base);

/* For adaptive_base_next(): makes the lists of the slice that begins at base->first, and sets
 * base->end. */
LODE_NODISCARD lode_status adaptive_base_lists(adaptive_base *base, const engine_task *task);

/* Replaces *words by a copy, in `to`, that has only the first n items. Words that have become equal
 * are merged. */
LODE_NODISCARD lode_status adaptive_narrow_words(arena *to, uint32_t n, words_db *words);

/* Estimates the bytes of the complete base, as words or as lists. */
uint64_t adaptive_base_need(const engine_sizes *sizes);
/* Estimates, for one thread, the bytes of all conditional databases on the path from the root,
 * which takes `root` bytes, to its current node. */
uint64_t adaptive_path_need(uint64_t root, const engine_sizes *sizes);

#endif
