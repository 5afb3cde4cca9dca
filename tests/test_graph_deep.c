/* test_graph_deep.c - patterns of thousands of edges on small stacks; hubs, many labels, cliques
 *
 * What a miner does for each edge of a pattern, or for each neighbour of a vertex, must neither
 * need the stack nor the square of the time, and must end when a limit says so.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "base/os.h"
#include "graphs.h"

#define SMALL_STACK ((size_t)192 << 10)
#define DEEP        2000

/* ---- data ----------------------------------------------------------------------------------- */

enum { LABELS_ALIKE, LABELS_DIFFER };

/* `n_graphs` equal paths. */
static graph_text make_paths(unsigned n_graphs, unsigned n_edges, int labels) {
    graph_text t = {0};
    for (unsigned i = 0; i < n_graphs; i++) {
        text_add(&t, "t # %u\n", i, 0, 0);
        for (unsigned v = 0; v <= n_edges; v++) text_add(&t, "v %u %u\n", v, labels ? v : 0, 0);
        for (unsigned v = 0; v < n_edges; v++) text_add(&t, "e %u %u 0\n", v, v + 1, 0);
    }
    return t;
}

/* Two equal stars, the leaves listed from the last to the first. */
static graph_text make_stars(unsigned n_leaves, int labels) {
    graph_text t = {0};
    for (unsigned i = 0; i < 2; i++) {
        text_add(&t, "t # %u\nv 0 0\n", i, 0, 0);
        for (unsigned v = 1; v <= n_leaves; v++) text_add(&t, "v %u %u\n", v, labels ? v : 1, 0);
        for (unsigned v = n_leaves; v > 0; v--) text_add(&t, "e 0 %u 0\n", v, 0, 0);
    }
    return t;
}

static graph_text make_cliques(unsigned n) {
    graph_text t = {0};
    for (unsigned i = 0; i < 2; i++) {
        text_add(&t, "t # %u\n", i, 0, 0);
        for (unsigned v = 0; v < n; v++) text_add(&t, "v %u 0\n", v, 0, 0);
        for (unsigned u = 0; u < n; u++) {
            for (unsigned v = u + 1; v < n; v++) text_add(&t, "e %u %u 0\n", u, v, 0);
        }
    }
    return t;
}

/* ---- small stacks --------------------------------------------------------------------------- */

typedef struct deep_run {
    const graph_text *text;
    lode_graph_options options;
    unsigned threads;
    lode_status status;
    uint64_t patterns;
    uint32_t largest;
    uint64_t support; /* of the whole graph, by the checker */
} deep_run;

/* Stops the search at the first pattern. */
static int take_first(void *user, const lode_graph_pattern *p) {
    deep_run *r = user;
    r->patterns++;
    r->largest = p->graph.n_edges;
    return 1;
}

static void *mine_first(void *arg) {
    deep_run *r = arg;
    lode_ctx *ctx = graph_ctx(r->threads);
    lode_graphs *data = graph_data(ctx, r->text, false);
    lode_graph_sink *sink = NULL;
    if (lode_graph_sink_callback(ctx, &sink, take_first, r) != LODE_OK) exit(2);
    r->status = lode_graphs_mine(ctx, data, &r->options, sink, NULL);
    lode_graph_sink_free(sink);
    lode_graphs_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(ctx), 0);
    lode_ctx_free(ctx);
    return NULL;
}

static void *mine_deep(void *arg) {
    deep_run *r = arg;
    lode_ctx *ctx = graph_ctx(r->threads);
    lode_graphs *data = graph_data(ctx, r->text, false);
    lode_graph_sink *sink = NULL;
    if (lode_graph_sink_hash(ctx, &sink, data) != LODE_OK) exit(2);
    r->status = lode_graphs_mine(ctx, data, &r->options, sink, NULL);
    r->patterns = lode_graph_sink_patterns(sink);
    r->largest = lode_graph_sink_largest(sink);
    lode_graph_sink_free(sink);
    lode_graphs_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(ctx), 0);
    lode_ctx_free(ctx);
    return NULL;
}

static void *verify_deep(void *arg) {
    deep_run *r = arg;
    lode_ctx *ctx = graph_ctx(1);
    lode_graphs *data = graph_data(ctx, r->text, false);
    lode_graph whole = lode_graphs_at(data, 0);
    r->status = lode_graphs_support(ctx, data, data, &whole, true, &r->support);
    lode_graphs_free(data);
    lode_ctx_free(ctx);
    return NULL;
}

static void on_small_stack(void *(*function)(void *), deep_run *r) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, SMALL_STACK);
    if (pthread_create(&thread, &attributes, function, r) != 0) exit(2);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

static lode_graph_options options_for(const char *engine, lode_graph_target target) {
    lode_graph_options o = {.size = sizeof o, .algorithm = engine, .target = target};
    o.min_support.numerator = 2;
    return o;
}

/* The search goes down first: the first pattern that is closed, or maximal, is the whole path. */
static void test_deep_search(void) {
    static const lode_graph_target targets[] = {LODE_GRAPH_CLOSED, LODE_GRAPH_MAXIMAL};
    static const char *const engines[] = {"graft", "gspan"};
    graph_text t = make_paths(2, DEEP, LABELS_DIFFER);
    for (unsigned i = 0; i < 4; i++) {
        deep_run r = {.text = &t, .options = options_for(engines[i / 2], targets[i % 2])};
        r.threads = 1;
        on_small_stack(mine_first, &r);
        CHECK_EQUAL(r.status, LODE_STOPPED);
        CHECK_EQUAL(r.patterns, 1);
        CHECK_EQUAL(r.largest, DEEP);
    }
    free(t.text);
}

/* The same for all patterns, and one by one as on a GPU. */
static void test_deep_all(void) {
    static const struct {
        const char *engine;
        unsigned n_edges;
    } rows[] = {{"graft", DEEP}, {"gspan", DEEP}, {"pgm", 600}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        graph_text t = make_paths(2, rows[i].n_edges, LABELS_DIFFER);
        deep_run r = {.text = &t, .options = options_for(rows[i].engine, LODE_GRAPH_ALL)};
        r.threads = 1;
        r.options.limit_patterns = 10;
        r.options.min_edges = rows[i].n_edges - 5;
        on_small_stack(mine_deep, &r);
        CHECK_EQUAL(r.status, LODE_STOPPED);
        CHECK_EQUAL(r.patterns, 10);
        CHECK_EQUAL(r.largest, rows[i].n_edges);
        free(t.text);
    }
}

/* A path that looks the same from everywhere: as many beginnings of a code as there are edges. */
static void test_alike(void) {
    graph_text t = make_paths(2, 200, LABELS_ALIKE);
    static const char *const engines[] = {"graft", "gspan", "frontier"};
    for (unsigned i = 0; i < sizeof engines / sizeof *engines; i++) {
        deep_run r = {.text = &t, .options = options_for(engines[i], LODE_GRAPH_ALL)};
        r.threads = 2;
        on_small_stack(mine_deep, &r);
        CHECK_EQUAL(r.status, LODE_OK);
        CHECK_EQUAL(r.patterns, 200);
        CHECK_EQUAL(r.largest, 200);
    }
    free(t.text);
}

static void test_deep_checker(void) {
    graph_text t = make_paths(3, DEEP, LABELS_ALIKE);
    deep_run r = {.text = &t};
    double start = os_seconds();
    on_small_stack(verify_deep, &r);
    CHECK_EQUAL(r.status, LODE_OK);
    CHECK_EQUAL(r.support, 3);
    CHECK(os_seconds() - start < 10);
    free(t.text);
}

/* ---- time ----------------------------------------------------------------------------------- */

#define BUDGET ((uint64_t)1 << 30)

/* Mines with a limit of time and returns how long it took. */
static double mine_limited(const graph_text *t, lode_graph_options o, double limit,
                           uint64_t *patterns) {
    lode_ctx *ctx = NULL;
    lode_ctx_options c = {.size = sizeof c, .threads = 2, .memory_bytes = BUDGET};
    if (lode_ctx_create(&ctx, &c) != LODE_OK) exit(2);
    lode_graphs *data = graph_data(ctx, t, false);
    lode_graph_sink *sink = NULL;
    if (lode_graph_sink_count(ctx, &sink) != LODE_OK) exit(2);
    o.limit_seconds = limit;
    double start = os_seconds();
    lode_status status = lode_graphs_mine(ctx, data, &o, sink, NULL);
    double seconds = os_seconds() - start;
    CHECK(status == LODE_OK || status == LODE_STOPPED || status == LODE_BUDGET);
    *patterns = lode_graph_sink_patterns(sink);
    lode_graph_sink_free(sink);
    lode_graphs_free(data);
    lode_ctx_free(ctx);
    return seconds;
}

static const char *const miners[] = {"graft", "gspan", "frontier"};

/* A vertex of a high degree, with edges all alike and all different. */
static void test_hub(void) {
    graph_text different = make_stars(60000, LABELS_DIFFER), alike = make_stars(120000, 0);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t n;
        lode_graph_options o = options_for(miners[i], LODE_GRAPH_ALL);
        o.max_edges = 1;
        CHECK(mine_limited(&different, o, 60, &n) < 5);
        CHECK_EQUAL(n, 60000);
        CHECK(mine_limited(&alike, o, 60, &n) < 5);
        CHECK_EQUAL(n, 1);
    }
    free(different.text);
    free(alike.text);
}

static void test_many_labels(void) {
    graph_text t = make_paths(2, 200000, LABELS_DIFFER);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t n;
        lode_graph_options o = options_for(miners[i], LODE_GRAPH_ALL);
        o.max_edges = 1;
        CHECK(mine_limited(&t, o, 60, &n) < 5);
        CHECK_EQUAL(n, 200000);
    }
    free(t.text);
}

/* More patterns and occurrences than anybody can wait for: the limit must be seen everywhere. */
static void test_limits(void) {
    graph_text texts[] = {make_cliques(60), make_stars(60000, LABELS_ALIKE),
                          make_stars(20000, LABELS_DIFFER), make_paths(2, DEEP, LABELS_ALIKE)};
    static const lode_graph_target targets[] = {LODE_GRAPH_ALL, LODE_GRAPH_CLOSED};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (unsigned k = 0; k < 6; k++) {
            uint64_t n;
            lode_graph_options o = options_for(miners[k / 2], targets[k % 2]);
            o.induced = i == 3 && k % 2;
            double seconds = mine_limited(&texts[i], o, 0.1, &n);
            CHECK(seconds < 2);
            if (seconds >= 2)
                printf("data %u, %s, target %u: %.1f s\n", i, miners[k / 2], k % 2, seconds);
        }
        free(texts[i].text);
    }
}

int main(void) {
    CHECK_RUN(test_deep_search);
    CHECK_RUN(test_deep_all);
    CHECK_RUN(test_alike);
    CHECK_RUN(test_deep_checker);
    CHECK_RUN(test_hub);
    CHECK_RUN(test_many_labels);
    CHECK_RUN(test_limits);
    return check_result();
}
