/* graph_shapes.h - the arrays that devices and the miners of subgraphs exchange
 *
 * A node is a pattern with its occurrences as a matrix in device memory: a column for each vertex
 * of the pattern, a row for each occurrence, rows in ascending order of graphs. One more column
 * numbers the graphs in which it occurs, so that a set of graphs is a short bit set:
 *
 *     column     0    1    2     segs            columns are n_rows long and contiguous;
 *     row 0      a    b    c      7              segs[row] - segs[0] is the number of the graph
 *     row 1      a    d    c      7              among those of the node
 *     row 2      x    y    z      8
 *
 * extend finds all extensions of each row by one edge, in two ways:
 *     candidates   at a known vertex, by an edge of a known type, to a new or to a known vertex
 *     newest       at the newest vertex, by any edge: to new vertices, and to those of the path
 * Every possible extension has a slot: its number of rows, its support, its bit set.
 * build writes the matrices of selected extensions.
 *
 * This header is included by C and by CUDA C++, so it includes nothing else of lode.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_API_GRAPH_SHAPES_H
#define LODE_DEVICE_API_GRAPH_SHAPES_H

#include <stddef.h>
#include <stdint.h>

#define BACKEND_GRAPH_TILE  128u /* rows processed by a thread block of a GPU */
#define BACKEND_GRAPH_NONE  UINT32_MAX
#define BACKEND_GRAPH_NEW   UINT16_MAX /* target: a vertex that the row does not have */
#define BACKEND_GRAPH_LANES 2          /* batches of extend() that may run at the same time */

/* Half an edge, seen from one end. */
typedef struct backend_half {
    uint32_t to, type;
} backend_half;

/* All graphs: vertices are numbered consecutively, the half-edges of each are sorted by type. */
typedef struct backend_graphs {
    uint32_t n_vertices, n_types;
    uint32_t n_half;
    uint32_t pair_width;     /* exceeds every pair_rank */
    const uint32_t *offsets; /* n_vertices + 1, into half */
    const backend_half *half;
    const uint32_t *graph_of;  /* by vertex */
    const uint32_t *from_rank; /* by type: its number among the types with the same first label */
    const uint32_t *pair_rank; /* by type: its number among types with the same two labels */
} backend_graphs;

typedef struct backend_candidate {
    uint16_t position; /* column where the edge begins */
    uint16_t target;   /* column where it ends, or BACKEND_GRAPH_NEW */
    uint32_t type;
    uint32_t above; /* a new vertex must exceed that of this column; BACKEND_GRAPH_NONE = any */
} backend_candidate;

/* Slots of a node, from first_slot on: one for each candidate; n_fresh for edges from the newest
 * vertex to new ones, by from_rank; pair_width for each vertex of the path, for edges from the
 * newest vertex to it, by pair_rank. The first path vertex is the newest itself. An edge to the
 * second one is not an extension if it has the type `parent_type`: the row already has that edge.
 * The bit set of a slot has ceil(n_segs / 32) words; those of a node are contiguous, from
 * first_word on. */
typedef struct backend_node {
    const uint32_t *rows, *segs; /* on the device */
    uint64_t first_word;
    uint32_t n_rows, n_segs, n_vertices;
    uint32_t first_tile; /* tiles of all nodes are numbered consecutively */
    uint32_t first_candidate, n_candidates;
    uint32_t first_path, n_path; /* n_path = 0: the newest vertex is not extended */
    uint32_t first_slot;
    uint32_t n_fresh;    /* 0 = no new vertices at the newest one */
    uint32_t least_type; /* edges of smaller types are ignored */
    uint32_t parent_type;
} backend_node;

typedef struct backend_graph_batch {
    const backend_node *nodes;
    const backend_candidate *candidates;
    const uint16_t *paths; /* columns: the newest vertex, its parent, … */
    uint32_t n_nodes, n_candidates, n_paths, n_tiles, n_slots;
    uint64_t n_words;
    void *work; /* on the device, backend_graph_work() bytes */
} backend_graph_batch;

/* The result of extend(); lent until the lane is used again. */
typedef struct backend_graph_found {
    const uint64_t *rows;     /* by slot */
    const uint32_t *supports; /* graphs with at least one row */
} backend_graph_found;

/* The slots of a batch, in its work memory; zero before they are counted. */
typedef struct backend_graph_slots {
    uint64_t *rows;     /* by slot */
    uint32_t *supports; /* by slot */
    uint32_t *bits;
} backend_graph_slots;

static inline backend_graph_slots backend_graph_slots_of(const backend_graph_batch *b) {
    backend_graph_slots s = {(uint64_t *)b->work, NULL, NULL};
    s.supports = (uint32_t *)(s.rows + b->n_slots);
    s.bits = s.supports + b->n_slots;
    return s;
}

static inline size_t backend_graph_work(uint32_t n_slots, uint64_t n_words) {
    return (size_t)n_slots * (sizeof(uint64_t) + sizeof(uint32_t)) +
           (size_t)n_words * sizeof(uint32_t);
}

/* A child to be built: a node with one more edge. */
typedef struct backend_child {
    const uint32_t *from; /* rows of the node */
    uint32_t *rows;       /* rows of the child: n_vertices columns, or one more, of n_rows each */
    uint32_t n_from, n_rows, n_vertices; /* n_from and n_vertices: of the node */
    uint32_t first_tile;                 /* tiles of the nodes' rows, numbered over all children */
    uint32_t first_row;                  /* sum of rows of the previous children */
    backend_candidate candidate;         /* the edge */
} backend_child;

typedef struct backend_build {
    const backend_child *children;
    uint32_t n_children, n_tiles;
    uint32_t n_rows; /* of all children; below 2^31, as is n_tiles */
    uint32_t *segs;  /* n_rows: the column segs of all children */
    void *work;      /* on the device, build_work() bytes */
} backend_build;

#endif
