/* search.c - see search.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/search.h"

#include "base/os.h"
#include "graph/early.h"
#include "graph/emit.h"
#include "graph/growth.h"
#include "graph/join.h"
#include "graph/leaf_twins.h"
#include "graph/scan.h"
#include "graph/search_tuning.h"
#include "graph/spans.h"

/* A node of the path, and what must be undone when the search leaves it. */
struct path_entry {
    path_entry *below;
    node x;
    uint32_t number; /* it is this extension of its parent */
    size_t mark;     /* where the lists end without it */
    size_t growths;  /* where the growths end without it */
    size_t grown;    /* where they end when it is left */
    growth *found;   /* its own growth; NULL: it has none that others may use */
    node *parent;    /* NULL: a root */
    bool lent;       /* the parent is another worker's */
    bool visited;    /* emitted and expanded */
    bool open;       /* others may take its children */
    bool closing;    /* they may not any more, but some may still work on one */
};

void search_pause(void) {
    os_pause(50);
}

void search_fail(search *s, lode_status status) {
    int fine = LODE_OK;
    if (status != LODE_OK) atomic_compare_exchange_strong(&s->failure, &fine, (int)status);
}

/* ---- children ------------------------------------------------------------------------------- */

/* Takes the last child of a node that nobody has taken; n_extensions if there is none. */
static uint32_t take_child(node *x) {
    uint32_t n = x->n_extensions;
    while (x->n_left > 0 && x->extensions[x->n_left - 1].verdict != CODE_MINIMAL) x->n_left--;
    return x->n_left > 0 ? --x->n_left : n;
}

/* Of the rows that only swap the last two leaves, keeps one. */
static lode_status break_symmetry(worker *w, const node *parent, node *x) {
    lode_status status = LODE_OK;
    uint32_t *idx = NULL, *vid = NULL, n = 0;
    LODE_TRY(list_stack_take(&w->lists, x->n * sizeof *idx, (void **)&idx));
    LODE_TRY(list_stack_take(&w->lists, x->n * sizeof *vid, (void **)&vid));
    for (uint32_t row = 0, end; row < x->n;) {
        end = x->n - row < SEARCH_CHECK_ROWS ? x->n : row + SEARCH_CHECK_ROWS;
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

/* Guards of a child; the code is that of the parent. */
static lode_status child_guards(worker *w, const node *parent, const extension *e, node *x) {
    uint32_t *guards = NULL;
    size_t bytes = ((size_t)w->code.n_vertices + 1) * sizeof *guards;
    x->guards = e->guards;
    if (!e->safe) return LODE_OK;
    lode_status status = list_stack_take(&w->lists, bytes, (void **)&guards);
    if (status != LODE_OK) return status;
    code_guard_safe(&w->code, parent->guards, e->edge, guards);
    x->guards = guards;
    return LODE_OK;
}

/* Puts the i-th extension of a node, which may be another worker's, on top of the path. The code is
 * that of the node. */
static lode_status path_push_child(worker *w, node *parent, uint32_t i, bool lent) {
    lode_status status = LODE_OK;
    const extension *e = &parent->extensions[i];
    path_entry *at = NULL;
    size_t mark = w->lists.top;
    LODE_TRY(list_stack_take(&w->lists, sizeof *at, (void **)&at));
    *at = (path_entry){.below = w->path, .number = i, .mark = mark, .parent = parent, .lent = lent};
    at->growths = at->grown = w->growths.top;
    node *x = &at->x;
    x->parent = parent;
    x->edge = e->edge;
    x->depth = parent->depth + 1;
    x->n = e->n;
    x->support = e->support;
    x->span = e->span;
    x->idx = e->idx;
    x->vid = e->vid;
    x->position = code_is_forward(e->edge) ? e->edge.to : CODE_NONE;
    if (w->s->break_symmetry && code_edge_repeats(parent->edge, e->edge)) {
        LODE_TRY(break_symmetry(w, parent, x));
    }
    if (w->s->merge_twins && code_is_forward(e->edge)) LODE_TRY(twins_merge(w, x));
    LODE_TRY(child_guards(w, parent, e, x));
    code_push(&w->code, e->edge);
    w->path = at;
done:
    if (status != LODE_OK) w->lists.top = mark;
    return status;
}

/* Notes which vertices each row has: those of the row above, and its own. */
static lode_status mark_rows(worker *w, node *x) {
    uint64_t *has = NULL;
    lode_status status = list_stack_take(&w->lists, x->n * sizeof *has, (void **)&has);
    if (status != LODE_OK) return status;
    const node *above = x->parent;
    for (uint32_t row = 0, end; row < x->n;) {
        end = x->n - row < SEARCH_CHECK_ROWS ? x->n : row + SEARCH_CHECK_ROWS;
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

/* Finds the extensions at the new vertex of a node, and notes them as the growth of the extension
 * that it was. If it is another worker's, the note is dropped when the node is left. */
static lode_status search_grow(worker *w, path_entry *at, extension *e, uint32_t room) {
    lode_status status = LODE_OK;
    growth *found = NULL;
    growth_filter filter = {0};
    LODE_TRY(growth_set_filter(w, e, &filter));
    if (filter.nothing) {
        size_t bytes = room * sizeof *at->x.extensions;
        LODE_TRY(list_stack_take(&w->lists, bytes, (void **)&at->x.extensions));
        goto done;
    }
    LODE_TRY(scan_newest_vertex(w, &at->x, &filter, room, &found));
    if (at->lent) goto done;
    atomic_store_explicit(&e->growth, found, memory_order_release);
    at->grown = w->growths.top;
    at->found = found;
done:
    growth_clear_filter(w, &filter);
    return status;
}

/* Finds the extensions of a node. */
static lode_status search_expand(worker *w, path_entry *at) {
    lode_status status = LODE_OK;
    node *x = &at->x, *parent = at->parent;
    if (w->s->join) LODE_TRY(mark_rows(w, x));
    if (!w->s->join || x->depth == 1) return scan_path(w, x);
    uint32_t room = parent->n_extensions - at->number;
    if (code_is_forward(x->edge) && !code_edge_repeats(parent->edge, x->edge)) {
        LODE_TRY(search_grow(w, at, &parent->extensions[at->number], room));
    } else { /* there is no new vertex, or nothing can grow from it */
        size_t bytes = room * sizeof *x->extensions;
        LODE_TRY(list_stack_take(&w->lists, bytes, (void **)&x->extensions));
    }
    LODE_TRY(join_siblings(w, x, parent, at->number));
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

/* Takes a child of another worker's open nodes, of the one nearest to the root. */
static bool take_child_of(worker *victim, node **x, uint32_t *i) {
    bool found = false;
    pthread_mutex_lock(&victim->lock);
    for (unsigned d = 0; d < victim->n_open && !found; d++) {
        *x = victim->open[d];
        *i = take_child(*x);
        found = *i < (*x)->n_extensions;
        if (found) atomic_fetch_add_explicit(&(*x)->active, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&victim->lock);
    return found;
}

/* A child of another worker's node is done. */
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
        found = take_child_of(&s->workers[(w->index + k) % s->n_workers], &x, &i);
    }
    if (!found) return false;
    *status = recall_code(w, x);
    if (*status == LODE_OK) *status = path_push_child(w, x, i, true);
    if (*status != LODE_OK) give_back(w, x, *status);
    return true;
}

/* ---- the path ------------------------------------------------------------------------------- */

/* Divides the span of a node among the extensions that will be followed. */
static void divide_span(worker *w, node *x) {
    uint64_t min_support = search_threshold(w->s);
    double sum = 0;
    if (x->span < PROGRESS_LEAST) return;
    for (unsigned pass = 0; pass < 2; pass++) { /* adds up, then divides */
        span_scale scale = {0};
        for (uint32_t i = x->n_extensions; i-- > 0;) {
            extension *e = &x->extensions[i];
            double weight = span_weigh(&scale, e->n, e->support, min_support);
            if (e->verdict != CODE_MINIMAL) continue;
            if (pass == 0) sum += weight;
            if (pass == 1) e->span = (float)(weight / sum * x->span);
        }
    }
    x->divided = sum > 0;
}

static lode_status search_visit(worker *w, path_entry *at) {
    lode_status status = LODE_OK;
    node *x = &at->x;
    LODE_TRY(search_check(w));
    LODE_TRY(code_reserve(&w->code));
    if (x->support < search_threshold(w->s)) goto done; /* it has risen */
    /* An extension may rule the pattern out: then it is known before it is asked for. */
    bool expand = x->depth < w->s->options->max_edges;
    bool closure = expand && search_ends_early(w->s->options), ends = false;
    if (closure) LODE_TRY(early_ends(w, x, &ends));
    if (ends) goto done;
    if (!closure) LODE_TRY(emit_node(w, x));
    if (!expand) goto done;
    LODE_TRY(search_expand(w, at));
    if (closure) {
        LODE_TRY(emit_node(w, x));
        LODE_TRY(early_cut(w, x));
    }
    divide_span(w, x);
    x->n_left = x->n_extensions;
    if (w->s->n_workers == 1 || x->n_extensions < 2) goto done;
    LODE_TRY(open_node(w, x));
    at->open = true;
done:
    return status;
}

/* The next child of the node in work; n_extensions if there is none, or after a failure. */
static uint32_t next_child(worker *w, path_entry *at, lode_status status) {
    node *x = &at->x;
    if (!at->open) return status == LODE_OK ? take_child(x) : x->n_extensions;
    pthread_mutex_lock(&w->lock);
    if (status != LODE_OK) x->n_left = 0;
    uint32_t i = take_child(x);
    if (i == x->n_extensions) w->n_open--;
    pthread_mutex_unlock(&w->lock);
    if (i < x->n_extensions) return i;
    at->open = false;
    at->closing = true;
    return i;
}

/* Keeps the growths of a node's children for as long as its own, or forgets them. */
static void leave_growths(worker *w, const path_entry *at) {
    bool keep =
        w->s->keep_growths && at->found && w->growths.top - at->growths <= GROWTH_KEPT_BYTES;
    if (keep) {
        growth_note_below(at->found, &at->x);
    } else {
        w->growths.top = at->grown;
    }
}

/* Takes the node in work off the path. */
static lode_status path_leave(worker *w, path_entry *at, lode_status status) {
    node *lent = at->lent ? at->parent : NULL;
    if (!at->x.divided && status == LODE_OK) {
        progress_retire(&w->s->job->at, &w->progress, at->x.span);
    }
    leave_growths(w, at);
    w->path = at->below;
    w->lists.top = at->mark;
    if (!lent) {
        code_pop(&w->code);
        return status;
    }
    give_back(w, lent, status);
    return status == LODE_OK && w->path ? recall_code(w, &w->path->x) : status;
}

/* Helps other workers while they work on children of the node; false: none does any more. */
static bool wait_for_others(worker *w, path_entry *at, lode_status *status) {
    if (atomic_load_explicit(&at->x.active, memory_order_acquire) == 0) return false;
    if (*status != LODE_OK || !steal_child(w, status)) search_pause();
    return true;
}

/* One step with the node in work: visits it, goes on to a child, waits, or leaves it. */
static lode_status path_step(worker *w, lode_status status) {
    path_entry *at = w->path;
    if (at->closing) return wait_for_others(w, at, &status) ? status : path_leave(w, at, status);
    if (status == LODE_OK && !at->visited) {
        at->visited = true;
        return search_visit(w, at);
    }
    uint32_t i = next_child(w, at, status);
    if (i < at->x.n_extensions) return path_push_child(w, &at->x, i, false);
    return at->closing ? status : path_leave(w, at, status);
}

/* Searches until the path is empty; after a failure, only takes it down. */
static lode_status path_search(worker *w, lode_status status) {
    while (w->path) {
        status = path_step(w, status);
        if (status != LODE_OK) search_fail(w->s, status);
    }
    return status;
}

bool search_steal(worker *w, lode_status *status) {
    if (!steal_child(w, status)) return false;
    *status = path_search(w, *status);
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
        if ((i - begin) % (SEARCH_CHECK_ROWS / 16) == 0) LODE_TRY(job_check(w->s->job));
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

static lode_status path_push_root(worker *w, uint32_t triple) {
    lode_status status = LODE_OK;
    path_entry *at = NULL;
    node *base = NULL;
    size_t mark = w->lists.top;
    LODE_TRY(list_stack_take(&w->lists, sizeof *at, (void **)&at));
    LODE_TRY(list_stack_take(&w->lists, sizeof *base, (void **)&base));
    *at = (path_entry){.mark = mark, .grown = w->growths.top};
    LODE_TRY(root_lists(w, triple, base, &at->x));
    at->x.span = w->s->root_spans[triple - w->s->root_first];
    code_clear(&w->code);
    LODE_TRY(code_reserve(&w->code));
    code_push(&w->code, at->x.edge);
    w->path = at;
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
        LODE_TRY(path_push_root(w, triple));
        LODE_TRY(path_search(w, LODE_OK));
    }
done:
    return status;
}
