/* test_graph_closed.c - closed and maximal subgraphs, in data in which branches end early
 *
 * src/graphs/early.h says when a branch need not be searched. This test draws small random graphs
 * in which this happens all the time, and in which results would be wrong if the rule were applied
 * too often: rings next to paths with the same labels, rings with tails, leaves that look alike,
 * arrows in both directions, graphs that differ by one edge. The oracle lists all connected
 * subgraphs. With LODE_LONG, a hundred times as many graphs are drawn.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs.h"

#define N_DRAWN BY_BUILD(1000, 150, 60)

static const struct {
    const char *name;
    unsigned threads, every; /* one in so many data sets */
} miners[] = {{"graft", 1, 1}, {"graft", 3, 16}, {"gspan", 1, 3}, {"frontier", 1, 8}};

/* Checks the miners with one request; `which` says how many of them. */
static void check_miners(const char *what, unsigned which, const graph_text *t, bool directed,
                         lode_graph_options *o) {
    o->algorithm = "brute";
    found want = find_all(t, directed, o, 1);
    CHECK(want.status == LODE_OK);
    for (size_t i = 0; i < sizeof miners / sizeof *miners; i++) {
        if (which % miners[i].every != 0) continue;
        o->algorithm = miners[i].name;
        found got = find_all(t, directed, o, miners[i].threads);
        if (!CHECK(found_equal(&want, &got))) {
            fprintf(stderr, "  %s %u, target %d, at least %u, %s: %zu patterns instead of %zu\n%s",
                    what, which, (int)o->target, (unsigned)o->min_support.numerator, miners[i].name,
                    got.n, want.n, t->text);
        }
        free(got.list);
    }
    free(want.list);
}

static void check_targets(const char *what, unsigned which, const graph_text *t, bool directed,
                          lode_graph_options *o) {
    for (unsigned k = 0; k < 2; k++) {
        o->target = k ? LODE_TARGET_MAXIMAL : LODE_TARGET_CLOSED;
        check_miners(what, which, t, directed, o);
    }
}

/* ---- drawn graphs --------------------------------------------------------------------------- */

#define SCENE_VERTICES 8

/* What all graphs of a data set have in common. */
typedef struct scene {
    bool directed;
    uint32_t n, ring; /* vertices; so many of them are a path, which may close */
    uint32_t labels[SCENE_VERTICES], parent[SCENE_VERTICES], edge[SCENE_VERTICES];
    uint32_t vertex_labels, edge_labels;
    unsigned back;   /* arrows that lead back as well: one in so many */
    unsigned change; /* a vertex or edge is drawn anew, one in so many */
} scene;

static uint32_t draw_or_keep(rng *r, const scene *s, uint32_t kept, uint32_t below) {
    return rng_below(r, s->change) == 0 ? (uint32_t)rng_below(r, below) : kept;
}

static scene draw_scene(rng *r) {
    scene s = {.directed = rng_below(r, 2), .back = 2 + (unsigned)rng_below(r, 8)};
    s.n = 3 + (uint32_t)rng_below(r, SCENE_VERTICES - 2);
    s.ring = 2 + (uint32_t)rng_below(r, s.n - 1);
    s.vertex_labels = 1 + (uint32_t)rng_below(r, 3);
    s.edge_labels = 1 + (uint32_t)rng_below(r, 2);
    s.change = 3 + (unsigned)rng_below(r, 12);
    for (uint32_t v = 0; v < s.n; v++) {
        s.labels[v] = (uint32_t)rng_below(r, s.vertex_labels);
        s.edge[v] = (uint32_t)rng_below(r, s.edge_labels);
        s.parent[v] = v == 0 ? 0 : v < s.ring ? v - 1 : (uint32_t)rng_below(r, v);
    }
    return s;
}

static void add_arrow(graph_text *t, const scene *s, uint32_t u, uint32_t v, uint32_t label) {
    bool turn = s->directed && (u + v) % 3 == 0;
    text_add(t, "e %u %u %u\n", turn ? v : u, turn ? u : v, label);
}

/* One graph of the scene: some vertices and edges differ, the path is closed or not. */
static void draw_graph(graph_text *t, const scene *s, rng *r, uint32_t number) {
    uint32_t n = rng_below(r, 3) ? s->n : 2 + (uint32_t)rng_below(r, s->n - 1);
    uint32_t last = s->ring < n ? s->ring - 1 : n - 1;
    bool closed = false; /* by an edge that was drawn anew */
    text_add(t, "t # %u\n", number, 0, 0);
    for (uint32_t v = 0; v < n; v++) {
        text_add(t, "v %u %u\n", v, draw_or_keep(r, s, s->labels[v], s->vertex_labels), 0);
    }
    for (uint32_t v = 1; v < n; v++) {
        uint32_t u = draw_or_keep(r, s, s->parent[v], v);
        closed = closed || (u == 0 && v == last);
        add_arrow(t, s, u, v, draw_or_keep(r, s, s->edge[v], s->edge_labels));
        if (s->directed && rng_below(r, s->back) == 0) { /* there, and back */
            bool turn = (u + v) % 3 == 0;
            text_add(t, "e %u %u %u\n", turn ? u : v, turn ? v : u,
                     (uint32_t)rng_below(r, s->edge_labels));
        }
    }
    if (last >= 2 && !closed && rng_below(r, 2)) {
        text_add(t, "e %u %u %u\n", last, 0, s->edge[0]);
    }
}

static void check_drawn(uint64_t seed) {
    rng r = rng_make(seed, 77);
    scene s = draw_scene(&r);
    graph_text t = {0};
    uint32_t n_graphs = 1 + (uint32_t)rng_below(&r, 5);
    for (uint32_t i = 0; i < n_graphs; i++) draw_graph(&t, &s, &r, i);
    lode_graph_options o = {.size = sizeof o, .supporters = true, .embeddings = true};
    o.min_support.numerator = 1 + rng_below(&r, n_graphs > 2 ? 3 : n_graphs);
    o.vertices = rng_below(&r, 2);
    if (rng_below(&r, 5) == 0) { /* limits change what is shown, not what is closed */
        o.min_edges = (uint32_t)rng_below(&r, 3);
        o.max_edges = 2 + (uint32_t)rng_below(&r, 4);
    }
    check_targets("drawn", (unsigned)seed, &t, s.directed, &o);
    free(t.text);
}

/* ---- where ending early is known to go wrong ------------------------------------------------- */

/* A path, or a ring, of n vertices that all look alike. */
static void add_round(graph_text *t, uint32_t number, uint32_t n, bool ring) {
    text_add(t, "t # %u\n", number, 0, 0);
    for (uint32_t v = 0; v < n; v++) text_add(t, "v %u 0\n", v, 0, 0);
    for (uint32_t v = 1; v < n; v++) text_add(t, "e %u %u 0\n", v - 1, v, 0);
    if (ring) text_add(t, "e %u 0 0\n", n - 1, 0, 0);
}

/* Every path can be extended everywhere, up to the length at which the ring closes and the path
 * goes on: the path of all vertices of the ring is closed. */
static void check_rings(void) {
    for (uint32_t ring = 3; ring < 8; ring++) {
        for (uint32_t path = ring; path < 10; path++) {
            graph_text t = {0};
            lode_graph_options o = {.size = sizeof o, .supporters = true, .embeddings = true};
            o.min_support.numerator = 2;
            add_round(&t, 0, ring, true);
            add_round(&t, 1, path, false);
            if (path % 2) add_round(&t, 2, ring + 1, true);
            check_targets("ring and path", ring * 16, &t, false, &o);
            free(t.text);
        }
    }
}

int main(void) {
    uint64_t n = getenv("LODE_LONG") ? 100 * (uint64_t)N_DRAWN : N_DRAWN;
    check_rings();
    for (uint64_t seed = 0; seed < n; seed++) check_drawn(seed);
    return check_result();
}
