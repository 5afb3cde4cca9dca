/* frontier.h - many patterns at a time on a device: the search that a GPU runs
 *
 * What:  the same tree of minimal DFS codes as search.h, and the same inheritance of legs, but in
 *        groups: all patterns of a group are extended by one operation of the device, the frequent
 *        extensions are tested on the host, and those to be followed are built as the next group by
 *        another operation.
 *
 *        group on the device            host, all threads            device
 *        nodes with occurrences  ─────> supports of all slots ─────> matrices of the children
 *                  extend               frequent? minimal code?      that fit: the next group
 *
 * Depth: groups are a stack. The children of a group are built as far as memory allows (the rest
 *        waits for its turn), and searched to the end before the next. A group whose children are
 *        all built gives its memory back at once. If a single child does not fit, the lowest group
 *        of the stack moves to the memory of the host, and comes back when it is needed.
 * Overlap: the device extends one part of a group while the host tests the part before.
 * Rows:  an occurrence is a row of a matrix of its own (backend/graph_shapes.h), not a chain of
 *        columns: ten times the memory and none of the walking, and a group depends on no other.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPH_FRONTIER_H
#define LODE_GRAPH_FRONTIER_H

#include "graph/pool.h"
#include "graph/search.h"

/* An extension of a pattern that is frequent and may matter. */
typedef struct frontier_leg {
    code_edge edge;
    uint32_t n_rows, support;
    float span;    /* of the whole search */
    bool followed; /* its code is minimal: it is a pattern */
} frontier_leg;

typedef struct pattern pattern;
struct pattern {
    const pattern *parent; /* NULL: a single edge */
    code_edge edge;
    uint32_t depth; /* edges */
    uint32_t n_vertices, n_rows, support;
    double span;    /* of the whole search: what is not retired or handed to legs */
    bool twin;      /* its leaf repeats the one before: nothing grows from it */
    size_t rows_at; /* in the block of the group, in words */
    size_t segs_at;
    const frontier_leg *siblings; /* legs of the parent that it may inherit */
    uint32_t n_siblings;
    frontier_leg *legs;
    uint32_t n_legs, next_leg;
};

/* Patterns that were built together. */
typedef struct group {
    struct group *below;
    pattern *patterns;
    uint32_t n, cap;
    uint32_t next; /* the first pattern that may have legs to be built */
    bool extended;
    void *block; /* on the device; NULL: not there (any more) */
    void *moved; /* on the host */
    size_t bytes;
    size_t *marks; /* by worker: where its lists end without the legs of this group */
} group;

/* A part of a group on its way through the device. */
typedef struct part {
    uint32_t first, n; /* patterns of the group */
    backend_node *nodes;
    backend_leg *legs;
    code_edge *edges; /* of the legs */
    uint16_t *paths;
    size_t nodes_cap, legs_cap, edges_cap, paths_cap;
    backend_graph_batch batch;
    size_t work_bytes;
    _Atomic uint32_t next; /* the first pattern that no worker has taken */
    backend_graph_found found;
} part;

typedef struct frontier {
    search s;
    const backend_graph_ops *ops;
    backend_graph_device *device;
    pool pool;
    backend_graphs graphs;
    uint32_t *ranks; /* from_rank and pair_rank */
    uint32_t *types; /* by label: its types, ascending */
    uint32_t *types_at;
    uint32_t n_labels;
    bool rows_wanted; /* patterns are emitted with their occurrences at hand */
    bool tight;       /* the device has little memory: tables stay small, too */
    group *top;
    uint32_t next_root;
    part parts[BACKEND_GRAPH_LANES];
    group *work_group; /* what the workers are at */
    part *work_part;
    const uint32_t *work_rows; /* the block of the group, on the host */
    _Atomic uint32_t next_emit;
    uint64_t n_batches, n_moved;
    double test_seconds;
} frontier;

/* frontier.c: what a device did, for the report. */
void frontier_report(engine_report *r, backend_counters c);

/* frontier_extend.c: extends all patterns of a group, and fills in their legs. */
LODE_NODISCARD lode_status frontier_extend(frontier *f, group *g);
void frontier_free_part(frontier *f, part *p);

/* frontier_build.c: the next children of a group, as many as fit; *out is NULL if none is left. */
LODE_NODISCARD lode_status frontier_children(frontier *f, group *g, group **out);
/* Divides the span of a pattern whose legs are known: a part of it is done with that. */
void frontier_divide(frontier *f, pattern *x);
/* The next patterns of a single edge. */
LODE_NODISCARD lode_status frontier_roots(frontier *f, group **out);
/* Memory of the device; other groups than `keep` move to the host if there is too little. BUDGET
 * and NOMEM, without a message: that did not help. */
LODE_NODISCARD lode_status frontier_take(frontier *f, const group *keep, size_t bytes, void **out);
/* A message for that. */
lode_status frontier_too_small(frontier *f, lode_status status, size_t bytes);
void frontier_free_group(frontier *f, group *g);
/* Whether a pattern of so many edges is extended. */
static inline bool frontier_grows(const frontier *f, uint32_t depth) {
    return depth < f->s.options->max_edges;
}

/* frontier_emit.c: hands the patterns of a group to the sink, with their occurrences. */
LODE_NODISCARD lode_status frontier_emit(frontier *f, group *g);
/* Sets the code of a worker to that of a pattern, with room for one edge more. */
LODE_NODISCARD lode_status frontier_recall(worker *w, const pattern *x);

#endif
