/* growth.c - see growth.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/growth.h"

/* The tables of a worker: what passes the filter in use, what passes all filters, and what a scan
 * that has begun still looks for. */
#define GROWTH_TABLES 3

static size_t growth_table_bytes(const worker *w) {
    return GROWTH_TABLES * (size_t)store_n_types(&w->s->store);
}

void growth_free(worker *w) {
    if (w->growth_by_type) mem_free(&w->s->job->mem, w->growth_by_type, growth_table_bytes(w));
}

static lode_status growth_make_tables(worker *w) {
    if (w->growth_by_type) return LODE_OK;
    size_t bytes = growth_table_bytes(w);
    lode_status status = mem_zalloc(&w->s->job->mem, (void **)&w->growth_by_type, bytes);
    if (status != LODE_OK) return status;
    uint8_t *all = w->growth_by_type + bytes / GROWTH_TABLES;
    memset(all, GROWTH_FORWARD | GROWTH_BACKWARD, bytes / GROWTH_TABLES);
    return LODE_OK;
}

uint8_t *growth_left_table(const worker *w) {
    return w->growth_by_type + 2 * (size_t)store_n_types(&w->s->store);
}

/* The filter that accepts everything. */
static lode_status growth_no_filter(worker *w, growth_filter *out) {
    lode_status status = growth_make_tables(w);
    if (status != LODE_OK) return status;
    *out = (growth_filter){.by_type = w->growth_by_type + store_n_types(&w->s->store)};
    return LODE_OK;
}

static uint64_t growth_common(const uint64_t *a, const uint64_t *b, uint32_t n) {
    uint64_t common = 0;
    for (uint32_t i = 0; i < n; i++) common += (uint64_t)__builtin_popcountll(a[i] & b[i]);
    return common;
}

lode_status growth_set_filter(worker *w, const extension *e, growth_filter *out) {
    lode_status status = LODE_OK;
    const growth *known = atomic_load_explicit(&e->growth, memory_order_acquire);
    uint32_t n_words = w->s->n_words;
    uint64_t *graphs = NULL, min_support = search_threshold(w->s);
    if (!known) return growth_no_filter(w, out);
    LODE_TRY(growth_make_tables(w));
    for (uint32_t i = 0; i < known->n; i++) {
        const growth_edge *g = &known->edges[i];
        if (growth_common(g->graphs, e->graphs, n_words) < min_support) continue;
        if (!graphs) {
            size_t bytes = n_words * sizeof *graphs;
            LODE_TRY(list_stack_take(&w->lists, bytes, (void **)&graphs));
            memset(graphs, 0, bytes);
        }
        for (uint32_t k = 0; k < n_words; k++) graphs[k] |= g->graphs[k];
        w->growth_by_type[g->type] |= g->forward ? GROWTH_FORWARD : GROWTH_BACKWARD;
    }
    *out = (growth_filter){.by_type = w->growth_by_type, .graphs = graphs, .nothing = !graphs};
    out->from = known;
done:
    return status;
}

const growth *growth_below(const growth *found, uint32_t type) {
    for (uint32_t i = 0; found && i < found->n; i++) {
        const growth_edge *g = &found->edges[i];
        if (g->type != type || !g->forward) continue;
        return atomic_load_explicit(&g->below, memory_order_acquire);
    }
    return NULL;
}

void growth_note_below(growth *found, const node *x) {
    for (uint32_t k = 0; k < x->n_extensions; k++) {
        const extension *e = &x->extensions[k];
        if (!code_is_forward(e->edge) || e->edge.from != x->position) continue;
        const growth *below = atomic_load_explicit(&e->growth, memory_order_relaxed);
        for (uint32_t i = 0; below && i < found->n; i++) {
            growth_edge *g = &found->edges[i];
            if (g->type != e->edge.type || !g->forward) continue;
            atomic_store_explicit(&g->below, below, memory_order_release);
        }
    }
}

void growth_clear_filter(worker *w, const growth_filter *f) {
    if (!f->from) return;
    for (uint32_t i = 0; i < f->from->n; i++) w->growth_by_type[f->from->edges[i].type] = 0;
}
