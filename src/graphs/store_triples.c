/* store_triples.c - see store_triples.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/store_triples.h"

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

uint32_t store_range_first(const store_work *w, uint32_t range) {
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

const triple *store_range_triples(const store_work *w, uint32_t range) {
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

lode_status store_for_ranges(store_work *w, store_range_fn fn, void *arg) {
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

/* Adds the triples of the other tables to those of the first. `rank` of theirs becomes the number
 * there. */
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
