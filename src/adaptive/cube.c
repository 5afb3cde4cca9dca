/* cube.c - all subsets of a few items at once
 *
 * A transaction of k items is a number below 2^k. Its weight is added to the counter of that
 * number; then every counter receives the counters of its supersets, one item after the other:
 *
 *     for each item b: for each set s without b: counter[s] += counter[s + b]
 *
 * which makes the counters supports. k/2 additions a set, sixteen at a time, whether the set is
 * frequent or not: far less than any search spends on a set, so it pays even where one in a hundred
 * is frequent.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "adaptive/adaptive.h"

/* Leaves only the closed sets. One that has a watched item in all its transactions is not; `others`
 * has the bits of these. */
static void cube_keep_closed(adaptive *a, const words_db *db, uint64_t mask, const uint64_t *others,
                             uint64_t watched, uint32_t min) {
    unsigned k = (unsigned)__builtin_popcountll(mask);
    size_t entries = (size_t)1 << k;
    memset(a->common, 0xff, entries * sizeof *a->common);
    a->kernels->cube_meet(a->common, db->words, others, db->n, mask, watched, k);
    a->kernels->cube_keep_closed(a->cube, a->common, k, min);
}

/* Leaves only the maximal sets: those that are frequent with no other item, watched or not. */
static void cube_keep_maximal(adaptive *a, const words_db *db, uint64_t mask, uint64_t watched,
                              uint32_t min) {
    uint64_t there = db->items.n < WORD_ITEMS ? ((uint64_t)1 << db->items.n) - 1 : ~(uint64_t)0;
    cube_words from = {db->words, db->weights, db->n, mask, watched & there};
    a->kernels->cube_keep_maximal(a->cube, (unsigned)__builtin_popcountll(mask), min);
    if (from.watched != 0) a->kernels->cube_drop_watched(a->cube, a->watch_counts, &from, min);
}

lode_status cube_search(adaptive *a, const words_db *db, uint64_t mask, uint64_t watched,
                        uint64_t watched_beside) {
    unsigned k = (unsigned)__builtin_popcountll(mask), n = 0;
    size_t entries = (size_t)1 << k;
    uint32_t ids[CUBE_ITEMS], min = adaptive_threshold(a);
    uint64_t sizes[CUBE_ITEMS + 1 + 4] = {0};
    a->nodes++;
    memset(a->cube, 0, (entries < CUBE_LANES ? CUBE_LANES : entries) * sizeof *a->cube);
    a->kernels->cube_add(a->cube, db->words, db->weights, db->n, mask);
    a->kernels->cube_sum(a->cube, k);
    if (a->target == LODE_TARGET_CLOSED) {
        cube_keep_closed(a, db, mask, db->words, watched, min);
        if (db->beside) cube_keep_closed(a, db, mask, db->beside, watched_beside, min);
    }
    if (a->target == LODE_TARGET_MAXIMAL) cube_keep_maximal(a, db, mask, watched, min);
    a->cube[0] = 0; /* the prefix itself has been reported */
    a->kernels->cube_count(a->cube, k, min, sizes);
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
        ids[n++] = db->items.ids[__builtin_ctzll(rest)];
    }
    sink_lattice lattice = {.prefix = a->prefix,
                            .n_prefix = a->n_prefix,
                            .perfect = a->perfect,
                            .n_perfect = a->n_perfect,
                            .items = ids,
                            .n_items = n,
                            .supports = a->cube,
                            .has_gaps = a->watches,
                            .min = min,
                            .sizes = sizes};
    return sink_emit_lattice(a->out, &lattice);
}
