/* grown_graph.c - see grown_graph.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/generate/grown_graph.h"

#include <stdio.h>

void grown_free(grown_graph *g, mem *m) {
    vec_u32_free(m, &g->labels);
    mem_free(m, g->edges, g->cap * sizeof *g->edges);
    *g = (grown_graph){0};
}

lode_status grown_vertex(grown_graph *g, mem *m, uint32_t label, uint32_t *vertex) {
    *vertex = (uint32_t)g->labels.n;
    return vec_u32_push(m, &g->labels, label);
}

lode_status grown_add(grown_graph *g, mem *m, grown_edge e) {
    if (g->n_edges == g->cap) {
        lode_status status =
            vec_grow(m, (void **)&g->edges, g->n_edges, &g->cap, 1, sizeof *g->edges);
        if (status != LODE_OK) return status;
    }
    g->edges[g->n_edges++] = e;
    return LODE_OK;
}

bool grown_has(const grown_graph *g, uint32_t u, uint32_t v) {
    for (size_t i = 0; i < g->n_edges; i++) {
        const grown_edge *e = &g->edges[i];
        if ((e->from == u && e->to == v) || (e->from == v && e->to == u)) return true;
    }
    return false;
}

static lode_status grown_put_line(mem *m, vec_char *text, char kind, uint64_t a, uint32_t b,
                                  uint32_t c) {
    char line[64];
    int n = 0;
    switch (kind) {
    case 't': n = snprintf(line, sizeof line, "t # %llu\n", (unsigned long long)a); break;
    case 'v': n = snprintf(line, sizeof line, "v %u %u\n", (unsigned)a, b); break;
    default: n = snprintf(line, sizeof line, "e %u %u %u\n", (unsigned)a, b, c);
    }
    return vec_char_append(m, text, line, (size_t)n);
}

lode_status grown_write(const grown_graph *g, mem *m, uint64_t number, vec_char *text) {
    lode_status status = LODE_OK;
    LODE_TRY(grown_put_line(m, text, 't', number, 0, 0));
    for (uint32_t v = 0; v < g->labels.n; v++) {
        LODE_TRY(grown_put_line(m, text, 'v', v, g->labels.data[v], 0));
    }
    for (size_t i = 0; i < g->n_edges; i++) {
        grown_edge e = g->edges[i];
        LODE_TRY(grown_put_line(m, text, 'e', e.from, e.to, e.label));
    }
done:
    return status;
}
