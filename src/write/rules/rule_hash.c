/* rule_hash.c - a sink that keeps only a hash of the rules (sink_hash.h)
 *
 * The hash of a rule mixes two sums, of the hashes of the items' names on each side, with its four
 * counts.
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

static uint64_t hash_rule(uint64_t lhs, uint64_t rhs, const lode_counts *c) {
    uint64_t h = bits_mix(lhs + rhs * HEAD_FACTOR);
    const uint64_t counts[] = {c->both, c->lhs, c->rhs, c->total};
    for (int i = 0; i < 4; i++) h = bits_mix(h ^ counts[i] * COUNT_FACTOR);
    return h;
}

static lode_status rule_hash_emit(sink_worker *worker, const lode_rule *rule) {
    const uint64_t *hashes = sink_hash_items(worker->sink);
    uint64_t lhs = hash_side(hashes, rule->lhs, rule->n_lhs);
    uint64_t rhs = hash_side(hashes, rule->rhs, rule->n_rhs);
    ((hash_worker *)worker)->sum += hash_rule(lhs, rhs, &rule->counts);
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

/* ---- a sink that calls a function of the program with every rule ----------------------------- */

typedef struct rule_callback {
    lode_sink base;
    lode_rule_fn function;
    void *user;
} rule_callback;

typedef struct callback_worker {
    rule_worker base;
    vec_u32 items; /* of the rule, as lode.h numbers them */
} callback_worker;

static lode_status callback_translate(callback_worker *w, lode_rule *rule) {
    const lode_sink *sink = w->base.base.sink;
    const lode_dataset *data = sink->mined;
    if (!data || !data->numbers) return LODE_OK;
    w->items.n = 0;
    size_t n = (size_t)rule->n_lhs + rule->n_rhs;
    lode_status status = vec_u32_reserve(&sink->job->mem, &w->items, n);
    if (status != LODE_OK) return status;
    rule_side_items(data, rule->lhs, rule->n_lhs, w->items.data);
    rule_side_items(data, rule->rhs, rule->n_rhs, w->items.data + rule->n_lhs);
    rule->lhs = w->items.data;
    rule->rhs = w->items.data + rule->n_lhs;
    return LODE_OK;
}

static lode_status rule_callback_emit(sink_worker *worker, const lode_rule *found) {
    rule_callback *sink = (rule_callback *)worker->sink;
    lode_rule rule = *found;
    rule.size = sizeof rule;
    lode_status status = callback_translate((callback_worker *)worker, &rule);
    if (status != LODE_OK) return status;
    pthread_mutex_lock(&sink->base.lock);
    bool stop = job_sink_stops(sink->base.job) || sink->function(sink->user, &rule) != 0;
    status = sink_called(&sink->base, stop);
    pthread_mutex_unlock(&sink->base.lock);
    return status;
}

static lode_status rule_callback_close(sink_worker *worker) {
    vec_u32_free(&worker->sink->job->mem, &((callback_worker *)worker)->items);
    return LODE_OK;
}

static const rule_ops callback_rules = {
    .worker_bytes = sizeof(callback_worker),
    .emit = rule_callback_emit,
    .close = rule_callback_close,
};

static const sink_kind rule_callback_kind = {.bytes = sizeof(rule_callback),
                                             .rules = &callback_rules};

lode_status lode_rule_sink_callback(lode_job *job, lode_sink **out, lode_rule_fn function,
                                    void *user) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(function));
    lode_sink *sink = NULL;
    lode_status status = sink_create(job, &rule_callback_kind, &sink);
    if (status != LODE_OK) return job_explain(job, status, "creating a sink");
    ((rule_callback *)sink)->function = function;
    ((rule_callback *)sink)->user = user;
    *out = sink;
    return LODE_OK;
}
