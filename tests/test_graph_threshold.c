/* test_graph_threshold.c - graft at every threshold, on many small graphs that are nearly alike
 *
 * The graphs are copies of one graph with a few edges; in each copy, some edges are removed,
 * changed or added. So supports range from few to all graphs. For every candidate, there is a
 * threshold at which it is missing from exactly as many graphs as allowed, and another at which it
 * is missing from one more; these cases decide what the scan of the newest vertex still looks for,
 * and when it ends. Patterns are deep enough that growths below growths are used. The oracle runs
 * once, at the lowest threshold; its results for higher thresholds are the patterns with at least
 * that support, both for all and for closed patterns.
 *
 * Wide data have the same graphs with more than 64 isolated vertices in addition, so that the bits
 * of a row are not certain. They are too large for the oracle, so they are compared with gspan,
 * which makes no such scans.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs.h"

#define N_DATA BY_BUILD(60, 10, 10)

#define MOST_VERTICES 8
#define MOST_EDGES    10
#define WIDE_VERTICES 140

typedef struct near_edge {
    unsigned from, to, label;
} near_edge;

/* The graph that all are copies of, and how they differ from it. */
typedef struct near_shape {
    unsigned n_graphs, n_vertices, n_edges, edge_labels;
    unsigned labels[MOST_VERTICES];
    near_edge edges[MOST_EDGES];
    unsigned damage; /* of 100 edges, so many are lost in a copy, and a fourth of that changed */
    bool directed, wide;
} near_shape;

static bool edge_is_there(const near_edge *edges, unsigned n, unsigned from, unsigned to) {
    for (unsigned i = 0; i < n; i++) {
        if (edges[i].from == from && edges[i].to == to) return true;
        if (edges[i].from == to && edges[i].to == from) return true;
    }
    return false;
}

static near_shape make_near_shape(rng *r, bool wide) {
    near_shape s = {.n_graphs = 6 + (unsigned)rng_below(r, 30), .wide = wide};
    s.n_vertices = 4 + (unsigned)rng_below(r, MOST_VERTICES - 3);
    s.edge_labels = 1 + (unsigned)rng_below(r, 2);
    s.damage = 2 + (unsigned)rng_below(r, 25);
    s.directed = rng_below(r, 3) == 0;
    unsigned labels = 1 + (unsigned)rng_below(r, 3);
    for (unsigned v = 0; v < s.n_vertices; v++) s.labels[v] = (unsigned)rng_below(r, labels);
    for (unsigned v = 1; v < s.n_vertices; v++) { /* a tree, then edges that close cycles */
        unsigned from = (unsigned)rng_below(r, v);
        s.edges[s.n_edges++] = (near_edge){from, v, (unsigned)rng_below(r, s.edge_labels)};
    }
    for (uint64_t more = rng_below(r, 4); more > 0 && s.n_edges < MOST_EDGES - 1; more--) {
        unsigned u = (unsigned)rng_below(r, s.n_vertices), v = (unsigned)rng_below(r, s.n_vertices);
        if (u == v || edge_is_there(s.edges, s.n_edges, u, v)) continue;
        s.edges[s.n_edges++] = (near_edge){u, v, (unsigned)rng_below(r, s.edge_labels)};
    }
    return s;
}

/* Numbers for the vertices of a copy: in wide data, spread among those that are isolated. */
static void number_vertices(rng *r, const near_shape *s, unsigned *number) {
    bool taken[WIDE_VERTICES] = {false};
    unsigned n = s->wide ? WIDE_VERTICES : s->n_vertices;
    for (unsigned v = 0; v < s->n_vertices; v++) {
        do number[v] = (unsigned)rng_below(r, n);
        while (taken[number[v]]);
        taken[number[v]] = true;
    }
}

static void add_copy(graph_text *t, rng *r, const near_shape *s, unsigned graph) {
    unsigned number[MOST_VERTICES], label[WIDE_VERTICES];
    unsigned n = s->wide ? WIDE_VERTICES : s->n_vertices;
    number_vertices(r, s, number);
    for (unsigned v = 0; v < n; v++) label[v] = 99;
    for (unsigned v = 0; v < s->n_vertices; v++) label[number[v]] = s->labels[v];
    text_add(t, "t # %u\n", graph, 0, 0);
    for (unsigned v = 0; v < n; v++) text_add(t, "v %u %u\n", v, label[v], 0);
    for (unsigned k = 0; k < s->n_edges; k++) {
        near_edge e = s->edges[k];
        uint64_t luck = rng_below(r, 400);
        if (luck < 4 * s->damage) continue;
        if (luck < 5 * s->damage) e.label = (unsigned)rng_below(r, s->edge_labels);
        text_add(t, "e %u %u %u\n", number[e.from], number[e.to], e.label);
    }
    unsigned u = (unsigned)rng_below(r, s->n_vertices), v = (unsigned)rng_below(r, s->n_vertices);
    if (u == v || edge_is_there(s->edges, s->n_edges, u, v) || rng_below(r, 4) > 0) return;
    text_add(t, "e %u %u %u\n", number[u], number[v], (unsigned)rng_below(r, s->edge_labels));
}

/* Keeps the patterns of at least that support. */
static void keep_frequent(found *f, uint64_t min_support) {
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (f->list[i].support >= min_support) f->list[n++] = f->list[i];
    }
    f->n = n;
}

static void check_thresholds(uint64_t seed, const near_shape *s, const graph_text *t,
                             lode_graph_options *o) {
    unsigned least = s->n_graphs / (s->wide ? 2 : 3);
    o->algorithm = s->wide ? "gspan" : "brute";
    o->min_support.numerator = least;
    found want = find_all(t, s->directed, o, 1);
    CHECK(want.status == LODE_OK);
    o->algorithm = "graft";
    for (unsigned at_least = least; at_least <= s->n_graphs; at_least++) {
        o->min_support.numerator = at_least;
        keep_frequent(&want, at_least);
        found got = find_all(t, s->directed, o, at_least % 8 == 0 ? 3 : 1);
        if (!CHECK(found_equal(&want, &got))) {
            fprintf(stderr,
                    "  %s data %u, %u graphs, target %d, at least %u: %zu patterns, not %zu\n",
                    s->wide ? "wide" : "narrow", (unsigned)seed, s->n_graphs, (int)o->target,
                    at_least, got.n, want.n);
        }
        free(got.list);
    }
    free(want.list);
}

static void check_data(uint64_t seed, bool wide) {
    rng r = rng_make(seed, wide ? 4000 : 3000);
    near_shape s = make_near_shape(&r, wide);
    graph_text t = {0};
    for (unsigned i = 0; i < s.n_graphs; i++) add_copy(&t, &r, &s, i);
    lode_graph_options o = {.size = sizeof o, .supporters = true, .embeddings = seed % 2};
    if (wide) o.max_edges = 6;
    o.target = LODE_TARGET_ALL;
    check_thresholds(seed, &s, &t, &o);
    o.target = LODE_TARGET_CLOSED;
    if (seed % 4 == 0 && !wide) check_thresholds(seed, &s, &t, &o);
    free(t.text);
}

int main(void) {
    for (uint64_t seed = 0; seed < N_DATA; seed++) check_data(seed, false);
    for (uint64_t seed = 0; seed < N_DATA; seed++) check_data(seed, true);
    return check_result();
}
