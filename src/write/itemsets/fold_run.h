/* fold_run.h - the unfolding of families: where their sets go, and one family alone
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_FOLD_RUN_H
#define LODE_WRITE_ITEMSETS_FOLD_RUN_H

#include "base/sort.h"
#include "write/itemsets/fold_log.h"
#include "write/itemsets/fold_tuning.h"

/* Where the sets go: the pile of rows of their size. */
typedef struct fold_out {
    const sort_keys *keys;
    vec_u64 *piles;
    /* Makes room in the pile of a size; the piles may be empty afterwards. */
    lode_status (*room)(void *user, uint32_t size);
    void *user;
    const sort_stop *stop; /* asked now and then: ends the unfolding, with LODE_CANCELLED */
} fold_out;

typedef struct fold_run {
    const fold_out *out;
    unsigned words; /* of a row */
    const fold_family *families;
    uint32_t nodes;            /* since it was last asked whether to stop */
    uint64_t *block, *scratch; /* FOLD_BLOCK sets each, and one more */
} fold_run;

static inline fold_set fold_with(const fold_set *set, uint32_t rank) {
    fold_set more = *set;
    more.mask[rank / 64] ^= (uint64_t)1 << (63 - rank % 64);
    more.size++;
    return more;
}

static inline fold_set fold_empty(const sort_keys *keys) {
    fold_set set = {{0}, 0};
    for (unsigned i = 0; i < keys->mask_words; i++) set.mask[i] = keys->mask[i];
    return set;
}

/* Puts out the set of a family with these bits, if it is one of its patterns. */
static inline lode_status fold_put_set(const fold_run *run, const fold_family *f,
                                       const fold_set *set, uint32_t index) {
    uint32_t support = f->supports[index];
    if (support < f->min) return LODE_OK;
    vec_u64 *pile = &run->out->piles[set->size];
    if (pile->cap - pile->n < run->words) {
        lode_status status = run->out->room(run->out->user, set->size);
        if (status != LODE_OK) return status;
    }
    uint64_t *row = pile->data + pile->n;
    for (unsigned i = 0; i < run->words; i++) row[i] = set->mask[i];
    row[run->words - 1] |= support;
    pile->n += run->words;
    return LODE_OK;
}

static inline bool fold_is_stopped(fold_run *run) {
    const sort_stop *stop = run->out->stop;
    if (++run->nodes % FOLD_ASK != 0) return false;
    return stop->asked(stop->user);
}

/* Multiplies a family out from its item number `at` on: sets that begin with those of `set`, and
 * have these bits. */
LODE_NODISCARD lode_status fold_put_alone(const fold_run *run, const fold_family *f, uint32_t at,
                                          const fold_set *set, uint32_t index);

#endif
