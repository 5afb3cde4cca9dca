/* graph_shapes.h - the arrays that devices and the miners of subgraphs exchange
 *
 * The graphs of the data are stored as one large graph: their vertices are numbered consecutively,
 * and each edge is stored as two half-edges, one at each end. The type of a half-edge is a number
 * that stands for three labels: of the vertex where it begins, of the edge, and of the other vertex
 * (in directed graphs, also for the direction of the edge).
 *
 * A node is a pattern with its occurrences, as a matrix in device memory: a column for each vertex
 * of the pattern, a row for each occurrence, rows in ascending order of graphs. One more column,
 * segs, numbers consecutively the graphs in which the pattern occurs, so that a set of these graphs
 * is a short bit set. Within the node, the graph of a row has the number segs[row] - segs[0]:
 *
 *     column     0    1    2     segs       each column is an array of n_rows entries, and the
 *     row 0      a    b    c      7         columns follow each other; rows 0 and 1 are in graph 0
 *     row 1      a    d    c      7         of the node, row 2 is in graph 1
 *     row 2      x    y    z      8
 *
 * extend() finds all extensions of each row by one edge, in two ways:
 *     candidates   from a known column, by an edge of a known type, to a new vertex or to a column
 *     newest       from the last column (the newest vertex), by edges of any type, to a new vertex
 *                  or to a column of the right-most path
 * Every possible extension has a slot, which receives its number of rows, its support and the bit
 * set of its graphs. build() writes the matrices of selected extensions (children).
 *
 * This header is included by C and by CUDA C++, so it includes nothing else of lode.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_API_GRAPH_SHAPES_H
#define LODE_DEVICE_API_GRAPH_SHAPES_H

#include <stddef.h>
#include <stdint.h>

#define BACKEND_GRAPH_TILE  128u /* rows of a tile, which one thread block of a GPU processes */
#define BACKEND_GRAPH_NONE  UINT32_MAX
#define BACKEND_GRAPH_NEW   UINT16_MAX /* target: a vertex that the row does not have */
#define BACKEND_GRAPH_LANES 2          /* batches of extend() that may run at the same time */

/* An edge as it is stored at one of its two vertices. */
typedef struct backend_half {
    uint32_t to, type; /* the other vertex; the type */
} backend_half;

/* All graphs. The half-edges of each vertex are sorted by type. */
typedef struct backend_graphs {
    uint32_t n_vertices, n_types;
    uint32_t n_half;         /* half-edges */
    uint32_t pair_width;     /* exceeds every pair_rank */
    const uint32_t *offsets; /* vertex v has half-edges offsets[v] … offsets[v + 1] - 1 */
    const backend_half *half;
    const uint32_t *graph_of;  /* by vertex: the number of its graph */
    const uint32_t *from_rank; /* by type: its number among the types with the same first label */
    const uint32_t *pair_rank; /* by type: its number among types with the same two vertex labels */
} backend_graphs;

/* An extension to look for: an edge of this type from a column to a column or to a new vertex. */
typedef struct backend_candidate {
    uint16_t position; /* column where the edge begins */
    uint16_t target;   /* column where it ends, or BACKEND_GRAPH_NEW */
    uint32_t type;
    uint32_t above; /* a new vertex must have a number above the vertex in this column (so that
                     * symmetric occurrences are found once); BACKEND_GRAPH_NONE = any number */
} backend_candidate;

/* A node of a batch. Its slots are numbered from first_slot on, in this order:
 *     n_candidates           one for each candidate
 *     n_fresh                edges from the newest vertex to new vertices, by from_rank
 *     n_path * pair_width    edges from the newest vertex to each vertex of the path, by pair_rank
 * The first vertex of the path is the newest vertex itself, so its pair_width slots stay empty. The
 * second vertex of the path is the parent of the newest; an edge of type `parent_type` to the
 * parent is no extension, because the row already has that edge. Every slot has a bit set of
 * ceil(n_segs / 32) words, with a bit for each graph. The bit sets of a node follow each other,
 * from word first_word of the batch on. */
typedef struct backend_node {
    const uint32_t *rows, *segs; /* its matrix and its column segs, in device memory */
    uint64_t first_word;
    uint32_t n_rows, n_segs, n_vertices; /* n_segs: graphs with an occurrence (the support) */
    uint32_t first_tile; /* its first tile; tiles are numbered consecutively over all nodes */
    uint32_t first_candidate, n_candidates; /* in `candidates` of the batch */
    uint32_t first_path, n_path; /* in `paths`; n_path = 0: the newest vertex is not extended */
    uint32_t first_slot;
    uint32_t n_fresh;    /* 0 = no edges from the newest vertex to new ones */
    uint32_t least_type; /* at the newest vertex, edges of smaller types are ignored */
    uint32_t parent_type;
} backend_node;

/* The input of extend(). The arrays are in host memory. */
typedef struct backend_graph_batch {
    const backend_node *nodes;
    const backend_candidate *candidates;
    const uint16_t *paths; /* right-most paths as columns: the newest vertex, its parent, … */
    uint32_t n_nodes, n_candidates, n_paths, n_tiles, n_slots;
    uint64_t n_words; /* of all bit sets together */
    void *work;       /* scratch device memory of backend_graph_work() bytes */
} backend_graph_batch;

/* The result of extend(), in host memory; valid until the lane is used again. */
typedef struct backend_graph_found {
    const uint64_t *rows;     /* by slot: number of occurrences of the extension */
    const uint32_t *supports; /* by slot: number of graphs with an occurrence */
} backend_graph_found;

/* Views of the work memory of a batch. extend() sets all of it to zero first. */
typedef struct backend_graph_slots {
    uint64_t *rows;     /* by slot */
    uint32_t *supports; /* by slot */
    uint32_t *bits;     /* the bit sets of all slots; see backend_node */
} backend_graph_slots;

static inline backend_graph_slots backend_graph_slots_of(const backend_graph_batch *b) {
    backend_graph_slots s = {(uint64_t *)b->work, NULL, NULL};
    s.supports = (uint32_t *)(s.rows + b->n_slots);
    s.bits = s.supports + b->n_slots;
    return s;
}

/* Bytes of work memory for slots with bit sets of n_words words in total. */
static inline size_t backend_graph_work(uint32_t n_slots, uint64_t n_words) {
    return (size_t)n_slots * (sizeof(uint64_t) + sizeof(uint32_t)) +
           (size_t)n_words * sizeof(uint32_t);
}

/* A child to be built: its parent node with one more edge. */
typedef struct backend_child {
    const uint32_t *from; /* the matrix of the parent, in device memory */
    uint32_t *rows;       /* receives the matrix of the child, with one more column if the candidate
                           * adds a vertex */
    uint32_t n_from, n_rows, n_vertices; /* rows of the parent and of the child; parent's columns */
    uint32_t first_tile; /* first tile of the parent's rows; tiles are numbered over all children */
    uint32_t first_row;  /* sum of n_rows over the previous children */
    backend_candidate candidate; /* the edge */
} backend_child;

/* The input of build(). `children` is in host memory, segs and work are in device memory. */
typedef struct backend_build {
    const backend_child *children;
    uint32_t n_children, n_tiles;
    uint32_t n_rows; /* of all children; below 2^31, as is n_tiles */
    uint32_t *segs;  /* receives the columns segs of all children: n_rows entries */
    void *work;      /* scratch memory of build_work() bytes */
} backend_build;

#endif
