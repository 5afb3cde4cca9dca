/* search.c - see search.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/search.h"

/* A node of the path, with what is to be undone when it is left. */
struct frame {
    frame *below;
    node x;
    uint32_t leg; /* of the parent that it is */
    size_t mark;  /* where the lists end without it */
    node *lent;   /* the parent, if it is another worker's */
    bool visited; /* emitted and expanded */
    bool open;    /* others may take its children */
    bool closing; /* they may not any more; some may still work on one */
};

lode_status search_test(worker *w, code_edge e, code_verdict *verdict) {
    code_push(&w->code, e);
    lode_status status = code_test(&w->code, verdict);
    code_pop(&w->code);
    w->tested++;
    return status;
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
    LODE_TRY(list_stack_take(&w->lists, x->n * sizeof *idx, (void **)&idx));
    LODE_TRY(list_stack_take(&w->lists, x->n * sizeof *vid, (void **)&vid));
    for (uint32_t row = 0, end; row < x->n;) {
        end = x->n - row < SEARCH_LOOK_UP ? x->n : row + SEARCH_LOOK_UP;
        for (; row < end; row++) {
            idx[n] = x->idx[row];
            vid[n] = x->vid[row];
            n += vid[n] > parent->vid[idx[n]];
        }
        if (row < x->n) LODE_TRY(job_check(w->s->job));
    }
    x->idx = idx;
    x->vid = vid;
    x->n = n;
done:
    return status;
}

/* Puts the i-th leg of a node, which may be another worker's, on top of the path. The code is that
 * of the node. */
static lode_status push_child(worker *w, node *parent, uint32_t i, bool lent) {
    lode_status status = LODE_OK;
    const leg *l = &parent->legs[i];
    frame *f = NULL;
    size_t mark = w->lists.top;
    LODE_TRY(list_stack_take(&w->lists, sizeof *f, (void **)&f));
    *f = (frame){.below = w->path, .leg = i, .mark = mark, .lent = lent ? parent : NULL};
    node *x = &f->x;
    x->parent = parent;
    x->edge = l->edge;
    x->depth = parent->depth + 1;
    x->n = l->n;
    x->support = l->support;
    x->span = l->span;
    x->idx = l->idx;
    x->vid = l->vid;
    x->position = code_is_forward(l->edge) ? l->edge.to : CODE_NONE;
    if (w->s->halve_twins && is_twin(parent, l->edge)) LODE_TRY(halve_twins(w, parent, x));
    code_push(&w->code, l->edge);
    w->path = f;
done:
    if (status != LODE_OK) w->lists.top = mark;
    return status;
}

/* Which vertices each row has: those of the row above, and its own. */
static lode_status search_mark_rows(worker *w, node *x) {
    uint64_t *has = NULL;
    lode_status status = list_stack_take(&w->lists, x->n * sizeof *has, (void **)&has);
    if (status != LODE_OK) return status;
    const node *above = x->parent;
    for (uint32_t row = 0, end; row < x->n;) {
        end = x->n - row < SEARCH_LOOK_UP ? x->n : row + SEARCH_LOOK_UP;
        for (; row < end; row++) {
            uint32_t r = x->idx[row];
            has[row] = above->has ? above->has[r] : (uint64_t)1 << above->vid[r] % 64;
            has[row] |= (uint64_t)1 << x->vid[row] % 64;
        }
        if (row < x->n) LODE_TRY(job_check(w->s->job));
    }
    x->has = has;
done:
    return status;
}

/* Fills in the legs of a node, which is the i-th leg of its parent. */
static lode_status search_expand(worker *w, node *x, uint32_t i) {
    const node *parent = x->parent;
    lode_status status = LODE_OK;
    if (w->s->join) LODE_TRY(search_mark_rows(w, x));
    if (!w->s->join || x->depth == 1) return scan_legs(w, x, true, 0);
    uint32_t room = parent->n_legs - i;
    if (code_is_forward(x->edge) && !is_twin(parent, x->edge)) {
        LODE_TRY(scan_legs(w, x, false, room));
    } else {
        LODE_TRY(list_stack_take(&w->lists, room * sizeof *x->legs, (void **)&x->legs));
    }
    LODE_TRY(join_legs(w, x, parent, i));
done:
    return status;
}

static lode_status search_check(worker *w) {
    search *s = w->s;
    int failure = atomic_load_explicit(&s->failure, memory_order_relaxed);
    if (failure != LODE_OK) return (lode_status)failure;
    return w->index > 0 ? job_check(s->job) : job_tick(s->job, 0, 0);
}

/* ---- other workers -------------------------------------------------------------------------- */

static lode_status open_node(worker *w, node *x) {
    lode_status status = LODE_OK;
    pthread_mutex_lock(&w->lock);
    if (w->n_open == w->open_cap) {
        size_t cap = w->open_cap;
        status = vec_grow(&w->s->job->mem, (void **)&w->open, w->n_open, &cap, 1, sizeof *w->open);
        w->open_cap = (unsigned)cap;
    }
    if (status == LODE_OK) w->open[w->n_open++] = x;
    pthread_mutex_unlock(&w->lock);
    return status;
}

/* Sets the code to that of a node. */
static lode_status recall_code(worker *w, const node *x) {
    lode_status status = code_room(&w->code, (size_t)x->depth + 1);
    if (status != LODE_OK) return status;
    unsigned depth = x->depth;
    for (; x->depth > 0; x = x->parent) w->code.edges[x->depth - 1] = x->edge;
    code_set_edges(&w->code, depth);
    return LODE_OK;
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

static void give_back(worker *w, node *lent, lode_status status) {
    search_fail(w->s, status);
    atomic_fetch_sub_explicit(&lent->active, 1, memory_order_release);
}

/* Puts a child of another worker's node on top of the path. False if there was none to be had. */
static bool steal_child(worker *w, lode_status *status) {
    search *s = w->s;
    node *x = NULL;
    uint32_t i = 0;
    bool found = false;
    for (unsigned k = 1; k < s->n_workers && !found; k++) {
        found = take_from(&s->workers[(w->index + k) % s->n_workers], &x, &i);
    }
    if (!found) return false;
    *status = recall_code(w, x);
    if (*status == LODE_OK) *status = push_child(w, x, i, true);
    if (*status != LODE_OK) give_back(w, x, *status);
    return true;
}

/* ---- the path ------------------------------------------------------------------------------- */

/* Divides the span of a node among the legs that will be followed. */
static void search_divide(worker *w, node *x) {
    uint64_t least = search_threshold(w->s);
    double sum = 0;
    if (x->span < PROGRESS_LEAST) return;
    for (unsigned pass = 0; pass < 2; pass++) { /* adds up, then divides */
        span_scale scale = {0};
        for (uint32_t i = x->n_legs; i-- > 0;) {
            leg *l = &x->legs[i];
            double weight = span_weigh(&scale, l->n, l->support, least);
            if (l->verdict != CODE_MINIMAL) continue;
            if (pass == 0) sum += weight;
            if (pass == 1) l->span = (float)(weight / sum * x->span);
        }
    }
    x->divided = sum > 0;
}

static lode_status search_visit(worker *w, frame *f) {
    lode_status status = LODE_OK;
    node *x = &f->x;
    LODE_TRY(search_check(w));
    LODE_TRY(code_reserve(&w->code));
    if (x->support < search_threshold(w->s)) goto done; /* it has risen */
    LODE_TRY(emit_node(w, x));
    if (x->depth >= w->s->options->max_edges) goto done;
    LODE_TRY(search_expand(w, x, f->leg));
    search_divide(w, x);
    if (w->s->n_workers == 1 || x->n_legs < 2) goto done;
    LODE_TRY(open_node(w, x));
    f->open = true;
done:
    return status;
}

/* The next child of the node in work; n_legs if there is none, or after a failure. */
static uint32_t next_child(worker *w, frame *f, lode_status status) {
    node *x = &f->x;
    if (!f->open) return status == LODE_OK ? take_child(x) : x->n_legs;
    pthread_mutex_lock(&w->lock);
    if (status != LODE_OK) x->next = x->n_legs;
    uint32_t i = take_child(x);
    if (i == x->n_legs) w->n_open--;
    pthread_mutex_unlock(&w->lock);
    if (i < x->n_legs) return i;
    f->open = false;
    f->closing = true;
    return i;
}

/* Takes the node in work off the path. */
static lode_status leave(worker *w, frame *f, lode_status status) {
    node *lent = f->lent;
    if (!f->x.divided && status == LODE_OK) {
        progress_retire(&w->s->job->at, &w->progress, f->x.span);
    }
    w->path = f->below;
    w->lists.top = f->mark;
    if (!lent) {
        code_pop(&w->code);
        return status;
    }
    give_back(w, lent, status);
    return status == LODE_OK && w->path ? recall_code(w, &w->path->x) : status;
}

/* While others work on children of the node, helps them. */
static bool wait_for_others(worker *w, frame *f, lode_status *status) {
    if (atomic_load_explicit(&f->x.active, memory_order_acquire) == 0) return false;
    if (*status != LODE_OK || !steal_child(w, status)) search_pause();
    return true;
}

/* One step with the node in work: visits it, goes on to a child, waits, or leaves it. */
static lode_status search_step(worker *w, lode_status status) {
    frame *f = w->path;
    if (f->closing) return wait_for_others(w, f, &status) ? status : leave(w, f, status);
    if (status == LODE_OK && !f->visited) {
        f->visited = true;
        return search_visit(w, f);
    }
    uint32_t i = next_child(w, f, status);
    if (i < f->x.n_legs) return push_child(w, &f->x, i, false);
    return f->closing ? status : leave(w, f, status);
}

/* Searches until the path is empty. */
static lode_status search_all(worker *w, lode_status status) {
    while (w->path) {
        status = search_step(w, status);
        if (status != LODE_OK) search_fail(w->s, status);
    }
    return status;
}

bool search_steal(worker *w, lode_status *status) {
    if (!steal_child(w, status)) return false;
    *status = search_all(w, *status);
    return true;
}

/* ---- roots ---------------------------------------------------------------------------------- */

/* All occurrences of a triple: its first vertices, and the edges from them. */
static lode_status root_lists(worker *w, uint32_t triple, node *base, node *x) {
    lode_status status = LODE_OK;
    const store *g = &w->s->store;
    uint32_t type = 2 * triple, *vid = NULL, *idx = NULL, *to = NULL, n = 0, n_first = 0;
    size_t begin = g->roots_at[triple], end = g->roots_at[triple + 1];
    LODE_TRY(list_stack_take(&w->lists, (end - begin) * sizeof *vid, (void **)&vid));
    LODE_TRY(list_stack_take(&w->lists, (end - begin) * sizeof *idx, (void **)&idx));
    LODE_TRY(list_stack_take(&w->lists, (end - begin) * sizeof *to, (void **)&to));
    for (size_t i = begin; i < end; i++) { /* a vertex is there once for each of its edges */
        uint32_t v = g->roots[i];
        if ((i - begin) % (SEARCH_LOOK_UP / 16) == 0) LODE_TRY(job_check(w->s->job));
        if (i > begin && v == g->roots[i - 1]) continue;
        vid[n_first++] = v;
        for (uint32_t k = store_first(g, v, type); k < g->offsets[v + 1]; k++) {
            if (g->half[k].type != type) break;
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

static lode_status push_root(worker *w, uint32_t triple) {
    lode_status status = LODE_OK;
    frame *f = NULL;
    node *base = NULL;
    size_t mark = w->lists.top;
    LODE_TRY(list_stack_take(&w->lists, sizeof *f, (void **)&f));
    LODE_TRY(list_stack_take(&w->lists, sizeof *base, (void **)&base));
    *f = (frame){.mark = mark};
    LODE_TRY(root_lists(w, triple, base, &f->x));
    f->x.span = w->s->root_spans[triple - w->s->root_first];
    code_clear(&w->code);
    LODE_TRY(code_reserve(&w->code));
    code_push(&w->code, f->x.edge);
    w->path = f;
done:
    if (status != LODE_OK) w->lists.top = mark;
    return status;
}

lode_status search_roots(worker *w) {
    lode_status status = LODE_OK;
    search *s = w->s;
    while (!lease_gives(s->job)) {
        uint32_t triple = atomic_fetch_add(&s->next_root, 1);
        if (triple >= s->root_end) break;
        if (s->store.triple_supports[triple] < search_threshold(s)) {
            progress_retire(&s->job->at, &w->progress, s->root_spans[triple - s->root_first]);
            continue;
        }
        LODE_TRY(push_root(w, triple));
        LODE_TRY(search_all(w, LODE_OK));
    }
done:
    return status;
}
