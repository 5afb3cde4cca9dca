/* sink_hash.c - a sink that keeps only a hash of the result, to see whether two runs found the same
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
#include "runtime/valid.h"
#include "sink/sink.h"

#define SUPPORT_FACTOR 0x9e3779b97f4a7c15u

typedef struct hash_sink {
    lode_sink base;
    uint64_t *items; /* hash of each item's name, by id */
    size_t items_bytes;
    _Atomic uint64_t sum;
} hash_sink;

typedef struct hash_worker {
    sink_worker base;
    uint64_t sum;
} hash_worker;

/* Byte by byte, so that it is the same on every machine. */
static uint64_t hash_bytes(const char *bytes, size_t n) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return bits_mix(bits_mix(h) + n);
}

static uint64_t hash_name(const lode_dataset *data, uint32_t item) {
    char digits[16];
    size_t n;
    if (data->names) {
        const char *name = dict_name(data->names, item, &n);
        return hash_bytes(name, n);
    }
    n = dataset_id_name(data, item, digits, sizeof digits);
    return hash_bytes(digits, n);
}

static lode_status hash_emit(sink_worker *worker, const lode_batch *batch) {
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

static lode_status hash_close(sink_worker *worker) {
    hash_sink *sink = (hash_sink *)worker->sink;
    atomic_fetch_add(&sink->sum, ((hash_worker *)worker)->sum);
    return LODE_OK;
}

static void hash_free(lode_sink *base) {
    hash_sink *sink = (hash_sink *)base;
    mem *m = &base->job->mem;
    mem_free(m, sink->items, sink->items_bytes);
    sink_clear(base);
    mem_free(m, sink, sizeof *sink);
}

static const sink_kind hash_kind = {
    .worker_bytes = sizeof(hash_worker),
    .emit = hash_emit,
    .close = hash_close,
    .free = hash_free,
};

lode_status lode_sink_hash(lode_job *job, lode_sink **out, const lode_dataset *data) {
    lode_status status = LODE_OK;
    hash_sink *sink = NULL;
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data));
    LODE_TRY(mem_zalloc(&job->mem, (void **)&sink, sizeof *sink));
    sink_init(&sink->base, &hash_kind, job);
    sink->base.hashes = true;
    sink->base.data = data;
    size_t bytes = data->item_bound * sizeof *sink->items;
    LODE_TRY(mem_resize(&job->mem, (void **)&sink->items, 0, bytes));
    sink->items_bytes = bytes;
    for (uint32_t i = 0; i < data->item_bound; i++) sink->items[i] = hash_name(data, i);
    *out = &sink->base;
    sink = NULL;
done:
    if (sink) hash_free(&sink->base);
    return job_explain(job, status, "creating a sink");
}

uint64_t lode_sink_hash_value(const lode_sink *sink) {
    if (!sink || sink->kind != &hash_kind) return 0;
    uint64_t sum = atomic_load(&((const hash_sink *)sink)->sum);
    return bits_mix(sum + lode_sink_patterns(sink));
}
