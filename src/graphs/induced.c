/* induced.c - see induced.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/induced.h"

#include "graphs/cursor.h"

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
