/* test_frontier_live.c - what may change while a job runs: the threshold, or the user cancels
 *
 * Top K and a threshold raised by hand, progress and cancelling, and data sets with weights.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <time.h>

#include "mining.h"
#include "reports.h"
#include "runtime/job.h"

/* ---- top K --------------------------------------------------------------------------------- */

static int compare_down(const void *x, const void *y) {
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a > b ? -1 : a < b;
}

/* The K-th highest support; 1 if there are fewer patterns. */
static uint64_t kth_support(const lode_result *r, uint64_t k) {
    if (k > r->n) return 1;
    uint64_t *sorted = malloc((size_t)r->n * sizeof *sorted);
    if (!sorted) exit(2);
    memcpy(sorted, r->supports, (size_t)r->n * sizeof *sorted);
    qsort(sorted, (size_t)r->n, sizeof *sorted, compare_down);
    uint64_t support = sorted[k - 1];
    free(sorted);
    return support;
}

static void check_top(const table *t, const mined *all, lode_mine_options o, const char *device) {
    uint32_t most = o.max_size ? o.max_size : UINT32_MAX;
    o.target = LODE_TARGET_TOP;
    mined top = mine_table(t, &o, device);
    uint64_t lowest = kth_support(&all->result, o.top_k);
    CHECK_EQUAL(top.status, LODE_OK);
    CHECK(result_within(&top.result, &all->result));
    CHECK_EQUAL(top.result.n, result_count(&all->result, lowest, o.min_size, most));
    CHECK_EQUAL(top.report->result.patterns, top.result.n);
    CHECK(top.report->engine.final_min_count >= top.report->engine.min_count);
    CHECK(top.report->engine.final_min_count <= lowest || o.top_k > all->result.n);
    mined_free(&top);
}

static void test_top(void) {
    static const uint64_t ks[] = {1, 2, 5, 100, 1000, 1000000};
    static const char *const devices[] = {"cpu*1", "cpu*3"};
    for (uint64_t seed = 0; seed < 4; seed++) {
        table t = table_random(seed + 400, 150, 14, 30, 80);
        mined all = mine_brute(&t, 12);
        CHECK(all.result.n > 500 && all.result.n < 1000000);
        for (size_t i = 0; i < 2 * sizeof ks / sizeof *ks; i++) {
            lode_mine_options o = mining_options(seed % 2 ? "frontier" : "brute", 12);
            o.top_k = ks[i / 2];
            o.epsilon = i % 3 == 0 ? 1 : 0;
            check_top(&t, &all, o, devices[i % 2]);
        }
        mined_free(&all);
        table_free(&t);
    }
}

/* Every K, where supports lie close together. */
static void test_top_every_k(void) {
    table t = table_random(405, 40, 9, 35, 75);
    mined all = mine_brute(&t, 2);
    CHECK(all.result.n > 200);
    for (uint64_t k = 1; k <= all.result.n + 1; k++) {
        lode_mine_options o = mining_options(k % 2 ? "frontier" : "brute", 2);
        o.top_k = k;
        check_top(&t, &all, o, k % 3 ? "cpu*1" : "cpu*2");
    }
    mined_free(&all);
    table_free(&t);
}

/* The K best among those of the sizes asked for, not those that remain of the K best. */
static void test_top_of_sizes(void) {
    table t = table_random(410, 150, 12, 30, 80);
    lode_mine_options o = mining_options("brute", 12);
    o.min_size = 2;
    o.max_size = 4;
    mined all = mine_table(&t, &o, "cpu*1");
    o.algorithm = "frontier";
    for (o.top_k = 1; o.top_k < 400; o.top_k *= 7) check_top(&t, &all, o, "cpu*2");
    mined_free(&all);
    table_free(&t);
}

/* ---- a threshold raised by hand ------------------------------------------------------------ */

typedef struct raiser {
    lode_job *job;
    table patterns;
    uint64_t *supports;
    size_t cap;
    uint64_t raise_to, every, seen;
} raiser;

/* Keeps every pattern, and from time to time raises the threshold. */
static int raise_and_keep(void *user, const lode_batch *batch) {
    raiser *r = user;
    uint32_t pattern[64];
    CHECK(batch->n_perfect == 0 && batch->n_prefix < 63);
    if (batch->n_prefix) memcpy(pattern, batch->prefix, batch->n_prefix * sizeof *pattern);
    for (uint32_t i = 0; i < batch->n; i++) {
        pattern[batch->n_prefix] = batch->items[i];
        r->supports =
            mining_grow(r->supports, &r->cap, (size_t)r->patterns.n + 1, sizeof *r->supports);
        r->supports[r->patterns.n] = batch->supports[i];
        table_add(&r->patterns, pattern, (size_t)batch->n_prefix + 1);
        if (++r->seen % r->every == 0) {
            job_raise_threshold(r->job, ++r->raise_to);
            job_raise_threshold(r->job, 1); /* lower: ignored */
        }
    }
    return 0;
}

static int compare_items(const void *x, const void *y) {
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return a < b ? -1 : a > b;
}

static void check_raised(const raiser *r, const mined *all, uint64_t final) {
    uint64_t above = 0;
    for (uint64_t i = 0; i < r->patterns.n; i++) {
        size_t n = (size_t)(r->patterns.offsets[i + 1] - r->patterns.offsets[i]);
        uint32_t *items = r->patterns.items + r->patterns.offsets[i];
        qsort(items, n, sizeof *items, compare_items);
        CHECK_EQUAL(result_find(&all->result, items, n), r->supports[i]);
        above += r->supports[i] >= final;
    }
    CHECK_EQUAL(above, result_count(&all->result, final, 1, UINT32_MAX)); /* none lost */
    CHECK(r->patterns.n < all->result.n);                                 /* some spared */
}

static void run_raised(const table *t, const mined *all, const char *device, uint64_t max_lists) {
    raiser r = {.job = mining_job(device), .raise_to = 12, .every = 40};
    lode_dataset *data = mining_data(r.job, t);
    lode_sink *sink = NULL;
    lode_mine_options o = mining_options("frontier", 12);
    o.max_lists = max_lists;
    o.epsilon = 32;
    CHECK(lode_sink_callback(r.job, &sink, raise_and_keep, &r) == LODE_OK);
    CHECK_EQUAL(lode_mine(r.job, data, &o, sink), LODE_OK);
    CHECK_EQUAL(report_number(r.job, "threshold.count"), 12);
    CHECK_EQUAL(report_number(r.job, "threshold.final_count"), r.raise_to);
    CHECK_EQUAL(report_number(r.job, "patterns.total"), r.patterns.n);
    CHECK(r.raise_to > 20);
    check_raised(&r, all, report_number(r.job, "threshold.final_count"));
    lode_sink_free(sink);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(r.job)), 0);
    lode_job_free(r.job);
    table_free(&r.patterns);
    free(r.supports);
}

static void test_raise(void) {
    static const uint64_t pools[] = {0, 1, 6};
    table t = table_random(420, 150, 14, 30, 80);
    mined all = mine_brute(&t, 12);
    for (size_t i = 0; i < 6; i++) run_raised(&t, &all, i % 2 ? "cpu*3" : "cpu*1", pools[i / 2]);
    mined_free(&all);
    table_free(&t);
}

/* A callback that stops the job. */
static int stop_at_once(void *user, const lode_batch *batch) {
    (void)batch;
    return ++*(int *)user >= 3;
}

static void test_stopped(void) {
    table t = table_random(421, 150, 12, 30, 80);
    for (unsigned i = 0; i < 2; i++) {
        lode_job *job = mining_job(i ? "cpu*3" : "cpu*1");
        lode_dataset *data = mining_data(job, &t);
        lode_sink *sink = NULL;
        int calls = 0;
        lode_mine_options o = mining_options("frontier", 12);
        CHECK(lode_sink_callback(job, &sink, stop_at_once, &calls) == LODE_OK);
        CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_STOPPED);
        CHECK(calls >= 3 && calls <= 3 + 2); /* the other devices may be in the middle of theirs */
        lode_sink_free(sink);
        lode_dataset_free(data);
        CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
        lode_job_free(job);
    }
    table_free(&t);
}

/* ---- progress and cancel ------------------------------------------------------------------- */

/* 2^40 patterns and more: only a cancel ends it. */
static table make_endless(void) {
    return table_random(430, 4000, 60, 90, 97);
}

typedef struct watcher {
    unsigned calls, stop_at;
    lode_progress last;
    pthread_t thread;
} watcher;

static int watch(void *user, const lode_progress *p) {
    watcher *w = user;
    CHECK(pthread_equal(pthread_self(), w->thread)); /* the caller's */
    CHECK_TEXT(p->phase, "mine");
    CHECK(p->share <= 1 && p->share >= w->last.share && p->patterns >= w->last.patterns);
    CHECK(p->seconds > w->last.seconds);
    w->last = *p;
    return ++w->calls >= w->stop_at;
}

static void run_watched(const table *t, const char *device) {
    watcher w = {.stop_at = 3, .thread = pthread_self()};
    lode_job *job = NULL;
    lode_job_options o = {
        .size = sizeof o, .device = device, .threads = 1, .progress = watch, .progress_user = &w};
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    lode_dataset *data = mining_data(job, t);
    lode_sink *sink = NULL;
    lode_mine_options m = mining_options("frontier", 1000);
    CHECK(lode_sink_count(job, &sink) == LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &m, sink), LODE_CANCELLED);
    CHECK_EQUAL(w.calls, 3);
    uint64_t patterns = report_number(job, "patterns.total");
    CHECK(patterns >= w.last.patterns && patterns == lode_sink_patterns(sink));
    CHECK(strstr(lode_job_error(job), "interrupted") != NULL);
    CHECK_EQUAL(lode_mine(job, data, &m, sink), LODE_CANCELLED); /* until it is reset */
    lode_job_reset(job);
    CHECK_TEXT(lode_job_error(job), "");
    m.min_support.numerator = 3999;
    CHECK_EQUAL(lode_mine(job, data, &m, sink), LODE_OK);
    lode_sink_free(sink);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

static void test_progress(void) {
    table t = make_endless();
    run_watched(&t, "cpu*1");
    run_watched(&t, "cpu*2");
    table_free(&t);
}

typedef struct canceller {
    lode_job *job;
    clock_t at; /* processor time of the program when it was called */
} canceller;

static void *cancel_later(void *arg) {
    canceller *c = arg;
    nanosleep(&(struct timespec){.tv_nsec = 60 * 1000 * 1000}, NULL);
    c->at = clock();
    lode_job_cancel(c->job);
    return NULL;
}

static void run_cancelled(const table *t, const char *device, uint64_t epsilon) {
    canceller c = {.job = mining_job(device)};
    lode_dataset *data = mining_data(c.job, t);
    lode_sink *sink = NULL;
    pthread_t thread;
    lode_mine_options o = mining_options("frontier", 1000);
    o.epsilon = epsilon;
    CHECK(lode_sink_count(c.job, &sink) == LODE_OK);
    if (pthread_create(&thread, NULL, cancel_later, &c) != 0) exit(2);
    CHECK_EQUAL(lode_mine(c.job, data, &o, sink), LODE_CANCELLED);
    clock_t end = clock();
    pthread_join(thread, NULL);
    CHECK(end - c.at < CLOCKS_PER_SEC * BY_BUILD(1, 5, 20)); /* the search is endless */
    lode_sink_free(sink);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(c.job)), 0);
    lode_job_free(c.job);
}

static void test_cancel(void) {
    table t = make_endless();
    run_cancelled(&t, "cpu*1", 0);
    run_cancelled(&t, "cpu*1", 1);
    run_cancelled(&t, "cpu*3", 0);
    run_cancelled(&t, "cpu*1", UINT64_MAX); /* within a batch of millions */
    run_cancelled(&t, "cpu*3", UINT64_MAX);
    table_free(&t);
}

/* What a cancelled job has handed over is right as far as it goes. */
static int cancel_from_sink(void *user, const lode_batch *batch) {
    raiser *r = user;
    raise_and_keep(user, batch);
    if (r->seen > 500) lode_job_cancel(r->job);
    return 0;
}

static void test_partial(void) {
    table t = table_random(440, 150, 14, 30, 80);
    mined all = mine_brute(&t, 12);
    for (unsigned i = 0; i < 2; i++) {
        raiser r = {.job = mining_job(i ? "cpu*3" : "cpu*1"), .every = UINT64_MAX};
        lode_dataset *data = mining_data(r.job, &t);
        lode_sink *sink = NULL;
        lode_mine_options o = mining_options("frontier", 12);
        o.epsilon = 16;
        CHECK(lode_sink_callback(r.job, &sink, cancel_from_sink, &r) == LODE_OK);
        CHECK_EQUAL(lode_mine(r.job, data, &o, sink), LODE_CANCELLED);
        CHECK(r.patterns.n > 500);
        CHECK_EQUAL(lode_sink_patterns(sink), r.patterns.n);
        for (uint64_t k = 0; k < r.patterns.n; k++) {
            size_t n = (size_t)(r.patterns.offsets[k + 1] - r.patterns.offsets[k]);
            uint32_t *items = r.patterns.items + r.patterns.offsets[k];
            qsort(items, n, sizeof *items, compare_items);
            CHECK_EQUAL(result_find(&all.result, items, n), r.supports[k]);
        }
        CHECK(r.patterns.n < all.result.n);
        lode_sink_free(sink);
        lode_dataset_free(data);
        lode_job_free(r.job);
        table_free(&r.patterns);
        free(r.supports);
    }
    mined_free(&all);
    table_free(&t);
}

/* ---- weights ------------------------------------------------------------------------------- */

static mined mine_weighted(const table *t, const uint32_t *weights, const lode_mine_options *o) {
    mined m = {.job = mining_job("cpu*2")};
    if (lode_dataset_from_arrays(m.job, &m.data, t->n, t->offsets, t->items, weights) != LODE_OK)
        exit(2);
    if (lode_sink_memory(m.job, &m.sink) != LODE_OK) exit(2);
    m.status = lode_mine(m.job, m.data, o, m.sink);
    m.report = lode_job_report(m.job);
    if (m.status == LODE_OK && lode_sink_finish(m.sink, false) != LODE_OK) exit(2);
    m.result = result_of(m.sink);
    return m;
}

/* A weighted row counts like so many copies of it. */
static void test_weights(void) {
    table t = table_random(450, 60, 10, 20, 70), copies = {0};
    uint32_t weights[60];
    rng r = rng_make(451, 0);
    for (uint64_t i = 0; i < t.n; i++) {
        weights[i] = (uint32_t)rng_below(&r, 5); /* also none at all */
        for (uint32_t k = 0; k < weights[i]; k++) table_add_rows(&copies, &t, i, t.n);
    }
    lode_mine_options o = mining_options(NULL, 0);
    o.min_support = (lode_threshold){15, 100}; /* of the sum of the weights */
    mined want = mine_table(&copies, &o, "cpu*1"), got = mine_weighted(&t, weights, &o);
    CHECK_EQUAL(got.status, LODE_OK);
    CHECK_TEXT(got.report->engine.algorithm, "adaptive");
    CHECK_TEXT(want.report->engine.algorithm, "adaptive");
    CHECK_EQUAL(got.report->engine.min_count, want.report->engine.min_count);
    CHECK(got.result.n > 50 && result_equal(&got.result, &want.result));
    mined_free(&got);
    o.algorithm = "frontier";
    got = mine_weighted(&t, weights, &o);
    CHECK_EQUAL(got.status, LODE_UNSUPPORTED);
    CHECK(strstr(lode_job_error(got.job), "weighted") != NULL);
    CHECK_EQUAL(got.result.n, 0);
    mined_free(&got);
    mined_free(&want);
    table_free(&t);
    table_free(&copies);
}

int main(void) {
    CHECK_RUN(test_top);
    CHECK_RUN(test_top_every_k);
    CHECK_RUN(test_top_of_sizes);
    CHECK_RUN(test_raise);
    CHECK_RUN(test_stopped);
    CHECK_RUN(test_progress);
    CHECK_RUN(test_cancel);
    CHECK_RUN(test_partial);
    CHECK_RUN(test_weights);
    return check_result();
}
