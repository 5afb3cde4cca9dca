/* sink_hash.c - see sink_hash.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/sink_hash.h"

#include "base/bits.h"

lode_status sink_hash_create(lode_job *job, const sink_kind *kind, const lode_dataset *data,
                             uint32_t n_items, lode_sink **out) {
    lode_status status = LODE_OK;
    lode_sink *base = NULL;
    LODE_TRY(sink_create(job, kind, &base));
    sink_hash *sink = (sink_hash *)base;
    base->data = data;
    size_t bytes = n_items * sizeof *sink->items;
    LODE_TRY(mem_resize(&job->mem, (void **)&sink->items, 0, bytes));
    sink->items_bytes = bytes;
    *out = base;
    base = NULL;
done:
    lode_sink_free(base);
    return job_explain(job, status, "creating a sink");
}

void sink_hash_free(lode_sink *base) {
    sink_hash *sink = (sink_hash *)base;
    mem_free(&base->job->mem, sink->items, sink->items_bytes);
}

lode_status sink_hash_empty(lode_sink *base) {
    atomic_store(&((sink_hash *)base)->sum, 0);
    return LODE_OK;
}

uint64_t sink_hash_value(const lode_sink *base) {
    uint64_t sum = atomic_load(&((const sink_hash *)base)->sum);
    return bits_mix(sum + lode_sink_patterns(base));
}

/* Hashes of graphs are sums; the others are made from sums that include the number of patterns. */
static uint64_t hash_sum(lode_pattern_kind kind, uint64_t hash) {
    return kind == LODE_GRAPHS ? hash : bits_unmix(hash);
}

static uint64_t hash_of_sum(lode_pattern_kind kind, uint64_t sum) {
    return kind == LODE_GRAPHS ? sum : bits_mix(sum);
}

uint64_t lode_hash_join(lode_pattern_kind kind, const uint64_t *hashes, size_t n) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n && hashes; i++) sum += hash_sum(kind, hashes[i]);
    return hash_of_sum(kind, sum);
}

uint64_t lode_hash_without(lode_pattern_kind kind, uint64_t whole, uint64_t part) {
    return hash_of_sum(kind, hash_sum(kind, whole) - hash_sum(kind, part));
}
