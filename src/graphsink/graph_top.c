/* graph_top.c - the K patterns of highest support
 *
 * Patterns are kept as they come. When there are twice as many as needed, those below the K-th
 * are dropped, and, in a search for them, its threshold rises to that support.
 *
 * SPDX-License-Identifier: Apache-2.0 */

#include "graphsink/graph_sink.h"

#define TOP_SLACK 1024

/* A pattern in one block of memory: the lists follow the record. */
typedef struct top_record {
    lode_graph_pattern p;
    lode_graph graph; /* of p */
    size_t bytes;
} top_record;

typedef struct top_sink {
    lode_graph_sink base;
    uint64_t k;
    bool task;   /* keep ties, raise the threshold */
    size_t best; /* how many were left when others were dropped last: ties may be many */
    top_record **records;
    size_t n, cap;
    uint64_t bytes; /* of the records */
} top_sink;

static size_t list_bytes(const void *list, uint64_t n) {
    return list ? (size_t)n * sizeof(uint32_t) : 0;
}

static const uint32_t *copy_list(char **to, const uint32_t *list, uint64_t n) {
    if (!list) return NULL;
    char *start = *to;
    if (n > 0) memcpy(start, list, list_bytes(list, n));
    *to += list_bytes(list, n);
    return (const uint32_t *)(void *)start;
}

static lode_status make_record(mem *m, const lode_graph_pattern *p, top_record **out) {
    const lode_graph *g = p->graph;
    uint64_t n_places = p->n_embeddings * g->n_vertices;
    size_t bytes = sizeof(top_record) + list_bytes(g->vertex_labels, g->n_vertices) +
                   list_bytes(g->from, g->n_edges) + list_bytes(g->to, g->n_edges) +
                   list_bytes(g->edge_labels, g->n_edges) + list_bytes(p->supporters, p->support) +
                   list_bytes(p->embedded_in, p->n_embeddings) +
                   list_bytes(p->embeddings, n_places);
    top_record *r = NULL;
    lode_status status = mem_resize(m, (void **)&r, 0, bytes);
    if (status != LODE_OK) return status;
    *r = (top_record){.p = *p, .graph = *g, .bytes = bytes};
    char *to = (char *)(r + 1);
    r->p.graph = &r->graph;
    r->graph.vertex_labels = copy_list(&to, g->vertex_labels, g->n_vertices);
    r->graph.from = copy_list(&to, g->from, g->n_edges);
    r->graph.to = copy_list(&to, g->to, g->n_edges);
    r->graph.edge_labels = copy_list(&to, g->edge_labels, g->n_edges);
    r->p.supporters = copy_list(&to, p->supporters, p->support);
    r->p.embedded_in = copy_list(&to, p->embedded_in, p->n_embeddings);
    r->p.embeddings = copy_list(&to, p->embeddings, n_places);
    *out = r;
    return LODE_OK;
}

static bool record_before(top_record *const *x, top_record *const *y) {
    return graph_pattern_before(&(*x)->p, &(*y)->p);
}

#define SORT_NAME   sort_records
#define SORT_TYPE   top_record *
#define SORT_BEFORE record_before
#include "base/sort_body.h"

/* Sorts, and drops what is not among the best. If the sort is ended, nothing is dropped. */
static void top_trim(top_sink *sink, const sort_stop *stop) {
    mem *m = &sink->base.job->mem;
    if (!sort_records(sink->records, sink->n, stop) || sink->n <= sink->k) return;
    uint64_t least = sink->records[sink->k - 1]->p.support;
    while (sink->n > sink->k && (!sink->task || sink->records[sink->n - 1]->p.support < least)) {
        top_record *r = sink->records[--sink->n];
        sink->bytes -= r->bytes;
        mem_free(m, r, r->bytes);
    }
    sink->best = sink->n;
    if (sink->task) lode_job_raise_threshold(sink->base.job, least);
}

void graph_sink_settle(lode_graph_sink *top) {
    top_trim((top_sink *)top, NULL);
}

const lode_graph_pattern *graph_sink_best(const lode_graph_sink *top, uint64_t i) {
    const top_sink *sink = (const top_sink *)top;
    return i < sink->n ? &sink->records[i]->p : NULL;
}

uint64_t graph_sink_held_bytes(const lode_graph_sink *top) {
    return ((const top_sink *)top)->bytes;
}

static lode_status top_emit(graph_sink_worker *worker, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    top_sink *sink = (top_sink *)worker->sink;
    mem *m = &sink->base.job->mem;
    top_record *r = NULL;
    pthread_mutex_lock(&sink->base.lock);
    LODE_TRY(make_record(m, p, &r));
    if (sink->n == sink->cap) {
        LODE_TRY(
            vec_grow(m, (void **)&sink->records, sink->n, &sink->cap, 1, sizeof *sink->records));
    }
    sink->records[sink->n++] = r;
    sink->bytes += r->bytes;
    r = NULL;
    size_t most = sink->best > sink->k ? sink->best : (size_t)sink->k;
    sort_stop stop = job_sort_stop(sink->base.job);
    if (sink->n / 2 >= most && sink->n - most >= TOP_SLACK) top_trim(sink, &stop);
done:
    pthread_mutex_unlock(&sink->base.lock);
    if (r) mem_free(m, r, r->bytes);
    return status;
}

static void top_free(lode_graph_sink *base) {
    top_sink *sink = (top_sink *)base;
    mem *m = &base->job->mem;
    for (size_t i = 0; i < sink->n; i++) mem_free(m, sink->records[i], sink->records[i]->bytes);
    mem_free(m, sink->records, sink->cap * sizeof *sink->records);
}

static const graph_sink_kind top_kind = {
    .worker_bytes = sizeof(graph_sink_worker),
    .emit = top_emit,
    .free = top_free,
    .bytes = sizeof(top_sink),
};

lode_status graph_sink_top(lode_job *job, lode_graph_sink **out, uint64_t k, bool task) {
    lode_graph_sink *base = NULL;
    lode_status status = graph_sink_create(job, &top_kind, &base);
    if (status != LODE_OK) return status;
    ((top_sink *)base)->k = k;
    ((top_sink *)base)->task = task;
    *out = base;
    return LODE_OK;
}

lode_status graph_sink_replay(lode_graph_sink *base, lode_graph_sink *to) {
    lode_status status = LODE_OK;
    top_sink *sink = (top_sink *)base;
    graph_sink_worker *worker = NULL;
    top_trim(sink, NULL);
    LODE_TRY(graph_sink_open_worker(to, &worker));
    for (size_t i = 0; i < sink->n; i++) LODE_TRY(graph_sink_emit(worker, &sink->records[i]->p));
done:;
    lode_status closed = graph_sink_close_worker(worker);
    return status != LODE_OK ? status : closed;
}
