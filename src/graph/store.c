/* store.c - see store.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/store.h"

#include <stdio.h>

#include "base/os.h"

#define STORE_CHECK_EVERY ((size_t)1 << 18) /* edges between two checks for a stop */
#define STORE_SHORT       32                /* this many half-edges are sorted by insertion */
#define STORE_DEEPER      8                 /* this part of the edges may be added for later jobs */

typedef struct triple {
    uint32_t from_label, edge_label, to_label;
    uint32_t last_graph; /* + 1, while counting */
    uint64_t support, n_edges;
    uint32_t rank; /* among the frequent ones; after them if infrequent */
} triple;

typedef struct triples {
    mem *mem;
    lode_job *job;
    size_t work; /* edges since the start */
    triple *list;
    size_t n, cap;
    keymap pairs;   /* (label, label) -> number */
    keymap numbers; /* (number of the pair, edge label) -> triple */
    uint32_t n_pairs;
    uint32_t *of_edge; /* triple by edge */
} triples;

static void triples_free(triples *t, size_t n_edges) {
    mem_free(t->mem, t->list, t->cap * sizeof *t->list);
    mem_free(t->mem, t->of_edge, n_edges * sizeof *t->of_edge);
    keymap_free(&t->pairs, t->mem);
    keymap_free(&t->numbers, t->mem);
}

/* Checks from time to time whether the job is to stop; called for every edge. */
static inline lode_status triples_check(triples *t) {
    return ++t->work % STORE_CHECK_EVERY == 0 ? job_check(t->job) : LODE_OK;
}

/* The value of a key, which gets `next` if it is new. */
static lode_status key_number(keymap *map, mem *m, uint64_t key, uint32_t next, uint32_t *number,
                              bool *found) {
    lode_status status = keymap_put(map, m, key, next, found);
    if (status == LODE_OK) *number = *found ? keymap_find(map, key)->value : next;
    return status;
}

static lode_status triples_find(triples *t, uint32_t a, uint32_t label, uint32_t b,
                                uint32_t *number) {
    lode_status status = LODE_OK;
    uint32_t pair;
    bool found;
    LODE_TRY(key_number(&t->pairs, t->mem, (uint64_t)a << 32 | b, t->n_pairs, &pair, &found));
    t->n_pairs += !found;
    LODE_TRY(key_number(&t->numbers, t->mem, (uint64_t)pair << 32 | label, (uint32_t)t->n, number,
                        &found));
    if (found) goto done;
    if (t->n == t->cap) {
        LODE_TRY(vec_grow(t->mem, (void **)&t->list, t->n, &t->cap, 1, sizeof *t->list));
    }
    t->list[t->n++] = (triple){.from_label = a, .edge_label = label, .to_label = b};
done:
    return status;
}

/* Undirected edges are turned so that the smaller label comes first. */
static bool is_turned(const lode_graphs *g, uint32_t a, uint32_t b) {
    return !g->profile.directed && a > b;
}

static lode_status triples_count(triples *t, const lode_graphs *g) {
    lode_status status = LODE_OK;
    for (uint32_t i = 0; i < g->n; i++) {
        lode_graph one = graphs_at(g, i);
        uint32_t *of_edge = t->of_edge + g->edge_start.data[i];
        for (uint32_t e = 0; e < one.n_edges; e++) {
            uint32_t a = one.vertex_labels[one.from[e]], b = one.vertex_labels[one.to[e]];
            bool turned = is_turned(g, a, b);
            LODE_TRY(
                triples_find(t, turned ? b : a, one.edge_labels[e], turned ? a : b, &of_edge[e]));
            LODE_TRY(triples_check(t));
            triple *x = &t->list[of_edge[e]];
            x->n_edges++;
            if (x->last_graph == i + 1) continue;
            x->last_graph = i + 1;
            x->support++;
        }
    }
done:
    return status;
}

static bool triple_before(triple *const *x, triple *const *y) {
    const triple *a = *x, *b = *y;
    if (a->support != b->support) return a->support < b->support;
    if (a->from_label != b->from_label) return a->from_label < b->from_label;
    if (a->edge_label != b->edge_label) return a->edge_label < b->edge_label;
    return a->to_label < b->to_label;
}

#define SORT_NAME   sort_triples
#define SORT_TYPE   triple *
#define SORT_BEFORE triple_before
#include "base/sort_body.h"

/* The first triple to keep. The frequent ones are kept, and rarer ones as long as they add few
 * edges and few triples; of those with the same support, all or none. */
static size_t first_kept(triple *const *order, size_t n, uint64_t *min_count) {
    size_t first = n, kept;
    uint64_t n_edges = 0, added = 0;
    for (; first > 0 && order[first - 1]->support >= *min_count; first--) {
        n_edges += order[first - 1]->n_edges;
    }
    kept = first;
    for (size_t i = first; i > 0; i--) {
        added += order[i - 1]->n_edges;
        if (added > n_edges / STORE_DEEPER || first - i + 1 > n - first) return kept;
        if (i > 1 && order[i - 2]->support == order[i - 1]->support) continue;
        kept = i - 1;
        *min_count = order[i - 1]->support;
    }
    *min_count = 1;
    return kept;
}

/* Makes the types of the triples that are kept, which are given by rank. */
static lode_status make_types(store *s, triple *const *kept) {
    lode_status status = LODE_OK;
    bool directed = s->data->profile.directed;
    LODE_TRY(mem_zalloc(s->mem, (void **)&s->types, store_n_types(s) * sizeof *s->types));
    LODE_TRY(mem_zalloc(s->mem, (void **)&s->reverse, store_n_types(s) * sizeof *s->reverse));
    LODE_TRY(mem_zalloc(s->mem, (void **)&s->triple_supports,
                        s->n_triples * sizeof *s->triple_supports));
    for (uint32_t rank = 0; rank < s->n_triples; rank++) {
        const triple *x = kept[rank];
        uint32_t even = 2 * rank;
        bool symmetric = !directed && x->from_label == x->to_label;
        s->triple_supports[rank] = x->support;
        s->types[even] = (edge_type){x->from_label, x->edge_label, x->to_label, false};
        s->types[even + 1] = (edge_type){x->to_label, x->edge_label, x->from_label, directed};
        s->reverse[even] = symmetric ? even : even + 1;
        s->reverse[even + 1] = even;
    }
done:
    return status;
}

/* Ranks the triples: those that are kept get 0, 1, …, rarest first, the others the ranks after. */
static lode_status rank_triples(lode_job *job, store *s, triples *t, uint64_t *min_count) {
    lode_status status = LODE_OK;
    triple **order = NULL;
    size_t bytes = t->n * sizeof *order;
    LODE_TRY(mem_resize(t->mem, (void **)&order, 0, bytes));
    for (size_t i = 0; i < t->n; i++) order[i] = &t->list[i];
    sort_stop stop = job_sort_stop(job);
    if (!sort_triples(order, t->n, &stop)) LODE_LEAVE(job_check(job));
    size_t first = first_kept(order, t->n, min_count);
    s->n_triples = (uint32_t)(t->n - first);
    for (size_t i = 0; i < t->n; i++) {
        order[i]->rank = (uint32_t)(i >= first ? i - first : s->n_triples + i);
    }
    LODE_TRY(make_types(s, order + first));
done:
    mem_free(t->mem, order, order ? bytes : 0);
    return status;
}

static inline bool half_before(half_edge a, half_edge b) {
    return a.type != b.type ? a.type < b.type : a.to < b.to;
}

static void insert_half(half_edge *half, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) {
        half_edge x = half[i];
        uint32_t k = i;
        for (; k > 0 && half_before(x, half[k - 1]); k--) half[k] = half[k - 1];
        half[k] = x;
    }
}

static void sift_half(half_edge *heap, uint32_t at, uint32_t n) {
    half_edge x = heap[at];
    for (uint64_t under; (under = 2 * (uint64_t)at + 1) < n; at = (uint32_t)under) {
        if (under + 1 < n && half_before(heap[under], heap[under + 1])) under++;
        if (!half_before(x, heap[under])) break;
        heap[at] = heap[under];
    }
    heap[at] = x;
}

/* Sorts the half-edges of a vertex. Most vertices have a few, but a hub may have 10^6. */
static lode_status sort_half(triples *t, half_edge *half, uint32_t n) {
    lode_status status = LODE_OK;
    if (n <= STORE_SHORT) {
        insert_half(half, n);
        return LODE_OK;
    }
    for (uint32_t i = n / 2; i-- > 0;) sift_half(half, i, n);
    for (uint32_t end = n; end-- > 1;) {
        half_edge largest = half[0];
        half[0] = half[end];
        half[end] = largest;
        sift_half(half, 0, end);
        LODE_TRY(triples_check(t));
    }
done:
    return status;
}

/* The two types of an edge: from its first and from its second end. */
static void edge_types(const lode_graphs *g, const triple *x, uint32_t a, uint32_t b,
                       uint32_t *first, uint32_t *second) {
    uint32_t even = 2 * x->rank;
    bool turned = is_turned(g, a, b);
    bool symmetric = !g->profile.directed && a == b;
    *first = even + (turned ? 1 : 0);
    *second = symmetric ? even : even + (turned ? 0 : 1);
}

/* The edges of triples whose rank is below n_ranks, as CSR arrays. */
typedef struct csr {
    uint32_t n_ranks;
    uint32_t *offsets;
    half_edge *half;
    size_t n;
} csr;

/* Counts the half-edges of each vertex, and makes offsets of the counts. */
static lode_status count_half(const store *s, triples *t, csr *c) {
    lode_status status = LODE_OK;
    const lode_graphs *g = s->data;
    for (uint32_t i = 0; i < g->n; i++) {
        lode_graph one = graphs_at(g, i);
        uint32_t *counts = c->offsets + g->vertex_start.data[i] + 1;
        for (uint32_t e = 0; e < one.n_edges; e++) {
            LODE_TRY(triples_check(t));
            if (t->list[t->of_edge[g->edge_start.data[i] + e]].rank >= c->n_ranks) continue;
            counts[one.from[e]]++;
            counts[one.to[e]]++;
            c->n += 2;
        }
    }
    if (c->n > UINT32_MAX) LODE_LEAVE(LODE_UNSUPPORTED);
    for (uint32_t v = 0; v < s->n_vertices; v++) c->offsets[v + 1] += c->offsets[v];
done:
    return status;
}

/* Writes the half-edges; `at` is a copy of the offsets. */
static lode_status write_half(const store *s, triples *t, const csr *c, uint32_t *at) {
    lode_status status = LODE_OK;
    const lode_graphs *g = s->data;
    for (uint32_t i = 0; i < g->n; i++) {
        lode_graph one = graphs_at(g, i);
        uint32_t base = (uint32_t)g->vertex_start.data[i];
        for (uint32_t e = 0; e < one.n_edges; e++) {
            const triple *x = &t->list[t->of_edge[g->edge_start.data[i] + e]];
            uint32_t u = one.from[e], v = one.to[e], first, second;
            LODE_TRY(triples_check(t));
            if (x->rank >= c->n_ranks) continue;
            edge_types(g, x, one.vertex_labels[u], one.vertex_labels[v], &first, &second);
            c->half[at[base + u]++] = (half_edge){base + v, first};
            c->half[at[base + v]++] = (half_edge){base + u, second};
        }
    }
    for (uint32_t v = 0; v < s->n_vertices; v++) {
        LODE_TRY(sort_half(t, c->half + c->offsets[v], c->offsets[v + 1] - c->offsets[v]));
    }
done:
    return status;
}

static lode_status fill_csr(const store *s, triples *t, csr *out) {
    lode_status status = LODE_OK;
    csr c = {.n_ranks = out->n_ranks};
    uint32_t *at = NULL;
    size_t offset_bytes = ((size_t)s->n_vertices + 1) * sizeof *at;
    LODE_TRY(mem_zalloc(s->mem, (void **)&c.offsets, offset_bytes));
    LODE_TRY(count_half(s, t, &c));
    LODE_TRY(mem_resize(s->mem, (void **)&c.half, 0, c.n * sizeof *c.half));
    LODE_TRY(mem_resize(s->mem, (void **)&at, 0, offset_bytes));
    memcpy(at, c.offsets, offset_bytes);
    LODE_TRY(write_half(s, t, &c, at));
    *out = c;
    c = (csr){0};
done:
    mem_free(s->mem, at, at ? offset_bytes : 0);
    mem_free(s->mem, c.offsets, c.offsets ? offset_bytes : 0);
    mem_free(s->mem, c.half, c.half ? c.n * sizeof *c.half : 0);
    return status;
}

static lode_status fill_graph_of(store *s, triples *t) {
    lode_status status = LODE_OK;
    size_t bytes = s->n_vertices * sizeof *s->graph_of;
    LODE_TRY(mem_resize(s->mem, (void **)&s->graph_of, 0, bytes));
    for (uint32_t i = 0; i < s->n_graphs; i++) {
        uint64_t end = s->data->vertex_start.data[i + 1];
        for (uint64_t v = s->data->vertex_start.data[i]; v < end; v++) s->graph_of[v] = i;
        LODE_TRY(triples_check(t));
    }
done:
    return status;
}

/* Lists, for each triple, the vertices where its edges begin: those with a half-edge of its even
 * type. */
static lode_status fill_roots(store *s, triples *t) {
    lode_status status = LODE_OK;
    size_t n = 0, bytes = ((size_t)s->n_triples + 1) * sizeof *s->roots_at;
    LODE_TRY(mem_zalloc(s->mem, (void **)&s->roots_at, bytes));
    for (size_t k = 0; k < s->n_half; k++) {
        LODE_TRY(triples_check(t));
        if (s->half[k].type % 2 == 0) s->roots_at[s->half[k].type / 2 + 1]++;
    }
    for (uint32_t i = 0; i < s->n_triples; i++) s->roots_at[i + 1] += s->roots_at[i];
    n = s->roots_at[s->n_triples];
    LODE_TRY(mem_keep(s->mem, &s->kept, (void **)&s->roots, n * sizeof *s->roots));
    for (uint32_t v = 0; v < s->n_vertices; v++) {
        for (uint32_t k = s->offsets[v]; k < s->offsets[v + 1]; k++) {
            uint32_t type = s->half[k].type;
            LODE_TRY(triples_check(t));
            if (type % 2 == 0) s->roots[s->roots_at[type / 2]++] = v;
        }
    }
    for (uint32_t i = s->n_triples; i > 0; i--) s->roots_at[i] = s->roots_at[i - 1];
    s->roots_at[0] = 0;
done:
    return status;
}

/* ---- shared by jobs ------------------------------------------------------------------------- */

typedef struct store_key {
    uint64_t min_count;
    bool induced;
} store_key;

static bool store_fits(const void *key, const void *wanted) {
    const store_key *has = key, *wants = wanted;
    return has->min_count <= wants->min_count && (has->induced || !wants->induced);
}

static void store_free(mem *m, void *value) {
    store *s = value;
    size_t offset_bytes = ((size_t)s->n_vertices + 1) * sizeof *s->offsets;
    if (s->graph_of) mem_free(m, s->graph_of, s->n_vertices * sizeof *s->graph_of);
    if (s->offsets) mem_free(m, s->offsets, offset_bytes);
    mem_drop(m, &s->kept);
    if (s->roots_at) mem_free(m, s->roots_at, ((size_t)s->n_triples + 1) * sizeof *s->roots_at);
    if (s->half) mem_free(m, s->half, s->n_half * sizeof *s->half);
    if (s->all_offsets) mem_free(m, s->all_offsets, offset_bytes);
    if (s->all) mem_free(m, s->all, s->n_all * sizeof *s->all);
    if (s->types) mem_free(m, s->types, store_n_types(s) * sizeof *s->types);
    if (s->reverse) mem_free(m, s->reverse, store_n_types(s) * sizeof *s->reverse);
    if (s->triple_supports) {
        mem_free(m, s->triple_supports, s->n_triples * sizeof *s->triple_supports);
    }
    mem_free(m, s, sizeof *s);
}

static lode_status store_build(prepared_build *b) {
    lode_status status = LODE_OK;
    const lode_graphs *data = b->arg;
    store_key *key = b->key;
    store *s = NULL;
    triples t = {.mem = &b->job->mem, .job = b->job};
    csr frequent = {0}, all = {.n_ranks = UINT32_MAX};
    size_t n_edges = data->from.n;
    LODE_TRY(mem_zalloc(b->mem, (void **)&s, sizeof *s));
    *s = (store){.mem = b->mem, .data = data, .n_graphs = data->n};
    s->n_vertices = (uint32_t)data->labels.n;
    LODE_TRY(mem_resize(t.mem, (void **)&t.of_edge, 0, n_edges * sizeof *t.of_edge));
    LODE_TRY(triples_count(&t, data));
    LODE_TRY(job_check(b->job));
    LODE_TRY(rank_triples(b->job, s, &t, &key->min_count));
    LODE_TRY(fill_graph_of(s, &t));
    frequent.n_ranks = s->n_triples;
    LODE_TRY(fill_csr(s, &t, &frequent));
    s->offsets = frequent.offsets;
    s->half = frequent.half;
    s->n_half = frequent.n;
    LODE_TRY(fill_roots(s, &t));
    if (key->induced) LODE_TRY(fill_csr(s, &t, &all));
    s->all_offsets = all.offsets;
    s->all = all.half;
    s->n_all = all.n;
    b->value = s;
    s = NULL;
done:
    triples_free(&t, t.of_edge ? n_edges : 0);
    if (s) store_free(b->mem, s);
    return status;
}

static const prepared_kind store_kind = {
    .name = "graphs",
    .key_bytes = sizeof(store_key),
    .fits = store_fits,
    .build = store_build,
    .free = store_free,
};

static lode_status store_find(const engine_task *task, prepared **held, prepared_origin *origin) {
    const lode_graphs *data = task->graphs;
    store_key key;
    memset(&key, 0, sizeof key);
    key.min_count = task->min_count;
    key.induced = task->graph_options->induced;
    prepared_request request = {data->prepared, &store_kind, &key, data};
    return prepared_take(task->job, &request, held, origin);
}

lode_status store_take(engine_task *task, store *out, prepared **held) {
    engine_report *report = task->report;
    double start = os_seconds();
    prepared_origin origin = PREPARED_BUILT;
    lode_status status = store_find(task, held, &origin);
    if (status != LODE_OK) return status;
    *out = *(const store *)prepared_value(*held);
    while (out->first_triple < out->n_triples &&
           out->triple_supports[out->first_triple] < task->min_count) {
        out->first_triple++;
    }
    snprintf(report->prepared, sizeof report->prepared, "%s", prepared_origin_text(origin));
    report->frequent_triples = out->n_triples - out->first_triple;
    report->times.preprocess += os_seconds() - start;
    return LODE_OK;
}

lode_status store_prepare(engine_task *task) {
    prepared *held = NULL;
    lode_status status = store_find(task, &held, NULL);
    prepared_drop(task->job, held);
    return status;
}
