/* frontier_build.c - groups of patterns: where they come from, and where they lie
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/frontier.h"

#define GROUP_SHARE 3                   /* of the memory that is left: a group */
#define GROUP_BYTES ((size_t)4 << 30)   /* enough to keep a GPU busy */
#define GROUP_EMIT  ((size_t)64 << 20)  /* if its rows come to the host */
#define GROUP_HOST  ((size_t)32 << 20)  /* if the device is the host */
#define GROUP_MOST  ((uint32_t)1 << 17) /* patterns */
#define GROUP_TIGHT 1024                /* with a small budget */

/* ---- memory --------------------------------------------------------------------------------- */

/* Moves the lowest group that has a block on the device to the host. */
static lode_status move_away(frontier *f, const group *keep, bool *moved) {
    lode_status status = LODE_OK;
    group *lowest = NULL;
    for (group *g = f->top; g; g = g->below) {
        if (g->block && g != keep) lowest = g;
    }
    *moved = lowest != NULL;
    if (!lowest) goto done;
    LODE_TRY(mem_resize(&f->s.job->mem, &lowest->moved, 0, lowest->bytes));
    LODE_TRY(f->ops->download(f->device, lowest->moved, lowest->block, lowest->bytes));
    pool_give(&f->pool, lowest->block, lowest->bytes);
    lowest->block = NULL;
    f->n_moved++;
done:
    return status;
}

lode_status frontier_take(frontier *f, const group *keep, size_t bytes, void **out) {
    for (bool moved = true;;) {
        lode_status status = pool_take(&f->pool, bytes, out);
        if (status != LODE_BUDGET && status != LODE_NOMEM) return status;
        lode_status away = move_away(f, keep, &moved);
        if (away != LODE_OK) return away;
        if (!moved) return status;
    }
}

lode_status frontier_too_small(frontier *f, lode_status status, size_t bytes) {
    return job_fail(
        f->s.job, status,
        "the memory for the device is too small: %.1f MiB are in use, and %.1f MiB more "
        "are needed for a single pattern",
        job_mib_up(f->pool.in_use), job_mib_up(bytes));
}

static lode_status bring_back(frontier *f, group *g) {
    lode_status status = LODE_OK;
    if (!g->moved) return LODE_OK;
    status = frontier_take(f, g, g->bytes, &g->block);
    if (status == LODE_BUDGET || status == LODE_NOMEM) {
        return frontier_too_small(f, status, g->bytes);
    }
    LODE_TRY(status);
    LODE_TRY(f->ops->upload(f->device, g->block, g->moved, g->bytes));
    mem_free(&f->s.job->mem, g->moved, g->bytes);
    g->moved = NULL;
done:
    return status;
}

static void drop_block(frontier *f, group *g) {
    if (g->block) pool_give(&f->pool, g->block, g->bytes);
    mem_free(&f->s.job->mem, g->moved, g->moved ? g->bytes : 0);
    g->block = g->moved = NULL;
}

void frontier_free_group(frontier *f, group *g) {
    mem *m = &f->s.job->mem;
    drop_block(f, g);
    for (unsigned i = 0; g->marks && i < f->s.n_workers; i++) {
        f->s.workers[i].lists.top = g->marks[i];
    }
    mem_free(m, g->marks, g->marks ? f->s.n_workers * sizeof *g->marks : 0);
    mem_free(m, g->patterns, g->cap * sizeof *g->patterns);
    mem_free(m, g, sizeof *g);
}

static lode_status make_group(frontier *f, uint32_t cap, group **out) {
    lode_status status = LODE_OK;
    mem *m = &f->s.job->mem;
    group *g = NULL;
    LODE_TRY(mem_zalloc(m, (void **)&g, sizeof *g));
    LODE_TRY(mem_zalloc(m, (void **)&g->patterns, cap * sizeof *g->patterns));
    g->cap = cap;
    LODE_TRY(mem_zalloc(m, (void **)&g->marks, f->s.n_workers * sizeof *g->marks));
    for (unsigned i = 0; i < f->s.n_workers; i++) g->marks[i] = f->s.workers[i].lists.top;
    *out = g;
done:
    if (status != LODE_OK && g) frontier_free_group(f, g);
    return status;
}

/* How large a group should get, in bytes. */
static size_t group_aim(const frontier *f) {
    size_t left = pool_left(&f->pool);
    size_t most = f->rows_wanted ? GROUP_EMIT : left == SIZE_MAX ? GROUP_HOST : GROUP_BYTES;
    return left / GROUP_SHARE < most ? left / GROUP_SHARE : most;
}

/* Bytes of a pattern: its columns, and the column of graphs. */
static size_t pattern_bytes(uint32_t n_vertices, uint32_t n_rows) {
    return ((size_t)n_vertices + 1) * n_rows * sizeof(uint32_t);
}

/* Says where the patterns of a group lie in its block: all matrices, then all segs. */
static uint32_t lay_out(group *g) {
    size_t at = 0, n_rows = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        g->patterns[i].rows_at = at;
        at += (size_t)g->patterns[i].n_vertices * g->patterns[i].n_rows;
    }
    for (uint32_t i = 0; i < g->n; i++) {
        g->patterns[i].segs_at = at + n_rows;
        n_rows += g->patterns[i].n_rows;
    }
    g->bytes = (at + n_rows) * sizeof(uint32_t);
    return (uint32_t)n_rows;
}

/* ---- children ------------------------------------------------------------------------------- */

/* Whether the matrix of a child is needed. */
static bool is_wanted(const frontier *f, const pattern *x, const frontier_leg *l) {
    if (!l->followed || l->support < search_threshold(&f->s)) return false;
    return f->rows_wanted || frontier_grows(f, x->depth + 1);
}

/* The next leg of a group that is to be built; NULL if there is none. */
static const frontier_leg *next_leg(const frontier *f, group *g, pattern **of) {
    for (; g->next < g->n; g->next++) {
        pattern *x = &g->patterns[g->next];
        for (; x->next_leg < x->n_legs; x->next_leg++) {
            if (!is_wanted(f, x, &x->legs[x->next_leg])) continue;
            *of = x;
            return &x->legs[x->next_leg];
        }
    }
    return NULL;
}

/* All patterns of a group are extended before any of their children, so that a share of the work is
 * done with each level: that of the rows here, beside what the legs weigh. */
void frontier_divide(frontier *f, pattern *x) {
    uint64_t least = search_threshold(&f->s);
    double sum = 0, left = 0;
    if (x->span < PROGRESS_LEAST) return;
    for (unsigned pass = 0; pass < 2; pass++) { /* adds up, then divides */
        span_scale scale = {0};
        for (uint32_t i = x->n_legs; i-- > 0;) {
            frontier_leg *l = &x->legs[i];
            double weight = span_weigh(&scale, l->n_rows, l->support, least);
            if (!is_wanted(f, x, l)) continue;
            if (pass == 0) sum += weight;
            if (pass == 1) l->span = (float)(weight / sum * left);
        }
        left = x->span * sum / (sum + x->n_rows);
    }
    progress_add(&f->s.job->at, x->span - left);
    x->span = 0;
}

static void add_child(group *to, pattern *x, const frontier_leg *l) {
    bool forward = code_is_forward(l->edge);
    pattern *c = &to->patterns[to->n++];
    *c = (pattern){.parent = x, .edge = l->edge, .depth = x->depth + 1};
    c->n_vertices = x->n_vertices + forward;
    c->n_rows = l->n_rows;
    c->support = l->support;
    c->span = l->span;
    c->twin = forward && code_is_forward(x->edge) && x->edge.from == l->edge.from &&
              x->edge.type == l->edge.type;
    uint32_t i = (uint32_t)(l - x->legs) + (forward ? 0 : 1);
    c->siblings = x->legs + i;
    c->n_siblings = x->n_legs - i;
}

/* Takes the next legs, up to `aim` bytes but at least one; `to` has room for them. */
static void choose(const frontier *f, group *g, group *to, size_t aim) {
    size_t bytes = 0, n_rows = 0, n_tiles = 0;
    pattern *x = NULL;
    for (const frontier_leg *l; to->n < to->cap && (l = next_leg(f, g, &x)) != NULL;) {
        bytes += pattern_bytes(x->n_vertices + 1, l->n_rows);
        n_rows += l->n_rows;
        n_tiles += x->n_rows / BACKEND_GRAPH_TILE + 1;
        bool fits = bytes <= aim && n_rows <= INT32_MAX && n_tiles <= INT32_MAX;
        if (to->n > 0 && !fits) break;
        add_child(to, x, l);
        x->next_leg++;
    }
}

/* Puts the legs of a group that could not be built back. */
static void unchoose(group *g, group *to) {
    for (uint32_t i = to->n; i > 0; i--) {
        pattern *c = &to->patterns[i - 1];
        pattern *x = &g->patterns[c->parent - g->patterns];
        uint32_t l = x->n_legs - c->n_siblings - (code_is_forward(c->edge) ? 0 : 1);
        if (l < x->next_leg) x->next_leg = l;
        if ((uint32_t)(x - g->patterns) < g->next) g->next = (uint32_t)(x - g->patterns);
    }
    to->n = 0;
}

static uint32_t count_wanted(const frontier *f, const group *g) {
    uint32_t n = 0, most = f->tight ? GROUP_TIGHT : GROUP_MOST;
    for (uint32_t i = g->next; i < g->n && n < most; i++) {
        const pattern *x = &g->patterns[i];
        for (uint32_t l = x->next_leg; l < x->n_legs; l++) n += is_wanted(f, x, &x->legs[l]);
    }
    return n < most ? n : most;
}

static backend_leg build_leg(const frontier *f, const pattern *c) {
    backend_leg out = {.position = c->edge.from, .type = c->edge.type, .above = BACKEND_GRAPH_NONE};
    out.target = code_is_forward(c->edge) ? BACKEND_GRAPH_NEW : c->edge.to;
    if (c->twin && f->s.halve_twins) out.above = c->parent->n_vertices - 1;
    return out;
}

/* Builds the matrices of `to`, children of g, whose block is taken. */
static lode_status build(frontier *f, const group *g, group *to, uint32_t n_rows) {
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
                                      .leg = build_leg(f, c)};
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
        choose(f, g, to, aim);
        *n_rows = lay_out(to);
        size_t n_tiles = 0;
        for (uint32_t i = 0; i < to->n; i++) {
            n_tiles += to->patterns[i].parent->n_rows / BACKEND_GRAPH_TILE + 1;
        }
        size_t work_bytes = f->ops->build_work(f->device, (uint32_t)n_tiles, *n_rows);
        /* Both are needed at once; the work is taken again, at the same place, by build(). */
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
        unchoose(g, to);
    }
}

lode_status frontier_children(frontier *f, group *g, group **out) {
    lode_status status = LODE_OK;
    group *to = NULL;
    pattern *x = NULL;
    uint32_t n_rows = 0;
    *out = NULL;
    if (!next_leg(f, g, &x)) {
        drop_block(f, g);
        return LODE_OK;
    }
    LODE_TRY(bring_back(f, g));
    LODE_TRY(make_group(f, count_wanted(f, g), &to));
    LODE_TRY(choose_and_take(f, g, to, &n_rows));
    LODE_TRY(build(f, g, to, n_rows));
    if (!next_leg(f, g, &x)) drop_block(f, g);
    *out = to;
done:
    if (status != LODE_OK && to) frontier_free_group(f, to);
    return status;
}

/* ---- roots ---------------------------------------------------------------------------------- */

/* Rows of a triple: its edges, from their first end. */
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
    status = frontier_take(f, g, g->bytes, &g->block);
    if (status == LODE_BUDGET || status == LODE_NOMEM) {
        status = frontier_too_small(f, status, g->bytes);
    }
    LODE_TRY(status);
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
    LODE_TRY(make_group(f, f->s.root_end - f->next_root, &g));
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
    lay_out(g);
    if (g->n > 0) LODE_TRY(upload_roots(f, g));
    *out = g;
    g = NULL;
done:
    if (g) frontier_free_group(f, g);
    return status;
}
