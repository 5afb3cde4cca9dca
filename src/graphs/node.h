/* node.h - the data of the search (search.h): nodes, their extensions, and the workers
 *
 * A node is a pattern with all its occurrences. An extension is the pattern of a node with one more
 * edge, also with all its occurrences. If the search follows the extension, its columns become
 * those of the next node:
 *
 *     column of vertex 0     vid  a  a  b  c                     row = one occurrence
 *     node 0-1               idx  0  1  1  3   (row in the column above)
 *                            vid  d  e  f  g
 *     extensions 1-2         idx  0  0  2       0-2'   idx  1  2            each sorted by idx
 *                            vid  x  y  z              vid  u  v
 *
 * In a column, each row has a vertex (vid) and continues a row of the column above, whose number is
 * idx. So occurrences share their prefixes, as in the GPU miners that this design follows. A
 * backward edge adds no vertex: its vid repeats that of the right-most vertex, so that the graph of
 * a row is known in every column.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_NODE_H
#define LODE_GRAPHS_NODE_H

#include "data/graphs/keymap.h"
#include "graphs/bridge.h"
#include "graphs/code.h"
#include "graphs/list_stack.h"
#include "graphs/store.h"

#define SEARCH_CHECK_ROWS                                                                          \
    ((uint32_t)1 << 22) /* rows of a plain loop between two checks for a stop */

typedef struct growth growth; /* growth.h */

/* A frequent extension of a node by one edge. */
typedef struct extension {
    code_edge edge;
    code_verdict verdict;      /* only minimal codes are followed; others serve sibling joins */
    uint32_t n, support;       /* rows; graphs */
    float span;                /* share of the progress (workers.h); 0 = not computed */
    const uint32_t *idx, *vid; /* n rows, sorted by idx */
    const uint64_t *graphs;    /* bit set of the graphs with an occurrence; NULL in gspan */
    /* What can grow from its new vertex; NULL = unknown. Other workers read it, too. */
    _Atomic(const growth *) growth;
    bool safe;              /* the guards of the node show that this code is minimal (code.h) */
    const uint32_t *guards; /* if not `safe`: the guards of this code; NULL = none */
} extension;

typedef struct node node;
struct node {
    const node *parent; /* NULL = the column of the first vertex */
    code_edge edge;     /* the last edge of the code */
    uint16_t position;  /* the pattern's vertex in this column; CODE_NONE = a backward edge */
    unsigned depth;     /* number of edges */
    uint32_t n;         /* rows */
    uint64_t support;   /* graphs */
    double span;        /* share of the progress */
    bool divided;       /* the span is divided among the extensions */
    const uint32_t *idx, *vid;
    /* graft: by row, a bit set of the vertices in the row: bit v % 64 for each vertex v. If the bit
     * of a vertex is not set, the vertex is not in the row. If the bit is set, the vertex may be in
     * the row; in graphs of up to 64 vertices, it is certain to be there. */
    const uint64_t *has;
    const uint32_t *guards; /* of the code (code.h); NULL: it has none */
    extension *extensions;  /* ascending by code_edge_less() */
    uint32_t n_extensions;
    /* Closed and maximal: an edge that, added to this pattern, shows that the pattern is not closed
     * or not maximal (closed.h). The same edge works for most patterns that grow from this one. */
    code_edge witness;
    bool has_witness;
    uint64_t way;            /* rows of the nodes from the root to this one, and of the extensions
                              * of these nodes: the work of rebuilding this node elsewhere */
    uint64_t since;          /* worker.made when the extensions were found */
    uint32_t n_left;         /* extensions from here on are taken; the owner's lock guards it */
    uint32_t n_given;        /* extensions before this one belong to other processes; likewise */
    _Atomic uint32_t active; /* number of other workers that work on its children */
};

/* A candidate extension while scan.c counts its occurrences. */
typedef struct slot {
    code_edge edge;
    uint32_t n, support, last_graph; /* number of rows; number of graphs; 1 + the last graph */
    uint32_t *idx, *vid;             /* its rows; NULL = not kept */
    uint64_t *graphs;                /* bit set of its graphs; NULL = not wanted */
    size_t place;                    /* its index in slot_of, to clear the entry */
    size_t line;                     /* its index in line_of, likewise */
} slot;

typedef struct search search;
typedef struct path_entry path_entry; /* search.c */

/* The data of one thread. */
typedef struct worker {
    search *s;
    unsigned index;
    path_entry *path;   /* the current node, on top of its ancestors */
    list_stack lists;   /* memory of the nodes of the path */
    list_stack scratch; /* memory within one call */
    list_stack growths; /* of the nodes of the path, and of their children (growth.h) */
    code code;          /* of the current node */
    /* The row of the cursor (see below). */
    uint16_t *position_of; /* by vertex of the data: its position; CODE_NONE: not in the row */
    const node **chain;    /* by depth: the node */
    uint32_t *rows;        /* by depth: the row in the column of that node */
    uint32_t *vertex_at;   /* by position */
    unsigned chain_cap;    /* length of the chain and of the other arrays by depth or position */
    unsigned depth;        /* of the cursor's node */
    /* Counting candidates (scan.c). */
    slot *slots;
    size_t n_slots, slots_cap;
    /* line_of: (position, direction) -> line + 1; slot_of: (line, type) -> slot + 1. Positions and
     * types may both be in the tens of thousands, so lines only exist for positions where something
     * was found. */
    uint32_t *slot_of;
    size_t n_lines, lines_cap;
    uint32_t *line_of;       /* two per position; twice as long as the chain */
    bool *on_path;           /* by position: it is on the right-most path; as long as the chain */
    uint16_t *to_visit;      /* positions to scan; likewise */
    uint8_t *growth_by_type; /* tables of growth.c */
    /* A pattern for the sink (emit.c). */
    sink_worker *sink;
    vec_u32 labels, from, to, edge_labels, supporters, embedded_in, embeddings;
    keymap keys; /* of embeddings, or of super-patterns */
    /* The closure check (closed.c): by super-pattern, support << 32 | last graph + 1. */
    vec_u64 counts;

    pthread_mutex_t lock; /* guards open, n_open, open_cap, and n_left and n_given of open nodes */
    node **open;          /* nodes whose children other workers may take, from the root down */
    unsigned n_open, open_cap;

    bool mute;      /* rebuilding the prefix of a branch: nothing is reported … */
    bool following; /* … and no other worker may take children there */
    vec_u32 given;  /* buffer for a branch given to another process */
    uint64_t made;  /* rows of all nodes and their extensions so far: the work done */
    double unripe;  /* until `made` reaches this, no branch is worth giving away */

    uint64_t candidates, frequent, occurrences;
    progress_local progress;
} worker;

/* Branches to search instead of everything (graph_branch.c), in groups with one parent. */
typedef struct search_branches {
    const engine_branch **list;
    size_t n;
    size_t *groups; /* start of each, and the end of the last one */
    size_t n_groups;
    _Atomic size_t next; /* the first group not begun yet */
    double work;         /* of all groups */
    mem_kept kept;
} search_branches;

struct search {
    engine_task *task;
    const lode_graph_options *options;
    lode_job *job;
    store store;
    prepared *stored;              /* owns the store */
    uint32_t root_first, root_end; /* range of triples to start from */
    double *root_spans;            /* by triple of this range: its share of the progress */
    bool join;                     /* graft: siblings are joined */
    bool break_symmetry;           /* of rows that differ only by swapping two leaves, keep one */
    bool merge_twins;              /* of rows that differ only in a twin (leaf_twins.h), keep one */
    bool no_cursors;               /* no cursor is used, so workers need no position_of */
    size_t space;                  /* maximum address space for the stacks of a worker */
    size_t growths_most; /* if a worker's growths take more bytes when it leaves a node, it drops
                          * the growths of the node's children */
    uint32_t n_words;    /* of a bit set of graphs */
    unsigned n_workers;
    worker *workers;
    pthread_mutex_t bridges_lock;     /* guards the table and bridges_built */
    bridges bridges;                  /* for early.c */
    bool bridges_built, bridges_open; /* the table exists; the lock exists */
    _Atomic uint32_t next_root;
    search_branches branches;
    bool surveys;          /* nothing is reported: the search is being divided */
    _Atomic unsigned busy; /* workers that may still open nodes */
    _Atomic int failure;   /* the first lode_status that was not OK */
};

/* Whether this search reports the patterns of a single vertex: they must be wanted, and belong to
 * its range of roots or to its branches. */
static inline bool search_has_vertices(const search *s) {
    const engine_branches *b = s->task->parts.branches;
    bool here = !b && s->options->root_first == 0;
    for (size_t i = 0; b && i < b->n; i++) here |= b->list[i].n_prefix == 0 && b->list[i].own;
    return s->options->vertices && here;
}

/* Whether only closed or only maximal patterns are to be reported (closed.h). */
static inline bool search_checks_closure(const lode_graph_options *o) {
    return o->target == LODE_TARGET_CLOSED || o->target == LODE_TARGET_MAXIMAL;
}

/* Whether the closure check looks at super-patterns with one more edge, so that early termination
 * is possible (early.h). For induced patterns, super-patterns have one more vertex. */
static inline bool search_ends_early(const lode_graph_options *o) {
    return search_checks_closure(o) && !o->induced;
}

/* Whether it is enough to keep one of several rows that differ only by swapping two leaves. The
 * closure check of induced patterns needs all these rows, since it identifies a new vertex by the
 * positions that have edges to this vertex. */
static inline bool search_breaks_symmetry(const lode_graph_options *o) {
    return !search_checks_closure(o) || !o->induced;
}

static inline uint64_t search_threshold(const search *s) {
    return job_threshold(s->job);
}

static inline uint32_t search_graph(const search *s, uint32_t vertex) {
    return s->store.graph_of[vertex];
}

/* Whether an extension is needed, because it is followed or because siblings before it may be
 * joined with it. n_before: number of siblings before it; 0 if siblings are not joined. */
static inline bool extension_is_kept(uint32_t n_before, code_verdict verdict) {
    return verdict == CODE_MINIMAL || (verdict == CODE_LATE && n_before > 0);
}

/* Tests the code of an extension of the worker's node, unless its guards decide. */
LODE_NODISCARD static inline lode_status worker_test(worker *w, const node *x, extension *e) {
    e->safe = code_is_safe(&w->code, x->guards, e->edge); /* gspan keeps no guards */
    e->verdict = CODE_MINIMAL;
    return e->safe ? LODE_OK : code_test(&w->code, e->edge, &e->verdict);
}

/* Stores guards with an extension: those that the last code test found, if that was the test of
 * this extension and there are any. */
LODE_NODISCARD static inline lode_status worker_keep_guards(worker *w, extension *e) {
    bool wanted = w->s->join && !e->safe && e->verdict == CODE_MINIMAL && w->code.guarded;
    if (!wanted) return LODE_OK;
    size_t bytes = ((size_t)w->code.n_vertices + code_is_forward(e->edge)) * sizeof *e->guards;
    lode_status status = list_stack_take(&w->lists, bytes, (void **)&e->guards);
    if (status == LODE_OK) memcpy((void *)e->guards, w->code.guards, bytes);
    return status;
}

/* The label of a vertex of the worker's pattern. */
static inline uint32_t worker_label(const worker *w, uint16_t position) {
    const code *c = &w->code;
    const edge_type *types = w->s->store.types;
    if (position == 0) return types[c->edges[0].type].from_label;
    unsigned k = 0;
    while (!code_is_forward(c->edges[k]) || c->edges[k].to != position) k++;
    return types[c->edges[k].type].to_label;
}

/* Checks for a stop if *work has reached `most`, and then sets it to 0. */
LODE_NODISCARD static inline lode_status worker_check(const worker *w, size_t *work, size_t most) {
    if (*work < most) return LODE_OK;
    *work = 0;
    return job_check(w->s->job);
}

/* ---- the cursor: one row of a node with all its vertices ------------------------------------- */

/* Rows are sorted, so most rows share all but the last one or two vertices with the previous row.
 * Moving to the next row only changes the columns that differ. */

#define CURSOR_NO_ROW UINT32_MAX

/* Prepares the cursor to move over the rows of a node. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status cursor_start(worker *w, const node *x);
/* Clears the row; call it before the next cursor_start(). */
void cursor_end(worker *w);
/* Frees the arrays of all cursors of a worker. */
void cursor_free(worker *w);

/* Moves to a row of the node, in any order. */
static inline void cursor_move(worker *w, uint32_t row) {
    unsigned last = w->depth, d = last;
    uint32_t *rows = w->rows;
    const node *const *chain = w->chain;
    for (uint32_t r = row;; d--) { /* up to where both rows agree */
        uint32_t before = rows[d];
        if (before == r) break;
        rows[d] = r;
        uint16_t p = chain[d]->position;
        if (p != CODE_NONE && before != CURSOR_NO_ROW) w->position_of[w->vertex_at[p]] = CODE_NONE;
        if (d == 0) {
            d = UINT32_MAX;
            break;
        }
        r = chain[d]->idx[r];
    }
    for (d++; d <= last; d++) {
        uint16_t p = chain[d]->position;
        if (p == CODE_NONE) continue;
        uint32_t vertex = chain[d]->vid[rows[d]];
        w->vertex_at[p] = vertex;
        w->position_of[vertex] = p;
    }
}

#endif
