/* frontier.c - see frontier.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/frontier.h"

#include "base/os.h"
#include "graphs/emit.h"
#include "graphs/frontier_group.h"
#include "runtime/parallel.h"

#define TIGHT_BYTES ((size_t)1 << 30)

/* ---- types ---------------------------------------------------------------------------------- */

/* Whether edges have this type: the odd one of a symmetric triple is not used. */
static bool type_is_used(const store *s, uint32_t type) {
    return type % 2 == 0 || s->reverse[type - 1] == type;
}

/* Lists, for each label, the types of edges that begin there. */
static lode_status list_types(frontier *f) {
    lode_status status = LODE_OK;
    mem *m = &f->s.job->mem;
    const store *s = &f->s.store;
    uint32_t n = store_n_types(s);
    f->n_labels = dict_count(s->data->vertex_names);
    LODE_TRY(mem_zalloc(m, (void **)&f->types_at, (f->n_labels + 2) * sizeof *f->types_at));
    LODE_TRY(mem_zalloc(m, (void **)&f->types, (n + 1) * sizeof *f->types));
    for (uint32_t t = 2 * s->first_triple; t < n; t++) {
        f->types_at[s->types[t].from_label + 2] += type_is_used(s, t);
    }
    for (uint32_t l = 0; l < f->n_labels; l++) f->types_at[l + 2] += f->types_at[l + 1];
    for (uint32_t t = 2 * s->first_triple; t < n; t++) {
        if (type_is_used(s, t)) f->types[f->types_at[s->types[t].from_label + 1]++] = t;
    }
done:
    return status;
}

/* Numbers the types of each label: among all of them, and among those to the same label. */
static lode_status rank_types(frontier *f) {
    lode_status status = LODE_OK;
    mem *m = &f->s.job->mem;
    const store *s = &f->s.store;
    uint32_t n = store_n_types(s), *met = NULL;
    LODE_TRY(mem_zalloc(m, (void **)&f->ranks, 2 * ((size_t)n + 1) * sizeof *f->ranks));
    LODE_TRY(mem_zalloc(m, (void **)&met, (f->n_labels + 1) * sizeof *met));
    uint32_t *from_rank = f->ranks, *pair_rank = f->ranks + n;
    f->graphs.pair_width = 1;
    for (uint32_t l = 0; l < f->n_labels; l++) {
        uint32_t begin = f->types_at[l], end = f->types_at[l + 1];
        for (uint32_t k = begin; k < end; k++) {
            uint32_t type = f->types[k], to = s->types[type].to_label;
            from_rank[type] = k - begin;
            pair_rank[type] = met[to]++;
            if (met[to] > f->graphs.pair_width) f->graphs.pair_width = met[to];
        }
        /* Clears only entries that were written: there may be hundreds of thousands of labels. */
        for (uint32_t k = begin; k < end; k++) met[s->types[f->types[k]].to_label] = 0;
    }
    f->graphs.from_rank = from_rank;
    f->graphs.pair_rank = pair_rank;
done:
    mem_free(m, met, met ? (f->n_labels + 1) * sizeof *met : 0);
    return status;
}

static lode_status frontier_open(frontier *f) {
    lode_status status = LODE_OK;
    const store *s = &f->s.store;
    const engine_task *task = f->s.task;
    _Static_assert(sizeof(half_edge) == sizeof(backend_half),
                   "devices read half-edges without conversion");
    if (s->n_half > INT32_MAX) LODE_LEAVE(LODE_UNSUPPORTED);
    LODE_TRY(list_types(f));
    LODE_TRY(rank_types(f));
    f->graphs.n_vertices = s->n_vertices;
    f->graphs.n_types = store_n_types(s);
    f->graphs.n_half = (uint32_t)s->n_half;
    f->graphs.offsets = s->offsets;
    f->graphs.half = (const backend_half *)s->half;
    f->graphs.graph_of = s->graph_of;
    double start = os_seconds();
    LODE_TRY(f->ops->open(f->s.job, task->plan->slots[0].index, &f->graphs, &f->device));
    report_add_start(task->report, start);
    pool_init(&f->pool, &f->s.job->mem, f->ops, f->device);
    f->tight = pool_left(&f->pool) < TIGHT_BYTES;
done:
    return status;
}

/* ---- the search ----------------------------------------------------------------------------- */

/* Puts a new group on top of the stack. Its patterns are emitted, unless they already were when
 * they were found as extensions. */
static lode_status frontier_push(frontier *f, group *g) {
    bool roots = f->top == NULL;
    g->below = f->top;
    f->top = g;
    return f->rows_wanted || roots ? frontier_emit(f, g) : LODE_OK;
}

/* Extends the group on top if needed, and builds its next children. Removes it from the stack if
 * there are none left. */
static lode_status frontier_step(frontier *f) {
    lode_status status = LODE_OK;
    group *g = f->top, *next = NULL;
    double left = 0;
    LODE_TRY(job_tick(f->s.job, 0, 0));
    if (!g) {
        LODE_TRY(frontier_roots(f, &next));
        LODE_TRY(frontier_push(f, next));
        goto done;
    }
    if (!g->extended && g->n > 0 && frontier_grows(f, g->patterns[0].depth)) {
        LODE_TRY(frontier_extend(f, g));
        for (uint32_t i = 0; i < g->n; i++) frontier_divide(f, &g->patterns[i]);
    }
    LODE_TRY(frontier_children(f, g, &next));
    if (next) {
        LODE_TRY(frontier_push(f, next));
    } else {
        f->top = g->below;
        for (uint32_t i = 0; i < g->n; i++) left += g->patterns[i].span;
        progress_add(&f->s.job->at, left);
        group_free(f, g);
    }
done:
    return status;
}

static lode_status frontier_search(frontier *f) {
    lode_status status = LODE_OK;
    search *s = &f->s;
    if (search_has_vertices(s)) LODE_TRY(emit_vertices(&s->workers[0]));
    if (s->options->max_vertices < 2) goto done;
    f->next_root = s->root_first;
    while (f->top || f->next_root < s->root_end) LODE_TRY(frontier_step(f));
done:
    return status;
}

/* ---- the job -------------------------------------------------------------------------------- */

static void frontier_close(frontier *f) {
    mem *m = &f->s.job->mem;
    uint32_t n = store_n_types(&f->s.store);
    while (f->top) {
        group *below = f->top->below;
        group_free(f, f->top);
        f->top = below;
    }
    for (unsigned i = 0; i < BACKEND_GRAPH_LANES; i++) frontier_free_part(f, &f->parts[i]);
    if (f->device) {
        engine_report *r = f->s.task->report;
        frontier_note_counters(r, f->ops->counters(f->device));
        r->test_seconds = f->test_seconds;
        r->batches = f->n_batches;
        r->groups_moved = f->n_moved;
        pool_free(&f->pool);
        f->ops->close(f->device);
    }
    mem_free(m, f->ranks, f->ranks ? 2 * ((size_t)n + 1) * sizeof *f->ranks : 0);
    mem_free(m, f->types, f->types ? (n + 1) * sizeof *f->types : 0);
    mem_free(m, f->types_at, f->types_at ? (f->n_labels + 2) * sizeof *f->types_at : 0);
}

/* A GPU takes a quarter of a second to wake up. Meanwhile the host prepares the graphs. */
static lode_status frontier_prepare(void *arg, unsigned index) {
    frontier *f = arg;
    const engine_task *task = f->s.task;
    if (index == 1) {
        f->ops->wake(task->plan->slots[0].index);
        return LODE_OK;
    }
    lode_status status = workers_take_store(&f->s);
    f->prepared = os_seconds();
    return status;
}

static lode_status frontier_run(engine_task *task) {
    lode_status status = LODE_OK;
    const lode_graph_options *o = task->graphs.options;
    frontier f = {.s = {.task = task, .options = o, .job = task->job}};
    bool closure = search_checks_closure(o);
    f.s.break_symmetry = search_breaks_symmetry(o);
    f.rows_wanted = closure || o->induced || o->supporters || o->embeddings;
    f.s.no_cursors = !f.rows_wanted;
    f.ops = task->plan->slots[0].backend->graphs;
    LODE_TRY(f.ops->wake ? parallel_run(task->job, 2, false, frontier_prepare, &f)
                         : frontier_prepare(&f, 0));
    report_add_start(task->report, f.prepared);
    task->report->n_threads = task->job->threads;
    LODE_TRY(workers_open(&f.s));
    LODE_TRY(frontier_open(&f));
    LODE_TRY(frontier_search(&f));
done:
    frontier_close(&f);
    return workers_close(&f.s, status);
}

const lode_engine lode_engine_graph_frontier = {
    .kind = LODE_GRAPHS,
    .name = "frontier",
    .summary =
        "Extends groups of patterns on a GPU, with occurrences as matrices, while the CPU tests "
        "DFS codes.",
    .ranges = true,
    .targets = 1u << LODE_TARGET_CLOSED | 1u << LODE_TARGET_MAXIMAL,
    .uses = ENGINE_DEVICES,
    .prepare = store_prepare,
    .run = frontier_run,
};
