/* test_graph_deep.c - patterns of thousands of edges on small stacks
 *
 * Miners, the checker and sinks must not use stack space for each edge of a pattern.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "graphs.h"

#define SMALL_STACK ((size_t)192 << 10)
#define DEEP        1500

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
    r->largest = p->graph->n_edges;
    return 1;
}

static void *mine_first(void *arg) {
    deep_run *r = arg;
    lode_job *job = graph_job(r->threads);
    lode_graphs *data = graph_data(job, r->text, false);
    lode_sink *sink = NULL;
    if (lode_graph_sink_callback(job, &sink, take_first, r) != LODE_OK) exit(2);
    r->status = lode_graphs_mine(job, data, &r->options, sink);
    lode_sink_free(sink);
    lode_graphs_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    return NULL;
}

static void *mine_deep(void *arg) {
    deep_run *r = arg;
    lode_job *job = graph_job(r->threads);
    lode_graphs *data = graph_data(job, r->text, false);
    lode_sink *sink = NULL;
    if (lode_graph_sink_hash(job, &sink, data) != LODE_OK) exit(2);
    r->status = lode_graphs_mine(job, data, &r->options, sink);
    r->patterns = lode_sink_patterns(sink);
    r->largest = lode_sink_largest(sink);
    lode_sink_free(sink);
    lode_graphs_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    return NULL;
}

static void *verify_deep(void *arg) {
    deep_run *r = arg;
    lode_job *job = graph_job(1);
    lode_graphs *data = graph_data(job, r->text, false);
    lode_graph whole = graph_at(data, 0);
    r->status = lode_graphs_support(job, data, data, &whole, true, &r->support);
    lode_graphs_free(data);
    lode_job_free(job);
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

/* The search goes down first: the first pattern that is closed, or maximal, is the whole path. */
static void test_deep_search(void) {
    static const lode_target targets[] = {LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL};
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
    } rows[] = {{"graft", DEEP}, {"gspan", DEEP}, {"pgm", BY_BUILD(600, 300, 300)}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        graph_text t = make_paths(2, rows[i].n_edges, LABELS_DIFFER);
        deep_run r = {.text = &t, .options = options_for(rows[i].engine, LODE_TARGET_ALL)};
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
    graph_text t = make_paths(2, 100, LABELS_ALIKE);
    static const char *const engines[] = {"graft", "gspan", "frontier"};
    for (unsigned i = 0; i < sizeof engines / sizeof *engines; i++) {
        deep_run r = {.text = &t, .options = options_for(engines[i], LODE_TARGET_ALL)};
        r.threads = 2;
        on_small_stack(mine_deep, &r);
        CHECK_EQUAL(r.status, LODE_OK);
        CHECK_EQUAL(r.patterns, 100);
        CHECK_EQUAL(r.largest, 100);
    }
    free(t.text);
}

static void test_deep_checker(void) {
    graph_text t = make_paths(3, DEEP, LABELS_ALIKE);
    deep_run r = {.text = &t};
    on_small_stack(verify_deep, &r);
    CHECK_EQUAL(r.status, LODE_OK);
    CHECK_EQUAL(r.support, 3);
    free(t.text);
}

int main(void) {
    CHECK_RUN(test_deep_search);
    CHECK_RUN(test_deep_all);
    CHECK_RUN(test_alike);
    CHECK_RUN(test_deep_checker);
    return check_result();
}
