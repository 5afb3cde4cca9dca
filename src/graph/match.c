/* match.c - the support of one pattern, by searching for it in every graph: the checker
 *
 * Vertices of the pattern are placed one after the other, each next to one that has been placed,
 * and every link among those placed is compared. It shares nothing with the miners.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphdata/graphs.h"
#include "runtime/valid.h"

#define MATCH_FREE UINT32_MAX

typedef struct match {
    const lode_graph *p;    /* the pattern, with the labels of the data */
    const lode_graph *g;    /* the graph in work */
    const uint32_t *order;  /* vertices of the pattern; each but the first has a neighbour before */
    const uint32_t *anchor; /* an edge to that neighbour */
    uint32_t *place;        /* vertex of the graph, by vertex of the pattern */
    uint32_t *taken_by;     /* and back */
    bool directed, induced;
} match;

/* The edge u -> v of a graph (undirected: between them); n_edges if there is none. */
static uint32_t find_edge(const lode_graph *g, uint32_t u, uint32_t v, bool directed) {
    for (uint32_t e = 0; e < g->n_edges; e++) {
        if (g->from[e] == u && g->to[e] == v) return e;
        if (!directed && g->from[e] == v && g->to[e] == u) return e;
    }
    return g->n_edges;
}

/* Whether the links between two placed vertices agree, one way. */
static bool links_agree(const match *m, uint32_t u, uint32_t v) {
    uint32_t a = find_edge(m->p, u, v, m->directed);
    if (a == m->p->n_edges && !m->induced) return true;
    uint32_t b = find_edge(m->g, m->place[u], m->place[v], m->directed);
    if (a == m->p->n_edges || b == m->g->n_edges) return a == m->p->n_edges && b == m->g->n_edges;
    return m->p->edge_labels[a] == m->g->edge_labels[b];
}

static bool fits(const match *m, uint32_t k, uint32_t vertex) {
    uint32_t v = m->order[k];
    if (m->taken_by[vertex] != MATCH_FREE) return false;
    if (m->p->vertex_labels[v] != m->g->vertex_labels[vertex]) return false;
    m->place[v] = vertex;
    for (uint32_t i = 0; i < k; i++) {
        uint32_t u = m->order[i];
        if (!links_agree(m, u, v)) return false;
        if (m->directed && !links_agree(m, v, u)) return false;
    }
    return true;
}

static bool place_from(match *m, uint32_t k);

static bool try_vertex(match *m, uint32_t k, uint32_t vertex) {
    if (!fits(m, k, vertex)) return false;
    m->taken_by[vertex] = m->order[k];
    bool found = place_from(m, k + 1);
    m->taken_by[vertex] = MATCH_FREE;
    return found;
}

static bool place_from(match *m, uint32_t k) {
    if (k == m->p->n_vertices) return true;
    if (k == 0) {
        for (uint32_t v = 0; v < m->g->n_vertices; v++) {
            if (try_vertex(m, 0, v)) return true;
        }
        return false;
    }
    uint32_t e = m->anchor[k], v = m->order[k];
    uint32_t near = m->place[m->p->from[e] == v ? m->p->to[e] : m->p->from[e]];
    for (uint32_t i = 0; i < m->g->n_edges; i++) {
        uint32_t a = m->g->from[i], b = m->g->to[i];
        if (a != near && b != near) continue;
        if (try_vertex(m, k, a == near ? b : a)) return true;
    }
    return false;
}

/* An order in which every vertex but the first is next to an earlier one. False: not connected. */
static bool make_order(const lode_graph *p, uint32_t *order, uint32_t *anchor, uint32_t *met) {
    uint32_t n = 1;
    for (uint32_t v = 0; v < p->n_vertices; v++) met[v] = v == 0;
    order[0] = 0;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t e = 0; e < p->n_edges; e++) {
            uint32_t a = p->from[e], b = p->to[e];
            if (met[a] == met[b]) continue;
            uint32_t v = met[a] ? b : a;
            met[v] = 1;
            order[n] = v;
            anchor[n++] = e;
            more = true;
        }
    }
    return n == p->n_vertices;
}

/* Translates labels by name; *known is false if the data does not have one. */
static void translate(const dict *from, const dict *to, const uint32_t *labels, uint32_t n,
                      uint32_t *out, bool *known) {
    for (uint32_t i = 0; i < n; i++) {
        size_t length;
        const char *name = dict_name(from, labels[i], &length);
        out[i] = dict_find(to, name, length);
        if (out[i] == DICT_NONE) *known = false;
    }
}

static lode_status count_graphs(lode_ctx *ctx, match *m, const lode_graphs *data,
                                uint64_t *support) {
    lode_status status = LODE_OK;
    uint64_t n = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        lode_graph g = lode_graphs_at(data, i);
        if (i % 64 == 0) LODE_TRY(ctx_check(ctx));
        if (g.n_vertices < m->p->n_vertices || g.n_edges < m->p->n_edges) continue;
        for (uint32_t v = 0; v < g.n_vertices; v++) m->taken_by[v] = MATCH_FREE;
        m->g = &g;
        n += place_from(m, 0);
    }
    *support = n;
done:
    return status;
}

static bool all_below(const uint32_t *numbers, uint32_t n, uint32_t bound) {
    for (uint32_t i = 0; i < n; i++) {
        if (numbers[i] >= bound) return false;
    }
    return true;
}

/* Whether the pattern is a graph whose labels are those of `labels`. */
static lode_status check_pattern(lode_ctx *ctx, const lode_graph *p, const lode_graphs *labels) {
    if (p->n_vertices == 0) return ctx_fail(ctx, LODE_INVALID, "the pattern has no vertex");
    if (!p->vertex_labels || (p->n_edges > 0 && (!p->from || !p->to || !p->edge_labels))) {
        return ctx_fail(ctx, LODE_INVALID, "a column of the pattern is NULL");
    }
    if (!all_below(p->from, p->n_edges, p->n_vertices) ||
        !all_below(p->to, p->n_edges, p->n_vertices)) {
        return ctx_fail(ctx, LODE_INVALID, "an edge of the pattern leads to no vertex");
    }
    if (!all_below(p->vertex_labels, p->n_vertices, dict_count(labels->vertex_names)) ||
        !all_below(p->edge_labels, p->n_edges, dict_count(labels->edge_names))) {
        return ctx_fail(ctx, LODE_INVALID, "the pattern has a label that does not exist");
    }
    return LODE_OK;
}

lode_status lode_graphs_support(lode_ctx *ctx, const lode_graphs *data, const lode_graphs *labels,
                                const lode_graph *pattern, bool induced, uint64_t *support) {
    lode_status status = LODE_OK;
    VALID_CALL(ctx, VALID_NEEDS(data), VALID_NEEDS(labels), VALID_NEEDS(pattern),
               VALID_NEEDS(support));
    lode_graph p = *pattern;
    match m = {.p = &p, .directed = data->profile.directed, .induced = induced};
    uint32_t *block = NULL;
    size_t n_v = p.n_vertices, n_e = p.n_edges;
    size_t bytes = (5 * n_v + n_e + data->profile.most_vertices) * sizeof *block;
    bool known = true;
    LODE_TRY(check_pattern(ctx, &p, labels));
    LODE_TRY(mem_resize(&ctx->mem, (void **)&block, 0, bytes));
    uint32_t *order = block, *anchor = order + n_v, *vertex_labels = anchor + n_v;
    m.place = vertex_labels + n_v;
    uint32_t *edge_labels = m.place + n_v, *met = edge_labels + n_e;
    m.taken_by = met + n_v;
    m.order = order;
    m.anchor = anchor;
    if (!make_order(&p, order, anchor, met)) {
        LODE_LEAVE(ctx_fail(ctx, LODE_INVALID, "the pattern is not connected"));
    }
    translate(labels->vertex_names, data->vertex_names, p.vertex_labels, p.n_vertices,
              vertex_labels, &known);
    translate(labels->edge_names, data->edge_names, p.edge_labels, p.n_edges, edge_labels, &known);
    p.vertex_labels = vertex_labels;
    p.edge_labels = edge_labels;
    *support = 0;
    if (known) LODE_TRY(count_graphs(ctx, &m, data, support));
done:
    mem_free(&ctx->mem, block, block ? bytes : 0);
    return ctx_explain(ctx, status, "checking a pattern");
}
