/* test_graph_matrix.c - every graph miner against the brute-force oracle, on random small data
 *
 * 600 data sets of eight kinds, undirected and directed, ordinary and induced, all, closed, maximal
 * and top:K, with and without single vertices and limits of size: the sets of canonical forms with
 * supports, supporting graphs and places must agree. LODE_TEST_DEVICES names other devices than the
 * CPU for the miners that can use them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs.h"

#define N_DATA BY_BUILD(600, 90, 40)

static const struct {
    const char *name;
    unsigned threads;
    bool devices;
    bool variants; /* of the layout of extensions */
} runs[] = {{"graft", 1, false, false}, {"graft", 3, false, false},   {"gspan", 1, false, false},
            {"gspan", 2, false, false}, {"frontier", 1, true, false}, {"frontier", 3, true, false},
            {"pgm", 1, true, true}};

static unsigned n_runs, n_variants;

static void explain(uint64_t seed, const random_shape *s, const lode_graph_options *o,
                    const char *name, unsigned threads, const found *want, const found *got) {
    fprintf(stderr,
            "  data %u, kind %u, %s, %s, target %d, at least %u, %s with %u threads: status %d, "
            "%zu patterns instead of %zu\n",
            (unsigned)seed, s->kind, s->directed ? "directed" : "undirected",
            o->induced ? "induced" : "ordinary", (int)o->target, (unsigned)o->min_support.numerator,
            name, threads, (int)got->status, got->n, want->n);
}

static void check_one(uint64_t seed, const random_shape *s, const graph_text *t,
                      lode_graph_options *o) {
    o->algorithm = "brute";
    found want = find_all(t, s->directed, o, 1);
    CHECK(want.status == LODE_OK);
    const char *device = getenv("LODE_TEST_DEVICES");
    lode_paper_options papers = LODE_INIT(lode_paper_options);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        if (device && !runs[i].devices) continue;
        if (runs[i].threads > 1 && ++n_runs % 3 != 0) continue; /* starting threads takes longest */
        o->algorithm = runs[i].name;
        graph_device = device;
        if (runs[i].variants) {
            unsigned variant = n_variants++;
            papers.records = (lode_graph_records)(variant % 2);
            if (device) papers.loads = (lode_graph_loads)(variant / 2 % 2); /* of GPUs alone */
            o->papers = &papers;
        }
        found got = find_all(t, s->directed, o, runs[i].threads);
        if (!CHECK(found_equal(&want, &got))) {
            explain(seed, s, o, runs[i].name, runs[i].threads, &want, &got);
        }
        free(got.list);
        graph_device = NULL;
        o->papers = NULL;
    }
    free(want.list);
}

static random_shape make_shape(rng *r, uint64_t seed) {
    random_shape s = {.kind = (unsigned)(seed % GRAPH_KINDS)};
    s.directed = rng_below(r, 2);
    s.n_graphs = 1 + (uint32_t)rng_below(r, 8);
    s.max_vertices = 2 + (uint32_t)rng_below(r, 6);
    s.max_edges = 1 + (uint32_t)rng_below(r, 8);
    s.vertex_labels = 1 + (uint32_t)rng_below(r, rng_below(r, 3) ? 2 : 6);
    s.edge_labels = 1 + (uint32_t)rng_below(r, rng_below(r, 3) ? 1 : 4);
    return s;
}

static void check_data(uint64_t seed) {
    rng r = rng_make(seed, 1000000);
    random_shape s = make_shape(&r, seed);
    graph_text t = random_graphs(seed, &s);
    lode_graph_options o = {.size = sizeof o, .supporters = true, .embeddings = true};
    o.min_support.numerator = 1 + rng_below(&r, 1 + s.n_graphs / 2);
    o.vertices = rng_below(&r, 2);
    for (unsigned k = 0; k < 8; k++) {
        o.induced = k & 1;
        o.target = (lode_target)(k / 2);
        o.top_k = 1 + rng_below(&r, 9);
        bool limits = rng_below(&r, 3) == 0;
        o.min_edges = limits ? (uint32_t)rng_below(&r, 3) : 0;
        o.max_edges = limits ? 2 + (uint32_t)rng_below(&r, 3) : 0;
        o.min_vertices = limits ? (uint32_t)rng_below(&r, 3) : 0;
        o.max_vertices = limits ? 3 + (uint32_t)rng_below(&r, 3) : 0;
        check_one(seed, &s, &t, &o);
    }
    free(t.text);
}

int main(void) {
    /* Opening a GPU takes milliseconds, each time. */
    uint64_t n = getenv("LODE_TEST_DEVICES") ? N_DATA / 4 : N_DATA;
    for (uint64_t seed = 0; seed < n; seed++) check_data(seed);
    return check_result();
}
