/* rule_sink.c - see rule_sink.h; and the sink that calls a function of the program
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/rules/rule_sink.h"

#include <math.h>

#include "runtime/valid.h"

#define RULE_REPORT_EVERY 4096 /* rules between updates of the shared progress count */

/* ---- workers -------------------------------------------------------------------------------- */

static lode_status rule_worker_close(sink_worker *worker) {
    rule_worker *w = (rule_worker *)worker;
    lode_sink *sink = worker->sink;
    lode_status verified = verify_end(sink->verify, &sink->job->mem, &w->unverified);
    lode_status status = w->ops->close ? w->ops->close(worker) : LODE_OK;
    return status != LODE_OK ? status : verified;
}

lode_status rule_sink_open_worker(lode_sink *sink, sink_worker **out) {
    static const rule_ops only_count = {.worker_bytes = sizeof(rule_worker)};
    const rule_ops *ops = sink->kind->rules ? sink->kind->rules : &only_count;
    lode_status status = sink_worker_create(sink, ops->worker_bytes, out);
    if (status != LODE_OK) return status;
    (*out)->close = rule_worker_close;
    ((rule_worker *)*out)->ops = ops;
    if (ops->open) status = ops->open(*out);
    if (status == LODE_OK) return LODE_OK;
    lode_status closed = sink_close_worker(*out);
    (void)closed; /* the first failure counts */
    *out = NULL;
    return status;
}

void rule_sink_keep_order(lode_sink *sink) {
    sink->in_order = true;
}

unsigned rule_sink_needs(const lode_sink *sink) {
    while (sink->inner) sink = sink->inner;
    const rule_ops *ops = sink->kind->rules;
    return ops && ops->needs ? ops->needs(sink) : 0;
}

bool rule_sink_keeps_rules(const lode_sink *sink) {
    while (sink->inner) sink = sink->inner;
    const sink_kind *kind = sink->kind;
    return kind->rules && kind->rules->emit && !kind->hash;
}

bool rule_sink_takes_numbers(const lode_sink *sink) {
    bool counts = !sink->kind->rules || !sink->kind->rules->emit;
    return counts && !sink->verify && !sink_is_limited(sink);
}

lode_status rule_sink_add(sink_worker *worker, uint32_t size, uint64_t n) {
    lode_status status = sink_count_patterns(worker, size, n);
    if (!worker->sink->nested) sink_progress(worker, n, RULE_REPORT_EVERY);
    return status;
}

/* Reserves room for n rules of a size and counts them; *granted: how many may come. */
static lode_status rule_sink_take(sink_worker *worker, uint32_t size, uint32_t n,
                                  uint32_t *granted) {
    *granted = (uint32_t)sink_take_room(worker->sink, n);
    return *granted > 0 ? rule_sink_add(worker, size, *granted) : LODE_OK;
}

lode_status rule_sink_full(lode_job *job) {
    job_halt(job, JOB_LIMIT_PATTERNS);
    return LODE_STOPPED;
}

/* Adds the three sets of a rule to those that are counted again. */
static lode_status rule_sink_verify(sink_worker *worker, const lode_rule *r) {
    lode_status status = LODE_OK;
    verifier *v = worker->sink->verify;
    verify_batch *to = &((rule_worker *)worker)->unverified;
    if (!v) return LODE_OK;
    const verify_side lhs = {r->lhs, r->n_lhs}, rhs = {r->rhs, r->n_rhs}, none = {NULL, 0};
    LODE_TRY(verify_add(v, to, lhs, rhs, r->counts.both));
    LODE_TRY(verify_add(v, to, lhs, none, r->counts.lhs));
    LODE_TRY(verify_add(v, to, rhs, none, r->counts.rhs));
    status = verify_pattern(v, to);
done:
    return status;
}

lode_status rule_sink_emit(sink_worker *worker, const lode_rule *rule) {
    lode_status status = LODE_OK;
    lode_sink *sink = worker->sink;
    const rule_ops *ops = ((rule_worker *)worker)->ops;
    const lode_counts *c = &rule->counts;
    uint32_t granted;
    LODE_REQUIRE(sink->job,
                 c->both <= c->lhs && c->both <= c->rhs && c->lhs <= c->total && c->rhs <= c->total,
                 "a rule with impossible counts was found");
    LODE_TRY(rule_sink_take(worker, rule->n_lhs + rule->n_rhs, 1, &granted));
    if (granted == 0) return rule_sink_full(sink->job);
    LODE_TRY(rule_sink_verify(worker, rule));
    if (ops->emit) LODE_TRY(ops->emit(worker, rule));
done:
    return status;
}

lode_rule rule_batch_at(const rule_batch *b, uint32_t i, uint64_t total) {
    return (lode_rule){.size = sizeof(lode_rule),
                       .lhs = b->lhs,
                       .n_lhs = b->n_lhs,
                       .rhs = &b->consequents[i],
                       .n_rhs = 1,
                       .counts = {b->both[i], b->count, b->of_rhs[i], total},
                       .best_confidence = NAN,
                       .best_lift = NAN,
                       .adjusted_p = NAN};
}

static lode_status rule_sink_emit_each(sink_worker *worker, const rule_batch *b) {
    lode_status status = LODE_OK;
    const rule_ops *ops = ((rule_worker *)worker)->ops;
    const lode_dataset *data = worker->sink->mined;
    for (uint32_t i = 0; i < b->n && ops->emit; i++) {
        lode_rule rule = rule_batch_at(b, i, data->total_weight);
        LODE_TRY(ops->emit(worker, &rule));
    }
done:
    return status;
}

static lode_status rule_sink_verify_batch(sink_worker *worker, const rule_batch *b) {
    lode_status status = LODE_OK;
    const lode_dataset *data = worker->sink->mined;
    for (uint32_t i = 0; i < b->n && worker->sink->verify; i++) {
        lode_rule rule = rule_batch_at(b, i, data->total_weight);
        LODE_TRY(rule_sink_verify(worker, &rule));
    }
done:
    return status;
}

lode_status rule_sink_emit_batch(sink_worker *worker, const rule_batch *batch) {
    lode_status status = LODE_OK;
    rule_batch b = *batch;
    const rule_ops *ops = ((rule_worker *)worker)->ops;
    LODE_TRY(rule_sink_take(worker, b.n_lhs + 1, b.n, &b.n));
    LODE_TRY(rule_sink_verify_batch(worker, &b));
    if (b.n > 0) {
        LODE_TRY(ops->emit_batch ? ops->emit_batch(worker, &b) : rule_sink_emit_each(worker, &b));
    }
    if (b.n < batch->n) status = rule_sink_full(worker->sink->job);
done:
    return status;
}

void rule_side_items(const lode_dataset *data, const uint32_t *ids, uint32_t n, uint32_t *items) {
    for (uint32_t i = 0; i < n; i++) items[i] = dataset_item_of(data, ids[i]);
}

/* ---- the rule of the highest lift that was seen, for a word to the user ---------------------- */

void rule_best_free(rule_best *b, mem *m) {
    vec_u32_free(m, &b->items);
    *b = (rule_best){0};
}

static int best_compare_items(const uint32_t *a, const uint32_t *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

/* Whether a rule of the same lift comes before the one that is kept. */
static bool best_is_before(const lode_rule *a, const lode_rule *b) {
    uint32_t size = a->n_lhs + a->n_rhs, other = b->n_lhs + b->n_rhs;
    if (a->counts.both != b->counts.both) return a->counts.both > b->counts.both;
    if (size != other) return size < other;
    if (a->n_lhs != b->n_lhs) return a->n_lhs < b->n_lhs;
    int order = best_compare_items(a->lhs, b->lhs, a->n_lhs);
    return order != 0 ? order < 0 : best_compare_items(a->rhs, b->rhs, a->n_rhs) < 0;
}

lode_status rule_best_keep(rule_best *b, mem *m, const lode_rule *rule) {
    const lode_counts *c = &rule->counts;
    double ratio = rule_best_ratio(c->both, c->lhs, c->rhs);
    size_t n = (size_t)rule->n_lhs + rule->n_rhs;
    if (ratio == b->ratio && !best_is_before(rule, &b->rule)) return LODE_OK;
    b->items.n = 0;
    lode_status status = vec_u32_reserve(m, &b->items, n);
    if (status != LODE_OK) return status;
    memcpy(b->items.data, rule->lhs, rule->n_lhs * sizeof *rule->lhs);
    memcpy(b->items.data + rule->n_lhs, rule->rhs, rule->n_rhs * sizeof *rule->rhs);
    b->items.n = n;
    b->ratio = ratio;
    b->rule = *rule;
    b->rule.lhs = b->items.data;
    b->rule.rhs = b->items.data + rule->n_lhs;
    return LODE_OK;
}

lode_status rule_best_note_batch(rule_best *b, mem *m, const rule_batch *batch, uint64_t total) {
    lode_status status = LODE_OK;
    for (uint32_t i = 0; i < batch->n; i++) {
        if (rule_best_ratio(batch->both[i], batch->count, batch->of_rhs[i]) < b->ratio) continue;
        lode_rule rule = rule_batch_at(batch, i, total);
        LODE_TRY(rule_best_keep(b, m, &rule));
    }
done:
    return status;
}
