/* sink_hash.h - what the sinks have in common that keep only a hash of a result, to see whether two
 * runs found the same
 *
 * What:  the hash of a result is the sum of the hashes of its patterns, so it does not depend on
 *        their order. A pattern's is made from those of its items (item_hash.c, rule_hash.c), and
 *        the hash of an item is that of its name, so it does not depend on ids.
 * Cost:  workers add up alone until they close.
 * Not against forgers: two results are told apart by chance, with 1 - 2^-64, not by proof.
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
 * data set. Their hashes are left to the caller. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status sink_hash_create(lode_job *job, const sink_kind *kind,
                                            const lode_dataset *data, uint32_t n_items,
                                            lode_sink **out);

/* For the kind: `free`, `hash` and `empty`. */
void sink_hash_free(lode_sink *base);
LODE_NODISCARD lode_status sink_hash_empty(lode_sink *base);
uint64_t sink_hash_value(const lode_sink *base);

/* Adds what a worker has. */
static inline void sink_hash_add(lode_sink *base, uint64_t sum) {
    atomic_fetch_add(&((sink_hash *)base)->sum, sum);
}

/* The hashes of the items, by id. */
static inline uint64_t *sink_hash_items(const lode_sink *base) {
    return ((const sink_hash *)base)->items;
}

#endif
