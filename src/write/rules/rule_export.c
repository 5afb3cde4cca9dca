/* rule_export.c - rules in memory, moved into Arrow's structs: see lode/arrow.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/codes.h"
#include "results/arrow/export.h"
#include "runtime/valid.h"
#include "write/rules/rule_memory.h"
#include "write/rules/rule_sink.h"

/* A side of all rules. */
typedef struct side_lists {
    vec_u64 offsets;
    vec_u32 items;
} side_lists;

/* What the array owns. */
typedef struct rule_export {
    side_lists body, head;
    vec_u64 both, body_count, head_count; /* moved */
    codes names;
} rule_export;

static void rule_export_drop(mem *m, void *owned) {
    rule_export *e = owned;
    side_lists *sides[] = {&e->body, &e->head};
    for (unsigned i = 0; i < 2; i++) {
        vec_u64_free(m, &sides[i]->offsets);
        vec_u32_free(m, &sides[i]->items);
    }
    vec_u64_free(m, &e->both);
    vec_u64_free(m, &e->body_count);
    vec_u64_free(m, &e->head_count);
    codes_free(&e->names);
    mem_free(m, e, sizeof *e);
}

/* Copies the bodies (first = 0) or the heads (1), which lie side by side. */
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
        rule_export_list("body", &e->body, &items[0]),
        rule_export_list("head", &e->head, &items[1]),
        rule_export_counts("both", r->both, r->n),
        rule_export_counts("body_count", r->body, r->n),
        rule_export_counts("head_count", r->head, r->n),
    };
    return export_columns(job, layout, sizeof layout / sizeof *layout, owner, schema, array);
}

/* The counts change hands, and the sink is empty. */
static void rule_export_move(rule_export *e, const export_owner *owner, lode_sink *sink) {
    rule_columns *c = rule_memory_columns(sink);
    e->both = c->both;
    e->body_count = c->body;
    e->head_count = c->head;
    c->both = c->body = c->head = (vec_u64){0};
    mem_adopt(&owner->home->mem,
              (e->both.cap + e->body_count.cap + e->head_count.cap) * sizeof(uint64_t));
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
    LODE_TRY(rule_export_side(&e->body, m, &r, 0));
    LODE_TRY(rule_export_side(&e->head, m, &r, 1));
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
