/* rule_memory.c - see rule_memory.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/rules/rule_memory.h"

#include <math.h>

#include "runtime/valid.h"
#include "write/core/sink_memory.h"

typedef struct rule_memory {
    memory_sink base;
    rule_columns kept;
    _Atomic uint64_t total; /* transactions that the rules are of; 0 = none came */
    bool keeps_ids;         /* instead of items as lode.h numbers them */
} rule_memory;

typedef struct memory_worker {
    rule_worker base;
    rule_columns found;
} memory_worker;

/* ---- columns -------------------------------------------------------------------------------- */

static void rule_kept_free(mem *m, void *columns) {
    rule_columns_free(m, columns);
}

static uint64_t rule_kept_bytes(const void *columns) {
    return rule_columns_bytes(columns);
}

static lode_status rule_kept_join(mem *m, void *columns, void *from) {
    return rule_columns_join(m, columns, from);
}

static lode_status rule_kept_sort(mem *m, void *columns, bool by_support, const sort_stop *stop) {
    (void)by_support;
    return rule_columns_sort(m, columns, RULES_BY_SIZE, stop);
}

/* The best K are found elsewhere: by any measure, not by support. */
static const memory_columns rule_kept = {
    .kept_at = offsetof(rule_memory, kept),
    .free = rule_kept_free,
    .bytes = rule_kept_bytes,
    .join = rule_kept_join,
    .sort = rule_kept_sort,
};

/* ---- the sink ------------------------------------------------------------------------------- */

/* Turns the last n items from ids into those of lode.h. */
static void memory_translate(memory_worker *w, size_t n) {
    const lode_dataset *data = w->base.base.sink->mined;
    uint32_t *items = w->found.items.data + w->found.items.n - n;
    bool keeps_ids = ((const rule_memory *)w->base.base.sink)->keeps_ids;
    if (!keeps_ids && data && data->numbers) rule_side_items(data, items, (uint32_t)n, items);
}

static lode_status rule_memory_emit(sink_worker *worker, const lode_rule *rule) {
    memory_worker *w = (memory_worker *)worker;
    rule_memory *sink = (rule_memory *)worker->sink;
    lode_job *job = worker->sink->job;
    size_t n = (size_t)rule->n_body + rule->n_head;
    lode_status status = rule_total_check(job, &sink->total, rule->counts.total);
    if (status != LODE_OK) return status;
    if (!memory_is_over(&sink->base)) {
        status = rule_columns_append(&job->mem, &w->found, rule);
        if (status == LODE_OK) memory_translate(w, n);
        if (status == LODE_OK) return LODE_OK;
    }
    return memory_lose(&sink->base, status, &w->found, rule_columns_rule_bytes(n));
}

static lode_status rule_memory_emit_batch(sink_worker *worker, const rule_batch *batch) {
    memory_worker *w = (memory_worker *)worker;
    rule_memory *sink = (rule_memory *)worker->sink;
    lode_job *job = worker->sink->job;
    uint64_t total = ((const lode_dataset *)worker->sink->mined)->total_weight;
    size_t size = (size_t)batch->n_body + 1;
    lode_status status = rule_total_check(job, &sink->total, total);
    if (status != LODE_OK) return status;
    if (!memory_is_over(&sink->base)) {
        status = rule_columns_append_batch(&job->mem, &w->found, batch, total);
        if (status == LODE_OK) memory_translate(w, batch->n * size);
        if (status == LODE_OK) return LODE_OK;
    }
    return memory_lose(&sink->base, status, &w->found, batch->n * rule_columns_rule_bytes(size));
}

static lode_status rule_memory_close(sink_worker *worker) {
    return memory_hand_over((memory_sink *)worker->sink, &((memory_worker *)worker)->found);
}

static lode_status rule_memory_finish(lode_sink *base, bool partial) {
    bool is_over = memory_is_over((memory_sink *)base);
    return base->in_order && !is_over ? LODE_OK : memory_finish(base, partial);
}

static lode_status rule_memory_empty(lode_sink *base) {
    atomic_store(&((rule_memory *)base)->total, 0);
    return memory_empty(base);
}

static const rule_ops memory_rules = {
    .worker_bytes = sizeof(memory_worker),
    .emit = rule_memory_emit,
    .emit_batch = rule_memory_emit_batch,
    .close = rule_memory_close,
};

static const sink_kind rule_memory_kind = {
    .bytes = sizeof(rule_memory),
    .rules = &memory_rules,
    .finish = rule_memory_finish,
    .free = memory_free,
    .lost = memory_lost,
    .empty = rule_memory_empty,
};

lode_status rule_memory_nested(lode_job *job, lode_sink **out) {
    lode_status status = memory_create(job, &rule_memory_kind, &rule_kept, 0, out);
    if (status != LODE_OK) return status;
    ((rule_memory *)*out)->keeps_ids = true;
    (*out)->nested = true;
    return LODE_OK;
}

rule_columns *rule_memory_columns(lode_sink *sink) {
    rule_memory *kept = (rule_memory *)sink;
    return memory_is_over(&kept->base) ? NULL : &kept->kept;
}

lode_status lode_rule_sink_memory(lode_job *job, lode_sink **out) {
    VALID_CALL(job, VALID_NEEDS(out));
    return job_explain(job, memory_create(job, &rule_memory_kind, &rule_kept, 0, out),
                       "creating a sink");
}

/* ---- what it holds -------------------------------------------------------------------------- */

bool lode_rule_sink_result(const lode_sink *sink, lode_rule_result *out) {
    if (!sink || sink->kind != &rule_memory_kind) return valid_fill(out, NULL);
    static const uint64_t no_offset = 0; /* an empty result has one offset, too */
    const rule_columns *c = &((const rule_memory *)sink)->kept;
    lode_rule_result r = {
        .n = rule_columns_count(c),
        .total = c->total,
        .offsets = rule_columns_count(c) > 0 ? c->offsets.data : &no_offset,
        .items = c->items.data,
        .both = c->both.data,
        .body = c->body.data,
        .head = c->head.data,
        .best_confidence = c->extras[EXTRA_CONFIDENCE].data,
        .best_lift = c->extras[EXTRA_LIFT].data,
        .adjusted_p = c->extras[EXTRA_ADJUSTED].data,
        .held_out = c->extras[EXTRA_HELD_OUT].data,
    };
    return valid_fill(out, &r);
}

bool lode_rule_result_at(const lode_rule_result *result, uint64_t i, lode_rule *out) {
    lode_rule_result r = {0};
    size_t told = result ? sized_told(result, sizeof r) : 0;
    if (told > 0) sized_copy(&r, sizeof r, result, told);
    if (i >= r.n) return valid_fill(out, NULL);
    lode_rule rule = {
        .body = r.items + r.offsets[2 * i],
        .head = r.items + r.offsets[2 * i + 1],
        .n_body = (uint32_t)(r.offsets[2 * i + 1] - r.offsets[2 * i]),
        .n_head = (uint32_t)(r.offsets[2 * i + 2] - r.offsets[2 * i + 1]),
        .counts = {r.both[i], r.body[i], r.head[i], r.total},
        .best_confidence = r.best_confidence ? r.best_confidence[i] : NAN,
        .best_lift = r.best_lift ? r.best_lift[i] : NAN,
        .adjusted_p = r.adjusted_p ? r.adjusted_p[i] : NAN,
    };
    if (r.held_out) rule.held_out = r.held_out[i];
    return valid_fill(out, &rule);
}
