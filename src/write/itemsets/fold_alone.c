/* fold_alone.c - one family, multiplied out in order
 *
 * The last free items change most often: what each subset of them adds to a set is known
 * beforehand.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/fold_run.h"

/* What a subset of the last free items adds to a set. */
typedef struct fold_low {
    uint64_t mask[FOLD_WORDS];
    uint32_t index, size;
} fold_low;

/* A family that is alone, from some item on: its fixed items are in the set already. */
typedef struct fold_alone {
    const fold_run *run;
    const fold_family *family;
    const fold_item *free[SINK_LATTICE_ITEMS + SINK_PERFECT + 1];
    uint32_t n, n_high; /* free items, and those that are not among the last */
    fold_low low[FOLD_LOWS];
} fold_alone;

/* All subsets of the last free items; the number of a subset has its first item as its first bit,
 * so that sets are in order where the numbers descend. */
static void fold_make_low(fold_alone *a) {
    uint32_t n = a->n - a->n_high;
    a->low[0] = (fold_low){{0}, 0, 0};
    for (uint32_t i = 0; i < n; i++) {
        const fold_item *item = a->free[a->n - 1 - i];
        for (uint32_t s = 0; s < (uint32_t)1 << i; s++) {
            fold_low with = a->low[s];
            with.mask[item->rank / 64] ^= (uint64_t)1 << (63 - item->rank % 64);
            with.index |= item->bit;
            with.size++;
            a->low[((uint32_t)1 << i) + s] = with;
        }
    }
}

static lode_status fold_put_low(const fold_alone *a, const fold_set *set, uint32_t index) {
    lode_status status = LODE_OK;
    for (uint32_t s = (uint32_t)1 << (a->n - a->n_high); s-- > 0 && status == LODE_OK;) {
        fold_set all = *set;
        for (unsigned i = 0; i < FOLD_WORDS; i++) all.mask[i] ^= a->low[s].mask[i];
        all.size += a->low[s].size;
        status = fold_put_set(a->run, a->family, &all, index | a->low[s].index);
    }
    return status;
}

/* Recursion: as deep as a family has free items. */
static lode_status fold_put_high(const fold_alone *a, uint32_t at, const fold_set *set,
                                 uint32_t index) {
    if (at == a->n_high) return fold_put_low(a, set, index);
    lode_status status = LODE_OK;
    const fold_item *item = a->free[at];
    fold_set with = fold_with(set, item->rank);
    if (fold_goes_on(a->family, index | item->bit)) {
        status = fold_put_high(a, at + 1, &with, index | item->bit);
    }
    return status == LODE_OK ? fold_put_high(a, at + 1, set, index) : status;
}

lode_status fold_put_alone(const fold_run *run, const fold_family *f, uint32_t at,
                           const fold_set *set, uint32_t index) {
    fold_alone a;
    fold_set fixed = *set;
    a.run = run;
    a.family = f;
    a.n = 0;
    for (; at < f->n; at++) {
        if (f->items[at].bit == FOLD_FIXED) {
            fixed = fold_with(&fixed, f->items[at].rank);
        } else {
            a.free[a.n++] = &f->items[at];
        }
    }
    a.n_high = a.n > FOLD_LOW ? a.n - FOLD_LOW : 0;
    fold_make_low(&a);
    return fold_put_high(&a, 0, &fixed, index);
}
