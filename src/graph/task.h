/* task.h - what a graph miner is, and the task that it runs
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPH_TASK_H
#define LODE_GRAPH_TASK_H

#include "backend/backend.h"
#include "graphdata/graphs.h"
#include "graphsink/graph_sink.h"

typedef struct graph_task {
    lode_job *job;
    const lode_graphs *data;
    const lode_graph_options *options; /* checked; the maxima are UINT32_MAX where they were 0 */
    uint64_t min_count; /* the threshold at the start; job_threshold() may rise above */
    lode_graph_sink *sink;
    engine_report *report;
    const backend_slot *slot; /* where it runs; of the CPU unless the engine can use others */
} graph_task;

typedef struct graph_engine {
    const char *name;
    const char *summary;
    bool oracle;  /* right and slow: never chosen by `auto` */
    bool ranges;  /* knows root_first and root_end */
    bool devices; /* runs on whatever has operations on graphs (backend/graph_ops.h) */
    LODE_NODISCARD lode_status (*run)(graph_task *task);
} graph_engine;

extern const graph_engine graph_engine_graft, graph_engine_gspan, graph_engine_brute;
extern const graph_engine graph_engine_frontier, graph_engine_pgm;

/* Whether a pattern of this size is to be reported. */
static inline bool graph_task_wants(const lode_graph_options *o, uint32_t n_vertices,
                                    uint32_t n_edges) {
    return n_edges >= o->min_edges && n_edges <= o->max_edges && n_vertices >= o->min_vertices &&
           n_vertices <= o->max_vertices;
}

#endif
