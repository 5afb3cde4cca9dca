/* brute.c - lists every connected subgraph of every graph: the oracle of the tests
 *
 * Takes all sets of edges of each graph (induced: all sets of vertices), keeps the connected ones,
 * and counts their canonical forms (brute.h). Closed and maximal patterns are found by
 * definition: every pattern is compared with those that have one edge (vertex) less. Only for
 * graphs of a few edges.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/brute.h"

#include "base/bits.h"
#include "graphs/task.h"

#define BRUTE_MAX_EDGES 18

typedef struct brute_pattern {
    uint64_t support;
    uint32_t last_graph;             /* + 1 */
    bool super_same, super_frequent; /* a super-pattern has the same support; is frequent */
} brute_pattern;

typedef struct brute {
    engine_task *task;
    mem *mem;
    bool directed;
    dict *forms; /* bytes of the form -> pattern */
    brute_pattern *patterns;
    size_t n, cap;
    /* Each occurrence: pattern, graph, then the vertices in the order of the form. */
    vec_u32 occurrences;
    vec_u64 occurrence_at; /* where each begins */
} brute;

/* ---- the canonical form of a tiny graph, by trying vertex orders ----------------------------- */

typedef struct form_search {
    const form_graph *g;
    uint64_t colour[FORM_MAX];
    uint64_t sorted[FORM_MAX]; /* colours, ascending */
    uint32_t order[FORM_MAX];
    bool placed[FORM_MAX];
    uint32_t now[FORM_SIZE], best[FORM_SIZE];
    uint32_t best_order[FORM_MAX];
    size_t best_n; /* numbers of `best` that are settled */
} form_search;

/* Colours that do not depend on the order of the vertices. */
static void form_make_colours(form_search *s) {
    const form_graph *g = s->g;
    for (uint32_t v = 0; v < g->n; v++) s->colour[v] = bits_mix(g->labels[v] + 1);
    for (uint32_t round = 0; round < 3; round++) {
        uint64_t next[FORM_MAX];
        for (uint32_t v = 0; v < g->n; v++) {
            next[v] = bits_mix(s->colour[v]);
            for (uint32_t u = 0; u < g->n; u++) {
                uint64_t links = (uint64_t)g->link[v][u] << 32 | g->link[u][v];
                if (links) next[v] += bits_mix(bits_mix(links) ^ s->colour[u]);
            }
        }
        for (uint32_t v = 0; v < g->n; v++) s->colour[v] = next[v];
    }
    for (uint32_t v = 0; v < g->n; v++) {
        uint32_t k = v;
        for (; k > 0 && s->sorted[k - 1] > s->colour[v]; k--) s->sorted[k] = s->sorted[k - 1];
        s->sorted[k] = s->colour[v];
    }
}

/* Compares n numbers from `at` on with the best list so far, and replaces that if they are smaller.
 * Returns false if they are larger. */
static bool form_settle(form_search *s, size_t at, size_t n) {
    for (size_t i = at; i < at + n; i++) {
        if (i >= s->best_n || s->now[i] < s->best[i]) {
            memcpy(s->best + i, s->now + i, (at + n - i) * sizeof *s->now);
            s->best_n = at + n;
            return true;
        }
        if (s->now[i] > s->best[i]) return false;
    }
    return true;
}

/* Whether two vertices are twins: swapping them changes nothing, so one of them is tried. */
static bool are_twins(const form_graph *g, uint32_t u, uint32_t v) {
    if (g->labels[u] != g->labels[v] || g->link[u][v] != g->link[v][u]) return false;
    for (uint32_t w = 0; w < g->n; w++) {
        if (w == u || w == v) continue;
        if (g->link[u][w] != g->link[v][w] || g->link[w][u] != g->link[w][v]) return false;
    }
    return true;
}

/* Whether a twin of v before it is not placed yet. */
static bool has_twin(const form_search *s, uint32_t v) {
    for (uint32_t u = 0; u < v; u++) {
        if (!s->placed[u] && s->colour[u] == s->colour[v] && are_twins(s->g, u, v)) return true;
    }
    return false;
}

/* Tries all vertices at place k. It calls itself, at most FORM_MAX deep. */
static void form_place_next(form_search *s, uint32_t k, size_t at) {
    const form_graph *g = s->g;
    if (k == g->n) {
        memcpy(s->best_order, s->order, sizeof s->order);
        return;
    }
    for (uint32_t v = 0; v < g->n; v++) {
        if (s->placed[v] || s->colour[v] != s->sorted[k] || has_twin(s, v)) continue;
        size_t n = 0;
        s->now[at + n++] = g->labels[v];
        for (uint32_t i = 0; i < k; i++) {
            s->now[at + n++] = g->link[v][s->order[i]];
            s->now[at + n++] = g->link[s->order[i]][v];
        }
        if (!form_settle(s, at, n)) continue;
        s->order[k] = v;
        s->placed[v] = true;
        form_place_next(s, k + 1, at + n);
        s->placed[v] = false;
    }
}

size_t form_make(const form_graph *g, uint32_t *form, uint32_t *order) {
    form_search s = {.g = g};
    form_make_colours(&s);
    s.now[0] = g->n;
    form_settle(&s, 0, 1);
    form_place_next(&s, 0, 1);
    memcpy(form, s.best, s.best_n * sizeof *form);
    memcpy(order, s.best_order, g->n * sizeof *order);
    return s.best_n;
}

void form_read(const uint32_t *form, form_graph *g) {
    *g = (form_graph){.n = *form++};
    for (uint32_t v = 0; v < g->n; v++) {
        g->labels[v] = *form++;
        for (uint32_t i = 0; i < v; i++) {
            g->link[v][i] = *form++;
            g->link[i][v] = *form++;
        }
    }
}

static bool form_is_connected(const form_graph *g) {
    bool met[FORM_MAX] = {true};
    uint32_t queue[FORM_MAX] = {0}, n = 1;
    if (g->n == 0) return false;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t v = 0; v < g->n; v++) {
            if (met[v] || (!g->link[queue[i]][v] && !g->link[v][queue[i]])) continue;
            met[v] = true;
            queue[n++] = v;
        }
    }
    return n == g->n;
}

uint32_t form_count_edges(const form_graph *g, bool directed) {
    uint32_t n = 0;
    for (uint32_t u = 0; u < g->n; u++) {
        for (uint32_t v = 0; v < g->n; v++) n += g->link[u][v] != 0;
    }
    return directed ? n : n / 2;
}

/* Removes a vertex. */
static void form_drop(form_graph *g, uint32_t vertex) {
    uint32_t last = g->n - 1;
    g->labels[vertex] = g->labels[last];
    for (uint32_t v = 0; v < g->n; v++) {
        g->link[vertex][v] = g->link[last][v];
        g->link[v][vertex] = g->link[v][last];
    }
    g->link[vertex][vertex] = 0;
    for (uint32_t v = 0; v < g->n; v++) g->link[last][v] = g->link[v][last] = 0;
    g->n--;
}

/* ---- one graph ------------------------------------------------------------------------------ */

static lode_status brute_pattern_of(brute *b, const uint32_t *form, size_t n, uint32_t *id) {
    lode_status status = dict_add(b->forms, (const char *)form, n * sizeof *form, id);
    if (status != LODE_OK || *id < b->n) return status;
    if (b->n == b->cap) {
        status = vec_grow(b->mem, (void **)&b->patterns, b->n, &b->cap, 1, sizeof *b->patterns);
        if (status != LODE_OK) return status;
    }
    b->patterns[b->n++] = (brute_pattern){0};
    return LODE_OK;
}

/* Counts an occurrence; `vertices` are those of the subgraph, in the data. */
static lode_status brute_count_subgraph(brute *b, const form_graph *sub, const uint32_t *vertices,
                                        uint32_t graph) {
    lode_status status = LODE_OK;
    uint32_t form[FORM_SIZE], order[FORM_MAX], id;
    size_t n = form_make(sub, form, order);
    LODE_TRY(brute_pattern_of(b, form, n, &id));
    brute_pattern *p = &b->patterns[id];
    if (p->last_graph != graph + 1) p->support++;
    p->last_graph = graph + 1;
    LODE_TRY(vec_u64_push(b->mem, &b->occurrence_at, b->occurrences.n));
    LODE_TRY(vec_u32_push(b->mem, &b->occurrences, id));
    LODE_TRY(vec_u32_push(b->mem, &b->occurrences, graph));
    for (uint32_t v = 0; v < sub->n; v++) {
        LODE_TRY(vec_u32_push(b->mem, &b->occurrences, vertices[order[v]]));
    }
done:
    return status;
}

static void brute_add_edge(const brute *b, form_graph *sub, uint32_t u, uint32_t v,
                           uint32_t label) {
    sub->link[u][v] = label + 1;
    if (!b->directed) sub->link[v][u] = label + 1;
}

/* The vertices of `one` in a subgraph, numbered as they are met. */
typedef struct brute_numbers {
    form_graph sub;
    uint32_t vertices[FORM_MAX];
    const lode_graph *one;
} brute_numbers;

static uint32_t brute_number(brute_numbers *m, uint32_t vertex) {
    uint32_t k = 0;
    while (k < m->sub.n && m->vertices[k] != vertex) k++;
    if (k == m->sub.n) {
        m->vertices[m->sub.n] = vertex;
        m->sub.labels[m->sub.n++] = m->one->vertex_labels[vertex];
    }
    return k;
}

static lode_status brute_edges(brute *b, const lode_graph *one, uint32_t graph) {
    lode_status status = LODE_OK;
    for (uint64_t set = 1; set >> one->n_edges == 0; set++) {
        brute_numbers m = {.one = one};
        for (uint32_t e = 0; e < one->n_edges; e++) {
            if (!(set >> e & 1)) continue;
            uint32_t u = brute_number(&m, one->from[e]), v = brute_number(&m, one->to[e]);
            brute_add_edge(b, &m.sub, u, v, one->edge_labels[e]);
        }
        if (set % 4096 == 0) LODE_TRY(job_check(b->task->job));
        if (form_is_connected(&m.sub)) LODE_TRY(brute_count_subgraph(b, &m.sub, m.vertices, graph));
    }
done:
    return status;
}

static lode_status brute_vertex_sets(brute *b, const lode_graph *one, uint32_t graph,
                                     bool single_only) {
    lode_status status = LODE_OK;
    for (uint64_t set = 1; set >> one->n_vertices == 0; set = single_only ? set << 1 : set + 1) {
        brute_numbers m = {.one = one};
        for (uint32_t v = 0; v < one->n_vertices; v++) {
            if (set >> v & 1) brute_number(&m, v);
        }
        for (uint32_t e = 0; e < one->n_edges; e++) {
            uint32_t u = one->from[e], v = one->to[e];
            if (!(set >> u & 1) || !(set >> v & 1)) continue;
            brute_add_edge(b, &m.sub, brute_number(&m, u), brute_number(&m, v),
                           one->edge_labels[e]);
        }
        if (set % 4096 == 0) LODE_TRY(job_check(b->task->job));
        if (form_is_connected(&m.sub)) LODE_TRY(brute_count_subgraph(b, &m.sub, m.vertices, graph));
    }
done:
    return status;
}

static lode_status brute_graph(brute *b, uint32_t i) {
    lode_graph one = graphs_at(b->task->graphs.data, i);
    if (one.n_edges > BRUTE_MAX_EDGES || one.n_vertices > FORM_MAX) {
        return job_fail(b->task->job, LODE_INVALID,
                        "brute supports graphs of at most %d edges and %d vertices; graph %u has "
                        "%u edges and %u vertices",
                        BRUTE_MAX_EDGES, FORM_MAX, i, one.n_edges, one.n_vertices);
    }
    if (b->task->graphs.options->induced) return brute_vertex_sets(b, &one, i, false);
    lode_status status = brute_vertex_sets(b, &one, i, true);
    return status == LODE_OK ? brute_edges(b, &one, i) : status;
}

/* ---- super-patterns ------------------------------------------------------------------------- */

/* Notes for a sub-pattern that p is a super-pattern of it. */
static void mark_subpattern(brute *b, const form_graph *g, const brute_pattern *p) {
    uint32_t form[FORM_SIZE], order[FORM_MAX];
    size_t n = form_make(g, form, order);
    uint32_t id = dict_find(b->forms, (const char *)form, n * sizeof *form);
    if (id == DICT_NONE) return;
    b->patterns[id].super_same |= b->patterns[id].support == p->support;
    b->patterns[id].super_frequent |= p->support >= b->task->min_count;
}

/* Removes the edge u -> v, and an end that is left without edges. */
static void mark_without_edge(brute *b, const form_graph *g, uint32_t u, uint32_t v,
                              const brute_pattern *p) {
    form_graph rest = *g;
    rest.link[u][v] = 0;
    if (!b->directed) rest.link[v][u] = 0;
    if (form_is_connected(&rest)) mark_subpattern(b, &rest, p);
    for (unsigned k = 0; k < 2; k++) {
        form_graph less = rest;
        form_drop(&less, k ? u : v);
        bool same_edges =
            form_count_edges(&less, b->directed) == form_count_edges(&rest, b->directed);
        if (same_edges && form_is_connected(&less)) mark_subpattern(b, &less, p);
    }
}

static void mark_from(brute *b, const form_graph *g, const brute_pattern *p) {
    for (uint32_t u = 0; u < g->n; u++) {
        if (b->task->graphs.options->induced) {
            form_graph rest = *g;
            form_drop(&rest, u);
            if (form_is_connected(&rest)) mark_subpattern(b, &rest, p);
            continue;
        }
        for (uint32_t v = 0; v < g->n; v++) {
            if (g->link[u][v] && (b->directed || u < v)) mark_without_edge(b, g, u, v, p);
        }
    }
}

static void brute_read_pattern(const brute *b, uint32_t id, form_graph *g) {
    size_t bytes;
    uint32_t form[FORM_SIZE];
    const char *name = dict_name(b->forms, id, &bytes);
    memcpy(form, name, bytes);
    form_read(form, g);
}

/* ---- output --------------------------------------------------------------------------------- */

typedef struct brute_lists {
    vec_u32 from, to, edge_labels, supporters, embedded_in, embeddings;
} brute_lists;

static lode_status brute_list_edges(const brute *b, const form_graph *g, brute_lists *l) {
    lode_status status = LODE_OK;
    for (uint32_t u = 0; u < g->n; u++) {
        for (uint32_t v = b->directed ? 0 : u; v < g->n; v++) {
            if (!g->link[u][v]) continue;
            LODE_TRY(vec_u32_push(b->mem, &l->from, u));
            LODE_TRY(vec_u32_push(b->mem, &l->to, v));
            LODE_TRY(vec_u32_push(b->mem, &l->edge_labels, g->link[u][v] - 1));
        }
    }
done:
    return status;
}

static lode_status brute_list_occurrences(const brute *b, uint32_t id, uint32_t n_vertices,
                                          brute_lists *l) {
    lode_status status = LODE_OK;
    for (size_t i = 0; i < b->occurrence_at.n; i++) {
        const uint32_t *occurrence = b->occurrences.data + b->occurrence_at.data[i];
        if (occurrence[0] != id) continue;
        if (l->supporters.n == 0 || l->supporters.data[l->supporters.n - 1] != occurrence[1]) {
            LODE_TRY(vec_u32_push(b->mem, &l->supporters, occurrence[1]));
        }
        LODE_TRY(vec_u32_push(b->mem, &l->embedded_in, occurrence[1]));
        for (uint32_t v = 0; v < n_vertices; v++) {
            LODE_TRY(vec_u32_push(b->mem, &l->embeddings, occurrence[2 + v]));
        }
    }
done:
    return status;
}

static lode_status brute_emit_pattern(const brute *b, sink_worker *worker, uint32_t id,
                                      const form_graph *g) {
    lode_status status = LODE_OK;
    const lode_graph_options *o = b->task->graphs.options;
    brute_lists l = {0};
    lode_graph_pattern p = {.support = b->patterns[id].support};
    LODE_TRY(brute_list_edges(b, g, &l));
    LODE_TRY(brute_list_occurrences(b, id, g->n, &l));
    lode_graph columns = {.n_vertices = g->n,
                          .n_edges = (uint32_t)l.from.n,
                          .vertex_labels = g->labels,
                          .from = l.from.data,
                          .to = l.to.data,
                          .edge_labels = l.edge_labels.data};
    p.graph = &columns;
    if (o->supporters) p.supporters = l.supporters.data;
    if (o->embeddings) {
        p.n_embeddings = l.embedded_in.n;
        p.embedded_in = l.embedded_in.data;
        p.embeddings = l.embeddings.data;
    }
    LODE_TRY(graph_sink_emit(worker, &p));
done:
    vec_u32_free(b->mem, &l.from);
    vec_u32_free(b->mem, &l.to);
    vec_u32_free(b->mem, &l.edge_labels);
    vec_u32_free(b->mem, &l.supporters);
    vec_u32_free(b->mem, &l.embedded_in);
    vec_u32_free(b->mem, &l.embeddings);
    return status;
}

static bool brute_wants(const brute *b, uint32_t id, const form_graph *g) {
    const lode_graph_options *o = b->task->graphs.options;
    const brute_pattern *p = &b->patterns[id];
    if (p->support < job_threshold(b->task->job) || (g->n == 1 && !o->vertices)) return false;
    if (o->target == LODE_TARGET_CLOSED && p->super_same) return false;
    if (o->target == LODE_TARGET_MAXIMAL && p->super_frequent) return false;
    return graph_wants(o, g->n, form_count_edges(g, b->directed));
}

static lode_status brute_run(engine_task *task) {
    lode_status status = LODE_OK;
    sink_worker *worker = NULL;
    brute b = {
        .task = task, .mem = &task->job->mem, .directed = task->graphs.data->profile.directed};
    form_graph g;
    LODE_TRY(dict_create(b.mem, &b.forms));
    for (uint32_t i = 0; i < task->graphs.data->n; i++) {
        LODE_TRY(job_tick(task->job, i, task->graphs.data->n));
        LODE_TRY(brute_graph(&b, i));
    }
    for (uint32_t id = 0; id < b.n; id++) {
        brute_read_pattern(&b, id, &g);
        mark_from(&b, &g, &b.patterns[id]);
    }
    task->report->n_threads = 1;
    task->report->candidates = b.n;
    LODE_TRY(graph_sink_open_worker(task->sink, &worker));
    for (uint32_t id = 0; id < b.n; id++) {
        brute_read_pattern(&b, id, &g);
        if (brute_wants(&b, id, &g)) LODE_TRY(brute_emit_pattern(&b, worker, id, &g));
    }
done:;
    lode_status closed = sink_close_worker(worker);
    dict_free(b.forms);
    mem_free(b.mem, b.patterns, b.cap * sizeof *b.patterns);
    vec_u32_free(b.mem, &b.occurrences);
    vec_u64_free(b.mem, &b.occurrence_at);
    return status != LODE_OK ? status : closed;
}

const lode_engine lode_engine_graph_brute = {
    .kind = LODE_GRAPHS,
    .name = "brute",
    .summary = "Counts every connected subgraph of every graph; for tests with tiny graphs.",
    .oracle = true,
    .targets = 1u << LODE_TARGET_CLOSED | 1u << LODE_TARGET_MAXIMAL,
    .run = brute_run,
};
