/* store.h - the graphs in the form for the miners: frequent edges only, typed, sorted
 *
 * A triple is (vertex label, edge label, vertex label). An edge whose triple is infrequent cannot
 * be in a frequent pattern and is left out here. Each edge is stored twice, as two half-edges, one
 * at each end. The type of a half-edge is a number for the triple and for the end at which the
 * half-edge is stored. In directed graphs, the type also tells the direction of the edge.
 *
 *     triples, rarest first   0         1           2
 *     types                   0    1    2           4    5       type / 2 = triple
 *                             C-O  O-C  C=C (same   N-C  C-N
 *                                       from both
 *                                       ends: 3 is
 *                                       not used)
 *
 * Why: types are small integers, so edges of DFS codes are compared as integers. Starting with the
  * rarest triple keeps the lists of
 *        occurrences short: the first search finds all patterns that contain this triple, and the
 *        searches from later triples skip its edges; and so on for each triple. The half-edges of a
 *        vertex are sorted by type, so the edges to skip are simply the first ones.
 * Layout: the vertices of all graphs are numbered together. The half-edges of all vertices are in
 *        one array, vertex by vertex (CSR); a half-edge is 8 bytes.
 * Shared: a store for a low threshold serves all higher ones unchanged, because the triples that
 *        are too rare for a job come first, and a search that begins after them skips their edges.
 *        So jobs share one store (prepared.h), and the store is built for a lower threshold than
 *        requested if that is cheap.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_STORE_H
#define LODE_GRAPHS_STORE_H

#include "data/graphs/graphs.h"
#include "graphs/task.h"

/* An edge as it is stored at one of its ends. */
typedef struct half_edge {
    uint32_t to;   /* the vertex at the other end */
    uint32_t type; /* as seen from this end */
} half_edge;

typedef struct edge_type {
    uint32_t from_label, edge_label, to_label;
    bool incoming; /* directed: the edge points to this end */
} edge_type;

typedef struct store {
    mem *mem;
    const lode_graphs *data;
    uint32_t n_graphs, n_vertices;
    uint32_t *graph_of; /* by vertex */
    uint32_t *offsets;  /* by vertex: where its half-edges begin; n_vertices + 1 entries */
    half_edge *half;    /* those of a vertex are sorted by type */
    size_t n_half;
    edge_type *types;  /* 2 * n_triples; the odd type of a symmetric triple is not used */
    uint32_t *reverse; /* by type: the type from the other end; the same if both ends look alike */
    uint32_t n_triples;
    uint32_t first_triple;     /* earlier triples are too rare for this job */
    uint64_t *triple_supports; /* by triple: the number of graphs that have such an edge */
    size_t *roots_at; /* by triple: where its vertices begin in `roots`; n_triples + 1 entries */
    uint32_t *roots;  /* the first vertex of each edge of the triple, ascending */
    mem_kept kept;    /* holds the roots */
    /* For induced patterns, otherwise NULL: the same arrays for all edges, including those of
     * infrequent triples, whose types are numbered after the others. */
    uint32_t *all_offsets;
    half_edge *all;
    size_t n_all;
} store;

/* Finds or builds the store for a job, and records in the report which of the two. *out is a view
 * of the store, valid until the caller passes *held to prepared_drop(). Errors: NOMEM, BUDGET,
 * CANCELLED. */
LODE_NODISCARD lode_status store_take(engine_task *task, store *out, prepared **held);
/* Builds the store for later jobs. */
LODE_NODISCARD lode_status store_prepare(engine_task *task);

static inline uint32_t store_n_types(const store *s) {
    return 2 * s->n_triples;
}

/* Index in `half` of the first half-edge of `vertex` whose type is at least `type`; the end of the
 * vertex's half-edges if there is none. */
static inline uint32_t store_first(const store *s, uint32_t vertex, uint32_t type) {
    uint32_t low = s->offsets[vertex], high = s->offsets[vertex + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->half[middle].type < type) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Index in `half` of the first half-edge of `vertex` with a triple that is frequent in the job. */
static inline uint32_t store_first_frequent(const store *s, uint32_t vertex) {
    return s->first_triple ? store_first(s, vertex, 2 * s->first_triple) : s->offsets[vertex];
}

/* Number of a vertex within its graph. */
static inline uint32_t store_local(const store *s, uint32_t vertex) {
    return vertex - (uint32_t)s->data->vertex_start.data[s->graph_of[vertex]];
}

#endif
