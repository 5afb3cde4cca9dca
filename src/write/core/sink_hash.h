/* sink_hash.h - base of the sinks that only compute a hash of a result, for comparing two runs
 *
 * What:  the hash of a result is the sum of the hashes of its patterns, so the hash does not depend
 *        on their order. The hash of a pattern is computed from the hashes of its items
 *        (item_hash.c, rule_hash.c). The hash of an item is computed from its name, so the hash of
 *        a result does not depend on ids.
 * Cost:  each worker has its own sum until it closes.
 * Limit: two different results have different hashes with probability 1 - 2^-64, but the hash does
 *        not protect against forgery.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_SINK_HASH_H
#define LODE_WRITE_CORE_SINK_HASH_H

#include "write/core/sink.h"

typedef struct sink_hash {
    lode_sink base;
    uint64_t *items; /* hash of each item's name, by id */
    size_t items_bytes;
    _Atomic uint64_t sum;
} sink_hash;

/* Makes a sink for the items 0 … n_items - 1 of a data set. kind->bytes must be the size of a
 * sink_hash. The caller must fill in the hashes of the items. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status sink_hash_create(lode_job *job, const sink_kind *kind,
                                            const lode_dataset *data, uint32_t n_items,
                                            lode_sink **out);

/* The `free` function of a kind of hash sink. */
void sink_hash_free(lode_sink *base);
/* The `empty` function of this kind. */
LODE_NODISCARD lode_status sink_hash_empty(lode_sink *base);
/* The `hash` function of this kind. */
uint64_t sink_hash_value(const lode_sink *base);

/* Adds the sum of a worker to the hash. */
static inline void sink_hash_add(lode_sink *base, uint64_t sum) {
    atomic_fetch_add(&((sink_hash *)base)->sum, sum);
}

/* Returns the hashes of the items, by id. */
static inline uint64_t *sink_hash_items(const lode_sink *base) {
    return ((const sink_hash *)base)->items;
}

#endif
