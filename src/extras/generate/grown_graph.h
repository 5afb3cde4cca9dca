/* grown_graph.h - a labelled graph that grows by vertices and edges, and its text
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_GENERATE_GROWN_GRAPH_H
#define LODE_EXTRAS_GENERATE_GROWN_GRAPH_H

#include "base/vec.h"
#include "extras/generate/draw.h"
#include "extras/generate/number_sets.h"

typedef struct grown_edge {
    uint32_t from, to, label;
} grown_edge;

/* A graph. To empty it for the next one, set labels.n and n_edges to zero. */
typedef struct grown_graph {
    vec_u32 labels; /* of its vertices */
    grown_edge *edges;
    size_t n_edges, cap;
} grown_graph;

void grown_free(grown_graph *g, mem *m);

/* Adds a vertex, and sets *vertex to its number. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status grown_vertex(grown_graph *g, mem *m, uint32_t label, uint32_t *vertex);
/* Adds an edge between two vertices. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status grown_add(grown_graph *g, mem *m, grown_edge e);
/* Whether there is an edge between u and v. Compares with every edge, so it is for small graphs. */
bool grown_has(const grown_graph *g, uint32_t u, uint32_t v);

/* How labels are written: by these names, or, where NULL, as numbers. */
typedef struct grown_names {
    const char *const *vertices, *const *edges;
} grown_names;

/* Appends the graph in lines "t # number", "v vertex label", "e from to label". Errors: NOMEM,
 * BUDGET. */
LODE_NODISCARD lode_status grown_write(const grown_graph *g, mem *m, uint64_t number,
                                       grown_names names, vec_char *text);

/* ---- a pool of kinds of edges: the only combinations of labels that graphs may have ---------- */

/* A kind is an edge with the labels of its two ends. Kinds are distinct, drawn by the weights of
 * the labels, and have exponential weights themselves.
 *
 *     kinds      0: A-x-B   1: B-y-C   2: A-x-D
 *     at label   A: 0 2     B: 0 1     C: 1     D: 2 */

typedef struct edge_kind {
    uint32_t low, high; /* labels of the ends, low <= high */
    uint32_t label;
} edge_kind;

typedef struct edge_kinds {
    mem *mem;
    edge_kind *kinds;
    uint32_t n, n_vertex_labels;
    draw_table choice; /* draws a kind by weight */
    uint32_t *starts;  /* the kinds with label l are at[starts[l]] … at[starts[l + 1] - 1] */
    uint32_t *at;
} edge_kinds;

/* The number of possible kinds. */
static inline uint64_t edge_kinds_possible(uint64_t n_vertex_labels, uint64_t n_edge_labels) {
    return n_vertex_labels * (n_vertex_labels + 1) / 2 * n_edge_labels;
}

/* Draws n different kinds. n must be at most edge_kinds_possible(). Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status edge_kinds_make(edge_kinds *k, mem *m, uint32_t n,
                                           const draw_table *vertex_labels,
                                           const draw_table *edge_labels, rng *r);
void edge_kinds_free(edge_kinds *k);

/* Whether one of the ends has this label. */
static inline bool edge_kind_is_at(edge_kind k, uint32_t vertex_label) {
    return k.low == vertex_label || k.high == vertex_label;
}

/* The label of the other end. */
static inline uint32_t edge_kind_other(edge_kind k, uint32_t vertex_label) {
    return k.low == vertex_label ? k.high : k.low;
}

#endif
