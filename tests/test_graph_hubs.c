/* test_graph_hubs.c - hubs, many labels, cliques: time proportional to the size, and limits that
 * hold
 *
 * A miner must not take quadratic time in the number of neighbours of a vertex or of labels, and
 * must stop at a limit. The bounds on time are generous, because the quadratic code took minutes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "graphs.h"

#define BUDGET ((uint64_t)1 << 30)

/* Mines with a limit of time and returns the processor time that it took: less where the machine is
 * busy. */
static double mine_limited(const graph_text *t, lode_graph_options o, double limit,
                           uint64_t *patterns) {
    lode_job *job = NULL;
    lode_job_options c = {.size = sizeof c, .threads = 2, .memory_bytes = BUDGET};
    if (lode_job_create(&job, NULL, &c) != LODE_OK) exit(2);
    lode_graphs *data = graph_data(job, t, false);
    lode_sink *sink = NULL;
    if (lode_sink_count(job, &sink) != LODE_OK) exit(2);
    o.limit_seconds = limit;
    clock_t start = clock();
    lode_status status = lode_graphs_mine(job, data, &o, sink);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK(status == LODE_OK || status == LODE_STOPPED || status == LODE_BUDGET);
    *patterns = lode_sink_patterns(sink);
    lode_sink_free(sink);
    lode_graphs_free(data);
    lode_job_free(job);
    return seconds;
}

static const char *const miners[] = {"graft", "gspan", "frontier"};

/* A vertex of a high degree, with edges all alike and all different. */
static void test_hub(void) {
    graph_text different = make_stars(60000, LABELS_DIFFER), alike = make_stars(120000, 0);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t n;
        lode_graph_options o = options_for(miners[i], LODE_TARGET_ALL);
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
        lode_graph_options o = options_for(miners[i], LODE_TARGET_ALL);
        o.max_edges = 1;
        CHECK(mine_limited(&t, o, 60, &n) < 5);
        CHECK_EQUAL(n, 200000);
    }
    free(t.text);
}

/* More patterns and occurrences than anybody can wait for: the limit must be seen everywhere. */
static void test_limits(void) {
    graph_text texts[] = {make_cliques(60), make_stars(60000, LABELS_ALIKE),
                          make_stars(20000, LABELS_DIFFER), make_paths(2, 3000, LABELS_ALIKE)};
    static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED};
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
    CHECK_RUN(test_hub);
    CHECK_RUN(test_many_labels);
    CHECK_RUN(test_limits);
    return check_result();
}
