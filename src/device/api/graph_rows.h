/* graph_rows.h - extends a row of an occurrence matrix; the CPU and the GPU run the same code
 *
 * A row is one occurrence of a pattern (graph_shapes.h). Included by C and by CUDA C++.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_API_GRAPH_ROWS_H
#define LODE_DEVICE_API_GRAPH_ROWS_H

#include <stdbool.h>

#include "device/api/graph_shapes.h"

#ifdef __CUDACC__
#define GRAPH_ROWS_INLINE static __host__ __device__ __forceinline__
#else
#define GRAPH_ROWS_INLINE static inline
#endif
#ifdef __CUDA_ARCH__
#define GRAPH_ROWS_LOAD(pointer) __ldg(pointer) /* through the read-only cache */
#else
#define GRAPH_ROWS_LOAD(pointer) (*(pointer))
#endif

/* A row of a matrix. */
typedef struct backend_row {
    const uint32_t *at; /* its entry in the first column */
    uint32_t stride, n; /* entries from one column to the next; number of columns */
} backend_row;

/* The vertex that a row has in a column. */
GRAPH_ROWS_INLINE uint32_t backend_row_vertex(backend_row r, uint32_t column) {
    return GRAPH_ROWS_LOAD(r.at + (size_t)column * r.stride);
}

/* The first column in which a row has this vertex; r.n if there is none. */
GRAPH_ROWS_INLINE uint32_t backend_row_find(backend_row r, uint32_t vertex) {
    uint32_t c = 0;
    while (c < r.n && backend_row_vertex(r, c) != vertex) c++;
    return c;
}

/* Whether the candidate can extend the row by a half-edge of its type that leads to vertex `to`. */
GRAPH_ROWS_INLINE bool backend_row_takes(backend_row r, const backend_candidate *c, uint32_t to) {
    if (c->target != BACKEND_GRAPH_NEW) return to == backend_row_vertex(r, c->target);
    if (c->above != BACKEND_GRAPH_NONE && to <= backend_row_vertex(r, c->above)) return false;
    return backend_row_find(r, to) == r.n;
}

/* The slot, within the node x, for the extension by the half-edge h of the row's newest vertex;
 * BACKEND_GRAPH_NONE if h is no extension. `path` has the x->n_path columns of the node's path. */
GRAPH_ROWS_INLINE uint32_t backend_row_slot(backend_row r, const backend_graphs *g,
                                            const backend_node *x, const uint16_t *path,
                                            backend_half h) {
    if (h.type < x->least_type) return BACKEND_GRAPH_NONE;
    uint32_t at = backend_row_find(r, h.to), i = 1, first = x->n_candidates;
    if (at == r.n) {
        return x->n_fresh > 0 ? first + GRAPH_ROWS_LOAD(g->from_rank + h.type) : BACKEND_GRAPH_NONE;
    }
    while (i < x->n_path && path[i] != at) i++;
    if (i == x->n_path || (i == 1 && h.type == x->parent_type)) return BACKEND_GRAPH_NONE;
    return first + x->n_fresh + i * g->pair_width + GRAPH_ROWS_LOAD(g->pair_rank + h.type);
}

/* The number of slots of a node. */
GRAPH_ROWS_INLINE uint32_t backend_node_slots(const backend_node *x, uint32_t pair_width) {
    return x->n_candidates + x->n_fresh + x->n_path * pair_width;
}

/* Writes row number `at` of a child: a copy of row r of its parent node and, if the candidate adds
 * a vertex, the vertex `to`. */
GRAPH_ROWS_INLINE void backend_child_write(const backend_child *c, uint32_t at, backend_row r,
                                           uint32_t to) {
    uint32_t *out = c->rows + at;
    for (uint32_t column = 0; column < c->n_vertices; column++) {
        out[(size_t)column * c->n_rows] = backend_row_vertex(r, column);
    }
    if (c->candidate.target == BACKEND_GRAPH_NEW) out[(size_t)c->n_vertices * c->n_rows] = to;
}

#endif
