/* test_graph_shared.c - jobs that share work and data: root ranges, and data prepared from the
 * graphs
 *
 * A pattern belongs to the class of its rarest edge, so the expected result of a range follows from
 * the whole result, pattern by pattern. And whatever earlier jobs have prepared, every job must
 * find the same patterns as it would alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "graphs.h"

static const char *const engines[] = {"graft", "gspan", "frontier"};

/* ---- ranges --------------------------------------------------------------------------------- */

#define MOST_TRIPLES 400

typedef struct triple {
    uint32_t a, label, b;
    uint64_t support;
} triple;

typedef struct ranked {
    triple list[MOST_TRIPLES];
    size_t n;
    bool directed;
    found *f; /* collects patterns, with their class in place of places */
} ranked;

static triple triple_of(const lode_graph *g, uint32_t e, bool directed) {
    uint32_t a = g->vertex_labels[g->from[e]], b = g->vertex_labels[g->to[e]];
    bool turn = !directed && a > b;
    return (triple){turn ? b : a, g->edge_labels[e], turn ? a : b, 0};
}

static int add_triple(void *user, const lode_graph_pattern *p) {
    ranked *r = user;
    if (!CHECK(r->n < MOST_TRIPLES)) return 1;
    r->list[r->n] = triple_of(p->graph, 0, r->directed);
    r->list[r->n++].support = p->support;
    return 0;
}

static int compare_triples(const void *x, const void *y) {
    const triple *a = x, *b = y;
    if (a->support != b->support) return a->support < b->support ? -1 : 1;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    if (a->label != b->label) return a->label < b->label ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

static size_t class_of(const ranked *r, const lode_graph *g) {
    size_t class = g->n_edges ? r->n : 0;
    for (uint32_t e = 0; e < g->n_edges; e++) {
        triple t = triple_of(g, e, r->directed);
        for (size_t k = 0; k < class; k++) {
            const triple *x = &r->list[k];
            if (x->a == t.a && x->label == t.label && x->b == t.b) class = k;
        }
    }
    return class;
}

static int find_class(void *user, const lode_graph_pattern *p) {
    ranked *r = user;
    int stop = find_pattern(r->f, p);
    if (!stop) r->f->list[r->f->n - 1].places = class_of(r, p->graph);
    return stop;
}

static void mine_into(lode_job *job, const lode_graphs *data, const lode_graph_options *o,
                      lode_graph_fn fn, void *user) {
    lode_sink *sink = NULL;
    if (lode_graph_sink_callback(job, &sink, fn, user) != LODE_OK) exit(2);
    if (!CHECK_EQUAL(lode_graphs_mine(job, data, o, sink), LODE_OK)) {
        fprintf(stderr, "%s\n", lode_job_error(job));
    }
    lode_sink_free(sink);
}

/* What is found in a range, sorted. */
static found find_range(lode_job *job, const lode_graphs *data, ranked *r,
                        const lode_graph_options *o) {
    found f = {.directed = r->directed};
    r->f = &f;
    mine_into(job, data, o, find_class, r);
    if (f.n > 1) qsort(f.list, f.n, sizeof *f.list, compare_found);
    return f;
}

static bool is_range(const found *part, const found *whole, size_t first, size_t end) {
    size_t at = 0;
    for (size_t i = 0; i < whole->n; i++) {
        const found_pattern *x = &whole->list[i];
        if (x->places < first || x->places >= end) continue;
        if (at == part->n || memcmp(x->form, part->list[at].form, sizeof x->form) != 0)
            return false;
        if (x->support != part->list[at++].support) return false;
    }
    return at == part->n;
}

static void check_cut(lode_job *job, const lode_graphs *data, ranked *r, lode_graph_options o,
                      rng *random) {
    found whole = find_range(job, data, r, &o);
    uint32_t at = 0;
    for (unsigned part = 0; part < 4; part++) {
        uint32_t end = part < 3 ? at + (uint32_t)rng_below(random, r->n + 1) : 0;
        if (part < 3 && end == 0) continue; /* 0 is the end of all */
        o.root_first = at;
        o.root_end = end;
        found some = find_range(job, data, r, &o);
        if (!CHECK(is_range(&some, &whole, at, end ? end : SIZE_MAX))) {
            fprintf(stderr, "  %s, target %d: %u to %u of %zu: %zu of %zu\n", o.algorithm,
                    (int)o.target, at, end, r->n, some.n, whole.n);
        }
        free(some.list);
        at = end;
    }
    free(whole.list);
}

static void test_ranges(void) {
    for (unsigned i = 0; i < 45; i++) {
        random_shape s = {15, 7, 9, 3, 2, i % GRAPH_KINDS, i % 3 == 1};
        rng random = rng_make(i, 3);
        graph_text t = random_graphs(i, &s);
        lode_job *job = graph_job(1 + i % 3);
        lode_graphs *data = graph_data(job, &t, s.directed);
        static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED,
                                              LODE_TARGET_MAXIMAL};
        lode_graph_options o = options_for("brute", LODE_TARGET_ALL);
        static ranked r;
        r = (ranked){.directed = s.directed};
        o.max_edges = 1;
        mine_into(job, data, &o, add_triple, &r);
        if (r.n > 1) qsort(r.list, r.n, sizeof *r.list, compare_triples);
        o = options_for(engines[i % 3], targets[i / 3 % 3]);
        o.vertices = i % 2;
        o.induced = i % 5 == 4;
        o.max_edges = o.target == LODE_TARGET_ALL ? 5 : 0;
        check_cut(job, data, &r, o, &random);
        lode_graphs_free(data);
        lode_job_free(job);
        free(t.text);
    }
}

static void test_refused(void) {
    graph_text t = make_cliques(3);
    lode_job *job = graph_job(1);
    lode_graphs *data = graph_data(job, &t, false);
    lode_sink *sink = NULL;
    lode_graph_options o = options_for("brute", LODE_TARGET_ALL);
    o.root_end = 1;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_graphs_mine(job, data, &o, sink), LODE_UNSUPPORTED);
    CHECK(strstr(lode_job_error(job), "brute does not search a range of roots") != NULL);
    CHECK(strstr(lode_job_error(job), "graft, frontier, gspan") != NULL);
    o = options_for("graft", LODE_TARGET_GENERATORS);
    CHECK_EQUAL(lode_graphs_mine(job, data, &o, sink), LODE_UNSUPPORTED);
    CHECK(strstr(lode_job_error(job), "targets are: top:K, all, closed, maximal") != NULL);
    o.algorithm = NULL;
    CHECK_EQUAL(lode_graphs_mine(job, data, &o, sink), LODE_UNSUPPORTED);
    CHECK(strstr(lode_job_error(job),
                 "target generators is available for itemsets, not for graphs") != NULL);
    o = options_for("graft", LODE_TARGET_TOP);
    o.min_support.numerator = 0;
    o.top_k = 3;
    o.root_first = 1;
    CHECK_EQUAL(lode_graphs_mine(job, data, &o, sink), LODE_INVALID);
    CHECK(strstr(lode_job_error(job), "root_first and root_end require a minimum support") != NULL);
    lode_sink_free(sink);
    lode_graphs_free(data);
    lode_job_free(job);
    free(t.text);
}

/* ---- what was prepared ---------------------------------------------------------------------- */

static found find_in(lode_job *job, const lode_graphs *data, const lode_graph_options *o) {
    found f = {.directed = graph_profile_of(data).directed};
    mine_into(job, data, o, find_pattern, &f);
    f.report = *lode_job_report(job);
    if (f.n > 1) qsort(f.list, f.n, sizeof *f.list, compare_found);
    return f;
}

/* Many labels, so that some are rare: a store that is deeper than needed is not the whole. */
static graph_text rare_labels(uint64_t seed) {
    random_shape s = {30, 8, 10, 7, 2, KIND_CLIQUE, false};
    return random_graphs(seed, &s);
}

/* Jobs with thresholds in any order find what each finds alone. */
static void test_thresholds(void) {
    static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL};
    unsigned n_reused = 0, n_built = 0;
    for (unsigned i = 0; i < 60; i++) {
        graph_text t = rare_labels(i / 10);
        static lode_job *job;
        static lode_graphs *data;
        rng r = rng_make(i, 9);
        if (i % 10 == 0) {
            job = graph_job(2);
            data = graph_data(job, &t, false);
        }
        lode_graph_options o = options_for(engines[rng_below(&r, 3)], targets[i % 3]);
        o.min_support.numerator = 2 + rng_below(&r, 8);
        o.induced = rng_below(&r, 4) == 0;
        o.max_edges = 6;
        found alone = find_all(&t, false, &o, 1), shared = find_in(job, data, &o);
        if (!CHECK(found_equal(&alone, &shared))) {
            fprintf(stderr, "  %s, support %u, target %d: %zu, expected %zu\n", o.algorithm,
                    (unsigned)o.min_support.numerator, (int)o.target, shared.n, alone.n);
        }
        CHECK_EQUAL(alone.report.engine.frequent_triples, shared.report.engine.frequent_triples);
        CHECK_TEXT(alone.report.engine.prepared, "built");
        n_reused += strcmp(shared.report.engine.prepared, "reused") == 0;
        n_built += strcmp(shared.report.engine.prepared, "built") == 0;
        free(alone.list);
        free(shared.list);
        free(t.text);
        if (i % 10 < 9) continue;
        lode_graphs_free(data);
        CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
        lode_job_free(job);
    }
    CHECK(n_reused >= 20 && n_built >= 8 && n_reused + n_built == 60);
}

static void test_prepare(void) {
    graph_text t = rare_labels(1);
    lode_job *job = graph_job(1);
    lode_graphs *data = graph_data(job, &t, false);
    lode_graph_options o = options_for("graft", LODE_TARGET_ALL);
    CHECK_EQUAL(lode_graphs_prepare(job, data, &o), LODE_OK);
    for (unsigned i = 0; i < 3; i++) {
        o.min_support.numerator = 2 + i;
        o.algorithm = engines[i];
        o.max_edges = 3;
        found f = find_in(job, data, &o);
        CHECK_TEXT(f.report.engine.prepared, "reused");
        free(f.list);
    }
    o.min_support.numerator = 0;
    CHECK_EQUAL(lode_graphs_prepare(job, data, &o), LODE_INVALID);
    CHECK_EQUAL(lode_graphs_prepare(job, NULL, &o), LODE_INVALID);
    o.min_support.numerator = 2;
    o.induced = true;
    lode_job_cancel(job);
    CHECK_EQUAL(lode_graphs_prepare(job, data, &o), LODE_CANCELLED);
    lode_job_reset(job);
    CHECK_EQUAL(lode_graphs_prepare(job, data, &o), LODE_OK);
    lode_graphs_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    free(t.text);
}

/* ---- several jobs at once ------------------------------------------------------------------- */

#define N_JOBS 4

typedef struct one_job {
    pthread_t thread;
    lode_ctx *ctx;
    const lode_graphs *data;
    lode_graph_options o;
    uint64_t n, hash;
} one_job;

/* Nothing is checked here: the counts of checks belong to the main thread. */
static void *run_job(void *arg) {
    one_job *j = arg;
    lode_job *job = NULL;
    lode_sink *sink = NULL;
    lode_job_options c = {.size = sizeof c, .threads = 2};
    if (lode_job_create(&job, j->ctx, &c) != LODE_OK) exit(2);
    if (lode_graph_sink_hash(job, &sink, j->data) != LODE_OK) exit(2);
    if (lode_graphs_mine(job, j->data, &j->o, sink) != LODE_OK) exit(2);
    j->n = lode_sink_patterns(sink);
    j->hash = lode_sink_hash_value(sink);
    lode_sink_free(sink);
    lode_job_free(job);
    return NULL;
}

static void test_at_once(void) {
    for (unsigned round = 0; round < 6; round++) {
        graph_text t = rare_labels(round);
        lode_job *job = graph_job(2);
        lode_graphs *data = graph_data(job, &t, false);
        one_job jobs[N_JOBS] = {0};
        for (unsigned i = 0; i < N_JOBS; i++) {
            one_job *j = &jobs[i];
            j->ctx = lode_job_ctx(job);
            j->data = data;
            j->o = options_for(engines[(round + i) % 3], LODE_TARGET_ALL);
            j->o.min_support.numerator = 2 + (round + 3 * i) % 4;
            j->o.max_edges = 4;
            CHECK_EQUAL(pthread_create(&j->thread, NULL, run_job, j), 0);
        }
        for (unsigned i = 0; i < N_JOBS; i++) {
            pthread_join(jobs[i].thread, NULL);
            lode_job *other = graph_job(1);
            one_job alone = {.ctx = lode_job_ctx(other), .o = jobs[i].o};
            lode_graphs *own = graph_data(other, &t, false);
            alone.data = own;
            run_job(&alone);
            CHECK(alone.n == jobs[i].n && alone.hash == jobs[i].hash && alone.n > 0);
            lode_graphs_free(own);
            lode_job_free(other);
        }
        lode_graphs_free(data);
        CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
        lode_job_free(job);
        free(t.text);
    }
}

int main(void) {
    CHECK_RUN(test_ranges);
    CHECK_RUN(test_refused);
    CHECK_RUN(test_thresholds);
    CHECK_RUN(test_prepare);
    CHECK_RUN(test_at_once);
    return check_result();
}
