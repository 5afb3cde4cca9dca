/* frontier_extend.c - see frontier.h: finds the extensions of all patterns of a group
 *
 * A group is extended part by part: while the device counts one part, the host looks at what the
 * device found in the part before.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/frontier.h"

#include "base/os.h"
#include "device/api/graph_rows.h"
#include "graphs/emit.h"
#include "graphs/frontier_group.h"
#include "runtime/parallel.h"

/* A part ends where one of these is reached. */
#define PART_SLOTS    ((uint32_t)1 << 19)
#define PART_PATTERNS ((uint32_t)1 << 15)
#define PART_TABLES   ((size_t)1 << 18) /* candidates, and vertices of paths */
#define PART_WORDS    ((uint64_t)1 << 26)
#define PART_TIGHT    128 /* with a small budget, this part of all that */
#define PART_SHARE    8   /* the bit sets of a part may take this part of the memory left */
#define TEST_LEAST    64  /* fewer patterns are tested on one thread */

void frontier_free_part(frontier *f, part *p) {
    mem *m = &f->s.job->mem;
    mem_free(m, p->nodes, p->nodes_cap * sizeof *p->nodes);
    mem_free(m, p->candidates, p->candidates_cap * sizeof *p->candidates);
    mem_free(m, p->edges, p->edges_cap * sizeof *p->edges);
    mem_free(m, p->paths, p->paths_cap * sizeof *p->paths);
    if (p->batch.work) pool_give(&f->pool, p->batch.work, p->work_bytes);
    *p = (part){0};
}

/* ---- the tables of a part ------------------------------------------------------------------- */

/* Makes room for one more node with this many candidates and path vertices. */
static lode_status part_reserve(frontier *f, part *p, uint32_t candidates, uint32_t paths) {
    lode_status status = LODE_OK;
    mem *m = &f->s.job->mem;
    const backend_graph_batch *b = &p->batch;
#define PART_ROOM(array, used, cap, extra)                                                         \
    if ((cap) - (used) < (extra))                                                                  \
    LODE_TRY(vec_grow(m, (void **)&(array), (used), &(cap), (extra), sizeof *(array)))
    PART_ROOM(p->nodes, p->n, p->nodes_cap, 1);
    PART_ROOM(p->candidates, b->n_candidates, p->candidates_cap, candidates);
    PART_ROOM(p->edges, b->n_candidates, p->edges_cap, candidates);
    PART_ROOM(p->paths, b->n_paths, p->paths_cap, paths);
#undef PART_ROOM
done:
    return status;
}

/* A candidate by an edge that a sibling has, or that a single edge may be extended by. */
static void part_add_candidate(const frontier *f, part *p, const pattern *x, code_edge e) {
    bool forward = code_is_forward(e);
    if (forward && x->n_vertices >= f->s.options->max_vertices) return;
    if (forward) e.to = (uint16_t)x->n_vertices;
    p->edges[p->batch.n_candidates] = e;
    p->candidates[p->batch.n_candidates++] = pattern_candidate(f, x, e);
}

/* The candidates of a single edge at its first vertex; the second is the newest. */
static void part_add_root(const frontier *f, part *p, const pattern *x) {
    uint32_t label = f->s.store.types[x->edge.type].from_label;
    for (uint32_t k = f->types_at[label]; k < f->types_at[label + 1]; k++) {
        if (f->types[k] < x->edge.type) continue;
        part_add_candidate(f, p, x, (code_edge){0, 1, f->types[k]});
    }
}

/* The right-most path, from the newest vertex up. */
static void part_add_path(part *p, const pattern *x) {
    uint16_t at = (uint16_t)(x->n_vertices - 1);
    p->paths[p->batch.n_paths++] = at;
    for (; x; x = x->parent) {
        if (!code_is_forward(x->edge) || x->edge.to != at) continue;
        at = x->edge.from;
        p->paths[p->batch.n_paths++] = at;
    }
}

static const pattern *root_of(const pattern *x) {
    while (x->parent) x = x->parent;
    return x;
}

static lode_status part_add_pattern(frontier *f, part *p, const group *g, const pattern *x) {
    const store *s = &f->s.store;
    backend_graph_batch *b = &p->batch;
    uint32_t n_types = store_n_types(s);
    lode_status status = part_reserve(f, p, x->parent ? x->n_siblings : n_types, x->n_vertices);
    if (status != LODE_OK) return status;
    backend_node n = {.n_rows = x->n_rows, .n_segs = x->support, .n_vertices = x->n_vertices};
    const uint32_t *block = g->block;
    n.rows = block + x->rows_at;
    n.segs = block + x->segs_at;
    n.first_tile = b->n_tiles;
    n.first_candidate = b->n_candidates;
    n.first_path = b->n_paths;
    n.first_slot = b->n_slots;
    n.first_word = b->n_words;
    n.least_type = root_of(x)->edge.type;
    n.parent_type = s->reverse[x->edge.type];
    if (!x->parent) part_add_root(f, p, x);
    for (uint32_t i = 0; i < x->n_siblings; i++) part_add_candidate(f, p, x, x->siblings[i].edge);
    n.n_candidates = b->n_candidates - n.first_candidate;
    bool grows = code_is_forward(x->edge);
    if (x->parent && code_edge_repeats(x->parent->edge, x->edge)) grows = false;
    if (grows) { /* from the newest vertex */
        uint32_t label = s->types[x->edge.type].to_label;
        bool may_grow = x->n_vertices < f->s.options->max_vertices;
        n.n_fresh = may_grow ? f->types_at[label + 1] - f->types_at[label] : 0;
        part_add_path(p, x);
        n.n_path = b->n_paths - n.first_path;
    }
    uint32_t n_slots = backend_node_slots(&n, f->graphs.pair_width);
    b->n_slots += n_slots;
    b->n_words += (uint64_t)n_slots * ((n.n_segs + 31) / 32);
    b->n_tiles += (n.n_rows + BACKEND_GRAPH_TILE - 1) / BACKEND_GRAPH_TILE;
    p->nodes[p->n++] = n;
    return LODE_OK;
}

static bool part_is_full(const frontier *f, const part *p, uint64_t most_words) {
    const backend_graph_batch *b = &p->batch;
    uint32_t share = f->tight ? PART_TIGHT : 1;
    return p->n >= PART_PATTERNS / share || b->n_slots >= PART_SLOTS / share ||
           b->n_candidates >= PART_TABLES / share || b->n_paths >= PART_TABLES / share ||
           b->n_words >= most_words;
}

/* Fills a part with patterns from `first` on, up to `most` words of bit sets, and starts it. */
static lode_status start_part(frontier *f, group *g, unsigned lane, uint32_t first, uint64_t most) {
    lode_status status = LODE_OK;
    part *p = &f->parts[lane];
    if (p->batch.work) pool_give(&f->pool, p->batch.work, p->work_bytes); /* of a try that failed */
    p->first = first;
    p->n = 0;
    p->batch = (backend_graph_batch){0};
    while (first + p->n < g->n && !part_is_full(f, p, most)) {
        LODE_TRY(part_add_pattern(f, p, g, &g->patterns[first + p->n]));
    }
    backend_graph_batch *b = &p->batch;
    if (b->n_tiles > INT32_MAX) LODE_LEAVE(LODE_UNSUPPORTED);
    b->nodes = p->nodes;
    b->candidates = p->candidates;
    b->paths = p->paths;
    b->n_nodes = p->n;
    p->work_bytes = backend_graph_work(b->n_slots, b->n_words);
    LODE_TRY(frontier_take(f, g, p->work_bytes, &b->work));
    f->n_batches++;
    LODE_TRY(f->ops->extend(f->device, lane, b));
done:
    return status;
}

/* ---- what was found ------------------------------------------------------------------------- */

/* A pattern whose slots are being examined. */
typedef struct look {
    frontier *f;
    worker *w;
    pattern *x;
    const uint64_t *rows;
    const uint32_t *supports;
} look;

static lode_status emit_extension(worker *w, const frontier_extension *e) {
    code_push(&w->code, e->edge);
    node x = {.edge = e->edge, .depth = w->code.n_edges, .n = e->n_rows, .support = e->support};
    lode_status status = emit_node(w, &x);
    code_pop(&w->code);
    return status;
}

/* Makes an extension of a slot if it is frequent and needed. There is room for it. */
static lode_status look_at_slot(look *k, uint32_t which, code_edge edge) {
    worker *w = k->w;
    pattern *x = k->x;
    uint32_t support = k->supports[which];
    if (support == 0) return LODE_OK;
    w->candidates++;
    if (support < search_threshold(&k->f->s)) return LODE_OK;
    w->frequent++;
    code_verdict verdict;
    lode_status status = code_test(&w->code, edge, &verdict);
    if (status != LODE_OK) return status;
    if (!extension_is_kept(x->n_extensions, verdict)) return LODE_OK;
    if (k->rows[which] > INT32_MAX) return LODE_UNSUPPORTED;
    bool followed = verdict == CODE_MINIMAL;
    frontier_extension e = {edge, (uint32_t)k->rows[which], support, 0, followed};
    x->extensions[x->n_extensions++] = e;
    if (followed) w->occurrences += e.n_rows;
    return followed && !k->f->rows_wanted ? emit_extension(w, &e) : LODE_OK;
}

/* Edges from the newest vertex: to the path, the earliest vertex first, then to new ones. */
static lode_status look_at_newest(look *k, const backend_node *n, const uint16_t *path) {
    lode_status status = LODE_OK;
    const frontier *f = k->f;
    const backend_graphs *g = &f->graphs;
    uint32_t label = worker_label(k->w, path[0]);
    uint32_t begin = f->types_at[label], end = f->types_at[label + 1];
    for (uint32_t i = n->n_path - 1; i > 0; i--) {
        uint32_t other = worker_label(k->w, path[i]);
        uint32_t first = n->n_candidates + n->n_fresh + i * g->pair_width;
        for (uint32_t t = begin; t < end; t++) {
            uint32_t type = f->types[t];
            if (type < n->least_type || f->s.store.types[type].to_label != other) continue;
            LODE_TRY(
                look_at_slot(k, first + g->pair_rank[type], (code_edge){path[0], path[i], type}));
        }
    }
    for (uint32_t t = begin; t < end && n->n_fresh > 0; t++) {
        uint32_t type = f->types[t];
        if (type < n->least_type) continue;
        code_edge e = {path[0], (uint16_t)n->n_vertices, type};
        LODE_TRY(look_at_slot(k, n->n_candidates + g->from_rank[type], e));
    }
done:
    return status;
}

static lode_status look_at_pattern(frontier *f, worker *w, part *p, uint32_t i) {
    lode_status status = LODE_OK;
    pattern *x = &f->work_group->patterns[p->first + i];
    const backend_node *n = &p->nodes[i];
    look k = {f, w, x, p->found.rows + n->first_slot, p->found.supports + n->first_slot};
    uint32_t n_slots = backend_node_slots(n, f->graphs.pair_width);
    size_t mark = w->lists.top;
    LODE_TRY(list_stack_take(&w->lists, n_slots * sizeof *x->extensions, (void **)&x->extensions));
    LODE_TRY(pattern_set_code(w, x));
    if (n->n_path > 0) LODE_TRY(look_at_newest(&k, n, p->paths + n->first_path));
    for (uint32_t c = 0; c < n->n_candidates; c++) {
        LODE_TRY(look_at_slot(&k, c, p->edges[n->first_candidate + c]));
    }
    w->lists.top = mark + (x->n_extensions * sizeof *x->extensions + 15) / 16 * 16;
done:
    return status;
}

static lode_status look_worker(void *arg, unsigned index) {
    lode_status status = LODE_OK;
    frontier *f = arg;
    part *p = f->work_part;
    for (;;) {
        uint32_t i = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed);
        if (i >= p->n) break;
        LODE_TRY(job_check(f->s.job));
        LODE_TRY(look_at_pattern(f, &f->s.workers[index], p, i));
    }
done:
    return status;
}

/* Waits for a part, and makes extensions from its counts, on all threads. */
static lode_status finish_part(frontier *f, group *g, unsigned lane) {
    lode_status status = LODE_OK;
    part *p = &f->parts[lane];
    LODE_TRY(f->ops->found(f->device, lane, &p->found));
    double start = os_seconds();
    f->work_group = g;
    f->work_part = p;
    atomic_store(&p->next, 0);
    unsigned n = p->n < TEST_LEAST ? 1 : f->s.n_workers;
    LODE_TRY(n == 1 ? look_worker(f, 0) : parallel_run(f->s.job, n, false, look_worker, f));
    f->test_seconds += os_seconds() - start;
    pool_give(&f->pool, p->batch.work, p->work_bytes);
    p->batch.work = NULL;
done:
    return status;
}

/* Starts the next part of a group. If there is no room, finishes the previous part first. If that
 * does not help, the part becomes a single pattern. */
static lode_status start_some(frontier *f, group *g, unsigned lane, uint32_t first, bool *before) {
    lode_status status = LODE_OK;
    size_t left = pool_left(&f->pool) / sizeof(uint32_t) / PART_SHARE;
    uint64_t most = left == 0           ? 1
                    : left < PART_WORDS ? left
                                        : PART_WORDS; /* one pattern at least */
    status = start_part(f, g, lane, first, most);
    if (status != LODE_BUDGET && status != LODE_NOMEM) goto done;
    if (*before) LODE_TRY(finish_part(f, g, 1 - lane));
    *before = false;
    status = start_part(f, g, lane, first, 1);
    if (status == LODE_BUDGET || status == LODE_NOMEM) {
        status = frontier_too_small(f, status, f->parts[lane].work_bytes);
    }
done:
    return status;
}

lode_status frontier_extend(frontier *f, group *g) {
    lode_status status = LODE_OK;
    unsigned lane = 0;
    bool before = false;
    g->extended = true;
    for (uint32_t at = 0; at < g->n || before;) {
        bool sent = at < g->n;
        LODE_TRY(job_tick(f->s.job, 0, 0));
        if (sent) {
            LODE_TRY(start_some(f, g, lane, at, &before));
            at += f->parts[lane].n;
        }
        if (before) LODE_TRY(finish_part(f, g, 1 - lane));
        before = sent;
        lane = 1 - lane;
    }
done:
    return status;
}
