/* test_graph_store.c - the store of graphs: every array compared with its definition, for any
 * number of threads
 *
 * The data are large enough to be divided into many ranges (store_build.h), unlike the small graphs
 * of other tests. The expected store is computed here edge by edge from the data.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs.h"
#include "graphs/store.h"

typedef struct taken {
    lode_job *job;
    lode_graphs *data;
    prepared *held;
    store s;
    engine_report report;
} taken;

static taken take_store(const graph_text *t, bool directed, uint64_t min_count, bool induced,
                        unsigned threads) {
    taken x = {.job = graph_job(threads)};
    lode_graph_options o = {.size = sizeof o, .induced = induced};
    x.data = graph_data(x.job, t, directed);
    engine_task task = {.job = x.job,
                        .graphs = {.data = x.data, .options = &o},
                        .min_count = min_count,
                        .report = &x.report};
    if (!CHECK_EQUAL(store_take(&task, &x.s, &x.held), LODE_OK)) exit(2);
    return x;
}

static void drop_store(taken *x) {
    prepared_drop(x->job, x->held);
    lode_graphs_free(x->data);
    lode_job_free(x->job);
}

static bool same_bytes(const void *a, const void *b, size_t n) {
    return n == 0 || memcmp(a, b, n) == 0;
}

static bool stores_equal(const store *a, const store *b) {
    size_t offsets = ((size_t)a->n_vertices + 1) * sizeof *a->offsets;
    if (a->n_half != b->n_half || a->n_triples != b->n_triples || a->n_all != b->n_all)
        return false;
    if (a->first_triple != b->first_triple || !a->all != !b->all) return false;
    return same_bytes(a->offsets, b->offsets, offsets) &&
           same_bytes(a->half, b->half, a->n_half * sizeof *a->half) &&
           same_bytes(a->graph_of, b->graph_of, a->n_vertices * sizeof *a->graph_of) &&
           same_bytes(a->reverse, b->reverse, store_n_types(a) * sizeof *a->reverse) &&
           same_bytes(a->triple_supports, b->triple_supports,
                      a->n_triples * sizeof *a->triple_supports) &&
           same_bytes(a->roots_at, b->roots_at, (a->n_triples + 1) * sizeof *a->roots_at) &&
           same_bytes(a->roots, b->roots, a->roots_at[a->n_triples] * sizeof *a->roots) &&
           (!a->all || (same_bytes(a->all_offsets, b->all_offsets, offsets) &&
                        same_bytes(a->all, b->all, a->n_all * sizeof *a->all)));
}

/* Whether vertex u has a half-edge to v whose type says what the edge is, seen from u. */
static bool has_half(const store *s, uint32_t u, uint32_t v, uint32_t edge_label, bool incoming) {
    const uint32_t *labels = s->data->labels.data;
    for (uint32_t k = s->offsets[u]; k < s->offsets[u + 1]; k++) {
        const edge_type *t = &s->types[s->half[k].type];
        if (s->half[k].to == v && t->edge_label == edge_label && t->from_label == labels[u] &&
            t->to_label == labels[v] && t->incoming == incoming) {
            return true;
        }
    }
    return false;
}

/* How many half-edges the edges of a graph have, all of which must be there. */
static size_t check_edges(const store *s, uint32_t i, bool *fine) {
    const lode_graphs *g = s->data;
    lode_graph one = graphs_at(g, i);
    uint32_t base = (uint32_t)g->vertex_start.data[i];
    size_t n = 0;
    for (uint32_t e = 0; e < one.n_edges; e++) {
        uint32_t u = base + one.from[e], v = base + one.to[e], label = one.edge_labels[e];
        bool first = has_half(s, u, v, label, false);
        *fine = *fine && first == has_half(s, v, u, label, g->profile.directed);
        n += 2 * (size_t)first;
    }
    for (uint32_t v = 0; v < one.n_vertices; v++) *fine = *fine && s->graph_of[base + v] == i;
    return n;
}

/* Half-edges, and what is to be sorted; everything else follows from these. */
static void check_definition(const store *s, uint64_t min_count) {
    bool fine = true, sorted = true;
    size_t n = 0;
    for (uint32_t i = 0; i < s->n_graphs; i++) n += check_edges(s, i, &fine);
    CHECK(fine);
    CHECK_EQUAL(n, s->n_half);
    for (uint32_t v = 0; v < s->n_vertices; v++) {
        for (uint32_t k = s->offsets[v] + 1; k < s->offsets[v + 1]; k++) {
            const half_edge *a = &s->half[k - 1], *b = &s->half[k];
            sorted = sorted && (a->type < b->type || (a->type == b->type && a->to < b->to));
        }
    }
    CHECK(sorted);
    for (uint32_t t = s->first_triple; t < s->n_triples; t++) {
        fine = fine && s->triple_supports[t] >= min_count;
        for (size_t k = s->roots_at[t]; k < s->roots_at[t + 1]; k++) {
            uint32_t v = s->roots[k], at = store_first(s, v, 2 * t);
            fine = fine && at < s->offsets[v + 1] && s->half[at].type == 2 * t;
            fine = fine && (k == s->roots_at[t] || s->roots[k - 1] <= v);
        }
    }
    CHECK(fine);
}

/* The support of each triple, by graphs that have a root of it. */
static void check_supports(const store *s) {
    bool fine = true;
    for (uint32_t t = 0; t < s->n_triples; t++) {
        uint64_t n = 0;
        uint32_t last = UINT32_MAX;
        for (size_t k = s->roots_at[t]; k < s->roots_at[t + 1]; k++) {
            n += s->graph_of[s->roots[k]] != last;
            last = s->graph_of[s->roots[k]];
        }
        fine = fine && n == s->triple_supports[t];
        fine = fine && (t == 0 || s->triple_supports[t - 1] <= s->triple_supports[t]);
    }
    CHECK(fine);
}

static void check_data(const graph_text *t, bool directed, uint64_t min_count) {
    static const unsigned threads[] = {2, 3, 8};
    taken one = take_store(t, directed, min_count, true, 1);
    check_definition(&one.s, min_count);
    check_supports(&one.s);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        taken many = take_store(t, directed, min_count, true, threads[i]);
        CHECK(stores_equal(&one.s, &many.s));
        drop_store(&many);
    }
    drop_store(&one);
}

static void test_shapes(void) {
    static const struct {
        random_shape shape;
        uint64_t min_count;
    } cases[] = {
        {{12000, 10, 12, 4, 3, KIND_ANY, false}, 200},
        {{12000, 10, 12, 4, 3, KIND_ANY, true}, 200},
        {{9000, 12, 16, 300, 40, KIND_PARTS, false}, 2}, /* nearly as many triples as edges */
        {{9000, 12, 12, 2, 1, KIND_POINTS, false}, 1},   /* graphs without an edge */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += BY_BUILD(1, 1, 2)) {
        graph_text t = random_graphs(i, &cases[i].shape);
        check_data(&t, cases[i].shape.directed, cases[i].min_count);
        free(t.text);
    }
}

/* Few graphs that are large, so that ranges are single graphs, and the last ones empty. */
static void test_large(void) {
    graph_text stars = make_stars(BY_BUILD(40000, 20000, 9000), LABELS_DIFFER);
    graph_text paths = make_paths(3, BY_BUILD(30000, 15000, 9000), LABELS_ALIKE);
    check_data(&stars, false, 2);
    check_data(&paths, false, 1);
    check_data(&paths, true, 3);
    free(stars.text);
    free(paths.text);
}

int main(void) {
    CHECK_RUN(test_shapes);
    CHECK_RUN(test_large);
    return check_result();
}
