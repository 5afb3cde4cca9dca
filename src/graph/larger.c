/* larger.c - induced occurrences, and whether a larger pattern makes this one superfluous
 *
 * A pattern is closed if no pattern with one edge more (or, induced, with one vertex more) has the
 * same support, and maximal if none is frequent. Supports only fall as patterns grow, so one step
 * is enough; and since every occurrence of the pattern is at hand, so is every such extension.
 * All rows are needed, also those that only differ by a symmetry of the pattern: an extension is
 * named by the place of the pattern where it is, and must be found at one and the same place.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/cursor.h"

#define LARGER_LOOK_UP ((size_t)1 << 20) /* neighbours between looks at whether to stop */

/* Whether to stop, looked at once in a while. */
static inline lode_status larger_check(worker *w, size_t *work) {
    if (*work < LARGER_LOOK_UP) return LODE_OK;
    *work = 0;
    return job_check(w->s->job);
}

/* Neighbours of all vertices of a row. */
static size_t larger_neighbours(const worker *w) {
    const uint32_t *offsets = w->s->store.all_offsets;
    size_t n = 0;
    for (uint16_t p = 0; p < w->code.n_vertices; p++) {
        n += offsets[w->vertex_at[p] + 1] - offsets[w->vertex_at[p]];
    }
    return n;
}

bool larger_row_is_induced(const worker *w) {
    const store *g = &w->s->store;
    uint32_t inner = 0;
    for (uint16_t p = 0; p < w->code.n_vertices; p++) {
        uint32_t v = w->vertex_at[p];
        for (uint32_t k = g->all_offsets[v]; k < g->all_offsets[v + 1]; k++) {
            inner += w->position_of[g->all[k].to] != CODE_NONE;
        }
    }
    return inner == 2u * w->code.n_edges;
}

lode_status larger_induced_support(worker *w, const node *x, uint64_t *support) {
    uint32_t last = UINT32_MAX;
    size_t work = 0;
    lode_status status = LODE_OK;
    LODE_TRY(cursor_start(w, x));
    *support = 0;
    for (uint32_t row = 0; row < x->n; row++) {
        uint32_t graph = search_graph(w->s, x->vid[row]);
        if (graph == last) continue;
        cursor_move(w, row);
        work += larger_neighbours(w);
        LODE_TRY(larger_check(w, &work));
        if (!larger_row_is_induced(w)) continue;
        ++*support;
        last = graph;
    }
done:
    cursor_end(w);
    return status;
}

/* ---- extensions, each named by a number ----------------------------------------------------- */

typedef struct larger {
    worker *w;
    uint64_t enough; /* a support that rules the pattern out */
    bool in_all;     /* closed: an extension must be in every graph, so also in the first */
    uint32_t graph;
    uint32_t first_graph;
    bool exists;
    size_t work; /* neighbours since the last look at whether to stop */
} larger;

/* w->seen holds, for each extension, its support and the last graph + 1. */
static lode_status larger_count(larger *l, uint64_t name) {
    worker *w = l->w;
    mem *m = &w->s->job->mem;
    keymap_slot *known = keymap_find(&w->places, name);
    if (!known) {
        bool found;
        if (l->in_all && l->graph != l->first_graph) return LODE_OK;
        lode_status status = keymap_put(&w->places, m, name, (uint32_t)w->seen.n, &found);
        if (status == LODE_OK) status = vec_u64_push(m, &w->seen, 0);
        if (status != LODE_OK) return status;
        known = keymap_find(&w->places, name);
    }
    uint64_t *entry = &w->seen.data[known->value];
    if ((uint32_t)*entry == l->graph + 1) return LODE_OK;
    uint64_t support = (*entry >> 32) + 1;
    *entry = support << 32 | (l->graph + 1);
    if (support >= l->enough) l->exists = true;
    return LODE_OK;
}

/* One edge more: to a new vertex, or between two of the pattern. */
static lode_status larger_edges(larger *l) {
    lode_status status = LODE_OK;
    worker *w = l->w;
    const store *g = &w->s->store;
    for (uint16_t p = 0; p < w->code.n_vertices; p++) {
        uint32_t v = w->vertex_at[p], first = store_first_frequent(g, v);
        l->work += g->offsets[v + 1] - first;
        for (uint32_t k = first; k < g->offsets[v + 1]; k++) {
            half_edge h = g->half[k];
            uint16_t q = w->position_of[h.to];
            if (q != CODE_NONE && (q < p || code_has_arc(&w->code, p, q, h.type))) continue;
            LODE_TRY(larger_count(l, (uint64_t)h.type << 32 | (uint32_t)q << 16 | p));
        }
    }
done:
    return status;
}

/* One vertex more, with all its edges to the pattern; named by a hash of them. */
static lode_status larger_vertex(larger *l, uint32_t vertex) {
    const worker *w = l->w;
    const store *g = &w->s->store;
    uint64_t name = 0;
    for (uint32_t k = g->all_offsets[vertex]; k < g->all_offsets[vertex + 1]; k++) {
        half_edge h = g->all[k];
        uint16_t p = w->position_of[h.to];
        if (p != CODE_NONE) name += bits_mix(((uint64_t)h.type << 16 | p) + 1);
    }
    return larger_count(l, name);
}

static lode_status larger_vertices(larger *l) {
    lode_status status = LODE_OK;
    const worker *w = l->w;
    const store *g = &w->s->store;
    for (uint16_t p = 0; p < w->code.n_vertices; p++) {
        uint32_t v = w->vertex_at[p];
        for (uint32_t k = g->all_offsets[v]; k < g->all_offsets[v + 1]; k++) {
            uint32_t to = g->all[k].to;
            if (w->position_of[to] == CODE_NONE) LODE_TRY(larger_vertex(l, to));
        }
    }
done:
    return status;
}

lode_status larger_exists(worker *w, const node *x, uint64_t support, bool *exists) {
    lode_status status = LODE_OK;
    const search *s = w->s;
    bool closed = s->options->target == LODE_TARGET_CLOSED;
    larger l = {.w = w, .in_all = closed, .first_graph = UINT32_MAX};
    l.enough = closed ? support : search_threshold(s);
    w->seen.n = 0;
    keymap_empty(&w->places);
    LODE_TRY(cursor_start(w, x));
    for (uint32_t row = 0; row < x->n && !l.exists; row++) {
        l.graph = search_graph(s, x->vid[row]);
        cursor_move(w, row);
        if (s->options->induced) l.work += larger_neighbours(w);
        LODE_TRY(larger_check(w, &l.work));
        if (s->options->induced && !larger_row_is_induced(w)) continue;
        if (l.first_graph == UINT32_MAX) l.first_graph = l.graph;
        LODE_TRY(s->options->induced ? larger_vertices(&l) : larger_edges(&l));
    }
    *exists = l.exists;
done:
    cursor_end(w);
    return status;
}
