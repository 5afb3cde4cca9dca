/* graph_sink.h - sinks for graph patterns from inside: what a miner calls, what a kind provides
 *
 * A miner's thread opens a worker, emits patterns into it and closes it. The worker counts by
 * number of edges and keeps the limit on the number of patterns; what is shared is taken under the
 * sink's lock. Nothing is filtered here: what is emitted is wanted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHSINK_GRAPH_SINK_H
#define LODE_GRAPHSINK_GRAPH_SINK_H

#include "base/vec.h"
#include "graphdata/graphs.h"
#include "runtime/job.h"

typedef struct graph_sink_worker graph_sink_worker;

typedef struct graph_sink_kind {
    size_t worker_bytes;
    bool counts_only; /* looks at support and numbers of edges and vertices only */
    /* NULL: nothing to do. */
    LODE_NODISCARD lode_status (*emit)(graph_sink_worker *worker, const lode_graph_pattern *p);
    /* Hands over what the worker holds; also after a failure, to free it. */
    LODE_NODISCARD lode_status (*close)(graph_sink_worker *worker);
    LODE_NODISCARD lode_status (*finish)(lode_graph_sink *sink, bool partial);
    void (*free)(lode_graph_sink *sink); /* what the kind holds; NULL = nothing */
    size_t bytes;                        /* of the sink */
} graph_sink_kind;

struct lode_graph_sink {
    const graph_sink_kind *kind;
    lode_job *job;
    pthread_mutex_t lock;
    const lode_graphs *data;     /* whose labels it knows; NULL: any */
    const lode_graphs *mined;    /* whose patterns come now */
    pthread_mutex_t counts_lock; /* guards by_edges; nothing is called under it */
    vec_u64 by_edges;
    _Atomic uint64_t patterns;
    _Atomic uint64_t room;  /* patterns the limit still allows; UINT64_MAX = no limit */
    bool nested;            /* in another sink, which counts for the progress report */
    bool complete;          /* finished: nothing more can come */
    const char *path;       /* of the text, as it was given; NULL: there is none */
    bool beside;            /* a file that gets its name in the end */
    bool hashes;            /* lode_graph_sink_hash_value() is one */
    uint64_t bytes;         /* of text written */
    lode_graph_sink *inner; /* that all goes on to; NULL = none */
};

struct graph_sink_worker {
    lode_graph_sink *sink;
    vec_u64 by_edges;
    vec_u32 outside; /* labels of a pattern as the program knows them */
    lode_graph outside_graph;
    uint64_t unreported; /* patterns not yet in the job's progress count */
};

/* For kinds. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status graph_sink_create(lode_job *job, const graph_sink_kind *kind,
                                             lode_graph_sink **out);

/* For kinds that hand patterns to the program: the pattern with labels as lode.h speaks of them,
 * good until the next. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status graph_sink_translate(graph_sink_worker *worker,
                                                const lode_graph_pattern *p,
                                                lode_graph_pattern *out);

/* Whether it can take patterns of `data` in a job of `job`; INVALID says what is wrong. */
LODE_NODISCARD lode_status graph_sink_check(const lode_graph_sink *sink, lode_job *job,
                                            const lode_graphs *data);

/* For the job: patterns of `data` will come. */
void graph_sink_meet(lode_graph_sink *sink, const lode_graphs *data);
/* For the job: how many patterns are wanted; UINT64_MAX = all. */
void graph_sink_limit(lode_graph_sink *sink, uint64_t most);

/* For the job: puts what the sink has into its report, if that is about it. */
LODE_NODISCARD lode_status graph_sink_report(const lode_graph_sink *sink);

/* For miners. A worker belongs to one thread. */
LODE_NODISCARD lode_status graph_sink_open_worker(lode_graph_sink *sink, graph_sink_worker **out);
LODE_NODISCARD lode_status graph_sink_emit(graph_sink_worker *worker, const lode_graph_pattern *p);
LODE_NODISCARD lode_status graph_sink_close_worker(graph_sink_worker *worker);

/* The order of results: by support, edges, vertices, all from the highest, then by columns. Total,
 * so that it does not depend on the order of arrival. */
bool graph_pattern_before(const lode_graph_pattern *p, const lode_graph_pattern *q);

/* A memory sink that had no room for the result: what more it takes. 0 if that did not happen, or
 * for other sinks. */
uint64_t graph_sink_memory_lost(const lode_graph_sink *sink);

/* Keeps the K patterns of highest support; of equal ones the larger first. For a job: with all ties
 * of the K-th, and raises the threshold of the job. */
LODE_NODISCARD lode_status graph_sink_top(lode_job *job, lode_graph_sink **out, uint64_t k,
                                          bool task);
/* Hands them to another sink, in that order. */
LODE_NODISCARD lode_status graph_sink_replay(lode_graph_sink *top, lode_graph_sink *to);
/* Lends the i-th; NULL past the end. In order after graph_sink_settle() only. */
const lode_graph_pattern *graph_sink_best(const lode_graph_sink *top, uint64_t i);
/* Memory of what it holds. */
uint64_t graph_sink_held_bytes(const lode_graph_sink *top);
void graph_sink_settle(lode_graph_sink *top);

#endif
