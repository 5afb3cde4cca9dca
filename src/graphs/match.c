/* match.c - the support of one pattern, by searching for it in every graph: verifies results
 *
 * The vertices of the pattern are placed in the graph one after the other, each next to one that is
 * already placed, and its edges to the placed ones are compared. It shares no code with the miners.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/graphs/graphs.h"
#include "runtime/valid.h"

#define MATCH_FREE        UINT32_MAX
#define MATCH_CHECK_EVERY ((size_t)1 << 20) /* comparisons between two checks for a stop */

/* The edges of each vertex of a graph: list[start[v]] … list[start[v + 1] - 1]. */
typedef struct match_links {
    uint32_t *start, *list;
} match_links;

typedef struct match {
    lode_job *job;
    const lode_graph *p;    /* the pattern, with the labels of the data */
    const lode_graph *g;    /* the graph in work */
    match_links of_p, of_g; /* their edges */
    const uint32_t *order;  /* vertices of the pattern; each but the first has a neighbour before */
    const uint32_t *anchor; /* an edge to that neighbour */
    uint32_t *next;         /* by place in the order: the next candidate */
    uint32_t *place;        /* vertex of the graph, by vertex of the pattern; MATCH_FREE: none */
    uint32_t *taken_by;     /* vertex of the pattern, by vertex of the graph */
    bool directed, induced;
    size_t work;
} match;

static void match_list_links(const lode_graph *g, match_links *l) {
    memset(l->start, 0, ((size_t)g->n_vertices + 2) * sizeof *l->start);
    uint32_t *at = l->start + 1;
    for (uint32_t e = 0; e < g->n_edges; e++) {
        at[g->from[e] + 1]++;
        at[g->to[e] + 1]++;
    }
    for (uint32_t v = 0; v < g->n_vertices; v++) at[v + 1] += at[v];
    for (uint32_t e = 0; e < g->n_edges; e++) {
        l->list[at[g->from[e]]++] = e;
        l->list[at[g->to[e]]++] = e;
    }
}

static uint32_t match_other_end(const lode_graph *g, uint32_t e, uint32_t v) {
    return g->from[e] == v ? g->to[e] : g->from[e];
}

/* Whether the graph has the edge that an edge of the pattern is placed on. */
static bool match_has_edge(match *m, uint32_t e) {
    uint32_t u = m->place[m->p->from[e]], v = m->place[m->p->to[e]];
    const uint32_t *start = m->of_g.start;
    uint32_t at = start[u + 1] - start[u] <= start[v + 1] - start[v] ? u : v;
    for (uint32_t k = start[at]; k < start[at + 1]; k++) {
        uint32_t f = m->of_g.list[k];
        bool same = m->g->from[f] == u && m->g->to[f] == v;
        bool turned = !m->directed && m->g->from[f] == v && m->g->to[f] == u;
        m->work++;
        if (same || turned) return m->g->edge_labels[f] == m->p->edge_labels[e];
    }
    return false;
}

/* Edges of the graph from a vertex to those that are taken. */
static uint32_t match_count_inner(match *m, uint32_t vertex) {
    uint32_t n = 0;
    for (uint32_t k = m->of_g.start[vertex]; k < m->of_g.start[vertex + 1]; k++) {
        n += m->taken_by[match_other_end(m->g, m->of_g.list[k], vertex)] != MATCH_FREE;
        m->work++;
    }
    return n;
}

/* Whether vertex v of the pattern can be at `vertex`, given the vertices that are placed. */
static bool match_fits(match *m, uint32_t v, uint32_t vertex) {
    uint32_t n = 0;
    if (m->taken_by[vertex] != MATCH_FREE) return false;
    if (m->p->vertex_labels[v] != m->g->vertex_labels[vertex]) return false;
    m->place[v] = vertex;
    bool fine = true;
    for (uint32_t k = m->of_p.start[v]; fine && k < m->of_p.start[v + 1]; k++) {
        uint32_t e = m->of_p.list[k];
        if (m->place[match_other_end(m->p, e, v)] == MATCH_FREE) continue;
        fine = match_has_edge(m, e);
        n++;
    }
    fine = fine && (!m->induced || match_count_inner(m, vertex) == n);
    if (!fine) m->place[v] = MATCH_FREE;
    return fine;
}

/* Places the k-th vertex at its next candidate; returns false if there is none left. */
static bool match_place_next(match *m, uint32_t k) {
    uint32_t v = m->order[k];
    uint32_t near = k > 0 ? m->place[match_other_end(m->p, m->anchor[k], v)] : 0;
    uint32_t end = k > 0 ? m->of_g.start[near + 1] : m->g->n_vertices;
    while (m->next[k] < end) {
        uint32_t at = m->next[k]++;
        uint32_t vertex = k > 0 ? match_other_end(m->g, m->of_g.list[at], near) : at;
        m->work++;
        if (!match_fits(m, v, vertex)) continue;
        m->taken_by[vertex] = v;
        return true;
    }
    return false;
}

static void match_unplace(match *m, uint32_t k) {
    uint32_t v = m->order[k];
    m->taken_by[m->place[v]] = MATCH_FREE;
    m->place[v] = MATCH_FREE;
}

/* Whether the graph in work contains the pattern. */
static lode_status match_find(match *m, bool *found) {
    lode_status status = LODE_OK;
    uint32_t k = 0;
    m->next[0] = 0;
    *found = false;
    while (k < m->p->n_vertices) {
        if (m->work >= MATCH_CHECK_EVERY) {
            LODE_TRY(job_check(m->job));
            m->work = 0;
        }
        if (!match_place_next(m, k)) {
            if (k == 0) goto done;
            match_unplace(m, --k);
            continue;
        }
        if (++k == m->p->n_vertices) break;
        uint32_t v = m->order[k];
        m->next[k] = m->of_g.start[m->place[match_other_end(m->p, m->anchor[k], v)]];
    }
    *found = true;
done:
    return status;
}

/* Finds an order in which every vertex but the first is next to an earlier one. Returns false if
 * the pattern is not connected. */
static bool match_make_order(const lode_graph *p, const match_links *l, uint32_t *order,
                             uint32_t *anchor, uint32_t *met) {
    uint32_t n = 1;
    for (uint32_t v = 0; v < p->n_vertices; v++) met[v] = v == 0;
    order[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = l->start[order[i]]; k < l->start[order[i] + 1]; k++) {
            uint32_t e = l->list[k], v = match_other_end(p, e, order[i]);
            if (met[v]) continue;
            met[v] = 1;
            order[n] = v;
            anchor[n++] = e;
        }
    }
    return n == p->n_vertices;
}

/* One kind of labels of the pattern. */
typedef struct match_labels {
    const graph_numbers *numbers; /* of the data set that the labels come from, */
    const dict *names;            /* as are these */
    const uint32_t *labels;       /* of the pattern */
    uint32_t n;
} match_labels;

/* Translates labels, by name, into those of the data. Returns false if the data lack one of
 * them. */
static bool match_translate(const match_labels *l, const dict *to, uint32_t *out) {
    bool known = true;
    for (uint32_t i = 0; i < l->n; i++) {
        size_t length;
        uint32_t id;
        if (!graph_label_id(l->numbers, l->names, l->labels[i], &id)) continue;
        const char *name = dict_name(l->names, id, &length);
        out[i] = dict_find(to, name, length);
        if (out[i] == DICT_NONE) known = false;
    }
    return known;
}

static lode_status match_count(lode_job *job, match *m, const lode_graphs *data,
                               uint64_t *support) {
    lode_status status = LODE_OK;
    uint64_t n = 0;
    for (uint32_t i = 0; i < data->n; i++) {
        lode_graph g = graphs_at(data, i);
        if (i % 64 == 0) LODE_TRY(job_check(job));
        if (g.n_vertices < m->p->n_vertices || g.n_edges < m->p->n_edges) continue;
        for (uint32_t v = 0; v < g.n_vertices; v++) m->taken_by[v] = MATCH_FREE;
        for (uint32_t v = 0; v < m->p->n_vertices; v++) m->place[v] = MATCH_FREE;
        m->g = &g;
        match_list_links(&g, &m->of_g);
        bool found;
        LODE_TRY(match_find(m, &found));
        n += found;
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

static bool match_labels_exist(const match_labels *l) {
    uint32_t id;
    for (uint32_t i = 0; i < l->n; i++) {
        if (!graph_label_id(l->numbers, l->names, l->labels[i], &id)) return false;
    }
    return true;
}

static match_labels vertex_labels_of(const lode_graph *p, const lode_graphs *labels) {
    return (match_labels){&labels->vertex_numbers, labels->vertex_names, p->vertex_labels,
                          p->n_vertices};
}

static match_labels edge_labels_of(const lode_graph *p, const lode_graphs *labels) {
    return (match_labels){&labels->edge_numbers, labels->edge_names, p->edge_labels, p->n_edges};
}

/* Checks that the pattern is a graph with labels of the data set `labels`. */
static lode_status match_check_pattern(lode_job *job, const lode_graph *p,
                                       const lode_graphs *labels) {
    if (p->n_vertices == 0) return job_fail(job, LODE_INVALID, "the pattern has no vertex");
    if (!p->vertex_labels || (p->n_edges > 0 && (!p->from || !p->to || !p->edge_labels))) {
        return job_fail(job, LODE_INVALID, "an array of the pattern is NULL");
    }
    if (!all_below(p->from, p->n_edges, p->n_vertices) ||
        !all_below(p->to, p->n_edges, p->n_vertices)) {
        return job_fail(job, LODE_INVALID,
                        "an edge of the pattern has a vertex that does not exist");
    }
    match_labels vertices = vertex_labels_of(p, labels), edges = edge_labels_of(p, labels);
    if (!match_labels_exist(&vertices) || !match_labels_exist(&edges)) {
        return job_fail(job, LODE_INVALID, "the pattern has a label that does not exist");
    }
    return LODE_OK;
}

lode_status lode_graphs_support(lode_job *job, const lode_graphs *data, const lode_graphs *labels,
                                const lode_graph *pattern, bool induced, uint64_t *support) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    lode_graph p;
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(labels), VALID_NEEDS(pattern),
               VALID_NEEDS(support));
    status = valid_take(job, VALID_GRAPH_COLUMNS, pattern, &p);
    if (status != LODE_OK) return status;
    match m = {.job = job, .p = &p, .directed = data->profile.directed, .induced = induced};
    uint32_t *block = NULL;
    size_t n_v = p.n_vertices, n_e = p.n_edges;
    size_t most_v = data->profile.most_vertices, most_e = data->profile.most_edges;
    size_t bytes = (7 * n_v + 3 * n_e + 2 * most_v + 2 * most_e + 4) * sizeof *block;
    LODE_TRY(match_check_pattern(job, &p, labels));
    LODE_TRY(lease_enter(job, 1, &call));
    LODE_TRY(mem_resize(&job->mem, (void **)&block, 0, bytes));
    uint32_t *order = block, *anchor = order + n_v, *vertex_labels = anchor + n_v;
    m.place = vertex_labels + n_v;
    uint32_t *edge_labels = m.place + n_v, *met = edge_labels + n_e;
    m.next = met + n_v;
    m.of_p.start = m.next + n_v;
    m.of_p.list = m.of_p.start + n_v + 2;
    m.taken_by = m.of_p.list + 2 * n_e;
    m.of_g.start = m.taken_by + most_v;
    m.of_g.list = m.of_g.start + most_v + 2;
    m.order = order;
    m.anchor = anchor;
    match_list_links(&p, &m.of_p);
    if (!match_make_order(&p, &m.of_p, order, anchor, met)) {
        LODE_LEAVE(job_fail(job, LODE_INVALID, "the pattern is not connected"));
    }
    match_labels vertices = vertex_labels_of(&p, labels), edges = edge_labels_of(&p, labels);
    bool known = match_translate(&vertices, data->vertex_names, vertex_labels);
    if (!match_translate(&edges, data->edge_names, edge_labels)) known = false;
    p.vertex_labels = vertex_labels;
    p.edge_labels = edge_labels;
    *support = 0;
    if (known) LODE_TRY(match_count(job, &m, data, support));
done:
    mem_free(&job->mem, block, block ? bytes : 0);
    lease_leave(&call);
    return job_explain(job, status, "checking a pattern");
}
