/* part.h - where only a random part is searched (engine_sample): which branches, and their parts
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_PART_H
#define LODE_ITEMSETS_ADAPTIVE_PART_H

#include "base/bits.h"
#include "itemsets/adaptive/adaptive.h"

/* Begins the part of a branch, by the mixed bits of its items; false: it is not searched. */
static inline bool part_begin(adaptive *a, uint64_t branch) {
    uint64_t bits = bits_mix(branch ^ bits_mix(a->sample->seed));
    uint32_t part = (uint32_t)(bits >> 32) & (a->sample->of - 1);
    if (part >= a->sample->parts) return false;
    a->out->part = part + 1;
    return true;
}

/* Before the branch of an item of the root, and before one below that; false: to be left out. */
static inline bool part_enter_root(adaptive *a, uint32_t id) {
    a->root_id = id;
    return !a->sample->by_root || part_begin(a, id);
}

static inline bool part_enter(adaptive *a, uint32_t id) {
    return a->sample->by_root || part_begin(a, (uint64_t)a->root_id << 32 | id);
}

/* After a branch below an item of the root. */
static inline void part_leave(adaptive *a) {
    if (!a->sample->by_root) a->out->part = 0;
}

#endif
