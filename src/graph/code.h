/* code.h - DFS codes: a pattern as a list of edges, and whether that list is the smallest one
 *
 * A code lists the edges in the order of a depth-first walk that numbers the vertices as it meets
 * them. A forward edge (i, j), i < j, leads to the new vertex j from a vertex i of the right-most
 * path; a backward edge (i, j), i > j, closes a cycle from the right-most vertex i.
 *
 *        0                 0-1 a   1-2 b   2-0 c   1-3 b
 *      a |  \ c            right-most path now: 0 1 3
 *        1 - 2
 *      b |  b
 *        3
 *
 * Order: at the first difference, backward comes before forward; of two backward edges the one to
 * the earlier vertex, of two forward edges the one from the later vertex; then the smaller type
 * (store.h). The smallest code of a graph is its canonical form, and every prefix of a smallest
 * code is one. Any total order of types will do. Two arrows between the same vertices are two
 * edges; the second one is a backward edge, even to the parent.
 *
 * Test:  walks all traversals that agree with the code so far, one after the other, and stops at
 *        the first that is smaller. Leaves that look alike are tried once. The walk keeps a list of
 *        its steps: a code may have thousands of edges, and threads have small stacks.
 * Time:  a code of n edges takes n steps from each edge that can begin a traversal, and far more if
 *        it has many symmetries that are not leaves, as cliques have; so walks look from time to
 *        time at whether the job is to end.
 * Load:  codes of 1 .. 60 edges, 10^3 .. 10^8 tests; most are decided within a few steps, because
 *        types are numbered so that rare ones come first and few edges can begin a traversal.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPH_CODE_H
#define LODE_GRAPH_CODE_H

#include "runtime/job.h"

typedef struct code_edge {
    uint16_t from, to;
    uint32_t type; /* from the end `from` */
} code_edge;

#define CODE_MAX_EDGES 30000
#define CODE_NONE      UINT16_MAX

static inline bool code_is_forward(code_edge e) {
    return e.to > e.from;
}

/* Whether a comes before b as the next edge of the same code. */
static inline bool code_edge_less(code_edge a, code_edge b) {
    bool forward_a = code_is_forward(a), forward_b = code_is_forward(b);
    if (forward_a != forward_b) return forward_b;
    if (forward_a && a.from != b.from) return a.from > b.from;
    if (!forward_a && a.to != b.to) return a.to < b.to;
    return a.type < b.type;
}

/* An edge seen from one of its ends: arc 2e from `from`, arc 2e + 1 from `to`. */
typedef struct code_arc {
    uint16_t to, next; /* next arc of the same vertex, or CODE_NONE */
    uint32_t type;
} code_arc;

/* State of a traversal. */
typedef struct code_walk {
    uint16_t vertex; /* of the pattern, by number in the walk */
    uint16_t number; /* in the walk, by vertex of the pattern; CODE_NONE = not met */
    uint16_t left;   /* edges of that vertex that were not walked yet */
} code_walk;

/* A step of a walk: the arc it took. */
typedef struct code_step {
    uint16_t arc;
    bool forward;
    bool leaf_tried; /* of the arcs that look alike, one to a leaf */
} code_step;

typedef struct code {
    lode_job *job;
    const uint32_t *reverse; /* by type */
    uint16_t n_edges, n_vertices, cap;
    code_edge *edges;
    code_arc *arcs;    /* 2 * cap */
    uint16_t *heads;   /* first arc, by vertex */
    uint16_t *parents; /* by vertex; CODE_NONE for the first */
    uint16_t *degrees;
    code_walk *walk;
    code_step *steps; /* by edge, in a walk */
    bool *used;       /* by edge, in a walk */
    unsigned work;    /* steps since the last look at whether to stop */
} code;

typedef enum code_verdict {
    CODE_MINIMAL,
    CODE_LATE, /* a smaller code differs in the last edge only */
    CODE_EARLY /* a smaller code differs before: so it does for whatever contains the pattern */
} code_verdict;

void code_init(code *c, lode_job *job, const uint32_t *reverse);
void code_free(code *c);

/* Makes room for n edges in all. Errors: NOMEM, BUDGET, UNSUPPORTED (CODE_MAX_EDGES). */
LODE_NODISCARD lode_status code_room(code *c, size_t n);
/* Makes room for one more edge. */
LODE_NODISCARD static inline lode_status code_reserve(code *c) {
    return c->n_edges < c->cap ? LODE_OK : code_room(c, (size_t)c->n_edges + 1);
}
/* Appends an edge, for which there is room. A forward edge leads to vertex n_vertices. */
void code_push(code *c, code_edge e);
void code_pop(code *c);
void code_clear(code *c);
/* Makes the first n of c->edges, which the caller has written there, the code. */
void code_set_edges(code *c, unsigned n);
/* The pattern that is a single vertex; there must be room for an edge. */
void code_set_vertex(code *c);

/* The pattern with these vertices and edges, numbered in any way, instead of a code: for
 * code_minimise() only. Errors: NOMEM, BUDGET, UNSUPPORTED. */
LODE_NODISCARD lode_status code_load(code *c, uint32_t n_vertices, const code_edge *edges,
                                     uint32_t n_edges);

/* Whether the pattern has an edge of this type from one vertex to the other. */
bool code_has_arc(const code *c, uint16_t from, uint16_t to, uint32_t type);

/* Errors: CANCELLED, STOPPED. */
LODE_NODISCARD lode_status code_test(code *c, code_verdict *verdict);

/* Writes the smallest code of the pattern to `best` (n_edges of it). Spoils the code for anything
 * but code_clear(). Errors: CANCELLED, STOPPED. */
LODE_NODISCARD lode_status code_minimise(code *c, code_edge *best);

#endif
