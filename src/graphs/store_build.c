/* store_build.c - see store_build.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/store_build.h"

#include "data/graphs/keymap.h"
#include "runtime/parallel.h"

#define RANGE_EDGES  ((uint64_t)1 << 14) /* of a range, about */
#define RECENT       512                 /* triples that a table finds without hashing */
#define STORE_DEEPER 8                   /* this part of the edges may be added for later jobs */

/* Few triples make up nearly all edges, so most are found in a small table by a simple key. */
typedef struct recent_triple {
    uint32_t a, label, b;
    uint32_t number; /* + 1; 0: none */
} recent_triple;

struct triple_table {
    mem *mem;
    triple *list;
    size_t n, cap;
    keymap pairs;   /* (label, label) -> number */
    keymap numbers; /* (number of the pair, edge label) -> triple */
    uint32_t n_pairs;
    recent_triple recent[RECENT];
};

/* ---- ranges ---------------------------------------------------------------------------------- */

/* The first graph of a range; of n_ranges: the number of graphs. */
static uint32_t store_range_first(const store_work *w, uint32_t range) {
    const uint64_t *start = w->data->edge_start.data;
    uint32_t low = 0, high = w->data->n;
    uint64_t edge = w->data->from.n * (uint64_t)range / w->n_ranges;
    if (range == 0 || range >= w->n_ranges) return range == 0 ? 0 : high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (start[middle] < edge) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The triples of a range, by `of_edge`. */
static const triple *store_range_triples(const store_work *w, uint32_t range) {
    return w->tables[w->table_of[range]].list;
}

static lode_status ranges_worker(void *arg, unsigned worker) {
    lode_status status = LODE_OK;
    store_work *w = arg;
    for (;;) {
        uint32_t range = atomic_fetch_add_explicit(&w->next, 1, memory_order_relaxed);
        if (range >= w->n_ranges) break;
        LODE_TRY(job_check(w->job));
        LODE_TRY(w->fn(w, range, worker));
    }
done:
    return status;
}

/* Calls fn for all ranges, on all threads. */
static lode_status store_for_ranges(store_work *w, store_range_fn fn, void *arg) {
    w->fn = fn;
    w->arg = arg;
    atomic_store(&w->next, 0);
    return w->n_workers == 1 ? ranges_worker(w, 0)
                             : parallel_run(w->job, w->n_workers, false, ranges_worker, w);
}

lode_status store_work_open(store_work *w, lode_job *job, store *s) {
    lode_status status = LODE_OK;
    const lode_graphs *g = s->data;
    *w = (store_work){.job = job, .s = s, .data = g};
    uint64_t ranges = g->from.n / RANGE_EDGES + 1;
    w->n_ranges = (uint32_t)(ranges < g->n ? ranges : g->n);
    w->n_workers = job->threads < w->n_ranges ? job->threads : w->n_ranges;
    if (w->n_workers == 0) w->n_workers = 1;
    LODE_TRY(
        mem_keep_zero(&job->mem, &w->kept, (void **)&w->tables, w->n_workers * sizeof *w->tables));
    LODE_TRY(
        mem_keep(&job->mem, &w->kept, (void **)&w->table_of, w->n_ranges * sizeof *w->table_of));
    LODE_TRY(mem_keep(&job->mem, &w->kept, (void **)&w->of_edge, g->from.n * sizeof *w->of_edge));
    for (unsigned i = 0; i < w->n_workers; i++) w->tables[i].mem = &job->mem;
done:
    return status;
}

void store_work_close(store_work *w) {
    for (unsigned i = 0; w->tables && i < w->n_workers; i++) {
        triple_table *t = &w->tables[i];
        if (!t->mem) continue;
        mem_free(t->mem, t->list, t->cap * sizeof *t->list);
        keymap_free(&t->pairs, t->mem);
        keymap_free(&t->numbers, t->mem);
    }
    mem_drop(&w->job->mem, &w->kept);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The value of a key, which gets `next` if it is new. */
static lode_status key_number(keymap *map, mem *m, uint64_t key, uint32_t next, uint32_t *number,
                              bool *found) {
    lode_status status = keymap_put(map, m, key, next, found);
    if (status == LODE_OK) *number = *found ? keymap_find(map, key)->value : next;
    return status;
}

static lode_status triples_hash(triple_table *t, const recent_triple *x, uint32_t *number) {
    lode_status status = LODE_OK;
    uint32_t pair;
    bool found;
    LODE_TRY(key_number(&t->pairs, t->mem, (uint64_t)x->a << 32 | x->b, t->n_pairs, &pair, &found));
    t->n_pairs += !found;
    LODE_TRY(key_number(&t->numbers, t->mem, (uint64_t)pair << 32 | x->label, (uint32_t)t->n,
                        number, &found));
    if (found) goto done;
    if (t->n == t->cap) {
        LODE_TRY(vec_grow(t->mem, (void **)&t->list, t->n, &t->cap, 1, sizeof *t->list));
    }
    t->list[t->n++] = (triple){.from_label = x->a, .edge_label = x->label, .to_label = x->b};
done:
    return status;
}

static lode_status triples_number(triple_table *t, uint32_t a, uint32_t label, uint32_t b,
                                  uint32_t *number) {
    recent_triple x = {a, label, b, 0};
    recent_triple *known = &t->recent[(a * 31 + b * 7 + label) % RECENT];
    if (known->number > 0 && known->a == a && known->b == b && known->label == label) {
        *number = known->number - 1;
        return LODE_OK;
    }
    lode_status status = triples_hash(t, &x, number);
    x.number = *number + 1;
    if (status == LODE_OK) *known = x;
    return status;
}

static lode_status count_graph(store_work *w, triple_table *t, uint32_t i, size_t *steps) {
    lode_status status = LODE_OK;
    const lode_graphs *g = w->data;
    lode_graph one = graphs_at(g, i);
    uint32_t *of_edge = w->of_edge + g->edge_start.data[i];
    for (uint32_t e = 0; e < one.n_edges; e++) {
        uint32_t a = one.vertex_labels[one.from[e]], b = one.vertex_labels[one.to[e]];
        bool turned = store_is_turned(g, a, b);
        LODE_TRY(
            triples_number(t, turned ? b : a, one.edge_labels[e], turned ? a : b, &of_edge[e]));
        LODE_TRY(store_check(w->job, steps));
        triple *x = &t->list[of_edge[e]];
        x->n_edges++;
        if (x->last_graph == i + 1) continue;
        x->last_graph = i + 1;
        x->support++;
    }
done:
    return status;
}

static lode_status count_range(store_work *w, uint32_t range, unsigned worker) {
    lode_status status = LODE_OK;
    size_t steps = 0;
    uint32_t end = store_range_first(w, range + 1);
    w->table_of[range] = (uint16_t)worker;
    for (uint32_t i = store_range_first(w, range); i < end; i++) {
        LODE_TRY(count_graph(w, &w->tables[worker], i, &steps));
    }
done:
    return status;
}

/* Merges the triples of the other tables into the first one. The `rank` of their triples becomes
 * the number in the first table. */
static lode_status join_tables(store_work *w) {
    lode_status status = LODE_OK;
    triple_table *all = &w->tables[0];
    size_t steps = 0;
    for (unsigned k = 1; k < w->n_workers; k++) {
        for (size_t i = 0; i < w->tables[k].n; i++) {
            triple *x = &w->tables[k].list[i];
            LODE_TRY(triples_number(all, x->from_label, x->edge_label, x->to_label, &x->rank));
            LODE_TRY(store_check(w->job, &steps));
            all->list[x->rank].support += x->support;
            all->list[x->rank].n_edges += x->n_edges;
        }
    }
done:
    return status;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

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

/* Returns the first triple to keep. Frequent triples are kept, and rarer ones as long as they add
 * few edges and few triples; of triples with the same support, all or none are kept. */
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

/* Ranks the triples of the first table, which has all. */
static lode_status rank_triples(store_work *w, uint64_t *min_count) {
    lode_status status = LODE_OK;
    triple_table *t = &w->tables[0];
    store *s = w->s;
    triple **order = NULL;
    size_t bytes = t->n * sizeof *order;
    LODE_TRY(mem_resize(t->mem, (void **)&order, 0, bytes));
    for (size_t i = 0; i < t->n; i++) order[i] = &t->list[i];
    sort_stop stop = job_sort_stop(w->job);
    if (!sort_triples(order, t->n, &stop)) LODE_LEAVE(job_check(w->job));
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

lode_status store_count_triples(store_work *w, uint64_t *min_count) {
    lode_status status = LODE_OK;
    LODE_TRY(store_for_ranges(w, count_range, NULL));
    LODE_TRY(join_tables(w));
    LODE_TRY(job_check(w->job));
    LODE_TRY(rank_triples(w, min_count));
    for (unsigned k = 1; k < w->n_workers; k++) {
        triple_table *t = &w->tables[k];
        for (size_t i = 0; i < t->n; i++) t->list[i].rank = w->tables[0].list[t->list[i].rank].rank;
    }
done:
    return status;
}

/* ---- the arrays of a store, filled by all threads -------------------------------------------- */

/* The vertices of a graph have consecutive numbers, and so have those of a range of graphs. So each
 * thread writes to its own parts of the arrays. Where these begin depends on the sizes of the
 * earlier parts, which an earlier counting pass finds. */

#define STORE_SHORT 32 /* this many half-edges are sorted by insertion */
#define ROOT_PARTS  4  /* of the vertices, for each thread, while roots are listed */

/* ---- half-edges ------------------------------------------------------------------------------ */

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
static lode_status sort_half(lode_job *job, half_edge *half, uint32_t n) {
    lode_status status = LODE_OK;
    size_t steps = 0;
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
        LODE_TRY(store_check(job, &steps));
    }
done:
    return status;
}

/* The two types of an edge: from its first and from its second end. */
static void edge_types(const lode_graphs *g, const triple *x, uint32_t a, uint32_t b,
                       uint32_t *first, uint32_t *second) {
    uint32_t even = 2 * x->rank;
    bool turned = store_is_turned(g, a, b);
    bool symmetric = !g->profile.directed && a == b;
    *first = even + (turned ? 1 : 0);
    *second = symmetric ? even : even + (turned ? 0 : 1);
}

/* The edges of triples whose rank is below n_ranks, while they are made. */
typedef struct csr_filling {
    store_csr *csr;
    uint32_t *at;     /* by vertex: where its next half-edge goes */
    uint64_t *before; /* half-edges of each range, then of all ranges before it */
} csr_filling;

/* Counts the half-edges of each vertex of a range. */
static lode_status count_half(store_work *w, uint32_t range, unsigned worker) {
    (void)worker;
    lode_status status = LODE_OK;
    const lode_graphs *g = w->data;
    csr_filling *f = w->arg;
    const triple *triples = store_range_triples(w, range);
    uint32_t end = store_range_first(w, range + 1);
    size_t steps = 0;
    uint64_t n = 0;
    for (uint32_t i = store_range_first(w, range); i < end; i++) {
        lode_graph one = graphs_at(g, i);
        uint32_t *counts = f->at + g->vertex_start.data[i];
        const uint32_t *of_edge = w->of_edge + g->edge_start.data[i];
        for (uint32_t e = 0; e < one.n_edges; e++) {
            LODE_TRY(store_check(w->job, &steps));
            if (triples[of_edge[e]].rank >= f->csr->n_ranks) continue;
            counts[one.from[e]]++;
            counts[one.to[e]]++;
            n += 2;
        }
    }
    f->before[range] = n;
done:
    return status;
}

static void write_graph(const store_work *w, const csr_filling *f, const triple *triples,
                        uint32_t i) {
    const lode_graphs *g = w->data;
    lode_graph one = graphs_at(g, i);
    uint32_t base = (uint32_t)g->vertex_start.data[i], *at = f->at + base;
    const uint32_t *of_edge = w->of_edge + g->edge_start.data[i];
    for (uint32_t e = 0; e < one.n_edges; e++) {
        const triple *x = &triples[of_edge[e]];
        uint32_t u = one.from[e], v = one.to[e], first, second;
        if (x->rank >= f->csr->n_ranks) continue;
        edge_types(g, x, one.vertex_labels[u], one.vertex_labels[v], &first, &second);
        f->csr->half[at[u]++] = (half_edge){base + v, first};
        f->csr->half[at[v]++] = (half_edge){base + u, second};
    }
}

/* Makes offsets of the counts of a range, and writes and sorts its half-edges. */
static lode_status write_half(store_work *w, uint32_t range, unsigned worker) {
    (void)worker;
    lode_status status = LODE_OK;
    const uint64_t *starts = w->data->vertex_start.data;
    csr_filling *f = w->arg;
    const triple *triples = store_range_triples(w, range);
    uint32_t first = store_range_first(w, range), end = store_range_first(w, range + 1);
    uint32_t from = (uint32_t)starts[first], to = (uint32_t)starts[end];
    uint32_t n = (uint32_t)f->before[range];
    for (uint32_t v = from; v < to; v++) {
        uint32_t count = f->at[v];
        f->at[v] = n;
        n += count;
        f->csr->offsets[v + 1] = n;
    }
    for (uint32_t i = first; i < end; i++) write_graph(w, f, triples, i);
    n = (uint32_t)f->before[range];
    for (uint32_t v = from; v < to; v++) {
        LODE_TRY(sort_half(w->job, f->csr->half + n, f->csr->offsets[v + 1] - n));
        n = f->csr->offsets[v + 1];
    }
done:
    return status;
}

/* Turns numbers into the sums of those before; returns the sum of all. */
static uint64_t sum_before(uint64_t *numbers, uint32_t n) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t here = numbers[i];
        numbers[i] = sum;
        sum += here;
    }
    return sum;
}

lode_status store_fill_csr(store_work *w, store_csr *out) {
    lode_status status = LODE_OK;
    mem *m = w->s->mem, *scratch = &w->job->mem;
    store_csr c = {.n_ranks = out->n_ranks};
    csr_filling f = {.csr = &c};
    size_t offset_bytes = ((size_t)w->s->n_vertices + 1) * sizeof *c.offsets;
    size_t before_bytes = ((size_t)w->n_ranges + 1) * sizeof *f.before;
    LODE_TRY(mem_zalloc(m, (void **)&c.offsets, offset_bytes));
    LODE_TRY(mem_zalloc(scratch, (void **)&f.at, offset_bytes));
    LODE_TRY(mem_zalloc(scratch, (void **)&f.before, before_bytes));
    LODE_TRY(store_for_ranges(w, count_half, &f));
    uint64_t n = sum_before(f.before, w->n_ranges);
    if (n > UINT32_MAX) LODE_LEAVE(LODE_UNSUPPORTED);
    LODE_TRY(mem_resize(m, (void **)&c.half, 0, n * sizeof *c.half));
    c.n = n;
    LODE_TRY(store_for_ranges(w, write_half, &f));
    *out = c;
    c = (store_csr){0};
done:
    mem_free(scratch, f.at, f.at ? offset_bytes : 0);
    mem_free(scratch, f.before, f.before ? before_bytes : 0);
    mem_free(m, c.offsets, c.offsets ? offset_bytes : 0);
    mem_free(m, c.half, c.half ? c.n * sizeof *c.half : 0);
    return status;
}

/* ---- graphs by vertex ------------------------------------------------------------------------ */

static lode_status number_graphs(store_work *w, uint32_t range, unsigned worker) {
    (void)worker;
    const uint64_t *starts = w->data->vertex_start.data;
    uint32_t end = store_range_first(w, range + 1);
    for (uint32_t i = store_range_first(w, range); i < end; i++) {
        for (uint64_t v = starts[i]; v < starts[i + 1]; v++) w->s->graph_of[v] = i;
    }
    return LODE_OK;
}

lode_status store_fill_graph_of(store_work *w) {
    lode_status status = LODE_OK;
    store *s = w->s;
    LODE_TRY(mem_resize(s->mem, (void **)&s->graph_of, 0, s->n_vertices * sizeof *s->graph_of));
    LODE_TRY(store_for_ranges(w, number_graphs, NULL));
done:
    return status;
}

/* ---- roots ----------------------------------------------------------------------------------- */

/* Roots are listed by parts of the vertices. Each part has a counter for every triple, so there are
 * fewer parts if there are many triples. */
typedef struct roots_filling {
    lode_job *job;
    store *s;
    uint32_t *counts; /* part * n_triples + triple: its roots, then where the next one goes */
    uint32_t n_parts;
    atomic_uint next;
    bool writes;
} roots_filling;

static lode_status roots_part(const roots_filling *f, uint32_t part) {
    lode_status status = LODE_OK;
    const store *s = f->s;
    uint32_t *counts = f->counts + (size_t)part * s->n_triples;
    uint32_t first = (uint32_t)((uint64_t)s->n_vertices * part / f->n_parts);
    uint32_t end = (uint32_t)((uint64_t)s->n_vertices * (part + 1) / f->n_parts);
    size_t steps = 0;
    for (uint32_t v = first; v < end; v++) {
        for (uint32_t k = s->offsets[v]; k < s->offsets[v + 1]; k++) {
            uint32_t type = s->half[k].type;
            LODE_TRY(store_check(f->job, &steps));
            if (type % 2 != 0) continue;
            uint32_t at = counts[type / 2]++;
            if (f->writes) s->roots[at] = v;
        }
    }
done:
    return status;
}

static lode_status roots_worker(void *arg, unsigned worker) {
    (void)worker;
    lode_status status = LODE_OK;
    roots_filling *f = arg;
    for (;;) {
        uint32_t part = atomic_fetch_add_explicit(&f->next, 1, memory_order_relaxed);
        if (part >= f->n_parts) break;
        LODE_TRY(roots_part(f, part));
    }
done:
    return status;
}

static lode_status roots_pass(roots_filling *f, unsigned threads, bool writes) {
    f->writes = writes;
    atomic_store(&f->next, 0);
    if (threads > f->n_parts) threads = f->n_parts;
    return threads == 1 ? roots_worker(f, 0)
                        : parallel_run(f->job, threads, false, roots_worker, f);
}

/* Makes places of the counts: the roots of a triple follow each other, part by part. */
static void place_roots(const roots_filling *f) {
    const store *s = f->s;
    size_t n = 0;
    for (uint32_t t = 0; t < s->n_triples; t++) {
        s->roots_at[t] = n;
        for (uint32_t part = 0; part < f->n_parts; part++) {
            uint32_t *at = &f->counts[(size_t)part * s->n_triples + t], here = *at;
            *at = (uint32_t)n;
            n += here;
        }
    }
    s->roots_at[s->n_triples] = n;
}

lode_status store_fill_roots(store_work *w) {
    lode_status status = LODE_OK;
    store *s = w->s;
    roots_filling f = {.job = w->job, .s = s};
    uint64_t parts = (uint64_t)ROOT_PARTS * w->n_workers, room = s->n_half / (s->n_triples + 1) + 1;
    f.n_parts = w->n_workers == 1 ? 1 : (uint32_t)(parts < room ? parts : room);
    size_t bytes = (size_t)f.n_parts * s->n_triples * sizeof *f.counts;
    LODE_TRY(mem_zalloc(s->mem, (void **)&s->roots_at,
                        ((size_t)s->n_triples + 1) * sizeof *s->roots_at));
    LODE_TRY(mem_zalloc(&w->job->mem, (void **)&f.counts, bytes));
    LODE_TRY(roots_pass(&f, w->n_workers, false));
    place_roots(&f);
    LODE_TRY(mem_keep(s->mem, &s->kept, (void **)&s->roots,
                      s->roots_at[s->n_triples] * sizeof *s->roots));
    LODE_TRY(roots_pass(&f, w->n_workers, true));
done:
    mem_free(&w->job->mem, f.counts, f.counts ? bytes : 0);
    return status;
}
