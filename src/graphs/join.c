/* join.c - see join.h
 *
 * Rows of a node are joined with the rows of a sibling that have the same idx:
 *
 *     new node          idx  0  0  2  3          sibling            idx  0  2  2
 *                       vid  p  q  r  s                             vid  q  t  u
 *
 *     new extension     idx  0  2  2             row 0 (p) with q; row 1 is q itself: no;
 *                       vid  q  t  u             row 2 (r) with t and with u
 *
 * Where each graph begins in the rows of the new node is found once, for all siblings. Rows of a
 * join are first written as pairs (idx, vid), because their number is not known beforehand, and
 * most joins fail. An extension that turns out to be frequent gets columns of the right length.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/join.h"

#include "graphs/search_tuning.h"

typedef struct pair {
    uint32_t idx, vid;
} pair;

/* The rows of a node in one graph: from the end of the segment before. */
typedef struct segment {
    uint32_t graph, end;
} segment;

/* The joins of one node. */
typedef struct join {
    worker *w;
    node *x;
    const segment *segments;
    uint32_t n_segments;
    uint32_t n_words;
    uint64_t *graphs; /* that both lists have, and where the present join has not failed */
    uint64_t bound;   /* how many */
    size_t pairs_at;  /* offset of the pairs in w->scratch */
    size_t check_at;  /* offset at which to check whether the job is to stop */
    size_t soft_end;  /* the smaller of that and the charged memory */
} join;

/* How far a join with one sibling has come. */
typedef struct join_state {
    const extension *sibling;
    bool distinct; /* both add a vertex: it must not be the same */
    uint32_t at;   /* the first row of the sibling that is not done */
    size_t n_pairs;
} join_state;

/* Graphs in both sets. */
static uint64_t common_graphs(const uint64_t *a, const uint64_t *b, uint64_t *out, uint32_t n) {
    uint64_t common = 0;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = a[i] & b[i];
        common += (uint64_t)__builtin_popcountll(out[i]);
    }
    return common;
}

static inline bool has_graph(const uint64_t *graphs, uint32_t graph) {
    return graphs[graph / 64] >> graph % 64 & 1;
}

/* The first row of a sibling, from `at` on, whose idx is not below `above`. */
static inline uint32_t skip_rows(const extension *sibling, uint32_t at, uint32_t above) {
    uint32_t step = 1;
    while (at + step < sibling->n && sibling->idx[at + step] < above) {
        at += step;
        step *= 2;
    }
    while (at < sibling->n && sibling->idx[at] < above) at++;
    return at;
}

/* Charges memory for pairs up to `top`, and checks from time to time whether the job is to stop. */
static lode_status join_reach(join *j, size_t top) {
    lode_status status = LODE_OK;
    list_stack *scratch = &j->w->scratch;
    LODE_TRY(list_stack_reach(scratch, top));
    if (top > j->check_at) {
        LODE_TRY(job_check(j->w->s->job));
        j->check_at = top + SEARCH_CHECK_ROWS * sizeof(pair);
    }
    j->soft_end = scratch->charged < j->check_at ? scratch->charged : j->check_at;
done:
    return status;
}

/* Up to how many pairs there is room for n_rows more; 0 if there is none. */
static inline size_t join_room(const join *j, size_t n_rows) {
    size_t room = (j->soft_end - j->pairs_at) / sizeof(pair);
    return room > n_rows ? room - n_rows : 0;
}

/* Joins the rows row … end - 1 with those of the sibling, and appends the pairs. The idx after the
 * last row of a sibling is UINT32_MAX, so the loop need not check for the end. */
static inline lode_status join_segment(join *j, join_state *s, uint32_t row, uint32_t end) {
    const uint32_t *x_idx = j->x->idx, *x_vid = j->x->vid;
    const uint32_t *idx = s->sibling->idx, *vid = s->sibling->vid;
    const uint32_t no_vertex = s->distinct ? 0 : UINT32_MAX;
    pair *pairs = (pair *)(j->w->scratch.space + j->pairs_at);
    size_t n = s->n_pairs, n_rows = s->sibling->n, room = join_room(j, n_rows);
    uint32_t at = s->at;
    for (; row < end; row++) {
        uint32_t above = x_idx[row], vertex = x_vid[row] | no_vertex;
        while (idx[at] < above) at++;
        if (n >= room) {
            lode_status status = join_reach(j, j->pairs_at + (n + n_rows + 1) * sizeof *pairs);
            if (status != LODE_OK) return status;
            room = join_room(j, n_rows);
        }
        for (uint32_t i = at; idx[i] == above; i++) {
            pairs[n] = (pair){row, vid[i]};
            n += vid[i] != vertex;
        }
    }
    s->n_pairs = n;
    s->at = at;
    return LODE_OK;
}

/* Joins graph by graph; *n_pairs is 0 if too few graphs are left. */
static lode_status join_rows(join *j, const extension *sibling, size_t *n_pairs) {
    uint64_t min_support = search_threshold(j->w->s);
    join_state state = {.sibling = sibling};
    state.distinct = code_is_forward(sibling->edge) && j->x->position != CODE_NONE;
    uint32_t row = 0;
    *n_pairs = 0;
    j->check_at = j->pairs_at + SEARCH_CHECK_ROWS * sizeof(pair);
    size_t charged = j->w->scratch.charged;
    j->soft_end = charged < j->check_at ? charged : j->check_at;
    for (uint32_t i = 0; i < j->n_segments; i++) {
        segment s = j->segments[i];
        if (has_graph(j->graphs, s.graph)) {
            size_t before = state.n_pairs;
            state.at = skip_rows(sibling, state.at, j->x->idx[row]);
            lode_status status = join_segment(j, &state, row, s.end);
            if (status != LODE_OK) return status;
            if (state.n_pairs == before) {
                j->graphs[s.graph / 64] &= ~((uint64_t)1 << s.graph % 64);
                if (--j->bound < min_support) return LODE_OK;
            }
        }
        row = s.end;
    }
    if (state.n_pairs >= UINT32_MAX) return LODE_UNSUPPORTED;
    *n_pairs = state.n_pairs;
    return LODE_OK;
}

/* Makes an extension of the pairs. */
static lode_status join_keep(join *j, const extension *sibling, extension made, size_t n) {
    lode_status status = LODE_OK;
    worker *w = j->w;
    const pair *pairs = (const pair *)(w->scratch.space + j->pairs_at);
    uint32_t *idx = NULL, *vid = NULL;
    uint64_t *graphs = NULL;
    LODE_TRY(worker_keep_guards(w, &made));
    LODE_TRY(list_stack_take(&w->lists, (n + 1) * sizeof *idx, (void **)&idx));
    LODE_TRY(list_stack_take(&w->lists, n * sizeof *vid, (void **)&vid));
    LODE_TRY(list_stack_take(&w->lists, j->n_words * sizeof *graphs, (void **)&graphs));
    for (size_t begin = 0, end; begin < n; begin = end) {
        end = n - begin < SEARCH_CHECK_ROWS ? n : begin + SEARCH_CHECK_ROWS;
        for (size_t i = begin; i < end; i++) {
            idx[i] = pairs[i].idx;
            vid[i] = pairs[i].vid;
        }
        if (end < n) LODE_TRY(job_check(w->s->job));
    }
    idx[n] = UINT32_MAX;
    memcpy(graphs, j->graphs, j->n_words * sizeof *graphs);
    w->frequent++;
    w->occurrences += n;
    made.n = (uint32_t)n;
    made.support = (uint32_t)j->bound;
    made.idx = idx;
    made.vid = vid;
    made.graphs = graphs;
    made.growth = atomic_load_explicit(&sibling->growth, memory_order_acquire);
    j->x->extensions[j->x->n_extensions++] = made;
done:
    return status;
}

/* Cuts the rows of the node into graphs. */
static lode_status join_cut(join *j, uint64_t support) {
    const uint32_t *graph_of = j->w->s->store.graph_of;
    const node *x = j->x;
    segment *segments = NULL;
    lode_status status =
        list_stack_take(&j->w->scratch, (size_t)support * sizeof *segments, (void **)&segments);
    if (status != LODE_OK) return status;
    uint32_t n = 0, last = UINT32_MAX;
    for (uint32_t row = 0, end; row < x->n;) {
        end = x->n - row < SEARCH_CHECK_ROWS ? x->n : row + SEARCH_CHECK_ROWS;
        for (; row < end; row++) {
            uint32_t graph = graph_of[x->vid[row]];
            if (graph == last) continue;
            if (n > 0) segments[n - 1].end = row;
            segments[n++].graph = last = graph;
        }
        if (row < x->n && (status = job_check(j->w->s->job)) != LODE_OK) return status;
    }
    segments[n - 1].end = x->n;
    j->segments = segments;
    j->n_segments = n;
    return LODE_OK;
}

static lode_status join_start(join *j, const extension *e) {
    lode_status status = LODE_OK;
    list_stack *scratch = &j->w->scratch;
    LODE_TRY(list_stack_take(scratch, j->n_words * sizeof *j->graphs, (void **)&j->graphs));
    LODE_TRY(join_cut(j, e->support));
    j->pairs_at = scratch->top;
done:
    return status;
}

/* Joins with one sibling, and keeps what is frequent and needed. Most joins fail, and most codes
 * are minimal; so short lists are joined before the code is tested, and long ones after that. */
static lode_status join_one(join *j, const extension *sibling, code_edge edge) {
    lode_status status = LODE_OK;
    extension made = {.edge = edge};
    size_t n_pairs;
    bool test_first = j->x->n > JOIN_UNTESTED_ROWS;
    if (test_first) LODE_TRY(worker_test(j->w, j->x, &made));
    if (!extension_is_kept(j->x->n_extensions, made.verdict)) goto done;
    LODE_TRY(join_rows(j, sibling, &n_pairs));
    if (n_pairs == 0) goto done;
    if (!test_first) LODE_TRY(worker_test(j->w, j->x, &made));
    if (!extension_is_kept(j->x->n_extensions, made.verdict)) goto done;
    LODE_TRY(join_keep(j, sibling, made, n_pairs));
done:
    return status;
}

lode_status join_siblings(worker *w, node *x, const node *parent, uint32_t i) {
    lode_status status = LODE_OK;
    const extension *e = &parent->extensions[i];
    uint64_t min_support = search_threshold(w->s);
    uint16_t n_vertices = w->code.n_vertices;
    bool more_vertices = n_vertices < w->s->options->max_vertices;
    join j = {.w = w, .x = x, .n_words = w->s->n_words};
    LODE_TRY(join_start(&j, e));
    for (uint32_t k = i + (code_is_forward(e->edge) ? 0 : 1); k < parent->n_extensions; k++) {
        const extension *sibling = &parent->extensions[k];
        code_edge edge = sibling->edge;
        if (code_is_forward(edge)) {
            if (!more_vertices) continue;
            edge.to = n_vertices;
        }
        w->candidates++;
        j.bound = common_graphs(e->graphs, sibling->graphs, j.graphs, j.n_words);
        if (j.bound < min_support) continue;
        LODE_TRY(job_check(w->s->job));
        LODE_TRY(join_one(&j, sibling, edge));
    }
done:
    w->scratch.top = 0;
    return status;
}
