/* query_code.c - see query_code.h
 *
 * Reads the code from left to right. An opening parenthesis saves the vertex where its branch
 * starts; a number in braces after a vertex saves that vertex for the edge that closes a ring
 * there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/query_code.h"

#include <stdlib.h>
#include <string.h>

#define CODE_LARGEST 100000 /* maximum number of vertices or edges of a drawing */
#define CODE_NOTHING UINT32_MAX

typedef struct code_walk {
    const char *at, *end;
    code_graph *graph;
    uint32_t most_vertices, most_edges;
    uint32_t here;      /* the vertex where the next edge starts */
    uint32_t *branches; /* vertices at open parentheses */
    uint32_t n_branches;
    uint32_t *rings; /* for each number, the vertex where a ring closes */
} code_walk;

void code_graph_free(code_graph *g) {
    free(g->vertices);
    free(g->edges);
    *g = (code_graph){0};
}

/* "[label]" ends at a bracket after which a code can continue. */
static bool code_vertex(code_walk *w, uint32_t *number) {
    const char *start = w->at + 1, *c = start;
    if (w->at == w->end || *w->at != '[') return false;
    for (; c < w->end; c++) {
        if (*c == ']' && (c + 1 == w->end || strchr("-<(){", c[1]))) break;
    }
    if (c == w->end || w->graph->n_vertices == w->most_vertices) return false;
    *number = w->graph->n_vertices++;
    w->graph->vertices[*number] = (code_label){start, (size_t)(c - start)};
    w->at = c + 1;
    return true;
}

/* "{7}" */
static bool code_ring(code_walk *w, uint32_t *number) {
    uint32_t n = 0;
    for (w->at++; w->at < w->end && *w->at >= '0' && *w->at <= '9'; w->at++) {
        n = n * 10 + (uint32_t)(*w->at - '0');
        if (n > w->most_edges) return false;
    }
    if (n == 0 || w->at == w->end || *w->at != '}') return false;
    w->at++;
    *number = n;
    return true;
}

/* "-label-", "-label->", "<-label-", or without a label "-", "->", "<-". `backward`: an arrow to
 * the current vertex. */
static bool code_bond(code_walk *w, code_label *label, bool *backward) {
    const char *start = w->at, *end = start;
    while (end < w->end && *end != '[' && *end != '{') end++;
    w->at = end;
    *backward = *start == '<';
    if (*backward) start++;
    if (start == end || *start != '-') return false;
    start++;
    if (start < end && end[-1] == '>') end--;
    if (start < end && end[-1] == '-') end--;
    *label = (code_label){start, (size_t)(end - start)};
    return true;
}

static bool code_edge_add(code_walk *w, uint32_t to, code_label label, bool backward) {
    if (w->graph->n_edges == w->most_edges || to == CODE_NOTHING) return false;
    w->graph->edges[w->graph->n_edges++] =
        (code_edge){backward ? to : w->here, backward ? w->here : to, label};
    return true;
}

/* An edge, and the vertex or ring at its other end. */
static bool code_edge_read(code_walk *w) {
    code_label label;
    bool backward;
    uint32_t to, ring;
    if (!code_bond(w, &label, &backward) || w->at == w->end) return false;
    if (*w->at == '{') {
        return code_ring(w, &ring) && code_edge_add(w, w->rings[ring], label, backward);
    }
    if (!code_vertex(w, &to) || !code_edge_add(w, to, label, backward)) return false;
    w->here = to;
    return true;
}

static bool code_step(code_walk *w) {
    uint32_t ring;
    switch (*w->at) {
    case '{':
        if (!code_ring(w, &ring)) return false;
        w->rings[ring] = w->here;
        return true;
    case '(':
        if (w->n_branches == w->most_edges) return false;
        w->branches[w->n_branches++] = w->here;
        w->at++;
        return true;
    case ')':
        if (w->n_branches == 0) return false;
        w->here = w->branches[--w->n_branches];
        w->at++;
        return true;
    default: return code_edge_read(w);
    }
}

static bool code_walk_all(code_walk *w) {
    if (!code_vertex(w, &w->here)) return false;
    while (w->at < w->end) {
        if (!code_step(w)) return false;
    }
    return w->n_branches == 0 && w->graph->n_vertices == w->most_vertices &&
           w->graph->n_edges == w->most_edges;
}

bool code_read(const char *code, size_t bytes, uint32_t vertices, uint32_t edges, code_graph *out) {
    *out = (code_graph){0};
    if (vertices == 0 || vertices > CODE_LARGEST || edges > CODE_LARGEST) return false;
    out->vertices = calloc(vertices, sizeof *out->vertices);
    out->edges = calloc(edges + 1, sizeof *out->edges);
    code_walk w = {.at = code,
                   .end = code + bytes,
                   .graph = out,
                   .most_vertices = vertices,
                   .most_edges = edges};
    w.branches = calloc(edges + 1, sizeof *w.branches);
    w.rings = malloc((edges + 1) * sizeof *w.rings);
    bool ok = out->vertices && out->edges && w.branches && w.rings;
    for (uint32_t i = 0; ok && i <= edges; i++) w.rings[i] = CODE_NOTHING;
    ok = ok && code_walk_all(&w);
    free(w.branches);
    free(w.rings);
    if (!ok) code_graph_free(out);
    return ok;
}
