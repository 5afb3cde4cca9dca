/* closed.c - counts the super-patterns of a pattern until one rules it out; why: closed.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/closed.h"

#include "graphs/cursor.h"
#include "graphs/induced.h"
#include "graphs/super.h"

#define CLOSED_CHECK_EVERY ((size_t)1 << 20) /* neighbours between two checks for a stop */

/* The super-patterns of one pattern while they are counted. */
typedef struct closure {
    worker *w;
    uint64_t enough;      /* a super-pattern of this support rules the pattern out */
    bool in_all;          /* closed: a super-pattern must be in every graph, so also in the first */
    uint32_t graph;       /* of the present row */
    uint32_t first_graph; /* of the pattern */
    bool ruled_out;
    size_t work; /* neighbours since the last check for a stop */
} closure;

/* Counts an occurrence of a super-pattern, which is identified by a key. */
static lode_status closure_count(closure *c, uint64_t key) {
    worker *w = c->w;
    mem *m = &w->s->job->mem;
    keymap_slot *known = keymap_find(&w->keys, key);
    if (!known) {
        bool found;
        if (c->in_all && c->graph != c->first_graph) return LODE_OK;
        lode_status status = keymap_put(&w->keys, m, key, (uint32_t)w->counts.n, &found);
        if (status == LODE_OK) status = vec_u64_push(m, &w->counts, 0);
        if (status != LODE_OK) return status;
        known = keymap_find(&w->keys, key);
    }
    uint64_t *count = &w->counts.data[known->value];
    if ((uint32_t)*count == c->graph + 1) return LODE_OK;
    uint64_t support = (*count >> 32) + 1;
    *count = support << 32 | (c->graph + 1);
    if (support >= c->enough) c->ruled_out = true;
    return LODE_OK;
}

/* One vertex more, with all its edges to the pattern. The key is a hash of these edges. */
static lode_status closure_vertex(closure *c, uint32_t vertex) {
    const worker *w = c->w;
    const store *g = &w->s->store;
    uint64_t key = 0;
    for (uint32_t k = g->all_offsets[vertex]; k < g->all_offsets[vertex + 1]; k++) {
        half_edge h = g->all[k];
        uint16_t p = w->position_of[h.to];
        if (p != CODE_NONE) key += bits_mix(((uint64_t)h.type << 16 | p) + 1);
    }
    return closure_count(c, key);
}

/* Induced super-patterns of one vertex more. */
static lode_status closure_vertices(closure *c) {
    lode_status status = LODE_OK;
    const worker *w = c->w;
    const store *g = &w->s->store;
    for (uint16_t p = 0; p < w->code.n_vertices; p++) {
        uint32_t v = w->vertex_at[p];
        for (uint32_t k = g->all_offsets[v]; k < g->all_offsets[v + 1]; k++) {
            uint32_t to = g->all[k].to;
            if (w->position_of[to] == CODE_NONE) LODE_TRY(closure_vertex(c, to));
        }
    }
done:
    return status;
}

/* The same for induced patterns: a super-pattern has one vertex more. */
static lode_status closed_by_vertex(worker *w, const node *x, uint64_t enough, bool closed,
                                    bool *ruled_out) {
    lode_status status = LODE_OK;
    const search *s = w->s;
    closure c = {.w = w, .in_all = closed, .first_graph = UINT32_MAX, .enough = enough};
    w->counts.n = 0;
    keymap_empty(&w->keys);
    LODE_TRY(cursor_start(w, x));
    for (uint32_t row = 0; row < x->n && !c.ruled_out; row++) {
        c.graph = search_graph(s, x->vid[row]);
        cursor_move(w, row);
        c.work += induced_work(w);
        LODE_TRY(worker_check(w, &c.work, CLOSED_CHECK_EVERY));
        if (!induced_row(w)) continue;
        if (c.first_graph == UINT32_MAX) c.first_graph = c.graph;
        LODE_TRY(closure_vertices(&c));
    }
    *ruled_out = c.ruled_out;
done:
    cursor_end(w);
    return status;
}

/* An extension that the search has found, and that is in enough graphs. */
static const extension *closing_extension(const node *x, uint64_t enough) {
    for (uint32_t i = 0; i < x->n_extensions; i++) {
        if (x->extensions[i].support >= enough) return &x->extensions[i];
    }
    return NULL;
}

static lode_status closed_by_edge(worker *w, node *x, uint64_t enough, bool *ruled_out) {
    lode_status status = LODE_OK;
    const extension *e = closing_extension(x, enough);
    if (e) {
        x->witness = e->edge;
        if (code_is_forward(e->edge)) x->witness.to = CODE_NONE;
        *ruled_out = true;
    } else if (x->parent && x->parent->has_witness) {
        x->witness = x->parent->witness;
        LODE_TRY(super_try(w, x, enough, x->witness, ruled_out));
    }
    if (!*ruled_out) LODE_TRY(super_find(w, x, enough, ruled_out, &x->witness));
    x->has_witness = *ruled_out;
done:
    return status;
}

lode_status closed_is_ruled_out(worker *w, node *x, uint64_t support, bool *ruled_out) {
    const search *s = w->s;
    bool closed = s->options->target == LODE_TARGET_CLOSED;
    uint64_t enough = closed ? support : search_threshold(s);
    *ruled_out = false;
    if (s->options->induced) return closed_by_vertex(w, x, enough, closed, ruled_out);
    return closed_by_edge(w, x, enough, ruled_out);
}
