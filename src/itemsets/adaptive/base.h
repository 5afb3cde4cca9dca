/* base.h - the base: the database of the empty prefix, made from the data set
 *
 * Infrequent items are dropped, the others are numbered from the most frequent on, and those in
 * every transaction are set aside. The rest becomes words, rows or lists (shape_of_root()). If all
 * lists do not fit into the memory budget, they are made for one slice of the items at a time, from
 * the transactions with one of these.
 *
 * A base that is not cut into slices is kept with the data set and shared between jobs (root.h).
 * The items of a higher threshold are the first ones of a base, so one base serves all of these.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_BASE_H
#define LODE_ITEMSETS_ADAPTIVE_BASE_H

#include "itemsets/adaptive/shape.h"

/* The purpose of a base. */
typedef struct base_key {
    uint64_t min_count;
    shape_kind shape; /* the best one; it may not fit into the budget */
    bool lattices;    /* lattices are used: words pay even if they are hardly repeated */
    bool twins;       /* items in the same transactions are searched as one */
    bool spread;      /* columns are mixed, so that the first ones are a fair sample (rows.h) */
} base_key;

typedef struct adaptive_base {
    base_key key;
    arena arena;                  /* holds the items */
    arena slice;                  /* holds words and lists */
    uint32_t n_frequent;          /* items, including those in every transaction and all twins */
    const uint32_t *ids;          /* of all these, from the most frequent on; if supports are
                                   * equal, the largest id first */
    const uint32_t *all_supports; /* likewise */
    uint32_t n_always;            /* how many of them, the first ones, are in every transaction */
    item_list items;              /* the others: those to search */
    const twins *twins;           /* the items that each item stands for; NULL = itself */
    const uint32_t *rank;         /* by item id: its number, or NO_RANK */
    uint32_t first, end;          /* the slice: items whose branches can be searched */
    database db;                  /* of that slice */
    size_t rows_bytes;            /* of rows, which are not in an arena: all threads fill them */
} adaptive_base;

/* Counts what determines the shape, without ranking the items. */
root_counts adaptive_base_survey(const lode_dataset *data, uint64_t min_count);
/* What is best for a target if memory does not matter. */
base_key adaptive_base_key(const lode_dataset *data, lode_target target, uint64_t min_count);

/* Ranks the items. `base` is zero except for its key, and takes its memory from `m`. */
LODE_NODISCARD lode_status adaptive_base_rank(adaptive_base *base, const engine_task *task, mem *m);
/* Makes the database of the next slice; at the end, first == end. */
LODE_NODISCARD lode_status adaptive_base_next(adaptive_base *base, const engine_task *task);
static inline bool adaptive_base_is_whole(const adaptive_base *base) {
    return base->first == 0 && base->end == base->items.n;
}
void adaptive_base_clear(adaptive_base *base);

/* Makes the lists of the slice from base->first on, and sets its end (base.c). */
LODE_NODISCARD lode_status adaptive_base_lists(adaptive_base *base, const engine_task *task);

/* Copies words with only the first n of their items, and merges those that are equal then. */
LODE_NODISCARD lode_status adaptive_narrow_words(arena *to, uint32_t n, words_db *words);

/* Bytes of the complete base, as words or as lists; and the maximum of the conditional databases of
 * one thread, from the root down to its current node. */
uint64_t adaptive_base_need(const engine_sizes *sizes);
uint64_t adaptive_path_need(uint64_t root, const engine_sizes *sizes);

#endif
