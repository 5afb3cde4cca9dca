/* graph_columns.c - see graph_columns.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/graphs/graph_columns.h"

#include "runtime/valid.h"
#include "write/core/sink_memory.h"
#include "write/core/sink_text.h"
#include "write/graphs/graph_classes.h"
#include "write/graphs/graph_sink.h"

#define COLUMNS_LOOK_UP ((uint64_t)1 << 18) /* numbers that are copied between checks for a stop */

static const graph_offsets offsets_of[N_GRAPH_LISTS] = {
    [LIST_VERTEX_LABELS] = OFFSETS_VERTICES,
    [LIST_FROM] = OFFSETS_EDGES,
    [LIST_TO] = OFFSETS_EDGES,
    [LIST_EDGE_LABELS] = OFFSETS_EDGES,
    [LIST_SUPPORTERS] = OFFSETS_SUPPORTERS,
    [LIST_EMBEDDED_IN] = OFFSETS_EMBEDDINGS,
    [LIST_EMBEDDINGS] = OFFSETS_PLACES,
    [LIST_CLASSES] = OFFSETS_CLASSES,
};

/* The list of a pattern's classes has its counts, and then: tested_class, p, adjusted_p. */
#define CLASS_VALUES 5

static void columns_pack_values(const lode_graph_pattern *p, uint32_t values[CLASS_VALUES]) {
    values[0] = p->tested_class;
    memcpy(values + 1, &p->p, sizeof p->p);
    memcpy(values + 3, &p->adjusted_p, sizeof p->adjusted_p);
}

/* A pattern as lists: where each is; how long those of each kind are, and whether it has them. */
typedef struct pattern_lists {
    const uint32_t *lists[N_GRAPH_LISTS];
    uint64_t n[N_GRAPH_OFFSETS];
    bool given[N_GRAPH_OFFSETS];
    uint32_t values[CLASS_VALUES]; /* the end of the list of classes */
} pattern_lists;

static pattern_lists columns_take_apart(const lode_graph_pattern *p) {
    const lode_graph *g = p->graph;
    bool places = p->embeddings != NULL, graphs = p->supporters != NULL;
    bool classes = p->class_counts != NULL;
    pattern_lists l = {
        .lists = {g->vertex_labels, g->from, g->to, g->edge_labels, p->supporters, p->embedded_in,
                  p->embeddings, p->class_counts},
        .n = {g->n_vertices, g->n_edges, graphs ? p->support : 0, places ? p->n_embeddings : 0,
              places ? p->n_embeddings * g->n_vertices : 0,
              classes ? p->n_classes + CLASS_VALUES : 0},
        .given = {true, true, graphs, places, places, classes},
    };
    columns_pack_values(p, l.values);
    return l;
}

void graph_columns_free(mem *m, graph_columns *c) {
    vec_u64_free(m, &c->supports);
    for (unsigned k = 0; k < N_GRAPH_OFFSETS; k++) vec_u64_free(m, &c->offsets[k]);
    for (unsigned k = 0; k < N_GRAPH_LISTS; k++) vec_u32_free(m, &c->lists[k]);
}

/* Makes room for this many patterns, whose lists have n numbers, so that nothing fails half-way. */
static lode_status columns_reserve_lists(mem *m, graph_columns *c, uint64_t patterns,
                                         const uint64_t n[N_GRAPH_OFFSETS]) {
    lode_status status = LODE_OK;
    LODE_TRY(vec_u64_reserve(m, &c->supports, (size_t)patterns));
    for (unsigned k = 0; k < N_GRAPH_LISTS; k++) {
        LODE_TRY(vec_u32_reserve(m, &c->lists[k], (size_t)n[offsets_of[k]]));
    }
done:
    return status;
}

/* Reserves offsets of lists that the new patterns or earlier ones have. Earlier patterns without
 * such lists get empty ones. */
static lode_status columns_reserve_offsets(mem *m, graph_columns *c, uint64_t patterns,
                                           const bool given[N_GRAPH_OFFSETS]) {
    lode_status status = LODE_OK;
    for (unsigned k = 0; k < N_GRAPH_OFFSETS; k++) {
        vec_u64 *o = &c->offsets[k];
        if (!given[k] && o->n == 0) continue;
        size_t before = o->n == 0 ? c->supports.n + 1 : 0;
        LODE_TRY(vec_u64_reserve(m, o, before + (size_t)patterns));
    }
    for (unsigned k = 0; k < N_GRAPH_OFFSETS; k++) {
        vec_u64 *o = &c->offsets[k];
        while ((given[k] || o->n > 0) && o->n <= c->supports.n) o->data[o->n++] = 0;
    }
done:
    return status;
}

static void columns_put_list(vec_u32 *to, const uint32_t *list, uint64_t n) {
    if (n == 0) return;
    memcpy(to->data + to->n, list, (size_t)n * sizeof *list);
    to->n += (size_t)n;
}

/* Adds a pattern for which there is room. */
static void columns_put_pattern(graph_columns *c, const lode_graph_pattern *p,
                                const pattern_lists *l) {
    c->supports.data[c->supports.n++] = p->support;
    for (unsigned k = 0; k < N_GRAPH_OFFSETS; k++) {
        vec_u64 *o = &c->offsets[k];
        if (o->n == 0) continue;
        o->data[o->n] = o->data[o->n - 1] + l->n[k];
        o->n++;
    }
    for (unsigned k = 0; k < LIST_CLASSES; k++) {
        columns_put_list(&c->lists[k], l->lists[k], l->n[offsets_of[k]]);
    }
    uint64_t words = l->n[OFFSETS_CLASSES];
    if (words == 0) return;
    columns_put_list(&c->lists[LIST_CLASSES], l->lists[LIST_CLASSES], words - CLASS_VALUES);
    columns_put_list(&c->lists[LIST_CLASSES], l->values, CLASS_VALUES);
}

lode_status graph_columns_append(mem *m, graph_columns *c, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    pattern_lists l = columns_take_apart(p);
    LODE_TRY(columns_reserve_lists(m, c, 1, l.n));
    LODE_TRY(columns_reserve_offsets(m, c, 1, l.given));
    columns_put_pattern(c, p, &l);
done:
    return status;
}

/* Makes room for all of `from`. */
static lode_status columns_reserve_all(mem *m, graph_columns *c, const graph_columns *from) {
    lode_status status = LODE_OK;
    uint64_t n[N_GRAPH_OFFSETS];
    bool given[N_GRAPH_OFFSETS];
    for (unsigned k = 0; k < N_GRAPH_OFFSETS; k++) given[k] = from->offsets[k].n > 0;
    for (unsigned k = 0; k < N_GRAPH_LISTS; k++) n[offsets_of[k]] = from->lists[k].n;
    LODE_TRY(columns_reserve_lists(m, c, from->supports.n, n));
    LODE_TRY(columns_reserve_offsets(m, c, from->supports.n, given));
done:
    return status;
}

lode_status graph_columns_join(mem *m, graph_columns *c, graph_columns *from) {
    if (from->supports.n == 0) return LODE_OK;
    if (c->supports.n == 0) { /* nothing to copy */
        graph_columns none = *c;
        *c = *from;
        *from = none;
        return LODE_OK;
    }
    lode_status status = columns_reserve_all(m, c, from);
    if (status != LODE_OK) return status;
    size_t n = from->supports.n;
    for (unsigned k = 0; k < N_GRAPH_OFFSETS; k++) {
        vec_u64 *o = &c->offsets[k];
        if (o->n == 0) continue;
        uint64_t base = o->data[o->n - 1];
        bool there = from->offsets[k].n > 0;
        for (size_t i = 1; i <= n; i++) {
            o->data[o->n++] = base + (there ? from->offsets[k].data[i] : 0);
        }
    }
    for (unsigned k = 0; k < N_GRAPH_LISTS; k++) {
        columns_put_list(&c->lists[k], from->lists[k].data, from->lists[k].n);
    }
    memcpy(c->supports.data + c->supports.n, from->supports.data, n * sizeof *c->supports.data);
    c->supports.n += n;
    return LODE_OK;
}

/* List k of pattern i; NULL if it is not there. */
static const uint32_t *columns_list_at(const graph_columns *c, graph_list k, uint64_t i) {
    const vec_u64 *o = &c->offsets[offsets_of[k]];
    return o->n > 0 && c->lists[k].data ? c->lists[k].data + o->data[i] : NULL;
}

static uint64_t columns_length_at(const graph_columns *c, graph_offsets k, uint64_t i) {
    const vec_u64 *o = &c->offsets[k];
    return o->n > 0 ? o->data[i + 1] - o->data[i] : 0;
}

lode_graph_pattern graph_columns_at(const graph_columns *c, uint64_t i, lode_graph *graph) {
    *graph = (lode_graph){.size = sizeof *graph,
                          .n_vertices = (uint32_t)columns_length_at(c, OFFSETS_VERTICES, i),
                          .n_edges = (uint32_t)columns_length_at(c, OFFSETS_EDGES, i),
                          .vertex_labels = columns_list_at(c, LIST_VERTEX_LABELS, i),
                          .from = columns_list_at(c, LIST_FROM, i),
                          .to = columns_list_at(c, LIST_TO, i),
                          .edge_labels = columns_list_at(c, LIST_EDGE_LABELS, i)};
    lode_graph_pattern p = {
        .size = sizeof(lode_graph_pattern),
        .graph = graph,
        .support = c->supports.data[i],
        .supporters = columns_length_at(c, OFFSETS_SUPPORTERS, i) > 0
                          ? columns_list_at(c, LIST_SUPPORTERS, i)
                          : NULL,
        .n_embeddings = columns_length_at(c, OFFSETS_EMBEDDINGS, i),
        .embedded_in = columns_list_at(c, LIST_EMBEDDED_IN, i),
        .embeddings = columns_list_at(c, LIST_EMBEDDINGS, i),
    };
    uint64_t words = columns_length_at(c, OFFSETS_CLASSES, i);
    if (words == 0) return p;
    p.class_counts = columns_list_at(c, LIST_CLASSES, i);
    p.n_classes = (uint32_t)(words - CLASS_VALUES);
    const uint32_t *values = p.class_counts + p.n_classes;
    p.tested_class = values[0];
    memcpy(&p.p, values + 1, sizeof p.p);
    memcpy(&p.adjusted_p, values + 3, sizeof p.adjusted_p);
    return p;
}

uint64_t graph_columns_bytes(const graph_columns *c) {
    uint64_t bytes = c->supports.n * sizeof(uint64_t);
    for (unsigned k = 0; k < N_GRAPH_OFFSETS; k++) bytes += c->offsets[k].n * sizeof(uint64_t);
    for (unsigned k = 0; k < N_GRAPH_LISTS; k++) bytes += c->lists[k].n * sizeof(uint32_t);
    return bytes;
}

uint64_t graph_columns_pattern_bytes(const lode_graph_pattern *p) {
    pattern_lists l = columns_take_apart(p);
    uint64_t bytes = sizeof(uint64_t);
    for (unsigned k = 0; k < N_GRAPH_OFFSETS; k++) bytes += l.given[k] ? sizeof(uint64_t) : 0;
    for (unsigned k = 0; k < N_GRAPH_LISTS; k++) bytes += l.n[offsets_of[k]] * sizeof(uint32_t);
    return bytes;
}

/* ---- dropping ------------------------------------------------------------------------------- */

void graph_columns_cut(graph_columns *c, size_t n) {
    if (n >= c->supports.n) return;
    for (unsigned k = 0; k < N_GRAPH_LISTS; k++) {
        const vec_u64 *o = &c->offsets[offsets_of[k]];
        if (o->n > 0) c->lists[k].n = (size_t)o->data[n];
    }
    for (unsigned k = 0; k < N_GRAPH_OFFSETS; k++) {
        if (c->offsets[k].n > 0) c->offsets[k].n = n + 1;
    }
    c->supports.n = n;
}

/* Moves pattern i down to place `to`, after the patterns that are kept. Offsets up to `to` are
 * already final; those from i on are still the old ones. */
static void columns_move(graph_columns *c, size_t to, size_t i) {
    for (unsigned k = 0; k < N_GRAPH_LISTS; k++) {
        const vec_u64 *offsets = &c->offsets[offsets_of[k]];
        const uint64_t *o = offsets->data;
        uint32_t *list = c->lists[k].data;
        if (offsets->n == 0 || o[i] == o[i + 1]) continue;
        memmove(list + o[to], list + o[i], (size_t)(o[i + 1] - o[i]) * sizeof *list);
    }
    for (unsigned k = 0; k < N_GRAPH_OFFSETS; k++) {
        uint64_t *o = c->offsets[k].data;
        if (c->offsets[k].n > 0) o[to + 1] = o[to] + (o[i + 1] - o[i]);
    }
    c->supports.data[to] = c->supports.data[i];
}

void graph_columns_pick(graph_columns *c, bool (*wants)(void *user, size_t i), void *user) {
    size_t kept = 0;
    for (size_t i = 0; i < c->supports.n; i++) {
        if (!wants(user, i)) continue;
        if (kept < i) columns_move(c, kept, i);
        kept++;
    }
    graph_columns_cut(c, kept);
}

typedef struct columns_least {
    const uint64_t *supports;
    uint64_t min_support;
} columns_least;

static bool columns_is_frequent(void *user, size_t i) {
    const columns_least *least = user;
    return least->supports[i] >= least->min_support;
}

void graph_columns_keep(graph_columns *c, uint64_t min_support) {
    columns_least least = {c->supports.data, min_support};
    graph_columns_pick(c, columns_is_frequent, &least);
}

/* ---- order ---------------------------------------------------------------------------------- */

static int columns_compare_lists(const uint32_t *a, const uint32_t *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

static bool graph_pattern_before(const lode_graph_pattern *p, const lode_graph_pattern *q) {
    const lode_graph *a = p->graph, *b = q->graph;
    if (p->support != q->support) return p->support > q->support;
    if (a->n_edges != b->n_edges) return a->n_edges > b->n_edges;
    if (a->n_vertices != b->n_vertices) return a->n_vertices > b->n_vertices;
    int order = columns_compare_lists(a->vertex_labels, b->vertex_labels, a->n_vertices);
    if (order == 0) order = columns_compare_lists(a->from, b->from, a->n_edges);
    if (order == 0) order = columns_compare_lists(a->to, b->to, a->n_edges);
    if (order == 0) order = columns_compare_lists(a->edge_labels, b->edge_labels, a->n_edges);
    return order < 0;
}

typedef struct pattern_ref {
    const graph_columns *in;
    uint64_t i;
} pattern_ref;

static bool columns_ref_before(const pattern_ref *a, const pattern_ref *b) {
    uint64_t x = a->in->supports.data[a->i], y = b->in->supports.data[b->i];
    if (x != y) return x > y;
    lode_graph g, h;
    lode_graph_pattern p = graph_columns_at(a->in, a->i, &g);
    lode_graph_pattern q = graph_columns_at(b->in, b->i, &h);
    return graph_pattern_before(&p, &q);
}

#define SORT_NAME   columns_sort_refs
#define SORT_TYPE   pattern_ref
#define SORT_BEFORE columns_ref_before
#include "base/sort_body.h"

/* Copies the patterns into `to`, which has room for them. */
static lode_status columns_sorted_copy(const graph_columns *c, const pattern_ref *refs,
                                       graph_columns *to, const sort_stop *stop) {
    uint64_t work = 0;
    for (size_t i = 0; i < c->supports.n; i++) {
        lode_graph graph;
        lode_graph_pattern p = graph_columns_at(c, refs[i].i, &graph);
        pattern_lists l = columns_take_apart(&p);
        columns_put_pattern(to, &p, &l);
        for (unsigned k = 0; k < N_GRAPH_OFFSETS; k++) work += l.n[k];
        if (work < COLUMNS_LOOK_UP) continue;
        work = 0;
        if (stop && stop->asked(stop->user)) return LODE_CANCELLED;
    }
    return LODE_OK;
}

lode_status graph_columns_sort(mem *m, graph_columns *c, const sort_stop *stop) {
    lode_status status = LODE_OK;
    graph_columns sorted = {0};
    pattern_ref *refs = NULL;
    size_t n = c->supports.n;
    if (n < 2) return LODE_OK;
    LODE_TRY(mem_resize(m, (void **)&refs, 0, n * sizeof *refs));
    for (size_t i = 0; i < n; i++) refs[i] = (pattern_ref){c, i};
    if (!columns_sort_refs(refs, n, stop)) LODE_LEAVE(LODE_CANCELLED);
    LODE_TRY(columns_reserve_all(m, &sorted, c));
    LODE_TRY(columns_sorted_copy(c, refs, &sorted, stop));
    graph_columns old = *c;
    *c = sorted;
    sorted = old;
done:
    graph_columns_free(m, &sorted);
    mem_free(m, refs, refs ? n * sizeof *refs : 0);
    return status;
}

/* ---- a sink that keeps graph patterns by columns, all of them or the best K ------------------ */

#define TOP_HAND_OVER 64 /* patterns a worker collects before the others hear of them */

typedef struct graph_memory {
    memory_sink base;
    graph_columns kept;
    graph_classes classes;
    class_columns by_class;
} graph_memory;

typedef struct memory_worker {
    graph_worker base;
    graph_columns found;
} memory_worker;

/* The order of every result is by support. */
static lode_status graph_kept_sort(mem *m, void *c, bool by_support, const sort_stop *stop) {
    (void)by_support;
    return graph_columns_sort(m, c, stop);
}

MEMORY_COLUMNS(graph_kept, graph_memory, graph_columns, graph_kept_sort);

static lode_status graph_memory_emit(sink_worker *worker, const lode_graph_pattern *p) {
    memory_worker *w = (memory_worker *)worker;
    memory_sink *sink = (memory_sink *)worker->sink;
    lode_graph_pattern outside;
    lode_status status = LODE_OK;
    if (!memory_is_over(sink)) {
        status = graph_sink_translate(worker, p, &outside);
        if (status == LODE_OK) {
            status = graph_columns_append(&worker->sink->job->mem, &w->found, &outside);
        }
        bool enough = sink->k > 0 && w->found.supports.n >= TOP_HAND_OVER;
        if (status == LODE_OK) return enough ? memory_hand_over(sink, &w->found) : LODE_OK;
    }
    return memory_lose(sink, status, &w->found, graph_columns_pattern_bytes(p));
}

static lode_status graph_memory_close(sink_worker *worker) {
    return memory_hand_over((memory_sink *)worker->sink, &((memory_worker *)worker)->found);
}

static const graph_ops memory_graphs = {
    .worker_bytes = sizeof(memory_worker),
    .emit = graph_memory_emit,
    .close = graph_memory_close,
};

static lode_status graph_memory_row(void *user, size_t i, double *row) {
    const graph_memory *sink = user;
    lode_graph graph;
    lode_graph_pattern p = graph_columns_at(&sink->kept, i, &graph);
    graph_classes_row(&sink->classes, &p, row);
    return LODE_OK;
}

static lode_status graph_memory_finish(lode_sink *base, bool partial) {
    graph_memory *sink = (graph_memory *)base;
    lode_status status = memory_finish(base, partial);
    if (status != LODE_OK || sink->by_class.n == 0) return status;
    return class_columns_make(&sink->by_class, &base->job->mem, sink->kept.supports.n,
                              graph_memory_row, sink, NULL);
}

static void graph_memory_free(lode_sink *base) {
    class_columns_clear(&((graph_memory *)base)->by_class, &base->job->mem);
    memory_free(base);
}

static const sink_kind graph_memory_kind = {
    .bytes = sizeof(graph_memory),
    .graphs = &memory_graphs,
    .finish = graph_memory_finish,
    .free = graph_memory_free,
    .lost = memory_lost,
    .empty = memory_empty,
};

void graph_sink_take_classes(lode_sink *base, const graph_classes *classes) {
    graph_memory *sink = (graph_memory *)base;
    if (base->kind != &graph_memory_kind || classes->n == 0) return;
    sink->classes = *classes;
    graph_classes_name_columns(classes, &sink->by_class);
    base->by_class = &sink->by_class;
}

lode_status graph_sink_top(lode_job *job, lode_sink **out, uint64_t k) {
    return memory_create(job, &graph_memory_kind, &graph_kept, k, out);
}

lode_status graph_sink_replay(lode_sink *top, lode_sink *to) {
    lode_status status = memory_finish(top, false);
    const graph_columns *c = &((graph_memory *)top)->kept;
    sink_worker *worker = NULL;
    graph_sink_take_classes(to, &((graph_memory *)top)->classes);
    if (held_is_short(status) || status == LODE_CANCELLED) status = LODE_OK;
    if (status == LODE_OK) status = graph_sink_open_worker(to, &worker);
    for (size_t i = 0; i < c->supports.n && status == LODE_OK; i++) {
        lode_graph graph;
        lode_graph_pattern p = graph_columns_at(c, i, &graph);
        status = graph_sink_emit(worker, &p);
    }
    lode_status closed = sink_close_worker(worker);
    return status != LODE_OK ? status : closed;
}

lode_status lode_graph_sink_memory(lode_job *job, lode_sink **out) {
    VALID_CALL(job, VALID_NEEDS(out));
    return job_explain(job, graph_sink_top(job, out, 0), "creating a sink");
}

static const uint64_t *offsets_or_none(const vec_u64 *offsets, bool always) {
    static const uint64_t no_offset = 0; /* an empty result has one offset, too */
    return offsets->n > 0 ? offsets->data : always ? &no_offset : NULL;
}

bool lode_graph_sink_result(const lode_sink *base, lode_graph_result *out) {
    if (!base || base->kind != &graph_memory_kind) return valid_fill(out, NULL);
    const graph_columns *c = &((const graph_memory *)base)->kept;
    lode_graph_result result = {
        .size = sizeof result,
        .n = c->supports.n,
        .supports = c->supports.data,
        .vertex_offsets = offsets_or_none(&c->offsets[OFFSETS_VERTICES], true),
        .vertex_labels = c->lists[LIST_VERTEX_LABELS].data,
        .edge_offsets = offsets_or_none(&c->offsets[OFFSETS_EDGES], true),
        .from = c->lists[LIST_FROM].data,
        .to = c->lists[LIST_TO].data,
        .edge_labels = c->lists[LIST_EDGE_LABELS].data,
        .supporter_offsets = offsets_or_none(&c->offsets[OFFSETS_SUPPORTERS], false),
        .supporters = c->lists[LIST_SUPPORTERS].data,
        .embedding_offsets = offsets_or_none(&c->offsets[OFFSETS_EMBEDDINGS], false),
        .embedded_in = c->lists[LIST_EMBEDDED_IN].data,
        .place_offsets = offsets_or_none(&c->offsets[OFFSETS_PLACES], false),
        .embeddings = c->lists[LIST_EMBEDDINGS].data,
    };
    return valid_fill(out, &result);
}
