/* early.c - see early.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/early.h"

#include "graphs/node.h"
#include "graphs/search_tuning.h"

void early_open(search *s) {
    pthread_mutex_init(&s->bridges_lock, NULL);
    s->bridges_open = true;
}

void early_close(search *s) {
    if (!s->bridges_open) return;
    bridges_free(&s->bridges, &s->store, s->job);
    pthread_mutex_destroy(&s->bridges_lock);
}

/* Builds the table of bridges, unless a worker has done so. */
static lode_status need_bridges(search *s) {
    lode_status status = LODE_OK;
    pthread_mutex_lock(&s->bridges_lock);
    if (!s->bridges_built) status = bridges_build(&s->bridges, &s->store, s->job);
    s->bridges_built = status == LODE_OK;
    pthread_mutex_unlock(&s->bridges_lock);
    return status;
}

/* ---- extensions that the search has found --------------------------------------------------- */

/* The vertex at a position, in a row of a node. */
static uint32_t vertex_of_row(const node *x, uint32_t row, uint16_t position) {
    for (; x->position != position; x = x->parent) row = x->idx[row];
    return x->vid[row];
}

/* Whether every row has the extension, which leads to a new vertex by a bridge. */
static lode_status extends_by_bridges(worker *w, const node *x, const extension *e, bool *yes) {
    lode_status status = LODE_OK;
    const bridges *b = &w->s->bridges;
    uint32_t triple = w->code.edges[0].type / 2, row = 0; /* rows before have it */
    size_t work = 0;
    *yes = false;
    for (uint32_t i = 0; i < e->n; i++) {
        if (e->idx[i] < row) continue;
        if (e->idx[i] > row) goto done;
        work += x->depth;
        LODE_TRY(worker_check(w, &work, SUPER_CHECK_EVERY));
        row += bridge_is(b, vertex_of_row(x, row, e->edge.from), e->vid[i], triple);
    }
    *yes = row == x->n;
done:
    return status;
}

/* Whether later extensions need not be followed because of this one. */
static lode_status cuts_later(worker *w, const node *x, const extension *e, bool *yes) {
    lode_status status = LODE_OK;
    *yes = false;
    if (e->support != x->support || e->n < x->n) goto done;
    if (!code_is_forward(e->edge)) {
        *yes = e->n == x->n; /* a row has such an edge once */
        goto done;
    }
    LODE_TRY(need_bridges(w->s));
    LODE_TRY(extends_by_bridges(w, x, e, yes));
done:
    return status;
}

/* Extensions that are not followed still serve sibling joins. */
static void leave_from(node *x, uint32_t i) {
    for (; i < x->n_extensions; i++) {
        if (x->extensions[i].verdict == CODE_MINIMAL) x->extensions[i].verdict = CODE_LATE;
    }
}

lode_status early_cut(worker *w, node *x) {
    lode_status status = LODE_OK;
    bool yes = false;
    for (uint32_t i = 0; i + 1 < x->n_extensions && !yes; i++) {
        LODE_TRY(cuts_later(w, x, &x->extensions[i], &yes));
        if (yes) leave_from(x, i + 1);
    }
done:
    return status;
}

/* ---- edges that cannot follow --------------------------------------------------------------- */

/* Edges next to the row of the cursor that are not in the pattern, cannot follow in any code, and
 * exist in all rows looked at so far. */
typedef struct lasting {
    worker *w;
    code_edge *edges; /* on top of w->scratch; to a new vertex: `to` is CODE_NONE */
    uint32_t n;
} lasting;

/* Whether a code that begins with that of the worker may contain this additional edge. It may not
 * if the edge's triple comes before the root's, or if one of its ends has left the right-most
 * path. */
static bool edge_may_follow(const worker *w, code_edge e) {
    const code *c = &w->code;
    if (e.type / 2 < c->edges[0].type / 2 || !w->on_path[e.from]) return false;
    return e.to == CODE_NONE || e.to + 1 == c->n_vertices;
}

/* Whether the row of the cursor has the edge; to a new vertex by a bridge. */
static bool row_has_edge(const worker *w, code_edge e) {
    const store *g = &w->s->store;
    uint32_t v = w->vertex_at[e.from], end = g->offsets[v + 1];
    uint32_t triple = w->code.edges[0].type / 2;
    for (uint32_t k = store_first(g, v, e.type); k < end && g->half[k].type == e.type; k++) {
        uint32_t to = g->half[k].to;
        if (w->position_of[to] != e.to) continue;
        if (e.to != CODE_NONE || bridge_is(&w->s->bridges, v, to, triple)) return true;
    }
    return false;
}

/* Adds the edges at one position of the first row. */
static lode_status lasting_at(lasting *l, uint16_t p) {
    lode_status status = LODE_OK;
    worker *w = l->w;
    const store *g = &w->s->store;
    uint32_t v = w->vertex_at[p], first = store_first_frequent(g, v), end = g->offsets[v + 1];
    uint32_t triple = w->code.edges[0].type / 2;
    size_t top = w->scratch.top + (l->n + (size_t)(end - first)) * sizeof *l->edges;
    LODE_TRY(list_stack_reach(&w->scratch, top));
    for (uint32_t k = first; k < end; k++) {
        half_edge h = g->half[k];
        code_edge e = {p, w->position_of[h.to], h.type};
        if (edge_may_follow(w, e)) continue;
        if (e.to == CODE_NONE) {
            if (l->n > 0 && code_edge_same(l->edges[l->n - 1], e)) continue;
            if (!bridge_is(&w->s->bridges, v, h.to, triple)) continue;
        } else if (e.to < p || code_has_arc(&w->code, p, e.to, e.type)) {
            continue;
        }
        l->edges[l->n++] = e;
    }
done:
    return status;
}

/* Keeps those edges that a row has. */
static void lasting_keep(lasting *l, uint32_t row) {
    uint32_t n = 0;
    cursor_move(l->w, row);
    for (uint32_t i = 0; i < l->n; i++) {
        if (row_has_edge(l->w, l->edges[i])) l->edges[n++] = l->edges[i];
    }
    l->n = n;
}

/* Keeps the edges that all rows have. Neighbouring rows are alike, so a few rows that are far apart
 * are checked first. */
static lode_status lasting_in_all(lasting *l, uint32_t n_rows) {
    lode_status status = LODE_OK;
    size_t work = 0;
    for (uint64_t k = 1; k < EARLY_SAMPLES && l->n > 0; k++) {
        lasting_keep(l, (uint32_t)(n_rows * k / EARLY_SAMPLES));
    }
    for (uint32_t row = 1; row < n_rows && l->n > 0; row++) {
        work += l->w->code.n_vertices;
        LODE_TRY(worker_check(l->w, &work, SUPER_CHECK_EVERY));
        lasting_keep(l, row);
    }
done:
    return status;
}

/* Notes which positions are on the right-most path. */
static void mark_path(worker *w) {
    memset(w->on_path, 0, w->code.n_vertices * sizeof *w->on_path);
    uint16_t p = (uint16_t)(w->code.n_vertices - 1);
    for (; p != CODE_NONE; p = w->code.parents[p]) w->on_path[p] = true;
}

lode_status early_ends(worker *w, const node *x, bool *ends) {
    lode_status status = LODE_OK;
    list_stack *scratch = &w->scratch;
    lasting l = {.w = w, .edges = (code_edge *)(scratch->space + scratch->top)};
    *ends = false;
    LODE_TRY(need_bridges(w->s));
    LODE_TRY(cursor_start(w, x));
    mark_path(w);
    cursor_move(w, 0);
    for (uint16_t p = 0; p < w->code.n_vertices; p++) LODE_TRY(lasting_at(&l, p));
    LODE_TRY(lasting_in_all(&l, x->n));
    *ends = l.n > 0;
done:
    cursor_end(w);
    return status;
}
