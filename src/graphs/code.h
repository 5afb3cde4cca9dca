/* code.h - DFS codes: a pattern as a list of edges, and whether that list is minimal
 *
 * A DFS code lists the edges in the order of a depth-first walk that numbers the vertices in order
 * of discovery. A forward edge (i, j), i < j, leads to the new vertex j from a vertex i of the
 * right-most path; a backward edge (i, j), i > j, closes a cycle from the right-most vertex i.
 *
 *        0                 code: 0-1 a   1-2 b   2-0 c   1-3 b   (a, b, c: types)
 *      a |  \ c            right-most path after that: 0 1 3
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
 * Test:  tries the walks through the pattern one after the other. Each walk goes on as long as it
 *        spells the same edges as the code. If a walk can spell a smaller edge, the code is not
 *        minimal. Of several leaves that look alike, a walk tries only one. A walk keeps a list of
 *        its steps instead of recursing, because a code may have thousands of edges and threads
 *        have small stacks.
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
    uint32_t type; /* as seen from the end `from` (store.h) */
} code_edge;

#define CODE_MAX_EDGES 30000
#define CODE_NONE      UINT16_MAX

static inline bool code_is_forward(code_edge e) {
    return e.to > e.from;
}

static inline bool code_edge_same(code_edge a, code_edge b) {
    return a.from == b.from && a.to == b.to && a.type == b.type;
}

/* Whether a comes before b. Both must be possible as the next edge of the same code. */
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

/* An edge e as one of its ends sees it: arc 2e is that of `from`, arc 2e + 1 that of `to`. */
typedef struct code_arc {
    uint16_t to, next; /* the other end; the next arc of this vertex, or CODE_NONE */
    uint32_t type;
} code_arc;

/* The state of a walk: entry i of code.walk. */
typedef struct code_walk {
    uint16_t vertex; /* the vertex of the pattern that the walk has numbered i */
    uint16_t number; /* the number that the walk gave vertex i; CODE_NONE = not discovered yet */
    uint16_t left;   /* edges of vertex i that the walk has not taken yet */
} code_walk;

typedef struct code_step {
    uint16_t arc;
    bool forward;
    uint16_t leaf; /* an arc to a leaf that was tried; leaves that look like it are skipped */
} code_step;

typedef struct code {
    lode_job *job;
    const uint32_t *reverse; /* store.reverse; not owned */
    uint16_t n_edges, n_vertices, cap;
    code_edge *edges;  /* the arrays are one block, with room for `cap` edges */
    code_arc *arcs;    /* 2 for each edge */
    uint16_t *heads;   /* by vertex: its first arc */
    uint16_t *parents; /* by vertex: where it was discovered from; CODE_NONE for the first */
    uint16_t *degrees; /* by vertex */
    code_walk *walk;
    code_step *steps; /* of a walk */
    bool *used;       /* by edge: the walk has taken it */
    uint32_t *guards; /* by vertex; of the code tested last, if `guarded` */
    bool guarded;     /* the code tested last is minimal and has guards */
    unsigned work;    /* steps since the last check for a stop */
    uint64_t n_tests; /* calls of code_test() */
} code;

typedef enum code_verdict {
    CODE_MINIMAL,
    CODE_LATE, /* all smaller codes differ from this one in the last edge only */
    CODE_EARLY /* a smaller code differs earlier: no code that contains this one is minimal */
} code_verdict;

/* Guards make most tests unnecessary. Most extensions of a minimal code are minimal, because only
 * the walk that spells the code comes near the new edge. So the test of a code also computes a
 * guard for each vertex: a new edge from this vertex to a new vertex can change what walks spell
 * only if its type is below the guard. Each step of a walk may raise guards:
 *     the vertex where the next edge of the code begins     to the type of that edge + 1
 *     vertices after that one on the right-most path        to infinity: any edge changes the walk
 *     leaves skipped because they look like another leaf    to infinity
 * A new edge whose type is not below the guard leaves all walks unchanged: the walk that spells the
 * code takes the new edge at its end, and the other walks fail where they failed before. A code
 * that several walks spell has no guards. */

/* Whether the guards show that the code stays minimal if this edge is added. False = code_test()
 * must decide. `guards` NULL = the code has none. */
static inline bool code_is_safe(const code *c, const uint32_t *guards, code_edge e) {
    uint32_t first = c->edges[0].type;
    return guards && code_is_forward(e) && e.type >= guards[e.from] && e.type > first &&
           c->reverse[e.type] > first;
}
/* Writes to `out` the guards that the code will have once a safe edge is added to it (n_vertices +
 * 1 guards). `guards` are those of the code without that edge. */
void code_guard_safe(const code *c, const uint32_t *guards, code_edge e, uint32_t *out);

void code_init(code *c, lode_job *job, const uint32_t *reverse);
void code_free(code *c);

/* Makes room for n edges in total. Errors: NOMEM, BUDGET, UNSUPPORTED (CODE_MAX_EDGES). */
LODE_NODISCARD lode_status code_room(code *c, size_t n);
/* Makes room for one more edge. */
LODE_NODISCARD static inline lode_status code_reserve(code *c) {
    return c->n_edges < c->cap ? LODE_OK : code_room(c, (size_t)c->n_edges + 1);
}
/* Appends an edge; there must be room. A forward edge must lead to vertex n_vertices. */
void code_push(code *c, code_edge e);
void code_pop(code *c);
void code_clear(code *c);
/* Sets the code to the first n of c->edges, which the caller has written. */
void code_set_edges(code *c, unsigned n);
/* Sets the pattern to a single vertex; there must be room for an edge. */
void code_set_vertex(code *c);

/* Loads a pattern whose vertices are numbered in any order, as input of code_minimise(). Errors:
 * NOMEM, BUDGET, UNSUPPORTED. */
LODE_NODISCARD lode_status code_load(code *c, uint32_t n_vertices, const code_edge *edges,
                                     uint32_t n_edges);

/* Whether the pattern has an edge of this type between two vertices, as seen from `from`. */
bool code_has_arc(const code *c, uint16_t from, uint16_t to, uint32_t type);

/* Tests whether the code with this edge added is minimal; the code without the edge must be
 * minimal. There must be room for the edge, which is removed again after the test. Errors:
 * CANCELLED, STOPPED. */
LODE_NODISCARD lode_status code_test(code *c, code_edge e, code_verdict *verdict);

/* Writes the minimal code of the pattern to `best`: n_edges edges. Afterwards `c` must be cleared
 * (code_clear) before it is used again. Errors: CANCELLED, STOPPED. */
LODE_NODISCARD lode_status code_minimise(code *c, code_edge *best);

#endif
