/* item_export.c - itemsets in memory, moved into Arrow's structs: see lode/arrow.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/codes.h"
#include "results/arrow/export.h"
#include "runtime/valid.h"
#include "write/itemsets/item_memory.h"

/* What the array owns. */
typedef struct item_export {
    columns moved;
    codes names;
    uint64_t no_offset; /* an empty list has one offset, too */
} item_export;

static void item_export_drop(mem *m, void *owned) {
    item_export *e = owned;
    columns_free(m, &e->moved);
    codes_free(&e->names);
    mem_free(m, e, sizeof *e);
}

/* Names for every id, so that items are codes as they stand. */
static lode_status item_export_names(item_export *e, mem *m, const lode_dataset *data) {
    return data->names ? codes_of_names(&e->names, m, data->names) : LODE_OK;
}

static lode_status item_export_fill(lode_job *job, item_export *e, const lode_dataset *data,
                                    const export_owner *owner, struct ArrowSchema *schema,
                                    struct ArrowArray *array) {
    const columns *c = &e->moved;
    uint64_t n = columns_count(c);
    export_column names = {.format = "U",
                           .length = e->names.n,
                           .buffers = {e->names.offsets.data, e->names.text.data},
                           .n_buffers = 2};
    export_column item = {.format = data->names ? "i" : "I",
                          .name = "item",
                          .length = c->items.n,
                          .buffers = {c->items.data},
                          .n_buffers = 1,
                          .dictionary = data->names ? &names : NULL};
    export_column layout[] = {
        {.format = "+L",
         .name = "items",
         .length = n,
         .buffers = {n > 0 ? c->offsets.data : &e->no_offset},
         .n_buffers = 1,
         .child = &item},
        {.format = "L",
         .name = "count",
         .length = n,
         .buffers = {c->supports.data},
         .n_buffers = 1},
    };
    return export_columns(job, layout, 2, owner, schema, array);
}

static size_t item_export_bytes(const columns *c) {
    return (c->offsets.cap + c->supports.cap) * sizeof(uint64_t) + c->items.cap * sizeof(uint32_t);
}

lode_status lode_result_arrow(lode_sink *sink, const lode_dataset *data, struct ArrowSchema *schema,
                              struct ArrowArray *array) {
    if (!sink) return LODE_INVALID;
    lode_job *job = sink->job;
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(schema), VALID_NEEDS(array));
    lode_status status = LODE_OK;
    columns *kept = sink_memory_columns(sink);
    export_owner owner = {.drop = item_export_drop};
    item_export *e = NULL;
    if (!kept) LODE_LEAVE(job_fail(job, LODE_INVALID, "this sink keeps no itemsets in memory"));
    LODE_TRY(ctx_home_create(job, &owner.home));
    LODE_TRY(mem_zalloc(&owner.home->mem, (void **)&e, sizeof *e));
    owner.owned = e;
    LODE_TRY(item_export_names(e, &owner.home->mem, data));
    e->moved = *kept;
    status = item_export_fill(job, e, data, &owner, schema, array);
    if (status != LODE_OK) {
        e->moved = (columns){0}; /* they stay the sink's */
        goto done;
    }
    *kept = (columns){0};
    mem_adopt(&owner.home->mem, item_export_bytes(&e->moved));
    sink_memory_forget(sink);
    ctx_home_settle(owner.home);
    owner.home = NULL;
    e = NULL;
done:
    if (e) item_export_drop(&owner.home->mem, e);
    ctx_home_release(owner.home);
    return job_explain(job, status, "handing over a result");
}
