/* rule_sink.c - see rule_sink.h; and the sink that calls a function of the program
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/rules/rule_sink.h"

#include <math.h>

#include "runtime/valid.h"

#define RULE_REPORT_EVERY 4096 /* rules between updates of the shared progress count */

/* ---- workers -------------------------------------------------------------------------------- */

static lode_status rule_worker_close(sink_worker *worker) {
    const rule_ops *ops = ((rule_worker *)worker)->ops;
    return ops->close ? ops->close(worker) : LODE_OK;
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
    return counts && !sink_is_limited(sink);
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

lode_status rule_sink_emit(sink_worker *worker, const lode_rule *rule) {
    lode_status status = LODE_OK;
    lode_sink *sink = worker->sink;
    const rule_ops *ops = ((rule_worker *)worker)->ops;
    const lode_counts *c = &rule->counts;
    uint32_t granted;
    LODE_REQUIRE(sink->job,
                 c->both <= c->body && c->both <= c->head && c->body <= c->total &&
                     c->head <= c->total,
                 "a rule with impossible counts was found");
    LODE_TRY(rule_sink_take(worker, rule->n_body + rule->n_head, 1, &granted));
    if (granted == 0) return rule_sink_full(sink->job);
    if (ops->emit) LODE_TRY(ops->emit(worker, rule));
done:
    return status;
}

lode_rule rule_batch_at(const rule_batch *b, uint32_t i, uint64_t total) {
    return (lode_rule){.size = sizeof(lode_rule),
                       .body = b->body,
                       .n_body = b->n_body,
                       .head = &b->heads[i],
                       .n_head = 1,
                       .counts = {b->both[i], b->count, b->of_head[i], total},
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

lode_status rule_sink_emit_batch(sink_worker *worker, const rule_batch *batch) {
    lode_status status = LODE_OK;
    rule_batch b = *batch;
    const rule_ops *ops = ((rule_worker *)worker)->ops;
    LODE_TRY(rule_sink_take(worker, b.n_body + 1, b.n, &b.n));
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
