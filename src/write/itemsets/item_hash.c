/* item_hash.c - a sink that keeps only a hash of itemsets (sink_hash.h)
 *
 * The hash of an itemset mixes the sum of its items' hashes with its support, so it does not depend
 * on the order of the items. Cost: one look-up, one addition and one mix per itemset.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/bits.h"
#include "data/transactions/dataset.h"
#include "runtime/valid.h"
#include "write/core/sink_hash.h"
#include "write/itemsets/item_sink.h"

#define SUPPORT_FACTOR 0x9e3779b97f4a7c15u

typedef struct hash_worker {
    item_worker base;
    uint64_t sum;
} hash_worker;

static lode_status item_hash_emit(sink_worker *worker, const lode_batch *batch) {
    hash_worker *w = (hash_worker *)worker;
    const uint64_t *hashes = sink_hash_items(worker->sink);
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
    sink_hash_add(worker->sink, ((hash_worker *)worker)->sum);
    return LODE_OK;
}

static const item_ops hash_items = {
    .worker_bytes = sizeof(hash_worker),
    .emit = item_hash_emit,
    .close = item_hash_close,
};

static const sink_kind item_hash_kind = {
    .bytes = sizeof(sink_hash),
    .itemsets = &hash_items,
    .free = sink_hash_free,
    .hash = sink_hash_value,
    .empty = sink_hash_empty,
};

lode_status lode_sink_hash(lode_job *job, lode_sink **out, const lode_dataset *data) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data));
    lode_status status = sink_hash_create(job, &item_hash_kind, data, data->item_bound, out);
    if (status != LODE_OK) return status;
    uint64_t *hashes = sink_hash_items(*out);
    for (uint32_t i = 0; i < data->item_bound; i++) hashes[i] = dataset_id_hash(data, i);
    return LODE_OK;
}

/* ---- a sink that calls a function of the program with every batch ---------------------------- */

typedef struct callback_sink {
    lode_sink base;
    lode_batch_fn function;
    void *user;
} callback_sink;

static lode_status item_callback_emit(sink_worker *worker, const lode_batch *batch) {
    callback_sink *sink = (callback_sink *)worker->sink;
    lode_batch items;
    lode_status status = sink_translate(worker, batch, &items);
    if (status != LODE_OK) return status;
    items.size = sizeof items;
    pthread_mutex_lock(&sink->base.lock);
    bool stop = job_sink_stops(sink->base.job) || sink->function(sink->user, &items) != 0;
    status = sink_called(&sink->base, stop);
    pthread_mutex_unlock(&sink->base.lock);
    return status;
}

static const item_ops callback_items = {
    .worker_bytes = sizeof(item_worker),
    .emit = item_callback_emit,
};

static const sink_kind callback_kind = {.bytes = sizeof(callback_sink),
                                        .itemsets = &callback_items};

lode_status lode_sink_callback(lode_job *job, lode_sink **out, lode_batch_fn function, void *user) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(function));
    lode_sink *sink = NULL;
    lode_status status = sink_create(job, &callback_kind, &sink);
    if (status != LODE_OK) return job_explain(job, status, "creating a sink");
    ((callback_sink *)sink)->function = function;
    ((callback_sink *)sink)->user = user;
    *out = sink;
    return LODE_OK;
}
