/* frontier_build.c - see frontier.h: builds the next group, and emits the patterns of a group
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/emit.h"
#include "graphs/frontier.h"
#include "graphs/frontier_group.h"
#include "graphs/workers.h"
#include "runtime/parallel.h"

#define GROUP_MOST  ((uint32_t)1 << 17) /* patterns of a group */
#define GROUP_TIGHT 1024                /* with a small budget */

/* ---- children ------------------------------------------------------------------------------- */

/* Whether the matrix of a child is needed. */
static bool is_wanted(const frontier *f, const pattern *x, const frontier_extension *e) {
    if (!e->followed || e->support < search_threshold(&f->s)) return false;
    return f->rows_wanted || frontier_grows(f, x->depth + 1);
}

/* The next extension of a group that is to be built; NULL if there is none. */
static const frontier_extension *next_extension(const frontier *f, group *g, pattern **of) {
    for (; g->next < g->n; g->next++) {
        pattern *x = &g->patterns[g->next];
        for (; x->next < x->n_extensions; x->next++) {
            if (!is_wanted(f, x, &x->extensions[x->next])) continue;
            *of = x;
            return &x->extensions[x->next];
        }
    }
    return NULL;
}

/* Divides a pattern's span of progress among its extensions. All patterns of a group are extended
 * before any child is built, so a part of the span is complete now: the weight of this pattern's
 * rows against the total weight of its extensions. */
void frontier_divide(frontier *f, pattern *x) {
    uint64_t min_support = search_threshold(&f->s);
    double sum = 0, left = 0;
    if (x->span < PROGRESS_LEAST) return;
    for (unsigned pass = 0; pass < 2; pass++) { /* adds up, then divides */
        span_scale scale = {0};
        for (uint32_t i = x->n_extensions; i-- > 0;) {
            frontier_extension *e = &x->extensions[i];
            double weight = span_weigh(&scale, e->n_rows, e->support, min_support);
            if (!is_wanted(f, x, e)) continue;
            if (pass == 0) sum += weight;
            if (pass == 1) e->span = (float)(weight / sum * left);
        }
        left = x->span * sum / (sum + x->n_rows);
    }
    progress_add(&f->s.job->at, x->span - left);
    x->span = 0;
}

static void group_add_child(group *to, pattern *x, const frontier_extension *e) {
    bool forward = code_is_forward(e->edge);
    pattern *c = &to->patterns[to->n++];
    *c = (pattern){.parent = x, .edge = e->edge, .depth = x->depth + 1};
    c->n_vertices = x->n_vertices + forward;
    c->n_rows = e->n_rows;
    c->support = e->support;
    c->span = e->span;
    uint32_t i = (uint32_t)(e - x->extensions) + (forward ? 0 : 1);
    c->siblings = x->extensions + i;
    c->n_siblings = x->n_extensions - i;
}

/* Puts the next extensions of g into `to`: at least one, at most to->cap, and not more than `aim`
 * bytes if there are several. */
static void group_choose(const frontier *f, group *g, group *to, size_t aim) {
    size_t bytes = 0, n_rows = 0, n_tiles = 0;
    pattern *x = NULL;
    for (const frontier_extension *e; to->n < to->cap && (e = next_extension(f, g, &x)) != NULL;) {
        bytes += pattern_bytes(x->n_vertices + 1, e->n_rows);
        n_rows += e->n_rows;
        n_tiles += x->n_rows / BACKEND_GRAPH_TILE + 1;
        bool fits = bytes <= aim && n_rows <= INT32_MAX && n_tiles <= INT32_MAX;
        if (to->n > 0 && !fits) break;
        group_add_child(to, x, e);
        x->next++;
    }
}

/* Takes the children that could not be built out of `to` again. */
static void group_unchoose(group *g, group *to) {
    for (uint32_t i = to->n; i > 0; i--) {
        pattern *c = &to->patterns[i - 1];
        pattern *x = &g->patterns[c->parent - g->patterns];
        uint32_t k = x->n_extensions - c->n_siblings - (code_is_forward(c->edge) ? 0 : 1);
        if (k < x->next) x->next = k;
        if ((uint32_t)(x - g->patterns) < g->next) g->next = (uint32_t)(x - g->patterns);
    }
    to->n = 0;
}

static uint32_t count_wanted(const frontier *f, const group *g) {
    uint32_t n = 0, most = f->tight ? GROUP_TIGHT : GROUP_MOST;
    for (uint32_t i = g->next; i < g->n && n < most; i++) {
        const pattern *x = &g->patterns[i];
        for (uint32_t k = x->next; k < x->n_extensions; k++)
            n += is_wanted(f, x, &x->extensions[k]);
    }
    return n < most ? n : most;
}

/* Builds the matrices of `to`, children of g, whose block is taken. */
static lode_status build_matrices(frontier *f, const group *g, group *to, uint32_t n_rows) {
    lode_status status = LODE_OK;
    mem *m = &f->s.job->mem;
    backend_child *children = NULL;
    backend_build b = {.n_children = to->n, .n_rows = n_rows};
    uint32_t *block = to->block, first_row = 0;
    const uint32_t *from = g->block;
    size_t bytes = to->n * sizeof *children, work_bytes = 0;
    LODE_TRY(mem_resize(m, (void **)&children, 0, bytes));
    for (uint32_t i = 0; i < to->n; i++) {
        const pattern *c = &to->patterns[i];
        children[i] = (backend_child){.from = from + c->parent->rows_at,
                                      .rows = block + c->rows_at,
                                      .n_from = c->parent->n_rows,
                                      .n_rows = c->n_rows,
                                      .n_vertices = c->parent->n_vertices,
                                      .first_tile = b.n_tiles,
                                      .first_row = first_row,
                                      .candidate = pattern_candidate(f, c->parent, c->edge)};
        first_row += c->n_rows;
        b.n_tiles += (c->parent->n_rows + BACKEND_GRAPH_TILE - 1) / BACKEND_GRAPH_TILE;
    }
    b.children = children;
    b.segs = block + to->patterns[0].segs_at;
    work_bytes = f->ops->build_work(f->device, b.n_tiles, b.n_rows);
    LODE_TRY(pool_take(&f->pool, work_bytes, &b.work));
    LODE_TRY(f->ops->build(f->device, &b));
done:
    pool_give(&f->pool, b.work, work_bytes);
    mem_free(m, children, children ? bytes : 0);
    return status;
}

/* Chooses children that fit, and takes memory for them: fewer, if there is too little. */
static lode_status choose_and_take(frontier *f, group *g, group *to, uint32_t *n_rows) {
    for (size_t aim = group_aim(f);; aim /= 4) {
        void *work = NULL;
        group_choose(f, g, to, aim);
        *n_rows = group_lay_out(to);
        size_t n_tiles = 0;
        for (uint32_t i = 0; i < to->n; i++) {
            n_tiles += to->patterns[i].parent->n_rows / BACKEND_GRAPH_TILE + 1;
        }
        size_t work_bytes = f->ops->build_work(f->device, (uint32_t)n_tiles, *n_rows);
        /* Both are needed at once; the work is taken again, at the same place, by
         * build_matrices(). */
        lode_status status = to->n > 1 ? pool_take(&f->pool, to->bytes, &to->block)
                                       : frontier_take(f, g, to->bytes, &to->block);
        if (status == LODE_OK) {
            status = to->n > 1 ? pool_take(&f->pool, work_bytes, &work)
                               : frontier_take(f, g, work_bytes, &work);
        }
        if (status == LODE_OK) {
            pool_give(&f->pool, work, work_bytes);
            return LODE_OK;
        }
        if (to->block) pool_give(&f->pool, to->block, to->bytes);
        to->block = NULL;
        if (status != LODE_BUDGET && status != LODE_NOMEM) return status;
        if (to->n == 1) return frontier_too_small(f, status, to->bytes + work_bytes);
        group_unchoose(g, to);
    }
}

lode_status frontier_children(frontier *f, group *g, group **out) {
    lode_status status = LODE_OK;
    group *to = NULL;
    pattern *x = NULL;
    uint32_t n_rows = 0;
    *out = NULL;
    if (!next_extension(f, g, &x)) {
        group_drop_block(f, g);
        return LODE_OK;
    }
    LODE_TRY(group_bring_back(f, g));
    LODE_TRY(group_create(f, count_wanted(f, g), &to));
    LODE_TRY(choose_and_take(f, g, to, &n_rows));
    LODE_TRY(build_matrices(f, g, to, n_rows));
    if (!next_extension(f, g, &x)) group_drop_block(f, g);
    *out = to;
done:
    if (status != LODE_OK && to) group_free(f, to);
    return status;
}

/* ---- roots ---------------------------------------------------------------------------------- */

/* The number of rows of a triple: a row for each edge, seen from its first end. */
static uint32_t root_rows(const store *s, uint32_t triple) {
    return (uint32_t)(s->roots_at[triple + 1] - s->roots_at[triple]);
}

/* Writes the matrix of a triple, and numbers its graphs from *seg + 1 on. */
static void fill_root(const store *s, uint32_t triple, uint32_t *rows, uint32_t *segs,
                      uint32_t *seg) {
    size_t begin = s->roots_at[triple], end = s->roots_at[triple + 1];
    uint32_t n = 0, n_rows = root_rows(s, triple), last = UINT32_MAX;
    for (size_t i = begin; i < end; i++) { /* a vertex is there once for each of its edges */
        uint32_t v = s->roots[i];
        if (i > begin && v == s->roots[i - 1]) continue;
        for (uint32_t k = store_first(s, v, 2 * triple); k < s->offsets[v + 1]; k++) {
            if (s->half[k].type != 2 * triple) break;
            *seg += s->graph_of[v] != last;
            last = s->graph_of[v];
            rows[n] = v;
            rows[n_rows + n] = s->half[k].to;
            segs[n++] = *seg;
        }
    }
}

static lode_status upload_roots(frontier *f, group *g) {
    lode_status status = LODE_OK;
    mem *m = &f->s.job->mem;
    uint32_t *host = NULL, seg = 0;
    LODE_TRY(mem_resize(m, (void **)&host, 0, g->bytes));
    for (uint32_t i = 0; i < g->n; i++) {
        const pattern *x = &g->patterns[i];
        LODE_TRY(job_check(f->s.job));
        fill_root(&f->s.store, x->edge.type / 2, host + x->rows_at, host + x->segs_at, &seg);
    }
    LODE_TRY(frontier_must_take(f, g, g->bytes, &g->block));
    LODE_TRY(f->ops->upload(f->device, g->block, host, g->bytes));
done:
    mem_free(m, host, host ? g->bytes : 0);
    return status;
}

lode_status frontier_roots(frontier *f, group **out) {
    lode_status status = LODE_OK;
    const store *s = &f->s.store;
    group *g = NULL;
    size_t bytes = 0, aim = group_aim(f);
    *out = NULL;
    LODE_TRY(group_create(f, f->s.root_end - f->next_root, &g));
    for (; f->next_root < f->s.root_end; f->next_root++) {
        uint32_t t = f->next_root, n_rows = root_rows(s, t);
        if (s->triple_supports[t] < search_threshold(&f->s)) {
            progress_add(&f->s.job->at, f->s.root_spans[t - f->s.root_first]);
            continue;
        }
        if (n_rows > INT32_MAX) LODE_LEAVE(LODE_UNSUPPORTED);
        bytes += pattern_bytes(2, n_rows);
        if (g->n > 0 && bytes > aim) break;
        pattern *x = &g->patterns[g->n++];
        *x = (pattern){.edge = {0, 1, 2 * t}, .depth = 1, .n_vertices = 2, .n_rows = n_rows};
        x->support = (uint32_t)s->triple_supports[t];
        x->span = f->s.root_spans[t - f->s.root_first];
        f->s.workers[0].occurrences += n_rows;
    }
    group_lay_out(g);
    if (g->n > 0) LODE_TRY(upload_roots(f, g));
    *out = g;
    g = NULL;
done:
    if (g) group_free(f, g);
    return status;
}

/* ---- the patterns of a group for the sink ---------------------------------------------------- */

/* The host determines which patterns are closed, maximal or induced, and lists supporting graphs
 * and embeddings, with the same code as for the other miners (emit.h). That code sees the matrix of
 * a pattern as a chain of columns, in which each row continues the row with the same number. */

/* Makes the chain of a pattern whose code is set; *out is the last node of it. */
static lode_status make_chain(worker *w, const pattern *x, const uint32_t *rows, node **out) {
    lode_status status = LODE_OK;
    node *chain = NULL;
    uint32_t *same = NULL;
    uint16_t newest = 0;
    LODE_TRY(list_stack_take(&w->lists, (x->depth + 1) * sizeof *chain, (void **)&chain));
    LODE_TRY(list_stack_take(&w->lists, x->n_rows * sizeof *same, (void **)&same));
    for (uint32_t i = 0; i < x->n_rows; i++) same[i] = i;
    memset(chain, 0, (x->depth + 1) * sizeof *chain);
    chain[0].n = x->n_rows;
    chain[0].vid = rows;
    for (uint32_t k = 1; k <= x->depth; k++) {
        node *at = &chain[k];
        at->parent = &chain[k - 1];
        at->edge = w->code.edges[k - 1];
        if (code_is_forward(at->edge)) newest = at->edge.to;
        at->position = code_is_forward(at->edge) ? newest : CODE_NONE;
        at->depth = k;
        at->n = x->n_rows;
        at->idx = same;
        at->vid = rows + (size_t)newest * x->n_rows;
    }
    chain[x->depth].support = x->support;
    *out = &chain[x->depth];
done:
    return status;
}

static lode_status emit_pattern(worker *w, const pattern *x, const uint32_t *block) {
    lode_status status = LODE_OK;
    node *last = NULL;
    size_t mark = w->lists.top;
    LODE_TRY(pattern_set_code(w, x));
    if (!block) {
        node plain = {.edge = x->edge, .depth = x->depth, .n = x->n_rows, .support = x->support};
        LODE_LEAVE(emit_node(w, &plain));
    }
    LODE_TRY(make_chain(w, x, block + x->rows_at, &last));
    LODE_TRY(emit_node(w, last));
done:
    w->lists.top = mark;
    return status;
}

static lode_status emit_group_worker(void *arg, unsigned index) {
    lode_status status = LODE_OK;
    frontier *f = arg;
    const group *g = f->work_group;
    for (;;) {
        uint32_t i = atomic_fetch_add_explicit(&f->next_emit, 1, memory_order_relaxed);
        if (i >= g->n) break;
        LODE_TRY(job_check(f->s.job));
        LODE_TRY(emit_pattern(&f->s.workers[index], &g->patterns[i], f->work_rows));
    }
done:
    return status;
}

lode_status frontier_emit(frontier *f, group *g) {
    lode_status status = LODE_OK;
    mem *m = &f->s.job->mem;
    uint32_t *rows = NULL;
    size_t bytes = f->rows_wanted ? g->bytes : 0;
    unsigned n = g->n > 1 ? f->s.n_workers : 1;
    if (f->rows_wanted) {
        LODE_TRY(mem_resize(m, (void **)&rows, 0, bytes));
        LODE_TRY(f->ops->download(f->device, rows, g->block, bytes));
    }
    f->work_group = g;
    f->work_rows = rows;
    atomic_store(&f->next_emit, 0);
    LODE_TRY(n == 1 ? emit_group_worker(f, 0)
                    : parallel_run(f->s.job, n, false, emit_group_worker, f));
done:
    mem_free(m, rows, rows ? bytes : 0);
    return status;
}
