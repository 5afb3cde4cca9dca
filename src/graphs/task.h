/* task.h - what all graph miners include, and which sizes of patterns they report
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_TASK_H
#define LODE_GRAPHS_TASK_H

#include "data/graphs/graphs.h"
#include "pipeline/engine/engine.h"
#include "write/graphs/graph_sink.h"

/* Whether a pattern of this size is to be reported. */
static inline bool graph_wants(const lode_graph_options *o, uint32_t n_vertices, uint32_t n_edges) {
    return n_edges >= o->min_edges && n_edges <= o->max_edges && n_vertices >= o->min_vertices &&
           n_vertices <= o->max_vertices;
}

#endif
