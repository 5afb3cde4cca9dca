/* test_frontier_pool.c - epsilon, the pool of lists, and what the report says about them
 *
 * All on one data set, whose breadth-first frontier is far larger than its depth-first frontier.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mining.h"

#define SUPPORT 70u

static table t;
static mined want;

static mined run(uint64_t epsilon, uint64_t max_lists, const char *device) {
    lode_mine_options o = mining_options("frontier", SUPPORT);
    o.epsilon = epsilon;
    o.max_lists = max_lists;
    mined m = mine_table(&t, &o, device);
    CHECK_EQUAL(m.status, LODE_OK);
    CHECK(result_equal(&m.result, &want.result));
    return m;
}

static void check_report(const mined *m, unsigned n_devices) {
    const lode_report *all = m->report;
    const engine_report *r = &all->engine;
    uint64_t patterns = all->result.patterns;
    CHECK_EQUAL(r->n_devices, n_devices);
    CHECK(r->n_threads >= n_devices);
    CHECK_EQUAL(r->min_count, SUPPORT);
    CHECK_EQUAL(r->final_min_count, SUPPORT);
    CHECK_EQUAL(patterns, lode_sink_patterns(m->sink));
    CHECK_EQUAL(patterns, want.result.n);
    CHECK_EQUAL(r->frequent_items, lode_sink_patterns_of_size(m->sink, 1));
    CHECK_TEXT(r->algorithm, "frontier");
    CHECK(r->why[0] != 0 && strncmp(r->device, "cpu*", 4) == 0 && r->note[0] == 0);
    CHECK(r->utilisation > 0 && r->utilisation <= 1);
    /* Every pattern of two items and more was a candidate, and all candidates were counted. */
    CHECK(r->candidates_generated >= patterns - r->frequent_items);
    CHECK_EQUAL(r->candidates_generated, r->candidates_counted);
    CHECK(r->batches > 0 && r->batches <= r->candidates_counted);
    CHECK_EQUAL(r->list_bytes, (t.n + 511) / 512 * 64);
    CHECK(r->lists_peak >= 1 && r->lists_peak <= r->lists_allowed);
    CHECK(all->memory_peak > 0 && all->memory_peak <= lode_ctx_memory_peak(lode_job_ctx(m->job)));
    CHECK(r->times.total > 0 && r->times.counting > 0 && r->times.preprocess >= 0);
    CHECK(r->times.counting + r->times.candidate + r->times.output <= r->times.total);
}

/* Larger epsilon: fewer calls of the device, more lists at the same time. */
static void test_epsilon(void) {
    mined depth = run(1, 0, "cpu*1"), some = run(64, 0, "cpu*1"), all = run(UINT64_MAX, 0, "cpu*1");
    printf("    batches %llu, %llu, %llu; lists %llu, %llu, %llu\n",
           (unsigned long long)depth.report->engine.batches,
           (unsigned long long)some.report->engine.batches,
           (unsigned long long)all.report->engine.batches,
           (unsigned long long)depth.report->engine.lists_peak,
           (unsigned long long)some.report->engine.lists_peak,
           (unsigned long long)all.report->engine.lists_peak);
    CHECK(depth.report->engine.batches > 2 * some.report->engine.batches);
    CHECK(some.report->engine.batches > all.report->engine.batches);
    CHECK(depth.report->engine.lists_peak < some.report->engine.lists_peak);
    CHECK(some.report->engine.lists_peak < all.report->engine.lists_peak);
    CHECK_EQUAL(depth.report->engine.epsilon, 1);
    CHECK_EQUAL(some.report->engine.epsilon, 64);
    CHECK_EQUAL(all.report->engine.epsilon, UINT64_MAX);
    /* The same candidates, whatever the order; nothing was dropped. */
    CHECK_EQUAL(depth.report->engine.candidates_counted, all.report->engine.candidates_counted);
    CHECK_EQUAL(some.report->engine.candidates_counted, all.report->engine.candidates_counted);
    CHECK_EQUAL(depth.report->engine.lists_rebuilt + some.report->engine.lists_rebuilt +
                    all.report->engine.lists_rebuilt,
                0);
    check_report(&depth, 1);
    check_report(&some, 1);
    check_report(&all, 1);
    mined_free(&depth);
    mined_free(&some);
    mined_free(&all);
}

static void test_small_pools(void) {
    mined free_run = run(UINT64_MAX, 0, "cpu*1");
    uint64_t peak = free_run.report->engine.lists_peak;
    uint64_t pools[] = {peak, peak / 2, peak / 10, 7, 3, 2, 1};
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
        mined m = run(UINT64_MAX, pools[i], "cpu*1");
        CHECK_EQUAL(m.report->engine.lists_allowed, pools[i]);
        CHECK(m.report->engine.lists_peak <= pools[i]);
        CHECK(pools[i] > 10 || m.report->engine.lists_rebuilt > 0);
        CHECK(pools[i] < peak || m.report->engine.lists_rebuilt == 0);
        CHECK_EQUAL(m.report->engine.candidates_counted,
                    free_run.report->engine.candidates_counted);
        check_report(&m, 1);
        mined_free(&m);
    }
    mined_free(&free_run);
}

static void test_several_devices(void) {
    static const char *const devices[] = {"cpu*2", "cpu*3", "cpu*8"};
    static const unsigned n[] = {2, 3, 8};
    for (size_t i = 0; i < 3; i++) {
        mined m = run(64, 20, devices[i]);
        CHECK_EQUAL(m.report->engine.lists_allowed, 20 * n[i]); /* of all devices */
        CHECK(m.report->engine.lists_peak <= 20);               /* the largest of them */
        CHECK_EQUAL(m.report->n_thread_seconds, n[i] + 1);
        check_report(&m, n[i]);
        mined_free(&m);
    }
}

/* Without epsilon and lists: what the device and the memory suggest. */
static void test_defaults(void) {
    mined m = run(0, 0, "cpu*1");
    CHECK(m.report->engine.epsilon >= 64 && m.report->engine.epsilon < UINT64_MAX);
    CHECK(m.report->engine.lists_allowed > m.report->engine.lists_peak);
    CHECK_EQUAL(m.report->engine.lists_rebuilt, 0);
    check_report(&m, 1);
    mined_free(&m);
}

int main(void) {
    t = table_random(2024, 600, 20, 35, 80);
    want = mine_brute(&t, SUPPORT);
    CHECK(want.result.n > 1000);
    CHECK_RUN(test_epsilon);
    CHECK_RUN(test_small_pools);
    CHECK_RUN(test_several_devices);
    CHECK_RUN(test_defaults);
    mined_free(&want);
    table_free(&t);
    return check_result();
}
