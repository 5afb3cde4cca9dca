/* search.h - the depth-first search over patterns that both miners share
 *
 * A node is a pattern with all its occurrences; a leg is a frequent extension of it by one edge,
 * with all its occurrences. A leg that is followed becomes the next node, as it stands:
 *
 *     column of vertex 0     vid  a  a  b  c                     row = one occurrence
 *     node 0-1    idx  0  1  1  3   (row in the column above)
 *                 vid  d  e  f  g
 *     legs 1-2    idx  0  0  2       0-2'   idx  1  2            each sorted by idx
 *                 vid  x  y  z              vid  u  v
 *
 * So occurrences share their beginnings, and all of them together are columns (idx, vid), as in the
 * GPU miners this follows. A backward edge adds no vertex: its vid repeats that of the right-most
 * vertex, so that every column tells its graph.
 *
 * Two methods fill in the legs of a new node:
 *     gspan   looks at the neighbours of every vertex of the right-most path again;
 *     graft   looks at the neighbours of the new vertex only. All other extensions were legs of
 *             the parent: a row of the new node with a row of the sibling leg that has the same
 *             idx. The graphs of each leg are also a bit set, so that most joins that cannot
 *             succeed end before they begin, and the others as soon as too few graphs are left.
 * Both rely on the order of legs (code_edge_less): of the siblings only those that do not come
 * before the new edge can follow it. A leg whose code is not minimal is not followed; if a smaller
 * code differs before the last edge, no pattern that has the leg is minimal, and graft drops it.
 *
 * Leaves that look alike: when the new edge repeats the last one, rows that only swap the two
 * leaves are left out (`halve_twins`), and nothing can grow from the second leaf.
 *
 * Threads: every worker has the nodes of its path open to the others, which take children of the
 * node nearest to the root. They read the owner's lists where they lie; the owner goes back up only
 * when all of them have returned, and helps others meanwhile.
 *
 * Depth: patterns may have thousands of edges, and threads have small stacks. So the path is a list
 * of frames in the worker's lists, and nothing calls itself: not the search, and not the helping.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPH_SEARCH_H
#define LODE_GRAPH_SEARCH_H

#include "graph/code.h"
#include "graph/list_stack.h"
#include "graph/spans.h"
#include "graph/store.h"
#include "graph/task.h"
#include "graphdata/keymap.h"

#define SEARCH_LOOK_UP                                                                             \
    ((uint32_t)1 << 22) /* rows of a plain loop between looks at whether to stop */

typedef struct leg {
    code_edge edge;
    code_verdict verdict;
    uint32_t n, support;
    float span; /* of the whole search; 0: not told apart from the rest of the node */
    const uint32_t *idx, *vid;
    const uint64_t *graphs; /* the bit set; NULL in gspan */
} leg;

typedef struct node node;
struct node {
    const node *parent; /* NULL: the column of the first vertex */
    code_edge edge;
    uint16_t position; /* number of the vertex in the column; CODE_NONE: a backward edge */
    unsigned depth;    /* edges */
    uint32_t n;
    uint64_t support;
    double span;  /* of the whole search */
    bool divided; /* among the legs */
    const uint32_t *idx, *vid;
    /* graft: of each row, which vertices it has: bit v % 64 for each vertex v. A bit that is not
     * set means "not in the row"; in graphs of up to 64 vertices the others are certain, too. */
    const uint64_t *has;
    leg *legs;
    uint32_t n_legs;
    uint32_t next;           /* the first leg nobody has taken; under the owner's lock */
    _Atomic uint32_t active; /* others that work on children */
};

/* An extension while it is counted. */
typedef struct slot {
    code_edge edge;
    uint32_t n, support, last_graph; /* + 1 */
    uint32_t *idx, *vid;             /* where its rows go; NULL: it is not kept */
    uint64_t *graphs;
    size_t place; /* in slot_of, to clear it */
    size_t line;  /* in line_of, likewise */
} slot;

typedef struct search search;
typedef struct frame frame; /* search.c */

typedef struct worker {
    search *s;
    unsigned index;
    frame *path;        /* the node in work, on top of those above it */
    list_stack lists;   /* of the present path */
    list_stack scratch; /* within one call */
    code code;          /* of the present node */
    /* The present row of a cursor (cursor.h). */
    uint16_t *position_of; /* by vertex of the data; CODE_NONE = not in the row */
    const node **chain;    /* by depth */
    uint32_t *rows;        /* by depth */
    uint32_t *vertex_at;   /* by position */
    unsigned chain_cap;
    unsigned depth;
    /* Scanning (scan.c). */
    slot *slots;
    size_t n_slots, slots_cap;
    /* (position, direction) -> line + 1, and (line, type) -> slot + 1: there are lines only for
     * places where something was found, since both numbers may be in the tens of thousands. */
    uint32_t *slot_of;
    size_t n_lines, lines_cap;
    uint32_t *line_of;  /* two for each position; twice as long as the chain */
    bool *on_path;      /* by position; as long as the chain */
    uint16_t *to_visit; /* positions; likewise */
    /* Patterns for the sink (emit.c). */
    sink_worker *sink;
    vec_u32 labels, from, to, edge_labels, supporters, embedded_in, embeddings;
    keymap places;
    /* Larger patterns (larger.c). */
    vec_u64 seen;

    pthread_mutex_t lock; /* guards what follows, and `next` of these nodes */
    node **open;          /* from the root down */
    unsigned n_open, open_cap;

    uint64_t candidates, frequent, tested, occurrences;
    progress_local progress;
} worker;

struct search {
    engine_task *task;
    const lode_graph_options *options;
    lode_job *job;
    store store;
    prepared *stored;              /* what it refers to */
    uint32_t root_first, root_end; /* triples to begin with */
    double *root_spans;            /* of these */
    bool join;                     /* graft */
    bool halve_twins;              /* no row is needed twice */
    bool no_rows;                  /* no worker has a cursor */
    uint32_t n_words;              /* of a bit set of graphs */
    unsigned n_workers;
    worker *workers;
    _Atomic uint32_t next_root;
    _Atomic unsigned busy; /* workers that may still open nodes */
    _Atomic int failure;   /* the first lode_status that was not OK */
};

/* workers.c: runs the whole job with one of the methods. */
LODE_NODISCARD lode_status search_run(engine_task *task, bool join);
/* The same in steps, for a search of another kind that uses workers and their lists: opens them on
 * the calling thread; adds up what they did and closes them. */
LODE_NODISCARD lode_status search_open(search *s);
LODE_NODISCARD lode_status search_close(search *s, lode_status status);
/* Takes the store, which search_close() gives back, and finds the range of roots. */
LODE_NODISCARD lode_status search_take_store(search *s);
/* Waits for a fraction of a millisecond. */
void search_pause(void);

/* search.c: searches from triples that nobody has taken, until there are none. */
LODE_NODISCARD lode_status search_roots(worker *w);
/* Works on a child of another worker's node, to its end. False if there was none to be had. */
bool search_steal(worker *w, lode_status *status);
/* Makes all workers stop, for the first reason given. */
void search_fail(search *s, lode_status status);

/* scan.c: the extensions at the newest vertex of the pattern, or at all of the right-most path.
 * Frequent legs are added behind x->legs[x->n_legs], which has room for `room` legs more than were
 * found. */
LODE_NODISCARD lode_status scan_legs(worker *w, node *x, bool whole_path, uint32_t room);
void scan_free(worker *w);
/* join.c: adds the legs of the parent that stay extensions of x, its i-th leg. */
LODE_NODISCARD lode_status join_legs(worker *w, node *x, const node *parent, uint32_t i);
/* Whether the code with this edge added is minimal. */
LODE_NODISCARD lode_status search_test(worker *w, code_edge e, code_verdict *verdict);

/* emit.c: hands the pattern of a node to the sink. */
LODE_NODISCARD lode_status emit_node(worker *w, const node *x);
/* Those of single vertices. */
LODE_NODISCARD lode_status emit_vertices(worker *w);
void emit_free(worker *w);

/* larger.c: graphs with an induced occurrence, and whether a larger pattern rules this one out. */
LODE_NODISCARD lode_status larger_induced_support(worker *w, const node *x, uint64_t *support);
LODE_NODISCARD lode_status larger_exists(worker *w, const node *x, uint64_t support, bool *exists);
bool larger_row_is_induced(const worker *w);

/* Single vertices are wanted, and belong to this range. */
static inline bool search_has_vertices(const search *s) {
    return s->options->vertices && s->options->root_first == 0;
}

static inline uint64_t search_threshold(const search *s) {
    return job_threshold(s->job);
}

static inline uint32_t search_graph(const search *s, uint32_t vertex) {
    return s->store.graph_of[vertex];
}

#endif
