/* search.c - see search.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/search.h"

static lode_status search_node(worker *w, node *x, const node *parent, uint32_t i);

code_verdict search_test(worker *w, code_edge e) {
    code_push(&w->code, e);
    code_verdict verdict = code_test(&w->code);
    code_pop(&w->code);
    w->tested++;
    return verdict;
}

void search_fail(search *s, lode_status status) {
    int fine = LODE_OK;
    if (status != LODE_OK) atomic_compare_exchange_strong(&s->failure, &fine, (int)status);
}

/* ---- children ------------------------------------------------------------------------------- */

/* The next child of a node that nobody has taken; n_legs if there is none. */
static uint32_t take_child(node *x) {
    while (x->next < x->n_legs && x->legs[x->next].verdict != CODE_MINIMAL) x->next++;
    return x->next < x->n_legs ? x->next++ : x->n_legs;
}

/* Whether the leg repeats the last edge: its leaf and the last one look alike. */
static bool is_twin(const node *x, code_edge e) {
    return code_is_forward(x->edge) && x->depth > 0 && code_is_forward(e) &&
           x->edge.from == e.from && x->edge.type == e.type;
}

/* Of the rows that only swap the two leaves, keeps one. */
static lode_status halve_twins(worker *w, const node *parent, node *x) {
    lode_status status = LODE_OK;
    uint32_t *idx = NULL, *vid = NULL, n = 0;
    LODE_TRY(arena_take(&w->lists, x->n * sizeof *idx, (void **)&idx));
    LODE_TRY(arena_take(&w->lists, x->n * sizeof *vid, (void **)&vid));
    for (uint32_t row = 0; row < x->n; row++) {
        idx[n] = x->idx[row];
        vid[n] = x->vid[row];
        n += vid[n] > parent->vid[idx[n]];
    }
    x->idx = idx;
    x->vid = vid;
    x->n = n;
done:
    return status;
}

/* Follows the i-th leg of a node, which may be another worker's. The code is that of the node. */
static lode_status search_child(worker *w, const node *parent, uint32_t i) {
    lode_status status = LODE_OK;
    const leg *l = &parent->legs[i];
    size_t mark = w->lists.top;
    node x = {.parent = parent, .edge = l->edge, .depth = parent->depth + 1, .n = l->n};
    x.support = l->support;
    x.idx = l->idx;
    x.vid = l->vid;
    x.position = code_is_forward(l->edge) ? l->edge.to : CODE_NONE;
    if (w->s->halve_twins && is_twin(parent, l->edge)) LODE_TRY(halve_twins(w, parent, &x));
    code_push(&w->code, l->edge);
    status = code_reserve(&w->code);
    if (status == LODE_OK) status = search_node(w, &x, parent, i);
    code_pop(&w->code);
done:
    w->lists.top = mark;
    return status;
}

/* gspan: looks at every vertex of the right-most path. */
static lode_status search_path(worker *w, node *x) {
    lode_status status = LODE_OK;
    const code *c = &w->code;
    uint16_t *positions = NULL;
    unsigned n = 0;
    LODE_TRY(arena_take(&w->lists, c->n_vertices * sizeof *positions, (void **)&positions));
    for (uint16_t p = (uint16_t)(c->n_vertices - 1); p != CODE_NONE; p = c->parents[p]) {
        positions[n++] = p;
    }
    LODE_TRY(scan_legs(w, x, positions, n, 0));
done:
    return status;
}

/* Which vertices each row has: those of the row above, and its own. */
static lode_status search_mark_rows(worker *w, node *x) {
    uint64_t *has = NULL;
    lode_status status = arena_take(&w->lists, x->n * sizeof *has, (void **)&has);
    if (status != LODE_OK) return status;
    const node *above = x->parent;
    for (uint32_t row = 0; row < x->n; row++) {
        uint32_t r = x->idx[row];
        has[row] = above->has ? above->has[r] : (uint64_t)1 << above->vid[r] % 64;
        has[row] |= (uint64_t)1 << x->vid[row] % 64;
    }
    x->has = has;
    return LODE_OK;
}

/* Fills in the legs of a node, which is the i-th leg of its parent. */
static lode_status search_expand(worker *w, node *x, const node *parent, uint32_t i) {
    uint16_t newest = (uint16_t)(w->code.n_vertices - 1);
    lode_status status = LODE_OK;
    if (w->s->join) LODE_TRY(search_mark_rows(w, x));
    if (!w->s->join || x->depth == 1) return search_path(w, x);
    uint32_t room = parent->n_legs - i;
    if (code_is_forward(x->edge) && !is_twin(parent, x->edge)) {
        LODE_TRY(scan_legs(w, x, &newest, 1, room));
    } else {
        LODE_TRY(arena_take(&w->lists, room * sizeof *x->legs, (void **)&x->legs));
    }
    LODE_TRY(join_legs(w, x, parent, i));
done:
    return status;
}

static lode_status search_check(worker *w) {
    search *s = w->s;
    int failure = atomic_load_explicit(&s->failure, memory_order_relaxed);
    if (failure != LODE_OK) return (lode_status)failure;
    if (w->index > 0) return ctx_check(s->ctx);
    uint32_t done = atomic_load_explicit(&s->next_root, memory_order_relaxed);
    return ctx_tick(s->ctx, done > 0 ? done - 1 : 0, s->store.n_triples);
}

/* ---- other workers -------------------------------------------------------------------------- */

static lode_status open_node(worker *w, node *x) {
    lode_status status = LODE_OK;
    pthread_mutex_lock(&w->lock);
    if (w->n_open == w->open_cap) {
        size_t cap = w->open_cap;
        status = vec_grow(&w->s->ctx->mem, (void **)&w->open, w->n_open, &cap, 1, sizeof *w->open);
        w->open_cap = (unsigned)cap;
    }
    if (status == LODE_OK) w->open[w->n_open++] = x;
    pthread_mutex_unlock(&w->lock);
    return status;
}

/* Sets the code to that of a node. */
static lode_status recall_code(worker *w, const node *x) {
    lode_status status = LODE_OK;
    code *c = &w->code;
    code_clear(c);
    for (unsigned k = 1; k <= x->depth; k++) {
        const node *at = x;
        while (at->depth > k) at = at->parent;
        LODE_TRY(code_reserve(c));
        code_push(c, at->edge);
    }
    LODE_TRY(code_reserve(c));
done:
    return status;
}

/* Takes the node back, and waits until nobody works on its children. */
static lode_status close_node(worker *w, node *x) {
    lode_status status = LODE_OK;
    bool helped = false;
    pthread_mutex_lock(&w->lock);
    w->n_open--;
    pthread_mutex_unlock(&w->lock);
    while (atomic_load_explicit(&x->active, memory_order_acquire) > 0) {
        lode_status stolen = LODE_OK;
        if (search_steal(w, &stolen)) {
            helped = true;
        } else {
            search_pause();
        }
        if (status == LODE_OK) status = stolen;
    }
    if (helped && status == LODE_OK) status = recall_code(w, x);
    return status;
}

static bool take_from(worker *victim, node **x, uint32_t *i) {
    bool found = false;
    pthread_mutex_lock(&victim->lock);
    for (unsigned d = 0; d < victim->n_open && !found; d++) {
        *x = victim->open[d];
        *i = take_child(*x);
        found = *i < (*x)->n_legs;
        if (found) atomic_fetch_add_explicit(&(*x)->active, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&victim->lock);
    return found;
}

bool search_steal(worker *w, lode_status *status) {
    search *s = w->s;
    node *x = NULL;
    uint32_t i = 0;
    bool found = false;
    for (unsigned k = 1; k < s->n_workers && !found; k++) {
        found = take_from(&s->workers[(w->index + k) % s->n_workers], &x, &i);
    }
    if (!found) return false;
    *status = recall_code(w, x);
    if (*status == LODE_OK) *status = search_child(w, x, i);
    search_fail(s, *status);
    atomic_fetch_sub_explicit(&x->active, 1, memory_order_release);
    return true;
}

static lode_status search_children_shared(worker *w, node *x) {
    lode_status status = open_node(w, x);
    if (status != LODE_OK) return status;
    for (;;) {
        pthread_mutex_lock(&w->lock);
        uint32_t i = status == LODE_OK ? take_child(x) : x->n_legs;
        if (status != LODE_OK) x->next = x->n_legs;
        pthread_mutex_unlock(&w->lock);
        if (i == x->n_legs) break;
        status = search_child(w, x, i);
        search_fail(w->s, status);
    }
    lode_status closed = close_node(w, x);
    return status != LODE_OK ? status : closed;
}

static lode_status search_children(worker *w, node *x) {
    lode_status status = LODE_OK;
    if (w->s->n_workers > 1 && x->n_legs > 1) return search_children_shared(w, x);
    for (uint32_t i; (i = take_child(x)) < x->n_legs;) LODE_TRY(search_child(w, x, i));
done:
    return status;
}

static lode_status search_node(worker *w, node *x, const node *parent, uint32_t i) {
    lode_status status = LODE_OK;
    LODE_TRY(search_check(w));
    if (x->support < search_threshold(w->s)) goto done; /* it has risen */
    LODE_TRY(emit_node(w, x));
    if (x->depth >= w->s->options->max_edges) goto done;
    LODE_TRY(search_expand(w, x, parent, i));
    LODE_TRY(search_children(w, x));
done:
    return status;
}

/* ---- roots ---------------------------------------------------------------------------------- */

/* All occurrences of a triple: its first vertices, and the edges from them. */
static lode_status root_lists(worker *w, uint32_t triple, node *base, node *x) {
    lode_status status = LODE_OK;
    const store *g = &w->s->store;
    uint32_t type = 2 * triple, *vid = NULL, *idx = NULL, *to = NULL, n = 0, n_first = 0;
    size_t begin = g->roots_at[triple], end = g->roots_at[triple + 1];
    LODE_TRY(arena_take(&w->lists, (end - begin) * sizeof *vid, (void **)&vid));
    LODE_TRY(arena_take(&w->lists, (end - begin) * sizeof *idx, (void **)&idx));
    LODE_TRY(arena_take(&w->lists, (end - begin) * sizeof *to, (void **)&to));
    for (size_t i = begin; i < end; i++) { /* a vertex is there once for each of its edges */
        uint32_t v = g->roots[i];
        if (i > begin && v == g->roots[i - 1]) continue;
        vid[n_first++] = v;
        for (uint32_t k = g->offsets[v]; k < g->offsets[v + 1]; k++) {
            if (g->half[k].type != type) continue;
            idx[n] = n_first - 1;
            to[n++] = g->half[k].to;
        }
    }
    *base = (node){.n = n_first, .vid = vid};
    *x = (node){.parent = base, .edge = {0, 1, type}, .position = 1, .depth = 1, .n = n};
    x->idx = idx;
    x->vid = to;
    x->support = g->triple_supports[triple];
    w->occurrences += n;
done:
    return status;
}

static lode_status search_root(worker *w, uint32_t triple) {
    lode_status status = LODE_OK;
    node base, x;
    size_t mark = w->lists.top;
    if (w->s->store.triple_supports[triple] < search_threshold(w->s)) return LODE_OK;
    LODE_TRY(root_lists(w, triple, &base, &x));
    code_clear(&w->code);
    LODE_TRY(code_reserve(&w->code));
    code_push(&w->code, x.edge);
    LODE_TRY(code_reserve(&w->code));
    LODE_TRY(search_node(w, &x, NULL, 0));
done:
    w->lists.top = mark;
    return status;
}

lode_status search_roots(worker *w) {
    lode_status status = LODE_OK;
    search *s = w->s;
    for (;;) {
        uint32_t triple = atomic_fetch_add(&s->next_root, 1);
        if (triple >= s->store.n_triples) break;
        LODE_TRY(search_root(w, triple));
    }
done:
    return status;
}
