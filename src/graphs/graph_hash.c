/* graph_hash.c - a hash of a whole result, whatever the order and the numbering of its patterns
 *
 * For each pattern, its minimal code is computed with types in the order of the labels (the miners
 * order types by frequency, which depends on the data). The hash of the pattern is that of the
 * label names along this code; the hash of the result is the sum.
 *
 * SPDX-License-Identifier: Apache-2.0 */

#include "base/bits.h"
#include "graphs/code.h"
#include "runtime/valid.h"
#include "write/graphs/graph_sink.h"

/* An edge seen from one end, in the order of the labels. */
typedef struct hash_arc {
    uint32_t from_label, edge_label, to_label;
    bool incoming;
    uint32_t arc; /* 2e, or 2e + 1 */
} hash_arc;

typedef struct hash_sink {
    lode_sink base;
    _Atomic uint64_t hash;
} hash_sink;

typedef struct hash_worker {
    graph_worker base;
    code code;
    hash_arc *arcs;
    uint32_t *types, *reverse; /* type by arc; reverse by type */
    uint32_t *arc_of;          /* an arc of each type: the first */
    code_edge *edges, *best;
    size_t cap; /* edges there is room for */
    uint64_t hash;
} hash_worker;

static uint64_t graph_hash_name(const dict *names, uint32_t id) {
    size_t n;
    const char *name = dict_name(names, id, &n);
    return bits_hash(name, n);
}

static int compare_labels(const hash_arc *a, const hash_arc *b) {
    if (a->from_label != b->from_label) return a->from_label < b->from_label ? -1 : 1;
    if (a->edge_label != b->edge_label) return a->edge_label < b->edge_label ? -1 : 1;
    if (a->to_label != b->to_label) return a->to_label < b->to_label ? -1 : 1;
    return (int)a->incoming - (int)b->incoming;
}

static bool arc_before(const hash_arc *a, const hash_arc *b) {
    return compare_labels(a, b) < 0;
}

#define SORT_NAME   sort_arcs
#define SORT_TYPE   hash_arc
#define SORT_BEFORE arc_before
#include "base/sort_body.h"

/* Bytes for an edge. */
#define HASH_EACH (2 * sizeof(hash_arc) + 6 * sizeof(uint32_t) + 2 * sizeof(code_edge))

static lode_status hash_reserve(hash_worker *w, size_t n) {
    lode_status status = LODE_OK;
    mem *m = &w->base.base.sink->job->mem;
    size_t cap = n + n / 2 + 32;
    char *block = NULL;
    if (n <= w->cap) return LODE_OK;
    LODE_TRY(mem_resize(m, (void **)&block, 0, cap * HASH_EACH));
    mem_free(m, w->arcs, w->cap * HASH_EACH);
    w->arcs = (void *)block;
    w->types = (void *)(w->arcs + 2 * cap);
    w->reverse = w->types + 2 * cap;
    w->arc_of = w->reverse + 2 * cap;
    w->edges = (void *)(w->arc_of + 2 * cap);
    w->best = w->edges + cap;
    w->cap = cap;
done:
    return status;
}

/* Numbers the types of the pattern by their labels. */
static void hash_types(hash_worker *w, const lode_graph *g, bool directed) {
    for (uint32_t e = 0; e < g->n_edges; e++) {
        uint32_t a = g->vertex_labels[g->from[e]], b = g->vertex_labels[g->to[e]];
        w->arcs[2 * e] = (hash_arc){a, g->edge_labels[e], b, false, 2 * e};
        w->arcs[2 * e + 1] = (hash_arc){b, g->edge_labels[e], a, directed, 2 * e + 1};
    }
    sort_arcs(w->arcs, 2 * (size_t)g->n_edges, NULL);
    uint32_t type = 0;
    for (uint32_t i = 0; i < 2 * g->n_edges; i++) {
        if (i > 0 && compare_labels(&w->arcs[i - 1], &w->arcs[i]) != 0) type++;
        w->types[w->arcs[i].arc] = type;
    }
    for (uint32_t a = 2 * g->n_edges; a-- > 0;) {
        w->reverse[w->types[a]] = w->types[a ^ 1];
        w->arc_of[w->types[a]] = a;
    }
}

static uint64_t hash_code(const hash_worker *w, const lode_graph *g) {
    const lode_graphs *data = w->base.base.sink->data;
    uint64_t hash = g->n_vertices;
    if (g->n_edges == 0) return graph_hash_name(data->vertex_names, g->vertex_labels[0]);
    for (uint32_t k = 0; k < g->n_edges; k++) {
        code_edge e = w->best[k];
        uint32_t a = w->arc_of[e.type];
        uint32_t one = g->from[a / 2], other = g->to[a / 2];
        uint64_t names =
            graph_hash_name(data->vertex_names, g->vertex_labels[a % 2 ? other : one]) * 3 +
            graph_hash_name(data->edge_names, g->edge_labels[a / 2]) * 5 +
            graph_hash_name(data->vertex_names, g->vertex_labels[a % 2 ? one : other]) * 7;
        bool incoming = data->profile.directed && a % 2;
        hash = bits_mix(hash ^ names) + ((uint64_t)e.from << 32 | (uint32_t)e.to << 1 | incoming);
    }
    return hash;
}

static lode_status graph_hash_emit(sink_worker *worker, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    hash_worker *w = (hash_worker *)worker;
    const lode_graph *g = p->graph;
    LODE_TRY(hash_reserve(w, g->n_edges));
    if (g->n_edges > 0) {
        const lode_graphs *data = worker->sink->data;
        hash_types(w, g, data->profile.directed);
        for (uint32_t e = 0; e < g->n_edges; e++) {
            w->edges[e] = (code_edge){(uint16_t)g->from[e], (uint16_t)g->to[e], w->types[2 * e]};
        }
        if (!w->code.job) code_init(&w->code, worker->sink->job, NULL);
        w->code.reverse = w->reverse;
        LODE_TRY(code_load(&w->code, g->n_vertices, w->edges, g->n_edges));
        LODE_TRY(code_minimise(&w->code, w->best));
    }
    w->hash += bits_mix(hash_code(w, g) + bits_mix(p->support));
done:
    return status;
}

static lode_status graph_hash_close(sink_worker *worker) {
    hash_worker *w = (hash_worker *)worker;
    hash_sink *sink = (hash_sink *)worker->sink;
    atomic_fetch_add(&sink->hash, w->hash);
    code_free(&w->code);
    mem_free(&sink->base.job->mem, w->arcs, w->cap * HASH_EACH);
    return LODE_OK;
}

static uint64_t graph_hash_value(const lode_sink *sink) {
    return atomic_load(&((const hash_sink *)sink)->hash);
}

static lode_status graph_hash_empty(lode_sink *sink) {
    atomic_store(&((hash_sink *)sink)->hash, 0);
    return LODE_OK;
}

static const graph_ops hash_graphs = {
    .worker_bytes = sizeof(hash_worker),
    .emit = graph_hash_emit,
    .close = graph_hash_close,
};

static const sink_kind graph_hash_kind = {
    .bytes = sizeof(hash_sink),
    .graphs = &hash_graphs,
    .hash = graph_hash_value,
    .empty = graph_hash_empty,
};

lode_status lode_graph_sink_hash(lode_job *job, lode_sink **out, const lode_graphs *data) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data));
    lode_status status = sink_create(job, &graph_hash_kind, out);
    if (status == LODE_OK) (*out)->data = data;
    return job_explain(job, status, "creating a sink");
}
