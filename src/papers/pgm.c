/* pgm.c - gSpan on a GPU as its papers lay it out: one pattern at a time
 *
 * After Kessl, Talukder, Anchuri and Zaki (2014) and those who followed: the database as one large
 * graph without padding (arrays of offsets and neighbours), occurrences as columns (idx, vid) that
 * share their beginnings, extensions by (occurrence, vertex of the right-most path) as records
 * (from, to, edge label, vertex label), supports by distinct graphs, new columns of the frequent
 * extensions, codes tested on the host. Toki and Ozaki (2016) compare records as vectors of 16
 * bytes and columns of pairs, through read-only loads, with an array for each number: p.layout.
 *
 * Columns stay on the device. Only where the sink or the target wants occurrences, or for edges
 * that begin a search, does the host see them.
 *
 * It is here to be compared with: frontier.h does the same for many patterns at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/pgm.h"
#include "base/os.h"
#include "graphs/emit.h"
#include "runtime/valid.h"

typedef struct column {
    void *block; /* on the device */
    uint32_t n;
} column;

typedef struct pgm {
    search s;
    worker *w;
    const backend_graph_ops *ops;
    backend_graph_device *device;
    const pgm_ops *pgm_ops;
    pgm_device *pgm; /* on top of the device */
    pool pool;
    uint32_t *edge_labels; /* by half-edge: 2 * label, + 1 if the arrow points here */
    keymap types;          /* by the labels of an edge (pgm_type_key) */
    pgm_layout layout;
    bool rows_wanted;
    column *columns; /* of the present pattern */
    pgm_column *shown;
    uint16_t *path;
    size_t columns_cap, shown_cap, path_cap;
    uint32_t n_columns;
    uint32_t root;
} pgm;

/* A frequent extension that is to be followed. */
typedef struct pgm_child {
    code_edge edge;
    uint32_t support;
    column column;
} pgm_child;

static lode_status pgm_take_column(pgm *p, uint32_t n, column *out) {
    void *block = NULL;
    size_t bytes = pgm_column_bytes(n);
    lode_status status = pool_take(&p->pool, bytes, &block);
    if (status == LODE_BUDGET || status == LODE_NOMEM) {
        return job_fail(p->s.job, status,
                        "the memory for the device is too small: %.1f MiB are in use, and a column "
                        "of %.1f MiB is needed; the algorithm frontier does with less",
                        job_mib_up(p->pool.in_use), job_mib_up(bytes));
    }
    *out = (column){block, n};
    return status;
}

static void pgm_give_column(pgm *p, column c) {
    pool_give(&p->pool, c.block, pgm_column_bytes(c.n));
}

/* Makes room for one more column. */
static lode_status pgm_reserve_columns(pgm *p) {
    lode_status status = LODE_OK;
    mem *m = &p->s.job->mem;
    size_t n = p->n_columns;
    if (n + 1 < p->columns_cap && n + 1 < p->shown_cap && n + 1 < p->path_cap) return LODE_OK;
    LODE_TRY(vec_grow(m, (void **)&p->columns, n, &p->columns_cap, 2, sizeof *p->columns));
    LODE_TRY(vec_grow(m, (void **)&p->shown, n, &p->shown_cap, 2, sizeof *p->shown));
    LODE_TRY(vec_grow(m, (void **)&p->path, n, &p->path_cap, 2, sizeof *p->path));
done:
    return status;
}

/* ---- the pattern for the sink --------------------------------------------------------------- */

/* Brings a column to the host. */
static lode_status pgm_bring_column(pgm *p, column from, node *to) {
    lode_status status = LODE_OK;
    list_stack *lists = &p->w->lists;
    uint32_t *idx = NULL, *vid = NULL;
    void *block = NULL;
    LODE_TRY(list_stack_take(lists, from.n * sizeof *idx, (void **)&idx));
    LODE_TRY(list_stack_take(lists, from.n * sizeof *vid, (void **)&vid));
    size_t mark = lists->top;
    LODE_TRY(list_stack_take(lists, pgm_column_bytes(from.n), &block));
    LODE_TRY(p->ops->download(p->device, block, from.block, pgm_column_bytes(from.n)));
    for (uint32_t i = 0; i < from.n; i++) {
        pgm_entry e = pgm_entry_get(block, from.n, i, p->layout.by_columns);
        idx[i] = e.idx;
        vid[i] = e.vid;
    }
    lists->top = mark;
    to->n = from.n;
    to->idx = idx;
    to->vid = vid;
done:
    return status;
}

/* Brings all columns to the host, as a chain of nodes. */
static lode_status pgm_bring_chain(pgm *p, const node **out) {
    lode_status status = LODE_OK;
    worker *w = p->w;
    node *chain = NULL;
    LODE_TRY(list_stack_take(&w->lists, p->n_columns * sizeof *chain, (void **)&chain));
    memset(chain, 0, p->n_columns * sizeof *chain);
    for (uint32_t c = 0; c < p->n_columns; c++) {
        chain[c] = (node){.parent = c ? &chain[c - 1] : NULL, .position = (uint16_t)c, .depth = c};
        LODE_TRY(pgm_bring_column(p, p->columns[c], &chain[c]));
    }
    *out = &chain[p->n_columns - 1];
done:
    return status;
}

static lode_status pgm_emit(pgm *p, uint32_t support) {
    lode_status status = LODE_OK;
    worker *w = p->w;
    size_t mark = w->lists.top;
    node x = {.n = p->columns[p->n_columns - 1].n};
    if (p->rows_wanted) {
        const node *last = NULL;
        LODE_TRY(pgm_bring_chain(p, &last));
        x.parent = last->parent;
        x.position = last->position;
        x.depth = last->depth;
        x.idx = last->idx;
        x.vid = last->vid;
    }
    x.support = support;
    LODE_TRY(emit_node(w, &x));
done:
    w->lists.top = mark;
    return status;
}

/* ---- extensions ----------------------------------------------------------------------------- */

static uint64_t pgm_type_key(uint32_t from_label, uint32_t edge_label, uint32_t to_label) {
    return bits_mix((uint64_t)from_label << 32 | to_label) + edge_label;
}

/* The edge label that records have for a type. */
static uint32_t pgm_edge_label(const edge_type *t) {
    return 2 * t->edge_label + t->incoming;
}

/* Lists the types by their labels. Keys that are taken by other labels go to the next number. */
static lode_status pgm_list_types(pgm *p) {
    lode_status status = LODE_OK;
    const store *s = &p->s.store;
    for (uint32_t t = 0; t < store_n_types(s); t++) {
        const edge_type *e = &s->types[t];
        if (t % 2 == 1 && s->reverse[t - 1] != t) continue; /* of a symmetric triple: not used */
        uint64_t key = pgm_type_key(e->from_label, pgm_edge_label(e), e->to_label);
        for (bool taken = true; taken; key++) {
            LODE_TRY(keymap_put(&p->types, &p->s.job->mem, key, t, &taken));
        }
    }
done:
    return status;
}

/* The type of an edge by its labels. There is one, as the edge was found in the data. */
static uint32_t pgm_type_of(const pgm *p, uint32_t from_label, uint32_t edge_label,
                            uint32_t to_label) {
    for (uint64_t key = pgm_type_key(from_label, edge_label, to_label);; key++) {
        uint32_t type = keymap_find(&p->types, key)->value;
        const edge_type *e = &p->s.store.types[type];
        bool same = e->from_label == from_label && e->to_label == to_label;
        if (same && pgm_edge_label(e) == edge_label) return type;
    }
}

/* Whether an edge may follow the code; as in scan.c. */
static bool pgm_may_follow(const pgm *p, code_edge e) {
    const code *c = &p->w->code;
    code_edge last = c->edges[c->n_edges - 1];
    if (e.type < p->root) return false;
    if (code_is_forward(e)) return c->n_vertices < p->s.options->max_vertices;
    if (code_has_arc(c, e.from, e.to, e.type)) return false;
    return code_is_forward(last) || e.to > last.to || (e.to == last.to && e.type > last.type);
}

static code_edge pgm_edge_of(const pgm *p, const pgm_record *r) {
    uint32_t type =
        pgm_type_of(p, worker_label(p->w, (uint16_t)r->from), r->edge_label, r->to_label);
    return (code_edge){(uint16_t)r->from, (uint16_t)r->to, type};
}

/* Finds the extensions to be followed and builds their columns. */
static lode_status pgm_find_children(pgm *p, pgm_child *children, const pgm_extension *list,
                                     uint32_t n, uint32_t *n_children) {
    lode_status status = LODE_OK;
    worker *w = p->w;
    for (uint32_t i = 0; i < n; i++) {
        const pgm_extension *x = &list[i];
        w->candidates++;
        if (x->support < search_threshold(&p->s)) continue;
        code_edge e = pgm_edge_of(p, &x->record);
        if (!pgm_may_follow(p, e)) continue;
        w->frequent++;
        code_verdict verdict;
        LODE_TRY(code_test(&w->code, e, &verdict));
        if (verdict != CODE_MINIMAL) continue;
        pgm_child *c = &children[*n_children];
        *c = (pgm_child){.edge = e, .support = x->support};
        LODE_TRY(pgm_take_column(p, x->n_rows, &c->column));
        ++*n_children;
        w->occurrences += x->n_rows;
        LODE_TRY(p->pgm_ops->column(p->pgm, x, c->column.block));
    }
done:
    return status;
}

static lode_status pgm_look(pgm *p, const pgm_extension **list, uint32_t *n) {
    const code *c = &p->w->code;
    pgm_occurrences o = {.columns = p->shown, .path = p->path, .layout = p->layout};
    o.n_columns = p->n_columns;
    o.least_type = p->root;
    uint64_t least = search_threshold(&p->s);
    o.min_support = least < UINT32_MAX ? (uint32_t)least : UINT32_MAX;
    for (uint32_t k = 0; k < p->n_columns; k++) {
        p->shown[k] = (pgm_column){p->columns[k].block, p->columns[k].n};
    }
    for (uint16_t v = (uint16_t)(c->n_vertices - 1); v != CODE_NONE; v = c->parents[v]) {
        p->path[o.n_path++] = v;
    }
    return p->pgm_ops->search(p->pgm, &o, list, n);
}

/* ---- the path, as a list of steps: as long as the pattern has edges ------------------------- */

typedef struct pgm_step {
    struct pgm_step *below;
    size_t mark; /* the top of the list stack without it */
    pgm_child *children;
    uint32_t n_children, next;
    bool forward;  /* its column was added; if not, it has replaced the last one: … */
    column before; /* … this column, which comes back */
} pgm_step;

/* Goes down to an extension; NULL: begins with a single edge, whose columns and code are set. */
static lode_status pgm_push(pgm *p, pgm_step **top, const pgm_child *child) {
    lode_status status = LODE_OK;
    worker *w = p->w;
    pgm_step *step = NULL;
    size_t mark = w->lists.top;
    LODE_TRY(pgm_reserve_columns(p));
    LODE_TRY(list_stack_take(&w->lists, sizeof *step, (void **)&step));
    *step = (pgm_step){.below = *top, .mark = mark};
    *top = step;
    if (!child) goto done;
    step->forward = code_is_forward(child->edge);
    uint32_t at = step->forward ? p->n_columns : p->n_columns - 1;
    if (!step->forward) step->before = p->columns[at];
    p->columns[at] = child->column;
    p->n_columns = at + 1;
    code_push(&w->code, child->edge);
done:
    return status;
}

static void pgm_pop(pgm *p, pgm_step **top) {
    pgm_step *step = *top;
    for (uint32_t i = 0; i < step->n_children; i++) pgm_give_column(p, step->children[i].column);
    p->w->lists.top = step->mark;
    *top = step->below;
    if (!step->below) return;
    code_pop(&p->w->code);
    if (step->forward) {
        p->n_columns--;
    } else {
        p->columns[p->n_columns - 1] = step->before;
    }
}

/* Emits the pattern and finds its children. */
static lode_status pgm_visit(pgm *p, pgm_step *step, uint32_t support) {
    lode_status status = LODE_OK;
    worker *w = p->w;
    const pgm_extension *list = NULL;
    uint32_t n = 0;
    LODE_TRY(job_tick(p->s.job, 0, 0));
    LODE_TRY(code_reserve(&w->code));
    if (support < search_threshold(&p->s)) goto done;
    LODE_TRY(pgm_emit(p, support));
    if (w->code.n_edges >= p->s.options->max_edges) goto done;
    LODE_TRY(pgm_look(p, &list, &n));
    LODE_TRY(list_stack_take(&w->lists, n * sizeof *step->children, (void **)&step->children));
    LODE_TRY(pgm_find_children(p, step->children, list, n, &step->n_children));
done:
    return status;
}

/* All patterns that begin with the edge whose columns and code are set. */
static lode_status pgm_visit_all(pgm *p, uint32_t support) {
    lode_status status = LODE_OK;
    pgm_step *top = NULL;
    LODE_TRY(pgm_push(p, &top, NULL));
    LODE_TRY(pgm_visit(p, top, support));
    while (top) {
        if (top->next == top->n_children) {
            pgm_pop(p, &top);
            continue;
        }
        const pgm_child *child = &top->children[top->next++];
        LODE_TRY(pgm_push(p, &top, child));
        LODE_TRY(pgm_visit(p, top, child->support));
    }
done:
    while (top) pgm_pop(p, &top);
    return status;
}

/* ---- roots ---------------------------------------------------------------------------------- */

/* Adds a column with these entries. */
static lode_status pgm_send_column(pgm *p, const pgm_entry *entries, uint32_t n) {
    lode_status status = LODE_OK;
    list_stack *lists = &p->w->lists;
    size_t bytes = pgm_column_bytes(n), mark = lists->top;
    void *block = NULL;
    LODE_TRY(list_stack_take(lists, bytes, &block));
    for (uint32_t i = 0; i < n; i++) {
        pgm_entry_put(block, n, i, p->layout.by_columns, entries[i]);
    }
    column *to = &p->columns[p->n_columns];
    LODE_TRY(pgm_take_column(p, n, to));
    p->n_columns++;
    LODE_TRY(p->ops->upload(p->device, to->block, block, bytes));
done:
    lists->top = mark;
    return status;
}

/* Makes the two columns of a single-edge pattern: first vertices, and the ends of their edges. */
static lode_status pgm_root_columns(pgm *p, uint32_t triple) {
    lode_status status = LODE_OK;
    worker *w = p->w;
    const store *g = &p->s.store;
    size_t begin = g->roots_at[triple], end = g->roots_at[triple + 1], mark = w->lists.top;
    uint32_t n_first = 0, n = 0;
    pgm_entry *first = NULL;
    size_t most = end - begin;
    if (most > INT32_MAX) LODE_LEAVE(LODE_UNSUPPORTED);
    LODE_TRY(list_stack_take(&w->lists, 2 * most * sizeof *first, (void **)&first));
    pgm_entry *second = first + most;
    for (size_t i = begin; i < end; i++) {
        uint32_t v = g->roots[i];
        if (i > begin && v == g->roots[i - 1]) continue;
        first[n_first++] = (pgm_entry){BACKEND_GRAPH_NONE, v};
        for (uint32_t k = store_first(g, v, 2 * triple); k < g->offsets[v + 1]; k++) {
            if (g->half[k].type != 2 * triple) break;
            second[n++] = (pgm_entry){n_first - 1, g->half[k].to};
        }
    }
    LODE_TRY(pgm_reserve_columns(p));
    LODE_TRY(pgm_send_column(p, first, n_first));
    LODE_TRY(pgm_send_column(p, second, n));
    w->occurrences += n;
done:
    w->lists.top = mark;
    return status;
}

static lode_status pgm_search_root(pgm *p, uint32_t triple) {
    lode_status status = LODE_OK;
    code *c = &p->w->code;
    uint64_t support = p->s.store.triple_supports[triple];
    if (support < search_threshold(&p->s)) return LODE_OK;
    p->root = 2 * triple;
    LODE_TRY(pgm_root_columns(p, triple));
    code_clear(c);
    LODE_TRY(code_reserve(c));
    code_push(c, (code_edge){0, 1, p->root});
    LODE_TRY(pgm_visit_all(p, (uint32_t)support));
    progress_add(&p->s.job->at, p->s.root_spans[triple - p->s.root_first]);
done:
    while (p->n_columns > 0) pgm_give_column(p, p->columns[--p->n_columns]);
    return status;
}

/* ---- the job -------------------------------------------------------------------------------- */

static lode_status pgm_label_edges(pgm *p) {
    const store *s = &p->s.store;
    size_t bytes = (s->n_half + 1) * sizeof *p->edge_labels;
    lode_status status = mem_resize(&p->s.job->mem, (void **)&p->edge_labels, 0, bytes);
    for (size_t k = 0; status == LODE_OK && k < s->n_half; k++) {
        p->edge_labels[k] = pgm_edge_label(&s->types[s->half[k].type]);
    }
    return status;
}

static lode_status pgm_open(pgm *p) {
    lode_status status = LODE_OK;
    const store *s = &p->s.store;
    const engine_task *task = p->s.task;
    if (s->n_half > INT32_MAX) LODE_LEAVE(LODE_UNSUPPORTED);
    LODE_TRY(workers_open(&p->s));
    p->w = &p->s.workers[0];
    LODE_TRY(pgm_label_edges(p));
    LODE_TRY(pgm_list_types(p));
    backend_graphs g = {.n_vertices = s->n_vertices, .n_half = (uint32_t)s->n_half};
    g.offsets = s->offsets;
    g.half = (const backend_half *)s->half;
    g.graph_of = s->graph_of;
    pgm_labels labels = {.of_vertex = s->data->labels.data, .of_half = p->edge_labels};
    labels.vertex_bits = pgm_bits_for(dict_count(s->data->vertex_names));
    labels.half_bits = pgm_bits_for(2 * (uint64_t)dict_count(s->data->edge_names) + 1);
    p->ops = task->plan->slots[0].backend->graphs;
    p->pgm_ops = task->plan->slots[0].backend->papers->pgm;
    double start = os_seconds();
    LODE_TRY(p->ops->open(p->s.job, task->plan->slots[0].index, &g, &p->device));
    LODE_TRY(p->pgm_ops->open(p->device, &labels, &p->pgm));
    task->report->start_seconds = os_seconds() - start;
    pool_init(&p->pool, &p->s.job->mem, p->ops, p->device);
done:
    return status;
}

static lode_status pgm_note_times(pgm *p) {
    engine_report *r = p->s.task->report;
    pgm_times times = {0};
    lode_status status = p->pgm_ops->times(p->pgm, &times);
    r->extend_seconds = times.extend;
    r->sort_seconds = times.sort;
    r->support_seconds = times.support;
    r->column_seconds = times.column;
    return status;
}

static lode_status pgm_close(pgm *p, lode_status status) {
    mem *m = &p->s.job->mem;
    size_t n_half = p->s.store.n_half;
    if (p->pgm) {
        lode_status noted = pgm_note_times(p);
        if (status == LODE_OK) status = noted;
    }
    if (p->device) {
        frontier_note_counters(p->s.task->report, p->ops->counters(p->device));
        pool_free(&p->pool);
        if (p->pgm) p->pgm_ops->close(p->pgm);
        p->ops->close(p->device);
    }
    mem_free(m, p->edge_labels, p->edge_labels ? (n_half + 1) * sizeof *p->edge_labels : 0);
    keymap_free(&p->types, m);
    mem_free(m, p->columns, p->columns_cap * sizeof *p->columns);
    mem_free(m, p->shown, p->shown_cap * sizeof *p->shown);
    mem_free(m, p->path, p->path_cap * sizeof *p->path);
    return status;
}

lode_status pgm_run(engine_task *task) {
    lode_status status = LODE_OK;
    const lode_graph_options *o = task->graphs.options;
    pgm p = {.s = {.task = task, .options = o, .job = task->job}};
    p.rows_wanted = o->target == LODE_TARGET_CLOSED || o->target == LODE_TARGET_MAXIMAL ||
                    o->induced || o->supporters || o->embeddings;
    lode_paper_options papers = valid_papers(o->papers);
    p.layout.by_columns = papers.records == LODE_GRAPH_RECORDS_COLUMNS;
    p.layout.plain = papers.loads == LODE_GRAPH_LOADS_PLAIN;
    LODE_TRY(workers_take_store(&p.s));
    task->report->n_threads = 1;
    LODE_TRY(pgm_open(&p));
    if (search_has_vertices(&p.s)) LODE_TRY(emit_vertices(p.w));
    for (uint32_t t = p.s.root_first; t < p.s.root_end && o->max_vertices > 1; t++) {
        LODE_TRY(pgm_search_root(&p, t));
    }
done:
    return workers_close(&p.s, pgm_close(&p, status));
}

const lode_engine lode_engine_pgm = {
    .kind = LODE_GRAPHS,
    .name = "pgm",
    .summary = "gSpan on a GPU as its papers have it, one pattern at a time: gspan --device cuda.",
    .ranges = true,
    .targets = 1u << LODE_TARGET_CLOSED | 1u << LODE_TARGET_MAXIMAL,
    .uses = ENGINE_DEVICES | ENGINE_LAYOUTS,
    .prepare = store_prepare,
    .run = pgm_run,
};
