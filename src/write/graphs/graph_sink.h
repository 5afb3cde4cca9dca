/* graph_sink.h - sinks for graph patterns: functions for miners, and the interface of a kind
 *
 * A miner's thread opens a worker, emits patterns into the worker and closes it. The worker counts
 * patterns by number of edges, and applies the limit on the number of patterns. It filters no
 * patterns: a miner must emit only patterns that were requested.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_GRAPHS_GRAPH_SINK_H
#define LODE_WRITE_GRAPHS_GRAPH_SINK_H

#include "data/graphs/graphs.h"
#include "write/core/sink.h"

struct graph_classes; /* graph_classes.h */

/* How a kind of sink handles graph patterns. */
typedef struct graph_ops {
    size_t worker_bytes; /* size of the kind's worker, which starts with a graph_worker */
    LODE_NODISCARD lode_status (*emit)(sink_worker *worker, const lode_graph_pattern *p);
    /* Passes on the patterns that the worker holds, and frees its memory, even after a failure.
     * NULL = it holds nothing. */
    LODE_NODISCARD lode_status (*close)(sink_worker *worker);
} graph_ops;

/* The common part of workers for graph patterns. */
typedef struct graph_worker {
    sink_worker base;
    const graph_ops *ops;     /* without `emit`, the sink only counts */
    vec_u32 outside;          /* the labels of a pattern, as the program's numbers */
    lode_graph outside_graph; /* the pattern with these labels */
} graph_worker;

/* The job calls it to announce that patterns of `data` will come. */
void graph_sink_meet(lode_sink *sink, const lode_graphs *data);

/* Opens a worker for a miner. A worker belongs to one thread, and must be closed with
 * sink_close_worker(). */
LODE_NODISCARD lode_status graph_sink_open_worker(lode_sink *sink, sink_worker **out);
/* Emits a pattern into a worker. */
LODE_NODISCARD lode_status graph_sink_emit(sink_worker *worker, const lode_graph_pattern *p);

/* For kinds that pass patterns to the program: lends the pattern with labels as in lode.h until the
 * next call. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status graph_sink_translate(sink_worker *worker, const lode_graph_pattern *p,
                                                lode_graph_pattern *out);

/* Makes a sink that keeps the K patterns with the highest supports, including all ties with the
 * K-th, and raises the threshold of the job. */
LODE_NODISCARD lode_status graph_sink_top(lode_job *job, lode_sink **out, uint64_t k);
/* Tells a memory sink which classes its patterns will have, for columns that compare them. */
void graph_sink_take_classes(lode_sink *sink, const struct graph_classes *classes);
/* Sends the patterns of a top sink to another sink, ordered by support, or in no particular order
 * if memory is short. */
LODE_NODISCARD lode_status graph_sink_replay(lode_sink *top, lode_sink *to);

#endif
