/* random_graphs.c - random connected graphs by edges, labels and density, in the manner of GraphGen
 *
 * GraphGen (Cheng, Ke and Ng, 2006) has no public sources; this follows its manual. The number of
 * edges of a graph is normal with variance 5, and its density 2 E / (V (V - 1)) is normal with
 * variance 0.01; the two determine the number of vertices. A graph is connected: it begins as a
 * tree, in which each vertex is attached to a random earlier one, and then gets edges between
 * random vertices.
 *
 *     20 edges, density 0.3   ->   V (V - 1) / 2 = 20 / 0.3   ->   12 vertices, 11 edges of a tree
 *                                                                  and 9 more
 *
 * Labels, if there are no kinds of edges: each is drawn independently, the k-th label with the
 * weight 1 / k (or all labels with equal weights). The more labels there are, the fewer patterns
 * are frequent.
 *
 * Labels, with kinds of edges (grown_graph.h, as GraphGen has them): for each graph some kinds are
 * chosen first, their number being a share of the number of edges; each kind but the first has a
 * label in common with an earlier one. All edges of the graph are of these kinds. If no two
 * vertices can be joined by another edge, the graph gets another vertex: the number of edges is
 * kept rather than the density.
 *
 * Unlike in the manual, the deviation of the density is at most a third of its distance from 0 and
 * from 1, so that its mean is the requested one. The same holds for the share of kinds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "extras/generate/graph_models.h"
#include "extras/generate/grown_graph.h"

#define RANDOM_TRIES      64
#define RANDOM_SIZE_DEV   0x1.1e3779b97f4a8p+1 /* the root of 5 */
#define RANDOM_SHARE_DEV  0.1                  /* the root of 0.01 */
#define RANDOM_MOST_EDGES 100000000.0          /* of a graph */

typedef struct random_graphs {
    mem *mem;
    const lode_graphgen_options *o;
    draw_table vertex_labels, edge_labels;
    edge_kinds kinds;
} random_graphs;

typedef struct random_scratch {
    keyset pairs;        /* of vertices that have an edge */
    vec_u32 chosen;      /* kinds of this graph */
    bool *is_chosen;     /* by kind */
    uint32_t *vertex_of; /* by label: one more than the last vertex that has it, 0 = none */
} random_scratch;

/* A graph that is being made. */
typedef struct random_graph {
    const random_graphs *q;
    random_scratch *s;
    grown_graph *g;
    rng *r;
} random_graph;

/* ---- sizes ---------------------------------------------------------------------------------- */

static double random_between(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

/* A share between 0 and 1 that has this mean. */
static double random_share(double mean, rng *r) {
    double third = (mean < 0.5 ? mean : 1.0 - mean) / 3.0;
    double deviation = third < RANDOM_SHARE_DEV ? third : RANDOM_SHARE_DEV;
    return random_between(mean + deviation * draw_normal(r), 0.0, 1.0);
}

static uint32_t random_edges(double mean, rng *r) {
    double n = mean + RANDOM_SIZE_DEV * draw_normal(r);
    return (uint32_t)(random_between(n, 1.0, RANDOM_MOST_EDGES) + 0.5);
}

/* The number of vertices for this density, clamped so that a connected graph with that many edges
 * exists. */
static uint32_t random_vertices(uint32_t n_edges, double density) {
    uint64_t n = (uint64_t)n_edges + 1;
    if (density * (double)n > 2.0) {
        n = (uint64_t)((1.0 + sqrt(1.0 + 8.0 * n_edges / density)) / 2.0 + 0.5);
    }
    if (n > (uint64_t)n_edges + 1) n = (uint64_t)n_edges + 1;
    while (n * (n - 1) / 2 < n_edges) n++;
    return (uint32_t)n;
}

/* ---- edges ---------------------------------------------------------------------------------- */

/* False if the two are one, or have an edge. */
static bool random_is_new_pair(random_scratch *s, uint32_t u, uint32_t v) {
    uint64_t low = u < v ? u : v, high = u < v ? v : u;
    return u != v && keyset_add(&s->pairs, low << 32 | high);
}

static lode_status random_grow_tree(random_graph *x, uint32_t n_vertices) {
    const random_graphs *q = x->q;
    lode_status status = LODE_OK;
    for (uint32_t v = 0; v < n_vertices; v++) {
        uint32_t label = draw_table_next(&q->vertex_labels, x->r), vertex;
        LODE_TRY(grown_vertex(x->g, q->mem, label, &vertex));
        if (v == 0) continue;
        grown_edge e = {(uint32_t)rng_below(x->r, v), v, draw_table_next(&q->edge_labels, x->r)};
        (void)random_is_new_pair(x->s, e.from, e.to);
        LODE_TRY(grown_add(x->g, q->mem, e));
    }
done:
    return status;
}

static lode_status random_close(random_graph *x, uint32_t n_edges) {
    const random_graphs *q = x->q;
    lode_status status = LODE_OK;
    while (x->g->n_edges < n_edges) {
        uint32_t u = (uint32_t)rng_below(x->r, x->g->labels.n);
        uint32_t v = (uint32_t)rng_below(x->r, x->g->labels.n);
        if (!random_is_new_pair(x->s, u, v)) continue;
        grown_edge e = {u, v, draw_table_next(&q->edge_labels, x->r)};
        LODE_TRY(grown_add(x->g, q->mem, e));
    }
done:
    return status;
}

/* ---- edges of some kinds -------------------------------------------------------------------- */

static lode_status random_choose(random_graph *x, uint32_t kind) {
    random_scratch *s = x->s;
    edge_kind k = x->q->kinds.kinds[kind];
    s->is_chosen[kind] = true;
    s->vertex_of[k.low] = s->vertex_of[k.high] = 1; /* for now: that there will be one */
    return vec_u32_push(x->q->mem, &s->chosen, kind);
}

/* Draws a kind that is not chosen yet and shares a label with a chosen one; returns false if there
 * is none. Draws by weight, or uniformly if there are only few such kinds. */
static bool random_find_kind(random_graph *x, uint32_t *kind) {
    const edge_kinds *k = &x->q->kinds;
    random_scratch *s = x->s;
    for (unsigned i = 0; i < RANDOM_TRIES; i++) {
        *kind = draw_table_next(&k->choice, x->r);
        edge_kind e = k->kinds[*kind];
        if (!s->is_chosen[*kind] && (s->vertex_of[e.low] || s->vertex_of[e.high])) return true;
    }
    uint64_t n = 0;
    for (size_t i = 0; i < s->chosen.n; i++) {
        edge_kind e = k->kinds[s->chosen.data[i]];
        for (unsigned end = 0; end < 2; end++) {
            uint32_t label = end ? e.high : e.low;
            for (uint32_t j = k->starts[label]; j < k->starts[label + 1]; j++) {
                if (s->is_chosen[k->at[j]] || rng_below(x->r, ++n) > 0) continue;
                *kind = k->at[j];
            }
        }
    }
    return n > 0;
}

static lode_status random_choose_kinds(random_graph *x, uint32_t n) {
    lode_status status = LODE_OK;
    uint32_t kind = 0;
    x->s->chosen.n = 0;
    LODE_TRY(random_choose(x, draw_table_next(&x->q->kinds.choice, x->r)));
    while (x->s->chosen.n < n && random_find_kind(x, &kind)) LODE_TRY(random_choose(x, kind));
    for (size_t i = 0; i < x->s->chosen.n; i++) {
        edge_kind e = x->q->kinds.kinds[x->s->chosen.data[i]];
        x->s->vertex_of[e.low] = x->s->vertex_of[e.high] = 0;
    }
done:
    return status;
}

static lode_status random_new_vertex(random_graph *x, uint32_t label) {
    uint32_t vertex;
    lode_status status = grown_vertex(x->g, x->q->mem, label, &vertex);
    if (status == LODE_OK) x->s->vertex_of[label] = vertex + 1;
    return status;
}

/* Adds a vertex by an edge of this kind from u. */
static lode_status random_hang(random_graph *x, uint32_t u, edge_kind k) {
    lode_status status = LODE_OK;
    uint32_t v = (uint32_t)x->g->labels.n;
    LODE_TRY(random_new_vertex(x, edge_kind_other(k, x->g->labels.data[u])));
    (void)random_is_new_pair(x->s, u, v);
    LODE_TRY(grown_add(x->g, x->q->mem, (grown_edge){u, v, k.label}));
done:
    return status;
}

/* Adds a vertex by an edge of a random kind of the graph, from a random vertex. */
static lode_status random_hang_any(random_graph *x) {
    const edge_kind *kinds = x->q->kinds.kinds;
    const random_scratch *s = x->s;
    for (unsigned i = 0; i < RANDOM_TRIES; i++) {
        uint32_t u = (uint32_t)rng_below(x->r, x->g->labels.n);
        edge_kind k = kinds[s->chosen.data[rng_below(x->r, s->chosen.n)]];
        if (edge_kind_is_at(k, x->g->labels.data[u])) return random_hang(x, u, k);
    }
    edge_kind first = kinds[s->chosen.data[0]];
    return random_hang(x, s->vertex_of[first.low] - 1, first);
}

/* A chosen kind that can join two vertices with these labels; false if there is none. */
static bool random_kind_between(random_graph *x, uint32_t from, uint32_t to, uint32_t *label) {
    const edge_kinds *k = &x->q->kinds;
    uint64_t n = 0;
    for (uint32_t j = k->starts[from]; j < k->starts[from + 1]; j++) {
        edge_kind e = k->kinds[k->at[j]];
        if (!x->s->is_chosen[k->at[j]] || edge_kind_other(e, from) != to) continue;
        if (rng_below(x->r, ++n) == 0) *label = e.label;
    }
    return n > 0;
}

/* Adds an edge between two vertices, or, where none is found, one to a new vertex. */
static lode_status random_join_any(random_graph *x) {
    const uint32_t *labels = x->g->labels.data;
    for (unsigned i = 0; i < RANDOM_TRIES; i++) {
        uint32_t u = (uint32_t)rng_below(x->r, x->g->labels.n), label = 0;
        uint32_t v = (uint32_t)rng_below(x->r, x->g->labels.n);
        if (!random_kind_between(x, labels[u], labels[v], &label)) continue;
        if (!random_is_new_pair(x->s, u, v)) continue;
        return grown_add(x->g, x->q->mem, (grown_edge){u, v, label});
    }
    return random_hang_any(x);
}

/* First adds one edge of each kind, attached to the graph so far; then any edges. */
static lode_status random_fill_kinds(random_graph *x, uint32_t n_edges, uint32_t n_vertices) {
    lode_status status = LODE_OK;
    const edge_kind *kinds = x->q->kinds.kinds;
    random_scratch *s = x->s;
    LODE_TRY(random_new_vertex(x, kinds[s->chosen.data[0]].low));
    for (size_t i = 0; i < s->chosen.n && x->g->n_edges < n_edges; i++) {
        edge_kind k = kinds[s->chosen.data[i]];
        uint32_t label = s->vertex_of[k.low] ? k.low : k.high;
        LODE_TRY(random_hang(x, s->vertex_of[label] - 1, k));
    }
    while (x->g->labels.n < n_vertices && x->g->n_edges < n_edges) LODE_TRY(random_hang_any(x));
    while (x->g->n_edges < n_edges) LODE_TRY(random_join_any(x));
done:
    for (size_t i = 0; i < x->g->labels.n; i++) s->vertex_of[x->g->labels.data[i]] = 0;
    for (size_t i = 0; i < s->chosen.n; i++) s->is_chosen[s->chosen.data[i]] = false;
    return status;
}

/* ---- the model ------------------------------------------------------------------------------ */

static lode_status random_make(const void *self, void *scratch, grown_graph *g, rng *r) {
    const random_graphs *q = self;
    lode_status status = LODE_OK;
    random_graph x = {.q = q, .s = scratch, .g = g, .r = r};
    uint32_t n_edges = random_edges(q->o->mean_edges, r);
    uint32_t n_vertices = random_vertices(n_edges, random_share(q->o->density, r));
    LODE_TRY(keyset_clear(&x.s->pairs, q->mem, n_edges));
    if (q->kinds.n == 0) {
        LODE_TRY(random_grow_tree(&x, n_vertices));
        LODE_TRY(random_close(&x, n_edges));
    } else {
        double n = random_share(q->o->kind_share, r) * n_edges + 0.5;
        LODE_TRY(random_choose_kinds(&x, n < 1.0 ? 1 : (uint32_t)n));
        LODE_TRY(random_fill_kinds(&x, n_edges, n_vertices));
    }
done:
    return status;
}

static lode_status random_open(const void *self, void *scratch) {
    const random_graphs *q = self;
    random_scratch *s = scratch;
    lode_status status = LODE_OK;
    if (q->kinds.n == 0) return LODE_OK;
    LODE_TRY(mem_zalloc(q->mem, (void **)&s->is_chosen, q->kinds.n * sizeof *s->is_chosen));
    LODE_TRY(
        mem_zalloc(q->mem, (void **)&s->vertex_of, q->o->n_vertex_labels * sizeof *s->vertex_of));
done:
    return status;
}

static void random_end(const void *self, void *scratch) {
    const random_graphs *q = self;
    random_scratch *s = scratch;
    if (s->vertex_of) {
        mem_free(q->mem, s->vertex_of, q->o->n_vertex_labels * sizeof *s->vertex_of);
    }
    if (s->is_chosen) mem_free(q->mem, s->is_chosen, q->kinds.n * sizeof *s->is_chosen);
    vec_u32_free(q->mem, &s->chosen);
    keyset_free(&s->pairs, q->mem);
}

static lode_status random_weigh(draw_table *t, mem *m, uint32_t n, lode_label_weights how) {
    lode_status status = LODE_OK;
    double *weights = NULL;
    LODE_TRY(mem_resize(m, (void **)&weights, 0, n * sizeof *weights));
    for (uint32_t i = 0; i < n; i++) weights[i] = how == LODE_LABELS_EVEN ? 1.0 : 1.0 / (i + 1.0);
    LODE_TRY(draw_table_weights(t, m, weights, n));
done:
    mem_free(m, weights, n * sizeof *weights);
    return status;
}

static lode_status random_prepare(void *self, mem *m, const lode_graphgen_options *o) {
    random_graphs *q = self;
    lode_status status = LODE_OK;
    rng r = rng_make(o->seed, 0);
    *q = (random_graphs){.mem = m, .o = o};
    LODE_TRY(random_weigh(&q->vertex_labels, m, o->n_vertex_labels, o->label_weights));
    LODE_TRY(random_weigh(&q->edge_labels, m, o->n_edge_labels, o->label_weights));
    if (o->n_edge_kinds > 0) {
        LODE_TRY(
            edge_kinds_make(&q->kinds, m, o->n_edge_kinds, &q->vertex_labels, &q->edge_labels, &r));
    }
done:
    return status;
}

static void random_free(void *self) {
    random_graphs *q = self;
    edge_kinds_free(&q->kinds);
    draw_table_free(&q->edge_labels);
    draw_table_free(&q->vertex_labels);
}

const graph_model graph_model_random = {
    .bytes = sizeof(random_graphs),
    .scratch_bytes = sizeof(random_scratch),
    .prepare = random_prepare,
    .free = random_free,
    .open = random_open,
    .close = random_end,
    .make = random_make,
};
