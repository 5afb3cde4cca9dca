/* item_memory.c - see item_memory.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/item_memory.h"

#include "runtime/valid.h"
#include "write/core/sink_memory.h"

#define TOP_HAND_OVER 1024 /* patterns a worker collects before the others hear of them */

typedef struct item_memory {
    memory_sink base;
    columns kept;
    lookup *index; /* of what is kept; NULL until it is asked for; under the lock */
} item_memory;

typedef struct memory_worker {
    item_worker base;
    columns found;
} memory_worker;

/* ---- columns -------------------------------------------------------------------------------- */

static lode_status item_kept_sort(mem *m, void *c, bool by_support, const sort_stop *stop) {
    return columns_sort(m, c, by_support ? COLUMNS_BY_SUPPORT : COLUMNS_BY_SIZE, stop);
}

MEMORY_COLUMNS(item_kept, item_memory, columns, item_kept_sort);

/* ---- the sink ------------------------------------------------------------------------------ */

/* The index is of what was there before. */
static void item_memory_drop_index(item_memory *sink) {
    pthread_mutex_lock(&sink->base.base.lock);
    lookup_free(sink->index);
    sink->index = NULL;
    pthread_mutex_unlock(&sink->base.base.lock);
}

static lode_status item_memory_open(sink_worker *worker) {
    item_memory_drop_index((item_memory *)worker->sink);
    return LODE_OK;
}

static lode_status item_memory_emit(sink_worker *worker, const lode_batch *batch) {
    memory_worker *w = (memory_worker *)worker;
    memory_sink *sink = (memory_sink *)worker->sink;
    lode_batch items;
    lode_status status = sink_translate(worker, batch, &items);
    if (status == LODE_OK && !memory_is_over(sink)) {
        status = columns_append(&worker->sink->job->mem, &w->found, &items);
        bool enough = sink->k > 0 && columns_count(&w->found) >= TOP_HAND_OVER;
        if (status == LODE_OK) return enough ? memory_hand_over(sink, &w->found) : LODE_OK;
    }
    uint64_t size = (uint64_t)batch->n_prefix + 1;
    return memory_lose(sink, status, &w->found,
                       batch->n * (2 * sizeof(uint64_t) + size * sizeof(uint32_t)));
}

static lode_status item_memory_close(sink_worker *worker) {
    return memory_hand_over((memory_sink *)worker->sink, &((memory_worker *)worker)->found);
}

static lode_status item_memory_finish(lode_sink *base, bool partial) {
    item_memory_drop_index((item_memory *)base);
    return memory_finish(base, partial);
}

static void item_memory_free(lode_sink *base) {
    lookup_free(((item_memory *)base)->index);
    memory_free(base);
}

static const item_ops memory_items = {
    .worker_bytes = sizeof(memory_worker),
    .open = item_memory_open,
    .emit = item_memory_emit,
    .close = item_memory_close,
};

static const sink_kind item_memory_kind = {
    .bytes = sizeof(item_memory),
    .itemsets = &memory_items,
    .finish = item_memory_finish,
    .free = item_memory_free,
    .lost = memory_lost,
    .empty = memory_empty,
};

lode_status sink_top_create(lode_job *job, lode_sink **out, uint64_t k) {
    return memory_create(job, &item_memory_kind, &item_kept, k, out);
}

lode_status lode_sink_memory(lode_job *job, lode_sink **out) {
    VALID_CALL(job, VALID_NEEDS(out));
    return job_explain(job, sink_top_create(job, out, 0), "creating a sink");
}

/* ---- what it holds -------------------------------------------------------------------------- */

columns *sink_memory_columns(lode_sink *sink) {
    return sink->kind == &item_memory_kind ? &((item_memory *)sink)->kept : NULL;
}

void sink_memory_forget(lode_sink *sink) {
    item_memory_drop_index((item_memory *)sink);
    sink->origin.complete = false; /* what it has tells nothing of what it has not */
    sink->origin.n_jobs++;
}

/* A sink is const for those who only look; its lock and its index are not part of what they see. */
lode_status sink_memory_look(const lode_sink *base, sink_contents *out) {
    if (base->kind != &item_memory_kind) {
        return job_fail(base->job, LODE_INVALID,
                        "supports are looked up in a result in memory; this sink keeps none");
    }
    item_memory *sink = (item_memory *)(uintptr_t)base;
    lode_target target = base->origin.target;
    bool above = target == LODE_TARGET_CLOSED || target == LODE_TARGET_MAXIMAL;
    lode_status status = LODE_OK;
    pthread_mutex_lock(&sink->base.base.lock);
    if (!sink->index) status = lookup_create(base->job, &sink->index, &sink->kept, above);
    *out = (sink_contents){&sink->kept, sink->index, &base->origin};
    pthread_mutex_unlock(&sink->base.base.lock);
    return status;
}

bool lode_sink_result(const lode_sink *sink, lode_result *out) {
    if (!sink || sink->kind != &item_memory_kind) return valid_fill(out, NULL);
    static const uint64_t no_offset = 0; /* an empty result has one offset, too */
    const columns *c = &((const item_memory *)sink)->kept;
    const uint64_t *offsets = columns_count(c) > 0 ? c->offsets.data : &no_offset;
    lode_result r = {.n = columns_count(c),
                     .offsets = offsets,
                     .items = c->items.data,
                     .supports = c->supports.data};
    return valid_fill(out, &r);
}

lode_status sink_replay(const columns *c, lode_sink *to, const sort_stop *stop) {
    sink_worker *worker = NULL;
    lode_status status = sink_open_worker(to, &worker);
    for (size_t i = 0; i < c->supports.n && status == LODE_OK; i++) {
        lode_batch batch = columns_at(c, i);
        status = sink_emit_settled(worker, &batch);
        if (stop && i % SINK_ASK_EVERY == 0 && stop->asked(stop->user)) status = LODE_CANCELLED;
    }
    lode_status closed = sink_close_worker(worker);
    return status != LODE_OK ? status : closed;
}
