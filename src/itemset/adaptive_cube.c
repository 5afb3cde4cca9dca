/* adaptive_cube.c - all subsets of a few items at once
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

#include "itemset/adaptive.h"

typedef struct cube {
    adaptive *a;
    uint32_t ids[CUBE_MAX];
    uint32_t min;
} cube;

/* Reports the frequent sets that are `set` and items below n. */
static lode_status cube_walk(cube *c, size_t set, unsigned n) {
    adaptive *a = c->a;
    lode_status status = LODE_OK;
    uint32_t ids[CUBE_MAX];
    uint64_t supports[CUBE_MAX];
    unsigned bits[CUBE_MAX], found = 0;
    for (unsigned b = 0; b < n; b++) {
        uint32_t support = a->cube[set | (size_t)1 << b];
        ids[found] = c->ids[b];
        supports[found] = support;
        bits[found] = b;
        found += support >= c->min;
    }
    if (found == 0) return LODE_OK;
    lode_batch batch = {.prefix = a->prefix,
                        .n_prefix = a->n_prefix,
                        .items = ids,
                        .supports = supports,
                        .n = found,
                        .perfect = a->perfect,
                        .n_perfect = a->n_perfect};
    LODE_TRY(sink_emit(a->out, &batch));
    if (!adaptive_goes_on(a, 1)) return LODE_OK;
    for (unsigned i = 1; i < found; i++) {
        a->prefix[a->n_prefix++] = ids[i];
        status = cube_walk(c, set | (size_t)1 << bits[i], bits[i]);
        a->n_prefix--;
        if (status != LODE_OK) return status;
    }
done:
    return status;
}

static lode_status cube_count_all(adaptive *a, unsigned k, uint32_t min) {
    uint64_t sizes[CUBE_MAX + 1] = {0};
    a->kernels->cube_count(a->cube, k, min, sizes);
    sizes[0] = 0; /* the prefix itself has been reported */
    return sink_count_sizes(a->out, a->n_prefix, sizes, k + 1, a->n_perfect);
}

lode_status cube_search(adaptive *a, const words_db *db, uint64_t mask) {
    unsigned k = (unsigned)__builtin_popcountll(mask), n = 0;
    size_t entries = (size_t)1 << k;
    cube c = {.a = a, .min = adaptive_threshold(a)};
    a->nodes++;
    memset(a->cube, 0, (entries < CUBE_LANES ? CUBE_LANES : entries) * sizeof *a->cube);
    a->kernels->cube_add(a->cube, db->words, db->weights, db->n, mask);
    a->kernels->cube_sum(a->cube, k);
    if (a->counts_only) return cube_count_all(a, k, c.min);
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
        c.ids[n++] = db->items.ids[__builtin_ctzll(rest)];
    }
    return cube_walk(&c, 0, k);
}
