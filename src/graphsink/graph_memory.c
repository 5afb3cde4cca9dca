/* graph_memory.c - a result in memory, by columns
 *
 * Workers collect columns of their own and hand them over when they close. When the budget has no
 * room for the result, the sink drops it and goes on measuring, so that it can say what is needed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphsink/graph_columns.h"
#include "graphsink/graph_sink.h"
#include "runtime/valid.h"

typedef struct memory_sink {
    lode_graph_sink base;
    graph_columns kept; /* under the lock */
    _Atomic bool over;  /* nothing is kept any more, only measured: */
    _Atomic uint64_t lost_bytes;
} memory_sink;

typedef struct memory_worker {
    graph_sink_worker base;
    graph_columns found;
} memory_worker;

static bool memory_is_over(const memory_sink *sink) {
    return atomic_load_explicit(&sink->over, memory_order_relaxed);
}

static void memory_measure(memory_sink *sink, uint64_t bytes) {
    atomic_fetch_add_explicit(&sink->lost_bytes, bytes, memory_order_relaxed);
}

static void memory_drop(memory_sink *sink, graph_columns *c) {
    memory_measure(sink, graph_columns_bytes(c));
    graph_columns_free(&sink->base.job->mem, c);
}

/* There is no room: from now on the sink only measures. */
static lode_status memory_give_up(memory_sink *sink, lode_status status) {
    if (status != LODE_BUDGET) return status;
    pthread_mutex_lock(&sink->base.lock);
    atomic_store_explicit(&sink->over, true, memory_order_relaxed);
    memory_drop(sink, &sink->kept);
    pthread_mutex_unlock(&sink->base.lock);
    return LODE_OK;
}

static lode_status memory_emit(graph_sink_worker *worker, const lode_graph_pattern *p) {
    memory_worker *w = (memory_worker *)worker;
    memory_sink *sink = (memory_sink *)worker->sink;
    lode_graph_pattern outside;
    lode_status status = LODE_OK;
    if (!memory_is_over(sink)) {
        status = graph_sink_translate(worker, p, &outside);
        if (status == LODE_OK) {
            status = graph_columns_append(&sink->base.job->mem, &w->found, &outside);
        }
        if (status == LODE_OK) return LODE_OK;
    }
    status = memory_give_up(sink, status);
    if (status != LODE_OK) return status;
    memory_drop(sink, &w->found);
    memory_measure(sink, graph_columns_pattern_bytes(p));
    return LODE_OK;
}

/* The first worker's columns become those of the sink; others are added to them. */
static lode_status memory_take(memory_sink *sink, graph_columns *found) {
    if (sink->kept.supports.n > 0) {
        return graph_columns_join(&sink->base.job->mem, &sink->kept, found);
    }
    graph_columns none = sink->kept;
    sink->kept = *found;
    *found = none;
    return LODE_OK;
}

static lode_status memory_close(graph_sink_worker *worker) {
    memory_worker *w = (memory_worker *)worker;
    memory_sink *sink = (memory_sink *)worker->sink;
    lode_status status = LODE_OK;
    pthread_mutex_lock(&sink->base.lock);
    if (!memory_is_over(sink)) status = memory_take(sink, &w->found);
    pthread_mutex_unlock(&sink->base.lock);
    status = memory_give_up(sink, status);
    if (memory_is_over(sink)) memory_drop(sink, &w->found);
    graph_columns_free(&sink->base.job->mem, &w->found);
    return status;
}

/* A limit has ended the search by now, and does not end the sorting of what it left. */
static bool memory_sort_asked(void *job) {
    return job_is_cancelled(job);
}

/* Whoever has interrupted the job does not wait for an order. */
static lode_status memory_finish(lode_graph_sink *base, bool partial) {
    memory_sink *sink = (memory_sink *)base;
    mem *m = &base->job->mem;
    sort_stop stop = {memory_sort_asked, base->job};
    if (memory_is_over(sink)) return LODE_BUDGET;
    if (partial) return LODE_OK;
    job_note_need(base->job, atomic_load(&m->used) + 2 * graph_columns_bytes(&sink->kept));
    return graph_columns_sort(m, &sink->kept, &stop);
}

static void memory_free(lode_graph_sink *base) {
    graph_columns_free(&base->job->mem, &((memory_sink *)base)->kept);
}

static const graph_sink_kind memory_kind = {
    .worker_bytes = sizeof(memory_worker),
    .emit = memory_emit,
    .close = memory_close,
    .finish = memory_finish,
    .free = memory_free,
    .bytes = sizeof(memory_sink),
};

lode_status lode_graph_sink_memory(lode_job *job, lode_graph_sink **out) {
    VALID_CALL(job, VALID_NEEDS(out));
    return job_explain(job, graph_sink_create(job, &memory_kind, out), "opening the output");
}

/* While columns are handed over and sorted, there are parts of them more than once, and growing
 * arrays take more than they hold. */
uint64_t graph_sink_memory_lost(const lode_graph_sink *base) {
    const memory_sink *sink = (const memory_sink *)base;
    if (base->kind != &memory_kind || !memory_is_over(sink)) return 0;
    return atomic_load(&sink->lost_bytes) / 2 * 7 + 1;
}

static const uint64_t *offsets_or_none(const vec_u64 *offsets, bool always) {
    static const uint64_t no_offset = 0; /* also nothing has one */
    return offsets->n > 0 ? offsets->data : always ? &no_offset : NULL;
}

bool lode_graph_sink_result(const lode_graph_sink *base, lode_graph_result *out) {
    if (!base || base->kind != &memory_kind) return valid_fill(out, NULL);
    const graph_columns *c = &((const memory_sink *)base)->kept;
    lode_graph_result result = {
        .size = sizeof result,
        .n = c->supports.n,
        .supports = c->supports.data,
        .vertex_offsets = offsets_or_none(&c->offsets[OFFSETS_VERTICES], true),
        .vertex_labels = c->lists[LIST_VERTEX_LABELS].data,
        .edge_offsets = offsets_or_none(&c->offsets[OFFSETS_EDGES], true),
        .from = c->lists[LIST_FROM].data,
        .to = c->lists[LIST_TO].data,
        .edge_labels = c->lists[LIST_EDGE_LABELS].data,
        .supporter_offsets = offsets_or_none(&c->offsets[OFFSETS_SUPPORTERS], false),
        .supporters = c->lists[LIST_SUPPORTERS].data,
        .embedding_offsets = offsets_or_none(&c->offsets[OFFSETS_EMBEDDINGS], false),
        .embedded_in = c->lists[LIST_EMBEDDED_IN].data,
        .place_offsets = offsets_or_none(&c->offsets[OFFSETS_PLACES], false),
        .embeddings = c->lists[LIST_EMBEDDINGS].data,
    };
    return valid_fill(out, &result);
}
