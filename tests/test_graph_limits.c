/* test_graph_limits.c - graph mining that runs out of memory or time, or is cancelled: right, or a
 * clear failure
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs.h"
#include "jobs.h"

#include <time.h>

/* ---- memory that fails ---------------------------------------------------------------------- */

typedef struct failing {
    _Atomic uint64_t calls;
    uint64_t fail_at; /* 0 = never */
} failing;

static void *failing_resize(void *user, void *pointer, size_t old_bytes, size_t new_bytes,
                            size_t align) {
    failing *f = user;
    if (new_bytes == 0) {
        free(pointer);
        return NULL;
    }
    if (++f->calls == f->fail_at) return NULL;
    size_t rounded = (new_bytes + align - 1) / align * align;
    void *fresh = aligned_alloc(align, rounded);
    if (!fresh) return NULL;
    if (pointer) memcpy(fresh, pointer, old_bytes < new_bytes ? old_bytes : new_bytes);
    free(pointer);
    return fresh;
}

static graph_text small_data(void) {
    random_shape s = {
        .n_graphs = 12, .max_vertices = 7, .max_edges = 9, .vertex_labels = 2, .edge_labels = 2};
    return random_graphs(5, &s);
}

/* Reads, mines and writes everywhere; the status of the first failure. */
static lode_status run_all(lode_job *job, const graph_text *t, const lode_graph_options *o,
                           bool unsorted) {
    lode_graphs *data = NULL;
    lode_sink *sink = NULL, *drawn = NULL;
    lode_graph_write_options w = {
        .size = sizeof w, .format = LODE_GRAPH_WRITE_JSONL, .unsorted = unsorted};
    lode_status status = lode_graphs_parse(job, &data, t->text, t->n, "in", NULL);
    if (status == LODE_OK) status = lode_graph_sink_file(job, &sink, data, "build/limits.tmp", &w);
    if (status == LODE_OK) {
        status = lode_graph_sink_draw(job, &drawn, data, "build/limits.svg", 3, sink);
        if (status != LODE_OK) lode_sink_free(sink);
    }
    if (status == LODE_OK) status = lode_graphs_mine(job, data, o, drawn);
    if (status == LODE_OK) status = lode_sink_finish(drawn, false);
    lode_sink_free(drawn);
    sink = NULL;
    if (status == LODE_OK) status = lode_graph_sink_hash(job, &sink, data);
    if (status == LODE_OK) status = lode_graphs_mine(job, data, o, sink);
    lode_sink_free(sink);
    lode_graphs_free(data);
    return status;
}

static void test_failing_memory(void) {
    static const char *const names[] = {"graft", "gspan", "brute", "frontier", "pgm"};
    graph_text t = small_data();
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        bool unsorted = k == 1 || k == 2;
        bool adapts = k != 2; /* holds less back, frees what was prepared, or tries with less */
        lode_graph_options o = {.size = sizeof o,
                                .algorithm = names[k],
                                .embeddings = true,
                                .supporters = true,
                                .vertices = true,
                                .induced = k == 1};
        o.min_support.numerator = 3;
        o.target = k == 0 ? LODE_TARGET_TOP : LODE_TARGET_CLOSED;
        o.top_k = 5;
        bool done = false;
        for (uint64_t at = 1; !done && at < 100000; at += at < 100 ? 1 : at / 16) {
            failing f = {.fail_at = at + 2}; /* the job and the job come first */
            lode_job *job = NULL;
            lode_job_options c = {.size = sizeof c, .threads = 2};
            if (!CHECK(job_with_memory(&job, &c, failing_resize, &f) == LODE_OK)) break;
            lode_status status = run_all(job, &t, &o, unsorted);
            done = status == LODE_OK && f.calls < f.fail_at;
            CHECK(status == LODE_NOMEM || done || (adapts && status == LODE_OK));
            if (status != LODE_OK) CHECK(lode_job_error(job)[0] != 0);
            CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
            lode_job_free(job);
        }
        CHECK(done);
    }
    free(t.text);
}

/* ---- budgets -------------------------------------------------------------------------------- */

static void check_budget(const char *algorithm) {
    graph_text t = small_data();
    lode_graph_options o = {.size = sizeof o, .algorithm = algorithm};
    o.min_support.numerator = 2;
    bool refused = false, done = false;
    for (uint64_t kib = 40; kib < 8192; kib += kib / 4) {
        lode_job *job = NULL;
        lode_job_options c = {.size = sizeof c, .threads = 2, .memory_bytes = kib << 10};
        CHECK(lode_job_create(&job, NULL, &c) == LODE_OK);
        lode_status status = run_all(job, &t, &o, false);
        CHECK(status == LODE_OK || status == LODE_BUDGET);
        if (status == LODE_BUDGET)
            CHECK(strstr(lode_job_error(job), " MiB, more if the result is large (--memory ") !=
                  NULL);
        CHECK(lode_ctx_memory_peak(lode_job_ctx(job)) <= kib << 10);
        CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
        refused |= status == LODE_BUDGET;
        done |= status == LODE_OK;
        lode_job_free(job);
    }
    CHECK(refused && done);
    free(t.text);
}

static void test_budget(void) {
    check_budget("auto");
    check_budget("frontier");
    check_budget("pgm");
}

/* ---- stopping ------------------------------------------------------------------------------- */

typedef struct stopper {
    lode_job *job;
    uint64_t n, cancel_at, stop_at;
} stopper;

static int count_and_stop(void *user, const lode_graph_pattern *p) {
    stopper *s = user;
    CHECK(p->support > 0);
    if (++s->n == s->cancel_at) lode_job_cancel(s->job);
    return s->n == s->stop_at;
}

static lode_status run_stopper(stopper *s, const lode_graph_options *o, lode_report *report) {
    random_shape shape = {
        .n_graphs = 30, .max_vertices = 12, .max_edges = 20, .vertex_labels = 2, .edge_labels = 1};
    graph_text t = random_graphs(9, &shape);
    lode_sink *sink = NULL;
    s->job = graph_job(3);
    lode_graphs *data = graph_data(s->job, &t, false);
    CHECK(lode_graph_sink_callback(s->job, &sink, count_and_stop, s) == LODE_OK);
    lode_status status = lode_graphs_mine(s->job, data, o, sink);
    *report = *lode_job_report(s->job);
    lode_sink_free(sink);
    lode_graphs_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(s->job)), 0);
    lode_job_free(s->job);
    free(t.text);
    return status;
}

static void test_stop(void) {
    static const char *const names[] = {"graft", "gspan", "frontier", "pgm"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        lode_graph_options o = {.size = sizeof o, .algorithm = names[k]};
        lode_report r;
        o.min_support.numerator = 4;
        stopper all = {.n = 0};
        CHECK(run_stopper(&all, &o, &r) == LODE_OK);
        CHECK_EQUAL(r.result.patterns, all.n);
        CHECK(all.n > 100);

        stopper cancelled = {.cancel_at = 20};
        CHECK(run_stopper(&cancelled, &o, &r) == LODE_CANCELLED);
        CHECK(cancelled.n >= 20 && cancelled.n < all.n);

        stopper stopped = {.stop_at = 20};
        CHECK(run_stopper(&stopped, &o, &r) == LODE_STOPPED);
        CHECK(stopped.n >= 20 && stopped.n < all.n);

        o.limit_patterns = 37;
        stopper limited = {.n = 0};
        CHECK(run_stopper(&limited, &o, &r) == LODE_STOPPED);
        CHECK_EQUAL(limited.n, 37);
        CHECK_TEXT(r.engine.stopped_by, "limit-patterns");

        o.limit_patterns = 0;
        o.limit_seconds = 1e-9;
        stopper late = {.n = 0};
        CHECK(run_stopper(&late, &o, &r) == LODE_STOPPED);
        CHECK_TEXT(r.engine.stopped_by, "limit-time");
    }
}

/* ---- traps ---------------------------------------------------------------------------------- */

/* Patterns that a well-known miner misses: a triangle with pendant edges at two corners, and a ring
 * of six with one more vertex attached. */
static void test_traps(void) {
    static const char *const texts[] = {
        "t # 0\nv 0 a\nv 1 a\nv 2 b\nv 3 a\nv 4 b\ne 0 1 x\ne 1 2 x\ne 2 0 x\ne 0 3 x\ne 1 4 x\n"
        "t # 1\nv 0 b\nv 1 a\nv 2 a\nv 3 b\nv 4 a\ne 2 1 x\ne 0 2 x\ne 1 0 x\ne 2 3 x\ne 1 4 x\n",
        "t # 0\nv 0 C\nv 1 C\nv 2 C\nv 3 N\nv 4 C\nv 5 N\nv 6 N\ne 0 1 4\ne 1 2 4\ne 2 3 4\n"
        "e 3 4 4\ne 4 5 4\ne 5 0 4\ne 0 6 4\nt # 1\nv 6 C\nv 5 C\nv 4 C\nv 3 N\nv 2 C\nv 1 N\n"
        "v 0 N\ne 6 5 4\ne 5 4 4\ne 4 3 4\ne 3 2 4\ne 2 1 4\ne 1 6 4\ne 6 0 4\n",
    };
    static const char *const names[] = {"graft", "gspan", "frontier", "pgm"};
    for (size_t i = 0; i < 2; i++) {
        graph_text t = {.text = (char *)(uintptr_t)texts[i], .n = strlen(texts[i])};
        lode_graph_options o = {.size = sizeof o, .algorithm = "brute"};
        o.min_support.numerator = 2;
        found want = find_all(&t, false, &o, 1);
        uint32_t most = 0;
        for (size_t k = 0; k < want.n; k++) {
            form_graph g;
            form_read(want.list[k].form, &g);
            uint32_t edges = form_count_edges(&g, false);
            if (edges > most) most = edges;
        }
        CHECK_EQUAL(most, i == 0 ? 5 : 7);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            o.algorithm = names[k];
            found got = find_all(&t, false, &o, 1);
            CHECK(found_equal(&want, &got));
            free(got.list);
        }
        free(want.list);
    }
}

/* The checker against the miner: every support, ordinary and induced, both directions. */
typedef struct checked {
    lode_job *job;
    const lode_graphs *data;
    bool induced;
    uint64_t n;
} checked;

static int check_support(void *user, const lode_graph_pattern *p) {
    checked *c = user;
    uint64_t support = 0;
    CHECK(lode_graphs_support(c->job, c->data, c->data, p->graph, c->induced, &support) == LODE_OK);
    CHECK_EQUAL(support, p->support);
    c->n++;
    return 0;
}

static void test_checker(void) {
    for (unsigned k = 0; k < 4; k++) {
        random_shape s = {.n_graphs = 15,
                          .max_vertices = 8,
                          .max_edges = 10,
                          .vertex_labels = 2,
                          .edge_labels = 2,
                          .directed = k & 1};
        graph_text t = random_graphs(20 + k, &s);
        lode_job *mining = graph_job(1), *checking = graph_job(1);
        lode_graphs *data = graph_data(mining, &t, s.directed);
        lode_sink *sink = NULL;
        checked c = {.job = checking, .data = data, .induced = k & 2};
        lode_graph_options o = {.size = sizeof o, .induced = c.induced, .vertices = true};
        o.min_support.numerator = 2;
        CHECK(lode_graph_sink_callback(mining, &sink, check_support, &c) == LODE_OK);
        CHECK(lode_graphs_mine(mining, data, &o, sink) == LODE_OK);
        CHECK(c.n > 5);
        lode_sink_free(sink);
        lode_graphs_free(data);
        lode_job_free(mining);
        lode_job_free(checking);
        free(t.text);
    }
}

int main(void) {
    CHECK_RUN(test_failing_memory);
    CHECK_RUN(test_budget);
    CHECK_RUN(test_stop);
    CHECK_RUN(test_traps);
    CHECK_RUN(test_checker);
    remove("build/limits.tmp");
    return check_result();
}
