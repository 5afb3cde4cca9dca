/* search.c - see search.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/search.h"

#include <math.h>

#include "base/check.h"
#include "base/os.h"
#include "graphs/early.h"
#include "graphs/emit.h"
#include "graphs/growth.h"
#include "graphs/join.h"
#include "graphs/leaf_twins.h"
#include "graphs/scan.h"
#include "graphs/search_tuning.h"
#include "graphs/workers.h"

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

/* Takes the last child of a node that is not taken yet; n_extensions if there is none. */
static uint32_t take_child(node *x) {
    uint32_t n = x->n_extensions;
    while (x->n_left > x->n_given && x->extensions[x->n_left - 1].verdict != CODE_MINIMAL) {
        x->n_left--;
    }
    return x->n_left > x->n_given ? --x->n_left : n;
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

/* Pushes the i-th extension of a node, which may belong to another worker, onto the path. The
 * worker's code is that of the node. */
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

/* Finds the extensions at the new vertex of a node, and stores them as the growth of the extension
 * that the node was made from. If that extension belongs to another worker, the growth is discarded
 * when the node is left. */
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

#if LODE_DEBUG
#define VALIDATE_FREQUENT 4096 /* the extensions of this many nodes are checked, … */
#define VALIDATE_ONE_IN   64   /* … and then those of one node in this many */

/* The rows of an extension, and the graphs that these are in. */
static void search_validate_rows(const worker *w, const node *x, const extension *e) {
    uint32_t graphs = 0, last = UINT32_MAX;
    for (uint32_t row = 0; row < e->n; row++) {
        LODE_DEBUG_CHECK(e->idx[row] < x->n && (row == 0 || e->idx[row - 1] <= e->idx[row]),
                         "a row of an extension extends row %u of %u, or rows are out of order",
                         e->idx[row], x->n);
        uint32_t graph = w->s->store.graph_of[e->vid[row]];
        graphs += graph != last;
        last = graph;
        LODE_DEBUG_CHECK(graph == w->s->store.graph_of[x->vid[e->idx[row]]],
                         "a row of graph %u extends a row of another graph", graph);
    }
    LODE_DEBUG_CHECK(graphs == e->support, "an extension has support %u, but occurs in %u graphs",
                     e->support, graphs);
}

/* Extensions are in order, and no more frequent than the node. */
static void search_validate(const worker *w, const node *x) {
    if (w->frequent > VALIDATE_FREQUENT && w->frequent % VALIDATE_ONE_IN != 0) return;
    for (uint32_t i = 0; i < x->n_extensions; i++) {
        const extension *e = &x->extensions[i];
        LODE_DEBUG_CHECK(
            e->support <= x->support && e->support <= e->n,
            "an extension has support %u; expected at most %llu, the support of its parent, and at "
            "most %u, the number of its rows",
            e->support, (unsigned long long)x->support, e->n);
        LODE_DEBUG_CHECK(i == 0 || code_edge_less(x->extensions[i - 1].edge, e->edge),
                         "extensions are out of order");
        search_validate_rows(w, x, e);
    }
}
#endif

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

/* ---- other processes ------------------------------------------------------------------------- */

/* Whether another process may ask for branches. */
static bool search_gives(const search *s) {
    return s->task->parts.branches && s->task->parts.branches->give;
}

/* Returns the number of a type for other processes: they count triples from the most frequent one,
 * so that numbers stay the same when the threshold rises. */
static uint32_t type_turned(const search *s, uint32_t type) {
    return 2 * (s->store.n_triples - 1 - type / 2) + type % 2;
}

static lode_status given_put(worker *w, code_edge e) {
    lode_status status = vec_u32_reserve(&w->s->job->mem, &w->given, BRANCH_EDGE);
    if (status != LODE_OK) return status;
    w->given.data[w->given.n++] = e.from;
    w->given.data[w->given.n++] = e.to;
    w->given.data[w->given.n++] = type_turned(w->s, e.type);
    return LODE_OK;
}

/* Returns how many more rows this worker must make before a child of x is worth giving away. A
 * process that gets a child must first rebuild all rows on the path to it. The child is expected to
 * have as many rows as the average of the children begun before it. Without this limit, four
 * processes took twice as long as two: they got branches of 20 ms after rebuilding paths for 500
 * ms. */
static double rows_until_worth(const worker *w, const node *x) {
    unsigned n_begun = 0;
    for (uint32_t i = x->n_left; i < x->n_extensions; i++) {
        n_begun += x->extensions[i].verdict == CODE_MINIMAL;
    }
    double wanted =
        w->s->task->parts.branches->worth * (double)x->way * (n_begun > 0 ? n_begun : 1);
    return wanted - (double)(w->made - x->since);
}

/* Returns the first child of a node that nobody has taken, which has the most work below it.
 * Returns n_extensions if there is none, or if it is not worth rebuilding its path yet. With
 * `give`, the child is marked as given to another process. */
static uint32_t first_child(worker *w, path_entry *at, bool give) {
    node *x = &at->x;
    uint32_t i, n = x->n_extensions;
    if (!at->visited || at->closing) return n;
    if (at->open) pthread_mutex_lock(&w->lock);
    i = x->n_given;
    while (i < x->n_left && x->extensions[i].verdict != CODE_MINIMAL) i++;
    bool found = i < x->n_left;
    if (found) {
        double missing = rows_until_worth(w, x);
        w->unripe = fmin(w->unripe, (double)w->made + missing);
        found = missing <= 0;
    }
    if (found && give) x->n_given = i + 1;
    if (at->open) pthread_mutex_unlock(&w->lock);
    return found ? i : n;
}

/* Writes the code of a child to w->given. */
static lode_status given_spell(worker *w, const node *x, uint32_t child) {
    lode_status status = LODE_OK;
    w->given.n = 0;
    for (unsigned d = 1; d <= x->depth; d++) {
        const node *at = x;
        while (at->depth > d) at = at->parent;
        LODE_TRY(given_put(w, at->edge));
    }
    status = given_put(w, x->extensions[child].edge);
done:
    return status;
}

/* Hands out a group of branches that no worker has begun; returns false if there is none. */
static bool give_group(search *s, lode_status *status) {
    const engine_branches *to = s->task->parts.branches;
    search_branches *b = &s->branches;
    size_t group = atomic_fetch_add(&b->next, 1);
    if (group >= b->n_groups) return false;
    for (size_t i = b->groups[group]; i < b->groups[group + 1] && *status == LODE_OK; i++) {
        *status = to->give(to->user, b->list[i]);
    }
    return true;
}

/* Answers another process that asks for a branch: with branches that no worker has begun, or else
 * with the first child worth giving away of the oldest node on the path that has one. */
static lode_status search_hand_out(worker *w) {
    lode_status status = LODE_OK;
    const engine_branches *to = w->s->task->parts.branches;
    path_entry *oldest = NULL;
    if (w->following || !job_claim_ask(w->s->job)) return LODE_OK;
    if (give_group(w->s, &status)) return status;
    w->unripe = (double)w->made + to->worth * (double)w->path->x.parent->way; /* at most */
    for (path_entry *at = w->path; at; at = at->below) {
        if (first_child(w, at, false) < at->x.n_extensions) oldest = at;
    }
    uint32_t child = oldest ? first_child(w, oldest, true) : 0;
    if (!oldest || child == oldest->x.n_extensions) { /* none, or another worker was faster */
        job_ask_again(w->s->job);
        return LODE_OK;
    }
    LODE_TRY(given_spell(w, &oldest->x, child));
    engine_branch b = {.prefix = w->given.data, .n_prefix = (uint32_t)w->given.n, .own = true};
    b.end = UINT32_MAX;
    status = to->give(to->user, &b);
done:
    return status;
}

static lode_status search_check(worker *w) {
    search *s = w->s;
    int failure = atomic_load_explicit(&s->failure, memory_order_relaxed);
    if (failure != LODE_OK) return (lode_status)failure;
    if (search_gives(s) && job_is_asked(s->job) && (double)w->made >= w->unripe) {
        lode_status given = search_hand_out(w);
        if (given != LODE_OK) return given;
    }
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

/* The extensions of the node in work are there. */
static void note_rows(worker *w, node *x) {
    uint64_t rows = x->n;
    for (uint32_t i = 0; i < x->n_extensions; i++) rows += x->extensions[i].n;
    w->made += rows;
    x->way = x->parent->way + rows;
    x->since = w->made;
}

static lode_status search_visit(worker *w, path_entry *at) {
    lode_status status = LODE_OK;
    node *x = &at->x;
    LODE_TRY(search_check(w));
    LODE_TRY(code_reserve(&w->code));
    if (x->support < search_threshold(w->s)) goto done; /* it has risen */
    /* The extensions may show that the pattern is not closed or maximal, so it is expanded before
     * it is emitted. */
    bool expand = x->depth < w->s->options->max_edges;
    bool closure = expand && search_ends_early(w->s->options), ends = false;
    if (closure) LODE_TRY(early_ends(w, x, &ends));
    if (ends) goto done;
    if (!closure) LODE_TRY(emit_node(w, x));
    if (!expand) goto done;
    LODE_TRY(search_expand(w, at));
    LODE_VALIDATE(search_validate(w, x));
    if (closure) {
        LODE_TRY(emit_node(w, x));
        LODE_TRY(early_cut(w, x));
    }
    divide_span(w, x);
    if (search_gives(w->s)) note_rows(w, x);
    x->n_left = x->n_extensions;
    if (w->s->n_workers == 1 || x->n_extensions < 2 || w->following) goto done;
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
    size_t top = w->growths.top;
    bool keep = at->found && top - at->growths <= GROWTH_KEPT_BYTES && top <= w->s->growths_most;
    if (keep) {
        growth_note_below(at->found, &at->x);
    } else {
        w->growths.top = at->grown;
    }
}

static lode_status path_check_code(const worker *w, const path_entry *at) {
    lode_status status = LODE_OK;
    LODE_REQUIRE(w->s->job, w->code.n_edges == at->x.depth,
                 "the DFS code does not belong to the node");
done:
    return status;
}

/* Removes the current node from the path. After a failure the code is left as it is: it may be that
 * of a stolen child, which the nodes below do not continue. Nobody reads it until the next root or
 * stolen child sets it. */
static lode_status path_leave(worker *w, path_entry *at, lode_status status) {
    node *lent = at->lent ? at->parent : NULL;
    if (status == LODE_OK) status = path_check_code(w, at);
    if (!at->x.divided && status == LODE_OK) {
        progress_retire(&w->s->job->at, &w->progress, at->x.span);
    }
    leave_growths(w, at);
    w->path = at->below;
    w->lists.top = at->mark;
    if (!lent) {
        if (status == LODE_OK) code_pop(&w->code);
        return status;
    }
    give_back(w, lent, status);
    return status == LODE_OK && w->path ? recall_code(w, &w->path->x) : status;
}

/* Helps other workers while they work on children of the node; returns false when none does. */
static bool wait_for_others(worker *w, path_entry *at, lode_status *status) {
    if (atomic_load_explicit(&at->x.active, memory_order_acquire) == 0) return false;
    if (*status != LODE_OK || !steal_child(w, status)) search_pause();
    return true;
}

/* Takes one step with the current node: visits it, goes on to a child, waits, or leaves it. */
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

/* Searches until the path is no longer than up to `end`; after a failure, only takes it down. */
static lode_status path_search_to(worker *w, const path_entry *end, lode_status status) {
    while (w->path != end) {
        status = path_step(w, status);
        if (status != LODE_OK) search_fail(w->s, status);
    }
    return status;
}

static lode_status path_search(worker *w, lode_status status) {
    return path_search_to(w, NULL, status);
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

/* ---- branches -------------------------------------------------------------------------------- */

/* The k-th edge of a branch; false if the data have no such edge, or too few for the threshold. */
static bool branch_edge(const search *s, const engine_branch *b, uint32_t k, code_edge *e) {
    const uint32_t *at = b->prefix + (size_t)k * BRANCH_EDGE;
    if (at[0] >= CODE_NONE || at[1] >= CODE_NONE) return false;
    if (at[2] / 2 >= s->store.n_triples - s->store.first_triple) return false;
    *e = (code_edge){(uint16_t)at[0], (uint16_t)at[1], type_turned(s, at[2])};
    return true;
}

/* Visits the current node, with or without a report, and lets no worker take its children. */
static lode_status branch_visit(worker *w, bool report) {
    path_entry *at = w->path;
    bool mute = w->mute;
    w->mute = mute || !report;
    w->following = true;
    at->visited = true;
    lode_status status = search_visit(w, at);
    w->mute = mute;
    w->following = false;
    return status;
}

/* Pushes the node of the k-th edge of a branch onto the path. Sets *found to false if that node no
 * longer exists. */
static lode_status branch_step(worker *w, const engine_branch *b, uint32_t k, bool *found) {
    search *s = w->s;
    code_edge e;
    *found = false;
    if (!branch_edge(s, b, k, &e)) return LODE_OK;
    if (k == 0) {
        if (e.from != 0 || e.to != 1 || e.type % 2 != 0) return LODE_OK;
        if (s->store.triple_supports[e.type / 2] < search_threshold(s)) return LODE_OK;
        *found = true;
        lode_status status = path_push_root(w, e.type / 2);
        if (status == LODE_OK) w->path->x.span = 0;
        return status;
    }
    node *x = &w->path->x;
    uint32_t i = 0;
    while (i < x->n_extensions && !code_edge_same(x->extensions[i].edge, e)) i++;
    if (i == x->n_extensions || x->extensions[i].verdict != CODE_MINIMAL) return LODE_OK;
    *found = true;
    return path_push_child(w, x, i, false);
}

/* Leaves the nodes of the path that do not lead to the n-th edge of a branch. Sets *left to the
 * number that stay. */
static lode_status branch_return(worker *w, const engine_branch *b, uint32_t n, uint32_t *left) {
    lode_status status = LODE_OK;
    uint32_t depth = w->path ? w->path->x.depth : 0, same = 0;
    code_edge e;
    while (same < n && same < depth && branch_edge(w->s, b, same, &e) &&
           code_edge_same(w->code.edges[same], e)) {
        same++;
    }
    while (depth > same && status == LODE_OK) {
        status = path_search_to(w, w->path->below, LODE_OK);
        depth--;
    }
    *left = same;
    return status;
}

/* Follows a branch up to its n-th edge, as if the nodes on the way were searched. Nodes that are
 * already on the path stay. */
static lode_status branch_follow(worker *w, const engine_branch *b, uint32_t n, bool *found) {
    lode_status status = LODE_OK;
    uint32_t k = 0;
    *found = true;
    LODE_TRY(branch_return(w, b, n, &k));
    for (; k < n && *found; k++) {
        LODE_TRY(branch_step(w, b, k, found));
        if (!*found) break;
        LODE_TRY(branch_visit(w, false));
        w->path->x.n_left = 0; /* it has no children but those that are asked for */
        w->path->x.span = 0;
    }
done:
    return status;
}

/* Searches a branch; the path leads to its parent. */
static lode_status branch_search(worker *w, const engine_branch *b, uint32_t n_edges) {
    lode_status status = LODE_OK;
    const path_entry *parent = w->path;
    search *s = w->s;
    bool found = false;
    LODE_TRY(branch_step(w, b, n_edges - 1, &found));
    if (!found) goto done;
    w->path->x.span = s->branches.work > 0 ? b->work / s->branches.work : 0;
    if (b->end == 0 || !b->own) {
        status = branch_visit(w, b->own);
        if (b->end == 0) w->path->x.n_left = 0;
    }
    status = path_search_to(w, parent, status);
done:
    return status;
}

/* Searches the single edges of a range of ranks. */
static lode_status branch_search_roots(worker *w, const engine_branch *b) {
    lode_status status = LODE_OK;
    search *s = w->s;
    uint32_t n = s->store.n_triples - s->store.first_triple, width = b->end - b->first;
    LODE_TRY(path_search(w, LODE_OK));
    for (uint32_t rank = b->first; rank < b->end && rank < n; rank++) {
        uint32_t triple = s->store.n_triples - 1 - rank;
        if (s->store.triple_supports[triple] < search_threshold(s)) break;
        LODE_TRY(path_push_root(w, triple));
        w->path->x.span = s->branches.work > 0 ? b->work / s->branches.work / width : 0;
        LODE_TRY(path_search(w, LODE_OK));
    }
done:
    return status;
}

/* Searches the branches of one parent. */
static lode_status branch_search_group(worker *w, size_t group) {
    lode_status status = LODE_OK;
    const search_branches *b = &w->s->branches;
    const engine_branch *const *list = b->list + b->groups[group];
    size_t n = b->groups[group + 1] - b->groups[group];
    uint32_t n_edges = list[0]->n_prefix / BRANCH_EDGE;
    bool found = true;
    if (n_edges == 0) return branch_search_roots(w, list[0]);
    status = branch_follow(w, list[0], n_edges - 1, &found);
    for (size_t i = 0; i < n && found && status == LODE_OK; i++) {
        status = branch_search(w, list[i], n_edges);
    }
    return status == LODE_OK ? status : path_search(w, status);
}

static lode_status search_branches_of(worker *w) {
    lode_status status = LODE_OK;
    search_branches *b = &w->s->branches;
    while (!lease_gives(w->s->job)) {
        size_t group = atomic_fetch_add(&b->next, 1);
        if (group >= b->n_groups) break;
        LODE_TRY(branch_search_group(w, group));
    }
done:
    return path_search(w, status);
}

lode_status search_survey(worker *w, const engine_branch *b, search_found *found) {
    lode_status status = LODE_OK;
    bool there;
    LODE_TRY(branch_follow(w, b, b->n_prefix / BRANCH_EDGE, &there));
    found->x = there ? &w->path->x : NULL;
    status = found->add(found);
done:
    return status == LODE_OK ? status : path_search(w, status);
}

lode_status search_end_survey(worker *w, lode_status status) {
    return path_search(w, status);
}

uint32_t search_turn_type(const search *s, uint32_t type) {
    return type_turned(s, type);
}

lode_status search_roots(worker *w) {
    lode_status status = LODE_OK;
    search *s = w->s;
    if (s->task->parts.branches) return search_branches_of(w);
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
