/* pgm.c - gSpan on a GPU as its papers lay it out
 *
 * After Kessl, Talukder, Anchuri and Zaki (2014) and those who followed: the database as one large
 * graph without padding (arrays of offsets and neighbours), occurrences as columns (idx, vid) that
 * share their beginnings, extensions by (occurrence, vertex of the right-most path) as records
 * (from, to, edge label, vertex label), supports by distinct graphs, new columns of the frequent
 * extensions, codes tested on the host. Toki and Ozaki (2016) compare records as vectors of 16
 * bytes and columns of pairs, through read-only loads, with an array for each number: p.layout.
 *
 * The papers extend one pattern at a time, which leaves a GPU waiting. Here one search extends the
 * pattern that is visited and those of the same number of edges that will be visited next, as many
 * as a batch has room for. Patterns are still visited, emitted and given up in the order of a
 * depth-first search, one at a time:
 *
 *     level 0    a  b  c        the batch of a: a b c
 *     level 1    d e  f  g      … and of d: d e f g, children of a, b and c
 *     visited    a d … e … b f … c g …
 *
 * Columns stay on the device. Only where the sink or the target wants occurrences, or for edges
 * that begin a search, does the host see them.
 *
 * It is here to be compared with: frontier.h keeps whole rows, and needs less memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/pgm.h"
#include "base/os.h"
#include "graphs/emit.h"
#include "runtime/valid.h"

#define BATCH_PATTERNS   1024u             /* most patterns of a batch */
#define BATCH_CELLS      ((size_t)1 << 22) /* rows times columns; a single pattern may have more */
#define BATCH_CELLS_HOST ((size_t)1 << 14) /* likewise; larger batches gain nothing on a CPU */
#define BATCH_SHARE      1536u             /* bytes of memory for each cell of a batch, at least */
#define ROOT_UNIT        256u              /* alignment of the columns of single edges, in bytes */

typedef struct column {
    void *block; /* on the device */
    uint32_t n;
} column;

/* A pattern with its last column; or the first vertices of a single edge. */
typedef struct pgm_node pgm_node;
struct pgm_node {
    const pgm_node *parent; /* NULL: a single edge */
    const pgm_node *before; /* whose column comes before this one; NULL: this is the first */
    column column;
    code_edge edge;
    uint32_t root; /* type of the first edge */
    uint16_t up;   /* the vertex that the newest one hangs on; CODE_NONE: there is none */
    uint32_t n_columns, support;
    uint32_t first_child, n_children; /* in the level below; none before it is expanded */
};

/* Patterns of one number of edges, in the order in which they are visited. */
typedef struct pgm_level {
    pgm_node *nodes;
    uint32_t n, n_expanded; /* the first n_expanded have been expanded, or never will be */
    uint32_t next, end;     /* of those with one parent: which are to be visited */
    size_t top;             /* of the list stack, above the nodes */
} pgm_level;

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
    bool rows_wanted;
    pgm_level *levels;
    size_t levels_cap;
    void *root_block; /* the columns of level 0 */
    size_t root_bytes;
    pgm_batch batch;
    pgm_pattern *patterns; /* of the batch, as are columns and paths */
    pgm_column *columns;
    uint16_t *paths;
    pgm_build *builds; /* the columns of its children */
    size_t patterns_cap, columns_cap, paths_cap, builds_cap, cells_most;
} pgm;

/* Takes memory for columns. `must`: there is no way to do with less, so a failure has a message. */
static lode_status pgm_take(pgm *p, size_t bytes, bool must, void **out) {
    lode_status status = pool_take(&p->pool, bytes, out);
    if (must && (status == LODE_BUDGET || status == LODE_NOMEM)) {
        return job_fail(p->s.job, status,
                        "the device memory is too small: %.1f MiB are in use, and a column needs "
                        "%.1f MiB; the algorithm frontier needs less",
                        job_mib_up(p->pool.in_use), job_mib_up(bytes));
    }
    return status;
}

static void pgm_give_column(pgm *p, pgm_node *x) {
    pool_give(&p->pool, x->column.block, pgm_column_bytes(x->column.n));
    x->column.block = NULL;
}

/* Whether a batch of more than one pattern failed because of its size. */
static bool pgm_is_too_large(lode_status status, uint32_t n) {
    return n > 1 && (status == LODE_BUDGET || status == LODE_NOMEM);
}

/* Makes the code of the worker that of a pattern, with room for one edge more. */
static lode_status pgm_set_code(pgm *p, const pgm_node *x, unsigned depth) {
    lode_status status = LODE_OK;
    code *c = &p->w->code;
    if (c->cap < depth + 2) LODE_TRY(code_room(c, (size_t)depth + 2));
    for (unsigned k = depth + 1; k > 0; x = x->parent) c->edges[--k] = x->edge;
    code_set_edges(c, depth + 1);
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
        pgm_entry e = pgm_entry_get(block, from.n, i, p->batch.layout.by_columns);
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
static lode_status pgm_bring_chain(pgm *p, const pgm_node *x, const node **out) {
    lode_status status = LODE_OK;
    worker *w = p->w;
    node *chain = NULL;
    *out = NULL;
    LODE_TRY(list_stack_take(&w->lists, x->n_columns * sizeof *chain, (void **)&chain));
    memset(chain, 0, x->n_columns * sizeof *chain);
    *out = &chain[x->n_columns - 1];
    for (; x; x = x->before) {
        uint32_t c = x->n_columns - 1;
        chain[c] = (node){.parent = c ? &chain[c - 1] : NULL, .position = (uint16_t)c, .depth = c};
        LODE_TRY(pgm_bring_column(p, x->column, &chain[c]));
    }
done:
    return status;
}

static lode_status pgm_emit(pgm *p, const pgm_node *from) {
    lode_status status = LODE_OK;
    worker *w = p->w;
    size_t mark = w->lists.top;
    node x = {.n = from->column.n};
    if (p->rows_wanted) {
        const node *last = NULL;
        LODE_TRY(pgm_bring_chain(p, from, &last));
        x.parent = last->parent;
        x.position = last->position;
        x.depth = last->depth;
        x.idx = last->idx;
        x.vid = last->vid;
    }
    x.support = from->support;
    LODE_TRY(emit_node(w, &x));
done:
    w->lists.top = mark;
    return status;
}

/* ---- edges by their labels ------------------------------------------------------------------ */

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
    if (code_is_forward(e)) return c->n_vertices < p->s.options->max_vertices;
    if (code_has_arc(c, e.from, e.to, e.type)) return false;
    return code_is_forward(last) || e.to > last.to || (e.to == last.to && e.type > last.type);
}

static code_edge pgm_edge_of(const pgm *p, const pgm_record *r) {
    uint32_t type =
        pgm_type_of(p, worker_label(p->w, (uint16_t)r->from), r->edge_label, r->to_label);
    return (code_edge){(uint16_t)r->from, (uint16_t)r->to, type};
}

/* ---- a batch -------------------------------------------------------------------------------- */

static size_t pgm_cells(const pgm_node *x) {
    return (size_t)x->column.n * x->n_columns;
}

/* How many patterns of a level, from the first that is not expanded, make a batch. */
static uint32_t pgm_choose(const pgm *p, const pgm_level *l) {
    const pgm_node *x = &l->nodes[l->n_expanded];
    uint32_t n = 1, most = l->n - l->n_expanded;
    size_t cells = pgm_cells(x);
    if (most > BATCH_PATTERNS) most = BATCH_PATTERNS;
    while (n < most && cells + pgm_cells(&x[n]) <= p->cells_most) cells += pgm_cells(&x[n++]);
    return n;
}

/* Adds a pattern to the batch: its columns, and the vertices of its right-most path. */
static lode_status pgm_add_pattern(pgm *p, const pgm_node *x) {
    lode_status status = LODE_OK;
    mem *m = &p->s.job->mem;
    pgm_batch *b = &p->batch;
    if (b->n_patterns == p->patterns_cap) {
        LODE_TRY(vec_grow(m, (void **)&p->patterns, b->n_patterns, &p->patterns_cap, 1,
                          sizeof *p->patterns));
    }
    if (p->columns_cap - b->n_columns < x->n_columns) {
        LODE_TRY(vec_grow(m, (void **)&p->columns, b->n_columns, &p->columns_cap, x->n_columns,
                          sizeof *p->columns));
    }
    if (p->paths_cap - b->n_paths < x->n_columns) {
        LODE_TRY(vec_grow(m, (void **)&p->paths, b->n_paths, &p->paths_cap, x->n_columns,
                          sizeof *p->paths));
    }
    pgm_pattern *to = &p->patterns[b->n_patterns++];
    *to = (pgm_pattern){.first_column = b->n_columns,
                        .n_columns = x->n_columns,
                        .first_path = b->n_paths,
                        .least_type = x->root};
    b->n_columns += x->n_columns;
    uint32_t on_path = x->n_columns - 1;
    for (; x; x = x->before) {
        uint32_t c = x->n_columns - 1;
        p->columns[to->first_column + c] = (pgm_column){x->column.block, x->column.n};
        if (c != on_path) continue;
        p->paths[b->n_paths++] = (uint16_t)c;
        on_path = x->up;
    }
    to->n_path = b->n_paths - to->first_path;
done:
    return status;
}

/* Searches the extensions of the next n patterns of a level. */
static lode_status pgm_search(pgm *p, pgm_level *l, uint32_t n, pgm_found *found) {
    lode_status status = LODE_OK;
    pgm_batch *b = &p->batch;
    uint64_t least = search_threshold(&p->s);
    b->n_patterns = b->n_columns = b->n_paths = 0;
    b->min_support = least < UINT32_MAX ? (uint32_t)least : UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        pgm_node *x = &l->nodes[l->n_expanded + i];
        x->n_children = 0;
        LODE_TRY(pgm_add_pattern(p, x));
    }
    b->patterns = p->patterns;
    b->columns = p->columns;
    b->paths = p->paths;
    LODE_TRY(p->pgm_ops->search(p->pgm, b, found));
    p->w->candidates += found->n_counted;
done:
    return status;
}

/* The child by an extension, as yet without its column. */
static pgm_node pgm_child_of(const pgm_node *x, code_edge edge, const pgm_extension *e) {
    bool forward = code_is_forward(edge);
    return (pgm_node){.parent = x,
                      .before = forward ? x : x->before,
                      .column = {NULL, e->n_rows},
                      .edge = edge,
                      .root = x->root,
                      .up = forward ? edge.from : x->up,
                      .n_columns = x->n_columns + forward,
                      .support = e->support};
}

/* Finds the extensions that are to be followed: the nodes of the level below. */
static lode_status pgm_find_children(pgm *p, unsigned depth, const pgm_found *found) {
    lode_status status = LODE_OK;
    worker *w = p->w;
    pgm_level *l = &p->levels[depth], *below = &p->levels[depth + 1];
    const pgm_node *coded = NULL;
    for (uint32_t i = 0; i < found->n_list; i++) {
        const pgm_extension *e = &found->list[i];
        pgm_node *x = &l->nodes[l->n_expanded + e->pattern];
        if (x != coded) {
            LODE_TRY(pgm_set_code(p, x, depth));
            x->first_child = below->n;
            coded = x;
        }
        code_edge edge = pgm_edge_of(p, &e->record);
        if (!pgm_may_follow(p, edge)) continue;
        w->frequent++;
        code_verdict verdict;
        LODE_TRY(code_test(&w->code, edge, &verdict));
        if (verdict != CODE_MINIMAL) continue;
        p->builds[below->n] = (pgm_build){.extension = *e};
        below->nodes[below->n++] = pgm_child_of(x, edge, e);
        x->n_children++;
    }
done:
    return status;
}

/* Builds the columns of the level below. */
static lode_status pgm_build_children(pgm *p, pgm_level *below, bool must) {
    lode_status status = LODE_OK;
    for (uint32_t i = 0; i < below->n; i++) {
        column *c = &below->nodes[i].column;
        LODE_TRY(pgm_take(p, pgm_column_bytes(c->n), must, &c->block));
        p->builds[i].block = c->block;
        p->w->occurrences += c->n;
    }
    if (below->n > 0) LODE_TRY(p->pgm_ops->build(p->pgm, p->builds, below->n));
done:
    return status;
}

/* Makes the level below from the next n patterns of a level, or from fewer. */
static lode_status pgm_expand_some(pgm *p, unsigned depth, uint32_t n) {
    lode_status status = LODE_OK;
    pgm_found found;
    list_stack *lists = &p->w->lists;
    pgm_level *l = &p->levels[depth], *below = &p->levels[depth + 1];
    *below = (pgm_level){0};
    lists->top = l->top;
    LODE_TRY(pgm_search(p, l, n, &found));
    LODE_TRY(list_stack_take(lists, found.n_list * sizeof *below->nodes, (void **)&below->nodes));
    below->top = lists->top;
    if (found.n_list > p->builds_cap) {
        LODE_TRY(vec_grow(&p->s.job->mem, (void **)&p->builds, 0, &p->builds_cap, found.n_list,
                          sizeof *p->builds));
    }
    LODE_TRY(pgm_find_children(p, depth, &found));
    LODE_TRY(pgm_build_children(p, below, n == 1));
    l->n_expanded += found.n_patterns;
done:
    if (status == LODE_OK) return LODE_OK;
    while (below->n > 0) pgm_give_column(p, &below->nodes[--below->n]);
    for (uint32_t i = 0; i < n; i++) l->nodes[l->n_expanded + i].n_children = 0;
    return status;
}

/* Expands a batch of patterns, whose children take the place of those of the last batch: these have
 * all been visited. */
static lode_status pgm_expand(pgm *p, unsigned depth) {
    lode_status status = LODE_OK;
    if (p->levels_cap < (size_t)depth + 2) {
        LODE_TRY(vec_grow(&p->s.job->mem, (void **)&p->levels, (size_t)depth + 1, &p->levels_cap, 1,
                          sizeof *p->levels));
    }
    uint32_t n = pgm_choose(p, &p->levels[depth]);
    status = pgm_expand_some(p, depth, n);
    if (pgm_is_too_large(status, n)) status = pgm_expand_some(p, depth, 1);
done:
    return status;
}

/* ---- the search ----------------------------------------------------------------------------- */

/* Emits a pattern of a level, and sees to it that its children are there. */
static lode_status pgm_visit(pgm *p, unsigned depth, uint32_t at) {
    lode_status status = LODE_OK;
    pgm_level *l = &p->levels[depth];
    const pgm_node *x = &l->nodes[at];
    LODE_TRY(job_tick(p->s.job, 0, 0));
    if (x->support < search_threshold(&p->s)) goto done;
    LODE_TRY(pgm_set_code(p, x, depth));
    LODE_TRY(pgm_emit(p, x));
    if (depth + 1 >= p->s.options->max_edges || at < l->n_expanded) goto done;
    l->n_expanded = at;
    LODE_TRY(pgm_expand(p, depth));
done:
    return status;
}

/* Leaves the pattern of a level that was visited last, with all that grows from it. */
static void pgm_leave(pgm *p, unsigned depth) {
    pgm_level *l = &p->levels[depth];
    pgm_node *x = &l->nodes[l->next - 1];
    if (depth > 0) {
        pgm_give_column(p, x);
    } else {
        progress_add(&p->s.job->at, p->s.root_spans[x->root / 2 - p->s.root_first]);
    }
}

/* All patterns that grow from level 0. */
static lode_status pgm_visit_all(pgm *p) {
    lode_status status = LODE_OK;
    for (unsigned depth = 0;;) {
        pgm_level *l = &p->levels[depth];
        if (l->next == l->end) {
            if (depth == 0) break;
            pgm_leave(p, --depth);
            continue;
        }
        uint32_t at = l->next++;
        LODE_TRY(pgm_visit(p, depth, at));
        const pgm_node *x = &p->levels[depth].nodes[at];
        if (x->n_children == 0) {
            pgm_leave(p, depth);
            continue;
        }
        depth++;
        p->levels[depth].next = x->first_child;
        p->levels[depth].end = x->first_child + x->n_children;
    }
done:
    return status;
}

/* ---- roots ---------------------------------------------------------------------------------- */

/* Single edges that are made together. */
typedef struct pgm_roots {
    uint32_t first, end; /* triples; those that are too rare are passed over */
    uint32_t n;
    size_t edges;    /* of all */
    uint8_t *staged; /* their columns, on the host … */
    size_t bytes;    /* … so far */
} pgm_roots;

static bool pgm_is_root(const pgm *p, uint32_t triple) {
    return p->s.store.triple_supports[triple] >= search_threshold(&p->s);
}

/* Takes as many triples as make a batch, `most` at the most. */
static void pgm_choose_roots(const pgm *p, uint32_t most, pgm_roots *r) {
    const store *g = &p->s.store;
    for (r->end = r->first; r->end < p->s.root_end && r->n < most; r->end++) {
        size_t edges = g->roots_at[r->end + 1] - g->roots_at[r->end];
        if (!pgm_is_root(p, r->end)) continue;
        if (r->n > 0 && 2 * (r->edges + edges) > p->cells_most) break;
        r->n++;
        r->edges += edges;
    }
}

/* Adds a column; its block is a place in what is staged. */
static column pgm_stage_column(const pgm *p, pgm_roots *r, const pgm_entry *entries, uint32_t n) {
    column c = {r->staged + r->bytes, n};
    for (uint32_t i = 0; i < n; i++) {
        pgm_entry_put(c.block, n, i, p->batch.layout.by_columns, entries[i]);
    }
    r->bytes += (pgm_column_bytes(n) + ROOT_UNIT - 1) / ROOT_UNIT * ROOT_UNIT;
    return c;
}

/* Makes the two columns of a single-edge pattern: first vertices, and the ends of their edges. */
static lode_status pgm_root_columns(pgm *p, pgm_roots *r, uint32_t triple, pgm_node *first) {
    lode_status status = LODE_OK;
    worker *w = p->w;
    const store *g = &p->s.store;
    size_t begin = g->roots_at[triple], end = g->roots_at[triple + 1], mark = w->lists.top;
    uint32_t n_first = 0, n = 0;
    pgm_entry *starts = NULL;
    size_t most = end - begin;
    if (most > INT32_MAX) LODE_LEAVE(LODE_UNSUPPORTED);
    LODE_TRY(list_stack_take(&w->lists, 2 * most * sizeof *starts, (void **)&starts));
    pgm_entry *ends = starts + most;
    for (size_t i = begin; i < end; i++) {
        uint32_t v = g->roots[i];
        if (i > begin && v == g->roots[i - 1]) continue;
        starts[n_first++] = (pgm_entry){BACKEND_GRAPH_NONE, v};
        for (uint32_t k = store_first(g, v, 2 * triple); k < g->offsets[v + 1]; k++) {
            if (g->half[k].type != 2 * triple) break;
            ends[n++] = (pgm_entry){n_first - 1, g->half[k].to};
        }
    }
    pgm_node *x = &p->levels[0].nodes[p->levels[0].n++];
    *first = (pgm_node){.up = CODE_NONE, .n_columns = 1};
    *x =
        (pgm_node){.before = first, .edge = {0, 1, 2 * triple}, .root = 2 * triple, .n_columns = 2};
    x->support = (uint32_t)g->triple_supports[triple];
    first->column = pgm_stage_column(p, r, starts, n_first);
    x->column = pgm_stage_column(p, r, ends, n);
    w->occurrences += n;
done:
    w->lists.top = mark;
    return status;
}

/* Brings the columns of all single edges to the device. */
static lode_status pgm_send_roots(pgm *p, const pgm_roots *r, pgm_node *firsts) {
    lode_status status = LODE_OK;
    pgm_level *l = &p->levels[0];
    LODE_TRY(pgm_take(p, r->bytes, r->n == 1, &p->root_block));
    p->root_bytes = r->bytes;
    LODE_TRY(p->ops->upload(p->device, p->root_block, r->staged, r->bytes));
    for (uint32_t i = 0; i < l->n; i++) {
        pgm_node *const both[2] = {&firsts[i], &l->nodes[i]};
        for (uint32_t k = 0; k < 2; k++) {
            size_t at = (size_t)((uint8_t *)both[k]->column.block - r->staged);
            both[k]->column.block = (uint8_t *)p->root_block + at;
        }
    }
done:
    return status;
}

/* Makes level 0 of single edges. */
static lode_status pgm_make_roots(pgm *p, pgm_roots *r) {
    lode_status status = LODE_OK;
    list_stack *lists = &p->w->lists;
    pgm_node *firsts = NULL;
    pgm_level *l = &p->levels[0];
    *l = (pgm_level){0};
    size_t bytes = 2 * (pgm_column_bytes(r->edges) + (size_t)r->n * ROOT_UNIT);
    lists->top = 0;
    LODE_TRY(list_stack_take(lists, r->n * sizeof *firsts, (void **)&firsts));
    LODE_TRY(list_stack_take(lists, r->n * sizeof *l->nodes, (void **)&l->nodes));
    l->top = lists->top;
    LODE_TRY(list_stack_take(lists, bytes, (void **)&r->staged));
    for (uint32_t t = r->first; t < r->end; t++) {
        if (pgm_is_root(p, t)) LODE_TRY(pgm_root_columns(p, r, t, &firsts[l->n]));
    }
    l->end = l->n; /* fewer than r->n, if the threshold has been raised */
    if (l->n > 0) LODE_TRY(pgm_send_roots(p, r, firsts));
done:
    lists->top = l->top;
    return status;
}

/* Searches from triple *t on, and sets it to the first that was not searched. */
static lode_status pgm_search_roots(pgm *p, uint32_t *t) {
    lode_status status = LODE_OK;
    pgm_roots r = {.first = *t}, one = r;
    pgm_choose_roots(p, BATCH_PATTERNS, &r);
    *t = r.end;
    if (r.n == 0) return LODE_OK;
    status = pgm_make_roots(p, &r);
    if (pgm_is_too_large(status, r.n)) {
        pgm_choose_roots(p, 1, &one);
        *t = one.end;
        status = pgm_make_roots(p, &one);
    }
    LODE_TRY(status);
    LODE_TRY(pgm_visit_all(p));
done:
    pool_give(&p->pool, p->root_block, p->root_bytes);
    p->root_block = NULL;
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
    report_add_start(task->report, start);
    pool_init(&p->pool, &p->s.job->mem, p->ops, p->device);
    p->cells_most = p->ops->on_host ? BATCH_CELLS_HOST : BATCH_CELLS;
    size_t cells = p->ops->left(p->device) / BATCH_SHARE;
    if (cells < p->cells_most) p->cells_most = cells;
    LODE_TRY(
        vec_grow(&p->s.job->mem, (void **)&p->levels, 0, &p->levels_cap, 1, sizeof *p->levels));
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
    mem_free(m, p->levels, p->levels_cap * sizeof *p->levels);
    mem_free(m, p->patterns, p->patterns_cap * sizeof *p->patterns);
    mem_free(m, p->columns, p->columns_cap * sizeof *p->columns);
    mem_free(m, p->paths, p->paths_cap * sizeof *p->paths);
    mem_free(m, p->builds, p->builds_cap * sizeof *p->builds);
    return status;
}

lode_status pgm_run(engine_task *task) {
    lode_status status = LODE_OK;
    const lode_graph_options *o = task->graphs.options;
    pgm p = {.s = {.task = task, .options = o, .job = task->job}};
    p.rows_wanted = o->target == LODE_TARGET_CLOSED || o->target == LODE_TARGET_MAXIMAL ||
                    o->induced || o->supporters || o->embeddings;
    lode_paper_options papers = valid_papers(o->papers);
    p.batch.layout.by_columns = papers.records == LODE_GRAPH_RECORDS_COLUMNS;
    p.batch.layout.plain = papers.loads == LODE_GRAPH_LOADS_PLAIN;
    LODE_TRY(workers_take_store(&p.s));
    task->report->n_threads = 1;
    LODE_TRY(pgm_open(&p));
    if (search_has_vertices(&p.s)) LODE_TRY(emit_vertices(p.w));
    uint32_t t = p.s.root_first;
    while (t < p.s.root_end && o->max_vertices > 1) LODE_TRY(pgm_search_roots(&p, &t));
done:
    return workers_close(&p.s, pgm_close(&p, status));
}

const lode_engine lode_engine_pgm = {
    .kind = LODE_GRAPHS,
    .name = "pgm",
    .summary = "gSpan on a GPU as published, with columns of occurrences; the same as gspan "
               "--device cuda.",
    .ranges = true,
    .targets = 1u << LODE_TARGET_CLOSED | 1u << LODE_TARGET_MAXIMAL,
    .uses = ENGINE_DEVICES | ENGINE_LAYOUTS,
    .prepare = store_prepare,
    .run = pgm_run,
};
