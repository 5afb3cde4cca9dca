/* code.h - DFS codes: a pattern as a list of edges, and whether that list is minimal
 *
 * A DFS code lists the edges in the order of a depth-first walk that numbers the vertices in order
 * of discovery. A forward edge (i, j), i < j, leads to the new vertex j from a vertex i of the
 * right-most path; a backward edge (i, j), i > j, closes a cycle from the right-most vertex i.
 *
 *        0                 0-1 a   1-2 b   2-0 c   1-3 b
 *      a |  \ c            right-most path now: 0 1 3
 *        1 - 2
 *      b |  b
 *        3
 *
 * Order: codes are compared at the first edge that differs. A backward edge comes before a forward
 * edge; of two backward edges the one to the earlier vertex comes first, of two forward edges the
 * one from the later vertex; then the smaller type decides (store.h). Any total order of types
 * would do. The minimal code of a graph is its canonical form, and every prefix of a minimal code
 * is minimal. Two arrows between the same vertices are two edges; the second one is a backward
 * edge, even if it leads to the parent.
 *
 * Test:  follows all walks that spell the same code so far, one after the other, and stops at the
 *        first that spells a smaller one. Of leaves that look alike it tries one. A walk keeps a
 *        list of its steps instead of recursing, because a code may have thousands of edges and
 *        threads have small stacks.
 * Time:  a code of n edges takes n steps from each edge that can begin a walk, and far more if it
 *        has many symmetries other than leaves, as cliques have. So walks check for a stop from
 *        time to time.
 * Load:  codes of 1 .. 60 edges, 10^3 .. 10^8 tests. Most tests are decided within a few steps:
 *        rare types have small numbers, so few edges can begin a walk.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_CODE_H
#define LODE_GRAPHS_CODE_H

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

static inline bool code_edge_same(code_edge a, code_edge b) {
    return a.from == b.from && a.to == b.to && a.type == b.type;
}

/* Whether a comes before b where both could be the next edge of a code. */
static inline bool code_edge_less(code_edge a, code_edge b) {
    bool forward_a = code_is_forward(a), forward_b = code_is_forward(b);
    if (forward_a != forward_b) return forward_b;
    if (forward_a && a.from != b.from) return a.from > b.from;
    if (!forward_a && a.to != b.to) return a.to < b.to;
    return a.type < b.type;
}

/* Whether two consecutive forward edges lead to leaves that look alike: swapping these leaves is an
 * automorphism of the pattern. */
static inline bool code_edge_repeats(code_edge last, code_edge e) {
    return code_is_forward(last) && code_is_forward(e) && last.from == e.from &&
           last.type == e.type;
}

/* An edge seen from one of its ends: arc 2e from `from`, arc 2e + 1 from `to`. */
typedef struct code_arc {
    uint16_t to, next; /* next arc of the same vertex, or CODE_NONE */
    uint32_t type;
} code_arc;

/* The state of a walk. */
typedef struct code_walk {
    uint16_t vertex; /* of the pattern, by number in the walk */
    uint16_t number; /* in the walk, by vertex of the pattern; CODE_NONE = not discovered yet */
    uint16_t left;   /* edges of that vertex not taken yet by the walk */
} code_walk;

typedef struct code_step {
    uint16_t arc;
    bool forward;
    uint16_t leaf; /* an arc to a leaf that was tried; leaves that look alike are skipped */
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
    uint32_t *guards; /* by vertex; of the code tested last, if it is minimal */
    bool guarded;     /* guards are known */
    unsigned work;    /* steps since the last check for a stop */
    uint64_t n_tests; /* calls of code_test() */
} code;

typedef enum code_verdict {
    CODE_MINIMAL,
    CODE_LATE, /* all smaller codes differ from it in the last edge only */
    CODE_EARLY /* a smaller code differs earlier: no code that contains this one is minimal */
} code_verdict;

/* Guards: most extensions of a minimal code are minimal, because no other walk comes near the new
 * edge. So a test of a code also computes, for each vertex, which edges to a new vertex could
 * change what walks spell: those with a type below the guard of the vertex. At each step of a walk
 * these are edges at the vertex where the code continues, of types up to that of the code's edge;
 * and any edge at the vertices below it, and at leaves that were skipped because they look like
 * another. All other edges leave all walks unchanged: the one that spells the code takes the new
 * edge at its end, and the others fail where they failed. Codes spelled by several walks have no
 * guards. */

/* Whether the code is still minimal with an edge added, by its guards. */
static inline bool code_is_safe(const code *c, const uint32_t *guards, code_edge e) {
    uint32_t first = c->edges[0].type;
    return guards && code_is_forward(e) && e.type >= guards[e.from] && e.type > first &&
           c->reverse[e.type] > first;
}
/* Makes guards of the code with a safe edge added from those of the code. */
void code_guard_safe(const code *c, const uint32_t *guards, code_edge e, uint32_t *out);

void code_init(code *c, lode_job *job, const uint32_t *reverse);
void code_free(code *c);

/* Makes room for n edges in total. Errors: NOMEM, BUDGET, UNSUPPORTED (CODE_MAX_EDGES). */
LODE_NODISCARD lode_status code_room(code *c, size_t n);
/* Makes room for one more edge. */
LODE_NODISCARD static inline lode_status code_reserve(code *c) {
    return c->n_edges < c->cap ? LODE_OK : code_room(c, (size_t)c->n_edges + 1);
}
/* Appends an edge; there must be room. A forward edge leads to vertex n_vertices. */
void code_push(code *c, code_edge e);
void code_pop(code *c);
void code_clear(code *c);
/* Sets the code to the first n of c->edges, which the caller has written. */
void code_set_edges(code *c, unsigned n);
/* Sets the pattern to a single vertex; there must be room for an edge. */
void code_set_vertex(code *c);

/* Loads a pattern whose vertices are numbered in any order, for code_minimise() only. Errors:
 * NOMEM, BUDGET, UNSUPPORTED. */
LODE_NODISCARD lode_status code_load(code *c, uint32_t n_vertices, const code_edge *edges,
                                     uint32_t n_edges);

/* Whether the pattern has an edge of this type from one vertex to the other. */
bool code_has_arc(const code *c, uint16_t from, uint16_t to, uint32_t type);

/* Whether the code with this edge added is minimal. There must be room for the edge. Errors:
 * CANCELLED, STOPPED. */
LODE_NODISCARD lode_status code_test(code *c, code_edge e, code_verdict *verdict);

/* Writes the minimal code of the pattern to `best` (n_edges of it). Afterwards only code_clear()
 * may be called. Errors: CANCELLED, STOPPED. */
LODE_NODISCARD lode_status code_minimise(code *c, code_edge *best);

#endif
