/* grown_graph.h - a labelled graph that grows by vertices and edges, and its text
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_GENERATE_GROWN_GRAPH_H
#define LODE_EXTRAS_GENERATE_GROWN_GRAPH_H

#include "base/vec.h"

typedef struct grown_edge {
    uint32_t from, to, label;
} grown_edge;

/* Emptied, for the next graph, by setting labels.n and n_edges to zero. */
typedef struct grown_graph {
    vec_u32 labels; /* of its vertices */
    grown_edge *edges;
    size_t n_edges, cap;
} grown_graph;

void grown_free(grown_graph *g, mem *m);

/* Adds a vertex, and says its number. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status grown_vertex(grown_graph *g, mem *m, uint32_t label, uint32_t *vertex);
/* Adds an edge between two vertices. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status grown_add(grown_graph *g, mem *m, grown_edge e);
/* Looks at every edge: for small graphs. */
bool grown_has(const grown_graph *g, uint32_t u, uint32_t v);

/* Appends the graph in lines "t # number", "v vertex label", "e from to label". Errors: NOMEM,
 * BUDGET. */
LODE_NODISCARD lode_status grown_write(const grown_graph *g, mem *m, uint64_t number,
                                       vec_char *text);

#endif
