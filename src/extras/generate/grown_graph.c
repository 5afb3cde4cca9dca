/* grown_graph.c - see grown_graph.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/generate/grown_graph.h"

void grown_free(grown_graph *g, mem *m) {
    vec_u32_free(m, &g->labels);
    mem_free(m, g->edges, g->cap * sizeof *g->edges);
    *g = (grown_graph){0};
}

lode_status grown_vertex(grown_graph *g, mem *m, uint32_t label, uint32_t *vertex) {
    *vertex = (uint32_t)g->labels.n;
    return vec_u32_push(m, &g->labels, label);
}

lode_status grown_add(grown_graph *g, mem *m, grown_edge e) {
    if (g->n_edges == g->cap) {
        lode_status status =
            vec_grow(m, (void **)&g->edges, g->n_edges, &g->cap, 1, sizeof *g->edges);
        if (status != LODE_OK) return status;
    }
    g->edges[g->n_edges++] = e;
    return LODE_OK;
}

bool grown_has(const grown_graph *g, uint32_t u, uint32_t v) {
    for (size_t i = 0; i < g->n_edges; i++) {
        const grown_edge *e = &g->edges[i];
        if ((e->from == u && e->to == v) || (e->from == v && e->to == u)) return true;
    }
    return false;
}

static lode_status grown_put_label(mem *m, vec_char *text, const char *const *names,
                                   uint32_t label) {
    return names ? vec_char_printf(m, text, " %s\n", names[label])
                 : vec_char_printf(m, text, " %u\n", (unsigned)label);
}

lode_status grown_write(const grown_graph *g, mem *m, uint64_t number, grown_names names,
                        vec_char *text) {
    lode_status status = LODE_OK;
    LODE_TRY(vec_char_printf(m, text, "t # %llu\n", (unsigned long long)number));
    for (uint32_t v = 0; v < g->labels.n; v++) {
        LODE_TRY(vec_char_printf(m, text, "v %u", (unsigned)v));
        LODE_TRY(grown_put_label(m, text, names.vertices, g->labels.data[v]));
    }
    for (size_t i = 0; i < g->n_edges; i++) {
        grown_edge e = g->edges[i];
        LODE_TRY(vec_char_printf(m, text, "e %u %u", (unsigned)e.from, (unsigned)e.to));
        LODE_TRY(grown_put_label(m, text, names.edges, e.label));
    }
done:
    return status;
}

/* ---- a pool of kinds of edges: the only combinations of labels that graphs may have ---------- */

#define KINDS_TRIES 64 /* to draw one that is not there yet */

typedef struct kinds_draw {
    const draw_table *vertex_labels, *edge_labels;
    keyset seen;
} kinds_draw;

static uint64_t kinds_key(const kinds_draw *d, edge_kind k) {
    return ((uint64_t)k.low * d->vertex_labels->n + k.high) * d->edge_labels->n + k.label;
}

static edge_kind kinds_draw_one(const kinds_draw *d, rng *r) {
    uint32_t u = draw_table_next(d->vertex_labels, r), v = draw_table_next(d->vertex_labels, r);
    edge_kind k = {.low = u < v ? u : v, .high = u < v ? v : u};
    k.label = draw_table_next(d->edge_labels, r);
    return k;
}

/* The kind after k, in the order of labels; the first after the last. */
static edge_kind kinds_next(const kinds_draw *d, edge_kind k) {
    if (++k.label < d->edge_labels->n) return k;
    k.label = 0;
    if (++k.high < d->vertex_labels->n) return k;
    if (++k.low == d->vertex_labels->n) k.low = 0;
    k.high = k.low;
    return k;
}

/* Draws until there is a new one; after many tries, takes the next that is new. */
static edge_kind kinds_draw_new(kinds_draw *d, rng *r) {
    edge_kind k = kinds_draw_one(d, r);
    for (unsigned i = 0; i < KINDS_TRIES; i++) {
        if (keyset_add(&d->seen, kinds_key(d, k))) return k;
        k = kinds_draw_one(d, r);
    }
    while (!keyset_add(&d->seen, kinds_key(d, k))) k = kinds_next(d, k);
    return k;
}

/* Counts the kinds at every label, then puts them into place. */
static lode_status kinds_index(edge_kinds *k) {
    lode_status status = LODE_OK;
    LODE_TRY(mem_zalloc(k->mem, (void **)&k->starts, (k->n_vertex_labels + 1) * sizeof *k->starts));
    LODE_TRY(mem_zalloc(k->mem, (void **)&k->at, 2 * (size_t)k->n * sizeof *k->at));
    for (uint32_t i = 0; i < k->n; i++) {
        edge_kind kind = k->kinds[i];
        k->starts[kind.low]++;
        if (kind.high != kind.low) k->starts[kind.high]++;
    }
    for (uint32_t l = 0, sum = 0; l <= k->n_vertex_labels; l++) {
        sum += k->starts[l]; /* the end of the label; filling backwards makes it the start */
        k->starts[l] = sum;
    }
    for (uint32_t i = k->n; i-- > 0;) {
        edge_kind kind = k->kinds[i];
        k->at[--k->starts[kind.low]] = i;
        if (kind.high != kind.low) k->at[--k->starts[kind.high]] = i;
    }
done:
    return status;
}

lode_status edge_kinds_make(edge_kinds *k, mem *m, uint32_t n, const draw_table *vertex_labels,
                            const draw_table *edge_labels, rng *r) {
    lode_status status = LODE_OK;
    kinds_draw d = {.vertex_labels = vertex_labels, .edge_labels = edge_labels};
    *k = (edge_kinds){.mem = m, .n = n, .n_vertex_labels = vertex_labels->n};
    LODE_TRY(mem_zalloc(m, (void **)&k->kinds, n * sizeof *k->kinds));
    LODE_TRY(keyset_clear(&d.seen, m, n));
    for (uint32_t i = 0; i < n; i++) k->kinds[i] = kinds_draw_new(&d, r);
    LODE_TRY(draw_table_exponential(&k->choice, m, n, r));
    LODE_TRY(kinds_index(k));
done:
    keyset_free(&d.seen, m);
    return status;
}

void edge_kinds_free(edge_kinds *k) {
    if (!k->mem) return;
    if (k->at) mem_free(k->mem, k->at, 2 * (size_t)k->n * sizeof *k->at);
    if (k->starts) mem_free(k->mem, k->starts, (k->n_vertex_labels + 1) * sizeof *k->starts);
    draw_table_free(&k->choice);
    if (k->kinds) mem_free(k->mem, k->kinds, k->n * sizeof *k->kinds);
    *k = (edge_kinds){0};
}
