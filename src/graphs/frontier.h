/* frontier.h - the search for GPUs: extends many patterns at a time on a device
 *
 * What:  the same tree of minimal DFS codes as in search.h, and the same inheritance of extensions
 *        from siblings, but in groups of patterns. One operation of the device extends all patterns
 *        of a group. The host tests the codes of the frequent extensions. Another operation of the
 *        device builds the extensions with minimal codes (the children) as the next group.
 *
 *        group on the device                host, all threads                device
 *        patterns with occurrences  ─────>  supports of extensions  ─────>   matrices of children
 *                                   extend  frequent? minimal code?  build   that fit: next group
 *
 * Depth: groups are a stack. As many children of a group are built as memory allows; these are
 *        searched completely before the next ones are built. Once all children of a group are
 *        built, its device memory is freed. If a single child does not fit, the lowest group of the
 *        stack moves to host memory, and returns when it is needed.
 * Overlap: the device extends one part of a group while the host tests the extensions of the part
 *        before.
 * Rows:  an occurrence is a row of a matrix (device/api/graph_shapes.h), not a chain of columns as
 *        in node.h. That takes ten times the memory, but there are no chains to follow, and a group
 *        does not depend on others.
 *
 * Call graph (only downwards):
 *
 *     frontier.c              the stack of groups
 *         ├────────────────────┐
 *     frontier_extend.c    frontier_build.c   the next group (children, or roots); emits patterns
 *     extensions of a          │              with their occurrences
 *     group                    │
 *         └────────────────────┤
 *                      frontier_group.c   groups and the memory of the device (pool.c)
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_FRONTIER_H
#define LODE_GRAPHS_FRONTIER_H

#include "graphs/pool.h"
#include "graphs/workers.h"

/* A frequent extension that is kept (extension_is_kept). */
typedef struct frontier_extension {
    code_edge edge;
    uint32_t n_rows, support;
    float span;    /* its share of the progress */
    bool followed; /* its code is minimal, so it will be a pattern of a later group */
} frontier_extension;

typedef struct pattern pattern;
struct pattern {
    const pattern *parent; /* NULL: a single edge */
    code_edge edge;
    uint32_t depth; /* edges */
    uint32_t n_vertices, n_rows, support;
    double span;    /* share of the progress; 0 once it is divided among the extensions */
    size_t rows_at; /* where its matrix begins in the block of the group, in 32-bit words */
    size_t segs_at; /* likewise its column of graphs (segs in graph_shapes.h) */
    const frontier_extension *siblings; /* extensions of the parent that it may inherit */
    uint32_t n_siblings;
    frontier_extension *extensions; /* on the lists of the worker that found them */
    uint32_t n_extensions;
    uint32_t next; /* the first extension not built yet */
};

/* Patterns that were built together. */
typedef struct group {
    struct group *below; /* on the stack */
    pattern *patterns;
    uint32_t n, cap;
    uint32_t next; /* the first pattern that may have extensions to be built */
    bool extended; /* the extensions of its patterns are known */
    void *block;   /* the matrices, on the device; NULL = not there, or no longer */
    void *moved;   /* the same on the host, if the group was moved; otherwise NULL */
    size_t bytes;  /* of the block */
    size_t *marks; /* by worker: the top of its lists before it found extensions of this group */
} group;

/* A part of a group that is extended in one operation of the device, and its tables. */
typedef struct part {
    uint32_t first, n; /* patterns of the group */
    backend_node *nodes;
    backend_candidate *candidates;
    code_edge *edges; /* of the candidates */
    uint16_t *paths;  /* the right-most paths of the patterns */
    size_t nodes_cap, candidates_cap, edges_cap, paths_cap;
    backend_graph_batch batch;
    size_t work_bytes;         /* of batch.work, which is on the device */
    _Atomic uint32_t next;     /* the first pattern that no worker has taken */
    backend_graph_found found; /* what the device has counted */
} part;

typedef struct frontier {
    search s; /* the store, and the workers that test and emit on the host */
    const backend_graph_ops *ops;
    backend_graph_device *device;
    pool pool; /* of device memory */
    backend_graphs graphs;
    uint32_t *ranks; /* graphs.from_rank and graphs.pair_rank */
    uint32_t *types; /* by vertex label: types of edges at a vertex of this label, ascending … */
    uint32_t *types_at; /* … and the index in `types` of the first type of each label */
    uint32_t n_labels;
    bool rows_wanted;                /* patterns are emitted with their occurrences */
    bool tight;                      /* the device has little memory, so tables stay small */
    group *top;                      /* of the stack */
    uint32_t next_root;              /* the first triple not built yet */
    part parts[BACKEND_GRAPH_LANES]; /* one runs on the device, the host tests the other */
    /* What the workers are working on: */
    group *work_group;
    part *work_part;
    const uint32_t *work_rows;   /* the block of that group, on the host; NULL = not wanted */
    _Atomic uint32_t next_emit;  /* the first pattern that no worker has taken */
    uint64_t n_batches, n_moved; /* operations of the device; groups moved to the host */
    double prepared;     /* time when the host had its graphs and began to wait for the device */
    double test_seconds; /* spent on testing codes */
} frontier;

static inline void frontier_note_counters(engine_report *r, backend_counters c) {
    r->device_memory_peak = c.memory_peak;
    r->bytes_up = c.bytes_up;
    r->bytes_down = c.bytes_down;
    r->device_seconds = c.kernel_seconds;
}

/* ---- the steps of the search, called by frontier.c in turn ----------------------------------- */

/* Builds the next children of a group, as many as fit; *out is NULL if none is left. */
LODE_NODISCARD lode_status frontier_children(frontier *f, group *g, group **out);
/* Builds the next patterns of a single edge, as many as fit. */
LODE_NODISCARD lode_status frontier_roots(frontier *f, group **out);
/* Divides the span of a pattern among those of its extensions (already known) that will be
 * built. */
void frontier_divide(frontier *f, pattern *x);

/* Extends all patterns of a group, and fills in their extensions. */
LODE_NODISCARD lode_status frontier_extend(frontier *f, group *g);
void frontier_free_part(frontier *f, part *p);

/* Emits the patterns of a group, with their occurrences if these are needed. */
LODE_NODISCARD lode_status frontier_emit(frontier *f, group *g);

/* Whether patterns of this many edges are extended. */
static inline bool frontier_grows(const frontier *f, uint32_t depth) {
    return depth < f->s.options->max_edges;
}

#endif
