/* leaf_twins.c - see leaf_twins.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/leaf_twins.h"

#include "graphs/node.h"

/* Whether a vertex has a single neighbour in the search from this root, which ignores edges of
 * types below `root`. */
static inline bool twins_is_leaf(const store *g, uint32_t vertex, uint32_t root) {
    uint32_t begin = g->offsets[vertex], end = g->offsets[vertex + 1];
    return end - begin == 1 || g->half[end - 2].type < root;
}

/* Where the rows end that continue the same row as `row`. */
static inline uint32_t twins_end(const node *x, uint32_t row) {
    uint32_t above = x->idx[row], end = row + 1;
    while (end < x->n && x->idx[end] == above) end++;
    return end;
}

/* The smallest leaf of some rows; UINT32_MAX: there is none. */
static inline uint32_t twins_smallest(const store *g, const node *x, uint32_t row, uint32_t end,
                                      uint32_t root) {
    uint32_t least = UINT32_MAX;
    for (; row < end; row++) {
        if (x->vid[row] < least && twins_is_leaf(g, x->vid[row], root)) least = x->vid[row];
    }
    return least;
}

/* The first row from which on rows are dropped; x->n: none is. */
static uint32_t twins_first(const store *g, const node *x, uint32_t root) {
    for (uint32_t row = 1; row < x->n; row++) {
        if (x->idx[row] != x->idx[row - 1]) continue;
        uint32_t begin = row - 1, end = twins_end(x, begin), leaves = 0;
        for (uint32_t i = begin; i < end; i++) leaves += twins_is_leaf(g, x->vid[i], root);
        if (leaves > 1) return begin;
        row = end - 1;
    }
    return x->n;
}

lode_status twins_merge(worker *w, node *x) {
    lode_status status = LODE_OK;
    const store *g = &w->s->store;
    uint32_t root = w->code.edges[0].type, *idx = NULL, *vid = NULL;
    uint32_t n = twins_first(g, x, root), check_at = SEARCH_CHECK_ROWS;
    if (n == x->n) goto done;
    LODE_TRY(list_stack_take(&w->lists, x->n * sizeof *idx, (void **)&idx));
    LODE_TRY(list_stack_take(&w->lists, x->n * sizeof *vid, (void **)&vid));
    memcpy(idx, x->idx, n * sizeof *idx);
    memcpy(vid, x->vid, n * sizeof *vid);
    for (uint32_t row = n, end; row < x->n; row = end) {
        end = twins_end(x, row);
        uint32_t least = end > row + 1 ? twins_smallest(g, x, row, end, root) : x->vid[row];
        for (uint32_t i = row; i < end; i++) {
            idx[n] = x->idx[i];
            vid[n] = x->vid[i];
            n += vid[n] == least || !twins_is_leaf(g, vid[n], root);
        }
        if (end < check_at) continue;
        LODE_TRY(job_check(w->s->job));
        check_at = end + SEARCH_CHECK_ROWS;
    }
    x->idx = idx;
    x->vid = vid;
    x->n = n;
done:
    return status;
}

/* ---- induced occurrences: those whose vertices have no edges but the pattern's --------------- */

#define INDUCED_CHECK_EVERY ((size_t)1 << 20) /* neighbours between two checks for a stop */

size_t induced_work(const worker *w) {
    const uint32_t *offsets = w->s->store.all_offsets;
    size_t n = 0;
    for (uint16_t p = 0; p < w->code.n_vertices; p++) {
        n += offsets[w->vertex_at[p] + 1] - offsets[w->vertex_at[p]];
    }
    return n;
}

bool induced_row(const worker *w) {
    const store *g = &w->s->store;
    uint32_t inner = 0;
    for (uint16_t p = 0; p < w->code.n_vertices; p++) {
        uint32_t v = w->vertex_at[p];
        for (uint32_t k = g->all_offsets[v]; k < g->all_offsets[v + 1]; k++) {
            inner += w->position_of[g->all[k].to] != CODE_NONE;
        }
    }
    return inner == 2u * w->code.n_edges;
}

lode_status induced_support(worker *w, const node *x, uint64_t *support) {
    uint32_t last = UINT32_MAX;
    size_t work = 0;
    lode_status status = LODE_OK;
    LODE_TRY(cursor_start(w, x));
    *support = 0;
    for (uint32_t row = 0; row < x->n; row++) {
        uint32_t graph = search_graph(w->s, x->vid[row]);
        if (graph == last) continue;
        cursor_move(w, row);
        work += induced_work(w);
        LODE_TRY(worker_check(w, &work, INDUCED_CHECK_EVERY));
        if (!induced_row(w)) continue;
        ++*support;
        last = graph;
    }
done:
    cursor_end(w);
    return status;
}
