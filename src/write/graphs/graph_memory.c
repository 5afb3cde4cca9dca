/* graph_memory.c - a sink that keeps graph patterns by columns, all of them or the best K
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/valid.h"
#include "write/core/held.h"
#include "write/core/sink_memory.h"
#include "write/graphs/graph_columns.h"
#include "write/graphs/graph_sink.h"

#define TOP_HAND_OVER 64 /* patterns a worker collects before the others hear of them */

typedef struct graph_memory {
    memory_sink base;
    graph_columns kept;
} graph_memory;

typedef struct memory_worker {
    graph_worker base;
    graph_columns found;
} memory_worker;

/* The order of every result is by support. */
static lode_status graph_kept_sort(mem *m, void *c, bool by_support, const sort_stop *stop) {
    (void)by_support;
    return graph_columns_sort(m, c, stop);
}

MEMORY_COLUMNS(graph_kept, graph_memory, graph_columns, graph_kept_sort);

static lode_status graph_memory_emit(sink_worker *worker, const lode_graph_pattern *p) {
    memory_worker *w = (memory_worker *)worker;
    memory_sink *sink = (memory_sink *)worker->sink;
    lode_graph_pattern outside;
    lode_status status = LODE_OK;
    if (!memory_is_over(sink)) {
        status = graph_sink_translate(worker, p, &outside);
        if (status == LODE_OK) {
            status = graph_columns_append(&worker->sink->job->mem, &w->found, &outside);
        }
        bool enough = sink->k > 0 && w->found.supports.n >= TOP_HAND_OVER;
        if (status == LODE_OK) return enough ? memory_hand_over(sink, &w->found) : LODE_OK;
    }
    return memory_lose(sink, status, &w->found, graph_columns_pattern_bytes(p));
}

static lode_status graph_memory_close(sink_worker *worker) {
    return memory_hand_over((memory_sink *)worker->sink, &((memory_worker *)worker)->found);
}

static const graph_ops memory_graphs = {
    .worker_bytes = sizeof(memory_worker),
    .emit = graph_memory_emit,
    .close = graph_memory_close,
};

static const sink_kind graph_memory_kind = {
    .bytes = sizeof(graph_memory),
    .graphs = &memory_graphs,
    .finish = memory_finish,
    .free = memory_free,
    .lost = memory_lost,
    .empty = memory_empty,
};

lode_status graph_sink_top(lode_job *job, lode_sink **out, uint64_t k) {
    return memory_create(job, &graph_memory_kind, &graph_kept, k, out);
}

lode_status graph_sink_replay(lode_sink *top, lode_sink *to) {
    lode_status status = memory_finish(top, false);
    const graph_columns *c = &((graph_memory *)top)->kept;
    sink_worker *worker = NULL;
    if (held_is_short(status) || status == LODE_CANCELLED) status = LODE_OK;
    if (status == LODE_OK) status = graph_sink_open_worker(to, &worker);
    for (size_t i = 0; i < c->supports.n && status == LODE_OK; i++) {
        lode_graph graph;
        lode_graph_pattern p = graph_columns_at(c, i, &graph);
        status = graph_sink_emit(worker, &p);
    }
    lode_status closed = sink_close_worker(worker);
    return status != LODE_OK ? status : closed;
}

lode_status lode_graph_sink_memory(lode_job *job, lode_sink **out) {
    VALID_CALL(job, VALID_NEEDS(out));
    return job_explain(job, graph_sink_top(job, out, 0), "creating a sink");
}

static const uint64_t *offsets_or_none(const vec_u64 *offsets, bool always) {
    static const uint64_t no_offset = 0; /* an empty result has one offset, too */
    return offsets->n > 0 ? offsets->data : always ? &no_offset : NULL;
}

bool lode_graph_sink_result(const lode_sink *base, lode_graph_result *out) {
    if (!base || base->kind != &graph_memory_kind) return valid_fill(out, NULL);
    const graph_columns *c = &((const graph_memory *)base)->kept;
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
