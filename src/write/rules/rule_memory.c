/* rule_memory.c - see rule_memory.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/rules/rule_memory.h"

#include <math.h>

#include "data/transactions/item_order.h"
#include "results/arrow/export.h"
#include "runtime/valid.h"
#include "write/core/sink_memory.h"
#include "write/rules/rule_sink.h"

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
    size_t n = (size_t)rule->n_lhs + rule->n_rhs;
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
    size_t size = (size_t)batch->n_lhs + 1;
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
        .lhs = c->lhs.data,
        .rhs = c->rhs.data,
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
        .lhs = r.items + r.offsets[2 * i],
        .rhs = r.items + r.offsets[2 * i + 1],
        .n_lhs = (uint32_t)(r.offsets[2 * i + 1] - r.offsets[2 * i]),
        .n_rhs = (uint32_t)(r.offsets[2 * i + 2] - r.offsets[2 * i + 1]),
        .counts = {r.both[i], r.lhs[i], r.rhs[i], r.total},
        .best_confidence = r.best_confidence ? r.best_confidence[i] : NAN,
        .best_lift = r.best_lift ? r.best_lift[i] : NAN,
        .adjusted_p = r.adjusted_p ? r.adjusted_p[i] : NAN,
    };
    if (r.held_out) rule.held_out = r.held_out[i];
    return valid_fill(out, &rule);
}

/* ---- rules in memory, moved into Arrow's structs --------------------------------------------- */

/* A side of all rules. */
typedef struct side_lists {
    vec_u64 offsets;
    vec_u32 items;
} side_lists;

/* What the array owns. */
typedef struct rule_export {
    side_lists lhs, rhs;
    vec_u64 both, lhs_count, rhs_count; /* moved */
    codes names;
} rule_export;

static void rule_export_drop(mem *m, void *owned) {
    rule_export *e = owned;
    side_lists *sides[] = {&e->lhs, &e->rhs};
    for (unsigned i = 0; i < 2; i++) {
        vec_u64_free(m, &sides[i]->offsets);
        vec_u32_free(m, &sides[i]->items);
    }
    vec_u64_free(m, &e->both);
    vec_u64_free(m, &e->lhs_count);
    vec_u64_free(m, &e->rhs_count);
    codes_free(&e->names);
    mem_free(m, e, sizeof *e);
}

/* Copies the antecedents (first = 0) or the consequents (1), which lie side by side. */
static lode_status rule_export_side(side_lists *to, mem *m, const lode_rule_result *r,
                                    uint64_t first) {
    lode_status status = LODE_OK;
    uint64_t n_items = 0;
    for (uint64_t i = 0; i < r->n; i++) {
        n_items += r->offsets[2 * i + first + 1] - r->offsets[2 * i + first];
    }
    LODE_TRY(vec_u64_reserve(m, &to->offsets, (size_t)r->n + 1));
    LODE_TRY(vec_u32_reserve(m, &to->items, (size_t)n_items));
    to->offsets.data[to->offsets.n++] = 0;
    for (uint64_t i = 0; i < r->n; i++) {
        const uint32_t *items = r->items + r->offsets[2 * i + first];
        size_t n = (size_t)(r->offsets[2 * i + first + 1] - r->offsets[2 * i + first]);
        memcpy(to->items.data + to->items.n, items, n * sizeof *items);
        to->items.n += n;
        to->offsets.data[to->offsets.n++] = to->items.n;
    }
done:
    return status;
}

static export_column rule_export_list(const char *name, const side_lists *side,
                                      export_column *item) {
    item->length = side->items.n;
    item->buffers[0] = side->items.data;
    return (export_column){.format = "+L",
                           .name = name,
                           .length = side->offsets.n - 1,
                           .buffers = {side->offsets.data},
                           .n_buffers = 1,
                           .child = item};
}

static export_column rule_export_counts(const char *name, const uint64_t *counts, uint64_t n) {
    return (export_column){
        .format = "L", .name = name, .length = n, .buffers = {counts}, .n_buffers = 1};
}

static lode_status rule_export_fill(lode_job *job, const rule_export *e, const lode_rule_result *r,
                                    const export_owner *owner, struct ArrowSchema *schema,
                                    struct ArrowArray *array) {
    bool named = e->names.mem != NULL;
    export_column names = {.format = "U",
                           .length = e->names.n,
                           .buffers = {e->names.offsets.data, e->names.text.data},
                           .n_buffers = 2};
    export_column item = {.format = named ? "i" : "I",
                          .name = "item",
                          .n_buffers = 1,
                          .dictionary = named ? &names : NULL};
    export_column items[] = {item, item};
    export_column layout[] = {
        rule_export_list("body", &e->lhs, &items[0]),
        rule_export_list("head", &e->rhs, &items[1]),
        rule_export_counts("both", r->both, r->n),
        rule_export_counts("body_count", r->lhs, r->n),
        rule_export_counts("head_count", r->rhs, r->n),
    };
    return export_columns(job, layout, sizeof layout / sizeof *layout, owner, schema, array);
}

/* The counts change hands, and the sink is empty. */
static void rule_export_move(rule_export *e, const export_owner *owner, lode_sink *sink) {
    rule_columns *c = rule_memory_columns(sink);
    e->both = c->both;
    e->lhs_count = c->lhs;
    e->rhs_count = c->rhs;
    c->both = c->lhs = c->rhs = (vec_u64){0};
    mem_adopt(&owner->home->mem,
              (e->both.cap + e->lhs_count.cap + e->rhs_count.cap) * sizeof(uint64_t));
    rule_columns_free(&sink->job->mem, c);
}

lode_status lode_rule_result_arrow(lode_sink *sink, const lode_dataset *data,
                                   struct ArrowSchema *schema, struct ArrowArray *array) {
    if (!sink) return LODE_INVALID;
    lode_job *job = sink->job;
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(schema), VALID_NEEDS(array));
    lode_status status = LODE_OK;
    lode_rule_result r = LODE_INIT(lode_rule_result);
    export_owner owner = {.drop = rule_export_drop};
    rule_export *e = NULL;
    if (!lode_rule_sink_result(sink, &r) || !rule_memory_columns(sink)) {
        LODE_LEAVE(job_fail(job, LODE_INVALID, "this sink keeps no rules in memory"));
    }
    LODE_TRY(ctx_home_create(job, &owner.home));
    mem *m = &owner.home->mem;
    LODE_TRY(mem_zalloc(m, (void **)&e, sizeof *e));
    owner.owned = e;
    LODE_TRY(rule_export_side(&e->lhs, m, &r, 0));
    LODE_TRY(rule_export_side(&e->rhs, m, &r, 1));
    if (data->names) LODE_TRY(codes_of_names(&e->names, m, data->names));
    LODE_TRY(rule_export_fill(job, e, &r, &owner, schema, array));
    rule_export_move(e, &owner, sink);
    ctx_home_settle(owner.home);
    owner.home = NULL;
    e = NULL;
done:
    if (e) rule_export_drop(&owner.home->mem, e);
    ctx_home_release(owner.home);
    return job_explain(job, status, "handing over a result");
}
