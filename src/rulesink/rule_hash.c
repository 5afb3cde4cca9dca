/* rule_hash.c - a sink that keeps only a hash of the rules, to see whether two runs found the same
 *
 * As the hash of itemsets: a sum over the rules, so that their order does not matter. The hash of a
 * rule mixes the sums of the hashes of its items' names, side by side, with its four counts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/bits.h"
#include "rulesink/rule_sink.h"
#include "runtime/valid.h"

#define HEAD_FACTOR  0x9e3779b97f4a7c15u
#define COUNT_FACTOR 0xbf58476d1ce4e5b9u

typedef struct rule_hash {
    lode_sink base;
    uint64_t *items; /* hash of each item's name, by id */
    size_t items_bytes;
    _Atomic uint64_t sum;
} rule_hash;

typedef struct hash_worker {
    rule_worker base;
    uint64_t sum;
} hash_worker;

static uint64_t hash_side(const uint64_t *hashes, const uint32_t *ids, uint32_t n) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += hashes[ids[i]];
    return bits_mix(sum);
}

static uint64_t hash_rule(uint64_t body, uint64_t head, const lode_counts *c) {
    uint64_t h = bits_mix(body + head * HEAD_FACTOR);
    const uint64_t counts[] = {c->both, c->body, c->head, c->total};
    for (int i = 0; i < 4; i++) h = bits_mix(h ^ counts[i] * COUNT_FACTOR);
    return h;
}

static lode_status rule_hash_emit(sink_worker *worker, const lode_rule *rule) {
    const uint64_t *hashes = ((const rule_hash *)worker->sink)->items;
    uint64_t body = hash_side(hashes, rule->body, rule->n_body);
    uint64_t head = hash_side(hashes, rule->head, rule->n_head);
    ((hash_worker *)worker)->sum += hash_rule(body, head, &rule->counts);
    return LODE_OK;
}

static lode_status rule_hash_close(sink_worker *worker) {
    atomic_fetch_add(&((rule_hash *)worker->sink)->sum, ((hash_worker *)worker)->sum);
    return LODE_OK;
}

static void rule_hash_free(lode_sink *base) {
    rule_hash *sink = (rule_hash *)base;
    mem_free(&base->job->mem, sink->items, sink->items_bytes);
}

static uint64_t rule_hash_value(const lode_sink *sink) {
    uint64_t sum = atomic_load(&((const rule_hash *)sink)->sum);
    return bits_mix(sum + lode_sink_patterns(sink));
}

static const rule_ops hash_rules = {
    .worker_bytes = sizeof(hash_worker),
    .emit = rule_hash_emit,
    .close = rule_hash_close,
};

static const sink_kind rule_hash_kind = {
    .bytes = sizeof(rule_hash),
    .rules = &hash_rules,
    .free = rule_hash_free,
    .hash = rule_hash_value,
};

lode_status lode_rule_sink_hash(lode_job *job, lode_sink **out, const lode_dataset *data) {
    lode_status status = LODE_OK;
    lode_sink *base = NULL;
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data));
    LODE_TRY(sink_create(job, &rule_hash_kind, &base));
    rule_hash *sink = (rule_hash *)base;
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
