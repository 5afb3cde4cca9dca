/* sink_hash.h - base of the sinks that only compute a hash of a result, to compare two runs
 *
 * What:  the hash of a result is the sum of the hashes of its patterns, so it does not depend on
 *        their order. The hash of a pattern is made from those of its items (item_hash.c,
 *        rule_hash.c), and that of an item from its name, so it does not depend on ids.
 * Cost:  each worker has its own sum until it closes.
 * Not cryptographic: different results are told apart with probability 1 - 2^-64, not against
 *        forgery.
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

/* Makes a sink of this kind, whose `bytes` is the size above, for the items 0 … n_items - 1 of a
 * data set. The caller fills in their hashes. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status sink_hash_create(lode_job *job, const sink_kind *kind,
                                            const lode_dataset *data, uint32_t n_items,
                                            lode_sink **out);

/* `free`, `hash` and `empty` of such a kind. */
void sink_hash_free(lode_sink *base);
LODE_NODISCARD lode_status sink_hash_empty(lode_sink *base);
uint64_t sink_hash_value(const lode_sink *base);

/* Adds the sum of a worker. */
static inline void sink_hash_add(lode_sink *base, uint64_t sum) {
    atomic_fetch_add(&((sink_hash *)base)->sum, sum);
}

/* The hashes of the items, by id. */
static inline uint64_t *sink_hash_items(const lode_sink *base) {
    return ((const sink_hash *)base)->items;
}

#endif
