/* test_watch.c - watching a job: totals of sinks from other threads and from callbacks, and the log
 *
 * The thread sanitizer would report races. If a lock were taken twice, the test would never end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "check.h"
#include "lode.h"

typedef struct watched {
    lode_sink *sink;
    lode_sink *graph_sink;
    _Atomic bool done;
    uint64_t looks, falls, sum;
} watched;

static void *watch(void *user) {
    watched *w = user;
    uint64_t before = 0;
    do {
        uint64_t now = lode_sink_patterns(w->sink) + lode_sink_patterns(w->graph_sink);
        w->falls += now < before;
        before = now;
        uint32_t largest = lode_sink_largest(w->sink);
        w->sum += lode_sink_patterns_of_size(w->sink, largest) + lode_sink_bytes(w->sink) +
                  lode_sink_hash_value(w->sink);
        largest = lode_sink_largest(w->graph_sink);
        w->sum += lode_sink_patterns_of_size(w->graph_sink, largest) +
                  lode_sink_hash_value(w->graph_sink);
        w->looks++;
    } while (!atomic_load(&w->done));
    return NULL;
}

static void count_info(void *user, lode_log_level level, const char *message) {
    unsigned *n = user;
    CHECK_EQUAL(level, LODE_LOG_DEBUG);
    CHECK(strstr(message, "algorithm ") == message && !strchr(message, '\n'));
    ++*n;
}

static lode_job *context(unsigned *infos) {
    lode_job_options options = {.size = sizeof options,
                                .threads = 4,
                                .device = "cpu",
                                .log = count_info,
                                .log_user = infos};
    lode_job *job = NULL;
    if (lode_job_create(&job, NULL, &options) != LODE_OK) exit(2);
    return job;
}

static lode_dataset *baskets(lode_job *job) {
    static char text[400 * 40];
    lode_dataset *data = NULL;
    size_t n = 0;
    for (unsigned t = 0; t < 400; t++) {
        for (unsigned i = 1; i <= 10; i++) {
            if (t % (i + 1)) n += (size_t)snprintf(text + n, sizeof text - n, "%u ", i);
        }
        text[n++] = '\n';
    }
    if (lode_dataset_parse(job, &data, text, n, "text", NULL) != LODE_OK) exit(2);
    return data;
}

/* The callback asks for the figures of its own sink. */
static int ask(void *user, const lode_batch *batch) {
    lode_sink **sink = user;
    (void)batch;
    return lode_sink_patterns(*sink) == UINT64_MAX || lode_sink_largest(*sink) == UINT32_MAX ||
           lode_sink_patterns_of_size(*sink, 1) == UINT64_MAX;
}

static void run_watched(lode_job *job, const lode_dataset *data, lode_sink *sink) {
    watched w = {.sink = sink};
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, &w) != 0) exit(2);
    for (int i = 0; i < 20; i++) {
        lode_mine_options o = {.size = sizeof o, .min_support = {20, 0}};
        o.algorithm = i % 2 ? "adaptive" : "frontier";
        CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
    }
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    atomic_store(&w.done, true);
    pthread_join(thread, NULL);
    CHECK(w.looks > 0 && w.falls == 0);
    CHECK(lode_sink_patterns(sink) % 20 == 0 && lode_sink_patterns(sink) > 2000);
    lode_sink_free(sink);
}

static void itemsets(void) {
    unsigned infos = 0;
    lode_job *job = context(&infos);
    lode_dataset *data = baskets(job);
    lode_write_options sorted = {.size = sizeof sorted, .sort = true};
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    run_watched(job, data, sink);
    CHECK_EQUAL(infos, 20);
    CHECK_EQUAL(lode_sink_hash(job, &sink, data), LODE_OK);
    run_watched(job, data, sink);
    CHECK_EQUAL(lode_sink_file(job, &sink, data, "/dev/null", NULL), LODE_OK);
    run_watched(job, data, sink);
    CHECK_EQUAL(lode_sink_file(job, &sink, data, "/dev/null", &sorted), LODE_OK);
    run_watched(job, data, sink);
    CHECK_EQUAL(lode_sink_callback(job, &sink, ask, &sink), LODE_OK);
    run_watched(job, data, sink);
    lode_dataset_free(data);
    lode_job_free(job);
}

static int ask_graphs(void *user, const lode_graph_pattern *pattern) {
    lode_sink **sink = user;
    (void)pattern;
    return lode_sink_patterns(*sink) == UINT64_MAX ||
           lode_sink_patterns_of_size(*sink, lode_sink_largest(*sink)) == UINT64_MAX;
}

static void run_graphs(lode_job *job, const lode_graphs *data, lode_sink *sink) {
    watched w = {.graph_sink = sink};
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, &w) != 0) exit(2);
    for (int i = 0; i < 20; i++) {
        lode_graph_options o = {.size = sizeof o, .min_support = {2, 0}};
        CHECK_EQUAL(lode_graphs_mine(job, data, &o, sink), LODE_OK);
    }
    atomic_store(&w.done, true);
    pthread_join(thread, NULL);
    CHECK(w.looks > 0 && w.falls == 0);
    CHECK(lode_sink_patterns(sink) > 40);
    lode_sink_free(sink);
}

static void graphs(void) {
    static const char text[] = "t # 1\nv 0 C\nv 1 O\nv 2 C\nv 3 N\ne 0 1 x\ne 1 2 x\ne 2 3 y\n"
                               "t # 2\nv 0 C\nv 1 O\nv 2 C\nv 3 N\ne 0 1 x\ne 1 2 x\ne 2 3 y\n";
    unsigned infos = 0;
    lode_job *job = context(&infos);
    lode_graphs *data = NULL;
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_graphs_parse(job, &data, text, sizeof text - 1, "text", NULL), LODE_OK);
    CHECK_EQUAL(lode_graph_sink_hash(job, &sink, data), LODE_OK);
    run_graphs(job, data, sink);
    CHECK_EQUAL(lode_graph_sink_callback(job, &sink, ask_graphs, &sink), LODE_OK);
    run_graphs(job, data, sink);
    CHECK_EQUAL(infos, 40);
    lode_graphs_free(data);
    lode_job_free(job);
}

int main(void) {
    CHECK_RUN(itemsets);
    CHECK_RUN(graphs);
    return check_result();
}
