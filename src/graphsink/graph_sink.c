/* graph_sink.c - see graph_sink.h; the sinks that only count or call
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphsink/graph_sink.h"

#include "base/os.h"
#include "runtime/job_report.h"
#include "runtime/output.h"
#include "runtime/valid.h"

#define SINK_REPORT_EVERY 256

lode_status graph_sink_create(lode_job *job, const graph_sink_kind *kind, lode_graph_sink **out) {
    lode_graph_sink *sink = NULL;
    lode_status status = mem_zalloc(&job->mem, (void **)&sink, kind->bytes);
    if (status != LODE_OK) return status;
    sink->kind = kind;
    sink->job = job;
    atomic_init(&sink->room, UINT64_MAX);
    pthread_mutex_init(&sink->lock, NULL);
    pthread_mutex_init(&sink->counts_lock, NULL);
    *out = sink;
    return LODE_OK;
}

void lode_graph_sink_free(lode_graph_sink *sink) {
    if (!sink) return;
    mem *m = &sink->job->mem;
    if (sink->kind->free) sink->kind->free(sink);
    vec_u64_free(m, &sink->by_edges);
    pthread_mutex_destroy(&sink->lock);
    pthread_mutex_destroy(&sink->counts_lock);
    mem_free(m, sink, sink->kind->bytes);
}

lode_status lode_graph_sink_finish(lode_graph_sink *sink, bool partial) {
    if (!sink) return LODE_INVALID;
    lode_job *job = sink->job;
    lease_call call = {0};
    double start = os_seconds();
    job_clear_message(job);
    if (sink->complete) return job_fail(job, LODE_INVALID, "the sink was finished before");
    /* Who has been cancelled waits for nothing: what there is becomes a partial result. */
    lode_status status = job_is_cancelled(job) ? LODE_CANCELLED : lease_enter(job, 1, &call);
    if (status == LODE_OK || status == LODE_CANCELLED) {
        status = sink->kind->finish ? sink->kind->finish(sink, partial) : LODE_OK;
    }
    sink->complete = sink->kind->finish && status == LODE_OK;
    status = output_settle(job, status);
    if (status == LODE_OK || status == LODE_CANCELLED) {
        lode_status reported = graph_sink_report(sink);
        if (status == LODE_OK) status = reported;
    }
    job_explain(job, status, "finishing the output");
    lease_leave(&call);
    return job_report_end_finish(job, sink, start, partial, status);
}

lode_status graph_sink_report(const lode_graph_sink *sink) {
    const lode_graph_sink *last = sink;
    while (last->inner) last = last->inner;
    report_result result = {
        .patterns = lode_graph_sink_patterns(sink),
        .text_bytes = last->bytes,
        .hashed = last->hashes,
        .hash = lode_graph_sink_hash_value(last),
        .path = last->path,
        .temporary = last->beside,
    };
    return job_report_result(sink->job, sink, &result, sink->by_edges.data, sink->by_edges.n);
}

lode_status graph_sink_check(const lode_graph_sink *sink, lode_job *job, const lode_graphs *data) {
    const char *wrong = NULL;
    if (sink->complete) wrong = "the sink was finished before";
    if (sink->job != job) wrong = "the sink belongs to another job";
    if (sink->data && sink->data != data) wrong = "the sink was made for another data set";
    return wrong ? job_fail(job, LODE_INVALID, "%s", wrong) : LODE_OK;
}

void graph_sink_meet(lode_graph_sink *sink, const lode_graphs *data) {
    sink->mined = data;
}

/* Writes labels as numbers; none are there for ids that are the numbers. */
static const uint32_t *put_numbers(const graph_numbers *numbers, const uint32_t *ids, uint32_t n,
                                   vec_u32 *to) {
    if (numbers->of_id.n == 0) return ids;
    const uint32_t *start = to->data + to->n;
    for (uint32_t i = 0; i < n; i++) to->data[to->n++] = numbers->of_id.data[ids[i]];
    return start;
}

lode_status graph_sink_translate(graph_sink_worker *worker, const lode_graph_pattern *p,
                                 lode_graph_pattern *out) {
    const lode_graphs *data = worker->sink->mined;
    const lode_graph *g = p->graph;
    vec_u32 *to = &worker->outside;
    lode_graph *graph = &worker->outside_graph;
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

void graph_sink_limit(lode_graph_sink *sink, uint64_t most) {
    atomic_store(&sink->room, most);
}

lode_status graph_sink_open_worker(lode_graph_sink *sink, graph_sink_worker **out) {
    graph_sink_worker *worker = NULL;
    lode_status status = mem_zalloc(&sink->job->mem, (void **)&worker, sink->kind->worker_bytes);
    if (status != LODE_OK) return status;
    worker->sink = sink;
    *out = worker;
    return LODE_OK;
}

static lode_status add_counts(mem *m, vec_u64 *to, size_t edges, uint64_t n) {
    if (to->n <= edges) {
        lode_status status = vec_u64_reserve(m, to, edges + 1 - to->n);
        if (status != LODE_OK) return status;
        while (to->n <= edges) to->data[to->n++] = 0;
    }
    to->data[edges] += n;
    return LODE_OK;
}

/* Takes one of the patterns that the limit allows; false if there is none left. */
static bool take_room(lode_graph_sink *sink) {
    uint64_t room = atomic_load_explicit(&sink->room, memory_order_relaxed);
    if (room == UINT64_MAX) return true;
    while (room > 0 && !atomic_compare_exchange_weak(&sink->room, &room, room - 1)) {
    }
    return room > 0;
}

lode_status graph_sink_emit(graph_sink_worker *worker, const lode_graph_pattern *p) {
    lode_graph_sink *sink = worker->sink;
    lode_job *job = sink->job;
    lode_status status = LODE_OK;
    uint32_t n_vertices = p->graph->n_vertices;
    LODE_REQUIRE(job, p->support > 0 && n_vertices > 0 && n_vertices - 1 <= p->graph->n_edges,
                 "a pattern that occurs nowhere, or is not connected, was found");
    if (!take_room(sink)) {
        job_halt(job, JOB_LIMIT_PATTERNS);
        return LODE_STOPPED;
    }
    status = add_counts(&job->mem, &worker->by_edges, p->graph->n_edges, 1);
    if (status == LODE_OK && sink->kind->emit) status = sink->kind->emit(worker, p);
    if (status == LODE_OK && !sink->nested && ++worker->unreported == SINK_REPORT_EVERY) {
        atomic_fetch_add_explicit(&job->at.patterns, worker->unreported, memory_order_relaxed);
        worker->unreported = 0;
    }
done:
    return status;
}

lode_status graph_sink_close_worker(graph_sink_worker *worker) {
    if (!worker) return LODE_OK;
    lode_graph_sink *sink = worker->sink;
    mem *m = &sink->job->mem;
    lode_status status = sink->kind->close ? sink->kind->close(worker) : LODE_OK;
    pthread_mutex_lock(&sink->counts_lock);
    for (size_t k = 0; k < worker->by_edges.n; k++) {
        lode_status added = add_counts(m, &sink->by_edges, k, worker->by_edges.data[k]);
        if (status == LODE_OK) status = added;
        atomic_fetch_add(&sink->patterns, worker->by_edges.data[k]);
    }
    pthread_mutex_unlock(&sink->counts_lock);
    atomic_fetch_add_explicit(&sink->job->at.patterns, worker->unreported, memory_order_relaxed);
    vec_u64_free(m, &worker->by_edges);
    vec_u32_free(m, &worker->outside);
    mem_free(m, worker, sink->kind->worker_bytes);
    return status;
}

uint64_t lode_graph_sink_patterns(const lode_graph_sink *sink) {
    return sink ? atomic_load(&sink->patterns) : 0;
}

/* A sink is const for those who only look; its lock is not part of what they see. */
static pthread_mutex_t *counts_lock(const lode_graph_sink *sink) {
    return (pthread_mutex_t *)&sink->counts_lock;
}

uint64_t lode_graph_sink_patterns_of_size(const lode_graph_sink *sink, uint32_t edges) {
    if (!sink) return 0;
    pthread_mutex_lock(counts_lock(sink));
    uint64_t n = edges < sink->by_edges.n ? sink->by_edges.data[edges] : 0;
    pthread_mutex_unlock(counts_lock(sink));
    return n;
}

uint32_t lode_graph_sink_largest(const lode_graph_sink *sink) {
    if (!sink) return 0;
    pthread_mutex_lock(counts_lock(sink));
    size_t n = sink->by_edges.n;
    while (n > 0 && sink->by_edges.data[n - 1] == 0) n--;
    pthread_mutex_unlock(counts_lock(sink));
    return n > 0 ? (uint32_t)(n - 1) : 0;
}

/* ---- counting ------------------------------------------------------------------------------- */

static const graph_sink_kind count_kind = {
    .worker_bytes = sizeof(graph_sink_worker),
    .counts_only = true,
    .bytes = sizeof(lode_graph_sink),
};

lode_status lode_graph_sink_count(lode_job *job, lode_graph_sink **out) {
    VALID_CALL(job, VALID_NEEDS(out));
    return job_explain(job, graph_sink_create(job, &count_kind, out), "opening the output");
}

/* ---- calling -------------------------------------------------------------------------------- */

typedef struct call_sink {
    lode_graph_sink base;
    lode_graph_fn function;
    void *user;
} call_sink;

static lode_status call_emit(graph_sink_worker *worker, const lode_graph_pattern *p) {
    call_sink *sink = (call_sink *)worker->sink;
    lode_graph_pattern outside;
    lode_status status = graph_sink_translate(worker, p, &outside);
    if (status != LODE_OK) return status;
    pthread_mutex_lock(&sink->base.lock);
    bool stop = job_sink_stops(sink->base.job) || sink->function(sink->user, &outside) != 0;
    if (stop) job_halt(sink->base.job, JOB_SINK_STOPS);
    pthread_mutex_unlock(&sink->base.lock);
    return stop ? LODE_STOPPED : LODE_OK;
}

static const graph_sink_kind call_kind = {
    .worker_bytes = sizeof(graph_sink_worker),
    .emit = call_emit,
    .bytes = sizeof(call_sink),
};

lode_status lode_graph_sink_callback(lode_job *job, lode_graph_sink **out, lode_graph_fn function,
                                     void *user) {
    lode_graph_sink *base = NULL;
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(function));
    lode_status status = graph_sink_create(job, &call_kind, &base);
    if (status != LODE_OK) return job_explain(job, status, "opening the output");
    ((call_sink *)base)->function = function;
    ((call_sink *)base)->user = user;
    *out = base;
    return LODE_OK;
}
