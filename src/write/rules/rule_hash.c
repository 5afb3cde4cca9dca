/* rule_hash.c - a sink that keeps only a hash of the rules (sink_hash.h)
 *
 * The hash of a rule mixes the sums of the hashes of its items' names, side by side, with its
 * four counts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/bits.h"
#include "runtime/valid.h"
#include "write/core/sink_hash.h"
#include "write/rules/rule_sink.h"

#define HEAD_FACTOR  0x9e3779b97f4a7c15u
#define COUNT_FACTOR 0xbf58476d1ce4e5b9u

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
    const uint64_t *hashes = sink_hash_items(worker->sink);
    uint64_t body = hash_side(hashes, rule->body, rule->n_body);
    uint64_t head = hash_side(hashes, rule->head, rule->n_head);
    ((hash_worker *)worker)->sum += hash_rule(body, head, &rule->counts);
    return LODE_OK;
}

static lode_status rule_hash_close(sink_worker *worker) {
    sink_hash_add(worker->sink, ((hash_worker *)worker)->sum);
    return LODE_OK;
}

static const rule_ops hash_rules = {
    .worker_bytes = sizeof(hash_worker),
    .emit = rule_hash_emit,
    .close = rule_hash_close,
};

static const sink_kind rule_hash_kind = {
    .bytes = sizeof(sink_hash),
    .rules = &hash_rules,
    .free = sink_hash_free,
    .hash = sink_hash_value,
    .empty = sink_hash_empty,
};

lode_status lode_rule_sink_hash(lode_job *job, lode_sink **out, const lode_dataset *data) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data));
    lode_status status = sink_hash_create(job, &rule_hash_kind, data, data->item_bound, out);
    if (status != LODE_OK) return status;
    uint64_t *hashes = sink_hash_items(*out);
    for (uint32_t i = 0; i < data->item_bound; i++) hashes[i] = dataset_id_hash(data, i);
    return LODE_OK;
}
