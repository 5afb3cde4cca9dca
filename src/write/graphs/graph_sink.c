/* graph_sink.c - see graph_sink.h; and the sink that calls a function of the program
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/graphs/graph_sink.h"

#include "runtime/valid.h"

#define GRAPH_REPORT_EVERY 256 /* patterns between updates of the shared progress count */

void graph_sink_meet(lode_sink *sink, const lode_graphs *data) {
    sink_set_data(sink, data);
}

/* ---- labels --------------------------------------------------------------------------------- */

/* Appends labels as numbers, and returns where; the ids themselves if they are the numbers. */
static const uint32_t *put_numbers(const graph_numbers *numbers, const uint32_t *ids, uint32_t n,
                                   vec_u32 *to) {
    if (numbers->of_id.n == 0) return ids;
    const uint32_t *start = to->data + to->n;
    for (uint32_t i = 0; i < n; i++) to->data[to->n++] = numbers->of_id.data[ids[i]];
    return start;
}

lode_status graph_sink_translate(sink_worker *worker, const lode_graph_pattern *p,
                                 lode_graph_pattern *out) {
    graph_worker *w = (graph_worker *)worker;
    const lode_graphs *data = worker->sink->mined;
    const lode_graph *g = p->graph;
    vec_u32 *to = &w->outside;
    lode_graph *graph = &w->outside_graph;
    *graph = *g;
    graph->size = sizeof *graph;
    *out = *p;
    out->size = sizeof *out;
    out->graph = graph;
    if (!data || (data->vertex_numbers.of_id.n == 0 && data->edge_numbers.of_id.n == 0)) {
        return LODE_OK;
    }
    to->n = 0;
    lode_status status =
        vec_u32_reserve(&worker->sink->job->mem, to, (size_t)g->n_vertices + g->n_edges);
    if (status != LODE_OK) return status;
    graph->vertex_labels = put_numbers(&data->vertex_numbers, g->vertex_labels, g->n_vertices, to);
    graph->edge_labels = put_numbers(&data->edge_numbers, g->edge_labels, g->n_edges, to);
    return LODE_OK;
}

/* ---- workers -------------------------------------------------------------------------------- */

static lode_status graph_worker_close(sink_worker *worker) {
    graph_worker *w = (graph_worker *)worker;
    lode_status status = w->ops->close ? w->ops->close(worker) : LODE_OK;
    vec_u32_free(&worker->sink->job->mem, &w->outside);
    return status;
}

lode_status graph_sink_open_worker(lode_sink *sink, sink_worker **out) {
    static const graph_ops only_count = {.worker_bytes = sizeof(graph_worker)};
    const graph_ops *ops = sink->kind->graphs ? sink->kind->graphs : &only_count;
    lode_status status = sink_worker_create(sink, ops->worker_bytes, out);
    if (status != LODE_OK) return status;
    (*out)->close = graph_worker_close;
    ((graph_worker *)*out)->ops = ops;
    return LODE_OK;
}

lode_status graph_sink_emit(sink_worker *worker, const lode_graph_pattern *p) {
    const graph_ops *ops = ((graph_worker *)worker)->ops;
    lode_sink *sink = worker->sink;
    lode_status status = LODE_OK;
    uint32_t n_vertices = p->graph->n_vertices;
    LODE_REQUIRE(sink->job, p->support > 0 && n_vertices > 0 && n_vertices - 1 <= p->graph->n_edges,
                 "a pattern that occurs nowhere, or is not connected, was found");
    if (sink_take_room(sink, 1) == 0) {
        job_halt(sink->job, JOB_LIMIT_PATTERNS);
        return LODE_STOPPED;
    }
    LODE_TRY(sink_count_patterns(worker, p->graph->n_edges, 1));
    if (ops->emit) LODE_TRY(ops->emit(worker, p));
    if (!sink->nested) sink_progress(worker, 1, GRAPH_REPORT_EVERY);
done:
    return status;
}

/* ---- calling -------------------------------------------------------------------------------- */

typedef struct graph_callback {
    lode_sink base;
    lode_graph_fn function;
    void *user;
} graph_callback;

static lode_status graph_callback_emit(sink_worker *worker, const lode_graph_pattern *p) {
    graph_callback *sink = (graph_callback *)worker->sink;
    lode_graph_pattern outside;
    lode_status status = graph_sink_translate(worker, p, &outside);
    if (status != LODE_OK) return status;
    pthread_mutex_lock(&sink->base.lock);
    bool stop = job_sink_stops(sink->base.job) || sink->function(sink->user, &outside) != 0;
    status = sink_called(&sink->base, stop);
    pthread_mutex_unlock(&sink->base.lock);
    return status;
}

static const graph_ops callback_graphs = {
    .worker_bytes = sizeof(graph_worker),
    .emit = graph_callback_emit,
};

static const sink_kind graph_callback_kind = {
    .bytes = sizeof(graph_callback),
    .graphs = &callback_graphs,
};

lode_status lode_graph_sink_callback(lode_job *job, lode_sink **out, lode_graph_fn function,
                                     void *user) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(function));
    lode_sink *sink = NULL;
    lode_status status = sink_create(job, &graph_callback_kind, &sink);
    if (status != LODE_OK) return job_explain(job, status, "creating a sink");
    ((graph_callback *)sink)->function = function;
    ((graph_callback *)sink)->user = user;
    *out = sink;
    return LODE_OK;
}
