/* test_graph_leaves.c - graft on random molecules: rings, chains, and leaves that look alike
 *
 * If no embeddings are requested, graft merges rows that differ only in twin leaves. Small
 * molecules are compared with the brute-force oracle. Molecules with more than 64 vertices, for
 * which the bits of a row are not certain, are compared with gspan, which does not merge rows.
 * Vertices are numbered at random, because the numbers of twins decide which of them is kept.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs.h"

#define N_SMALL BY_BUILD(300, 60, 25)
#define N_LARGE BY_BUILD(40, 10, 10)

#define MOST_VERTICES 160

typedef struct molecule_shape {
    uint32_t core, rings, leaves; /* vertices, edges that close a ring, leaves at each vertex */
    uint32_t labels, edge_labels;
} molecule_shape;

static void shuffle(rng *r, uint32_t *number, uint32_t n) {
    for (uint32_t v = 0; v < n; v++) number[v] = v;
    for (uint32_t v = n; v > 1; v--) {
        uint32_t other = (uint32_t)rng_below(r, v), kept = number[v - 1];
        number[v - 1] = number[other];
        number[other] = kept;
    }
}

/* The edges of one molecule as pairs of vertices; returns how many vertices it has. */
static uint32_t make_molecule(rng *r, const molecule_shape *s, uint32_t (*edges)[2], uint32_t *n) {
    uint32_t n_vertices = s->core;
    *n = 0;
    for (uint32_t v = 1; v < s->core; v++) {
        uint32_t back = 1 + (uint32_t)rng_below(r, v < 2 ? v : 2);
        edges[*n][0] = v - back;
        edges[(*n)++][1] = v;
    }
    for (uint32_t k = 0; k < s->rings && s->core > 6; k++) {
        uint32_t u = (uint32_t)rng_below(r, s->core - 5);
        edges[*n][0] = u;
        edges[(*n)++][1] = u + 3 + (uint32_t)rng_below(r, 3);
    }
    for (uint32_t v = 0; v < s->core; v++) {
        for (uint64_t k = rng_below(r, s->leaves + 1); k > 0; k--) {
            edges[*n][0] = v;
            edges[(*n)++][1] = n_vertices++;
        }
    }
    return n_vertices;
}

static bool is_new_edge(uint32_t (*edges)[2], uint32_t k) {
    for (uint32_t i = 0; i < k; i++) {
        if (edges[i][0] == edges[k][0] && edges[i][1] == edges[k][1]) return false;
    }
    return true;
}

static void add_molecule(graph_text *t, rng *r, const molecule_shape *s, unsigned number) {
    uint32_t edges[2 * MOST_VERTICES][2], order[MOST_VERTICES], label[MOST_VERTICES], n_edges = 0;
    uint32_t n = make_molecule(r, s, edges, &n_edges);
    shuffle(r, order, n);
    for (uint32_t v = 0; v < n; v++) {
        label[order[v]] = v < s->core ? (uint32_t)rng_below(r, s->labels) : s->labels - 1;
    }
    text_add(t, "t # %u\n", number, 0, 0);
    for (uint32_t v = 0; v < n; v++) text_add(t, "v %u %u\n", v, label[v], 0);
    for (uint32_t k = 0; k < n_edges; k++) {
        if (!is_new_edge(edges, k)) continue;
        text_add(t, "e %u %u %u\n", order[edges[k][0]], order[edges[k][1]],
                 (unsigned)rng_below(r, s->edge_labels));
    }
}

static graph_text make_molecules(rng *r, const molecule_shape *s, unsigned n) {
    graph_text t = {0};
    for (unsigned i = 0; i < n; i++) add_molecule(&t, r, s, i);
    return t;
}

static void check_molecules(uint64_t seed, bool large) {
    rng r = rng_make(seed, large ? 2000 : 1000);
    molecule_shape s = {.core = 2 + (uint32_t)rng_below(&r, 5)};
    if (large) s.core = 40 + (uint32_t)rng_below(&r, 12);
    s.rings = (uint32_t)rng_below(&r, large ? 12 : 3);
    s.leaves = (large ? 1 : 0) + (uint32_t)rng_below(&r, 3);
    s.labels = 1 + (uint32_t)rng_below(&r, 3);
    s.edge_labels = 1 + (uint32_t)rng_below(&r, 2);
    unsigned n_graphs = 2 + (unsigned)rng_below(&r, 4);
    graph_text t = make_molecules(&r, &s, n_graphs);
    lode_graph_options o = {.size = sizeof o, .supporters = true};
    o.min_support.numerator = large ? n_graphs : 1 + rng_below(&r, n_graphs);
    o.max_edges = large ? 4 + (uint32_t)rng_below(&r, 2) : 6;
    o.algorithm = large ? "gspan" : "brute";
    found want = find_all(&t, false, &o, 1);
    CHECK(want.status == LODE_OK);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        if (threads > 1 && seed % 4 != 0) continue; /* starting threads takes longest */
        o.algorithm = "graft";
        found got = find_all(&t, false, &o, threads);
        if (!CHECK(found_equal(&want, &got))) {
            fprintf(stderr, "  %s molecules, seed %u, %u threads: %zu patterns instead of %zu\n",
                    large ? "large" : "small", (unsigned)seed, threads, got.n, want.n);
        }
        free(got.list);
    }
    free(want.list);
    free(t.text);
}

int main(void) {
    for (uint64_t seed = 0; seed < N_SMALL; seed++) check_molecules(seed, false);
    for (uint64_t seed = 0; seed < N_LARGE; seed++) check_molecules(seed, true);
    return check_result();
}
