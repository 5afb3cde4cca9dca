/* item_hash.c - a sink that keeps only a hash of the result, to see whether two runs found the same
 *
 * What:  the hash of a result is the sum of the hashes of its patterns, so it does not depend on
 *        their order; the hash of a pattern mixes the sum of its items' hashes with its support, so
 *        it does not depend on the order of the items; the hash of an item is that of its name, so
 *        it does not depend on ids.
 * Cost:  one look-up, one addition and one mix per pattern. Workers add up alone until they close.
 * Not against forgers: two results are told apart by chance, with 1 - 2^-64, not by proof.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/bits.h"
#include "data/dataset.h"
#include "itemsink/item_sink.h"
#include "runtime/valid.h"

#define SUPPORT_FACTOR 0x9e3779b97f4a7c15u

typedef struct hash_sink {
    lode_sink base;
    uint64_t *items; /* hash of each item's name, by id */
    size_t items_bytes;
    _Atomic uint64_t sum;
} hash_sink;

typedef struct hash_worker {
    item_worker base;
    uint64_t sum;
} hash_worker;

static lode_status item_hash_emit(sink_worker *worker, const lode_batch *batch) {
    hash_worker *w = (hash_worker *)worker;
    const uint64_t *hashes = ((const hash_sink *)worker->sink)->items;
    uint64_t prefix = 0, sum = 0;
    for (uint32_t i = 0; i < batch->n_prefix; i++) prefix += hashes[batch->prefix[i]];
    for (uint32_t i = 0; i < batch->n; i++) {
        uint64_t items = prefix + hashes[batch->items[i]];
        sum += bits_mix(items ^ batch->supports[i] * SUPPORT_FACTOR);
    }
    w->sum += sum;
    return LODE_OK;
}

static lode_status item_hash_close(sink_worker *worker) {
    hash_sink *sink = (hash_sink *)worker->sink;
    atomic_fetch_add(&sink->sum, ((hash_worker *)worker)->sum);
    return LODE_OK;
}

static void item_hash_free(lode_sink *base) {
    hash_sink *sink = (hash_sink *)base;
    mem_free(&base->job->mem, sink->items, sink->items_bytes);
}

static uint64_t item_hash_value(const lode_sink *sink) {
    uint64_t sum = atomic_load(&((const hash_sink *)sink)->sum);
    return bits_mix(sum + lode_sink_patterns(sink));
}

static const item_ops hash_items = {
    .worker_bytes = sizeof(hash_worker),
    .emit = item_hash_emit,
    .close = item_hash_close,
};

static const sink_kind hash_kind = {
    .bytes = sizeof(hash_sink),
    .itemsets = &hash_items,
    .free = item_hash_free,
    .hash = item_hash_value,
};

lode_status lode_sink_hash(lode_job *job, lode_sink **out, const lode_dataset *data) {
    lode_status status = LODE_OK;
    lode_sink *base = NULL;
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data));
    LODE_TRY(sink_create(job, &hash_kind, &base));
    hash_sink *sink = (hash_sink *)base;
    base->data = data;
    size_t bytes = data->item_bound * sizeof *sink->items;
    LODE_TRY(mem_resize(&job->mem, (void **)&sink->items, 0, bytes));
    sink->items_bytes = bytes;
    for (uint32_t i = 0; i < data->item_bound; i++) sink->items[i] = dataset_id_hash(data, i);
    *out = base;
    base = NULL;
done:
    lode_sink_free(base);
    return job_explain(job, status, "creating a sink");
}
