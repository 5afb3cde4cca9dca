/* test_tensor.c - tensor against the oracle: data sets, thresholds, targets, devices, threads
 *
 * Every data set is mined by brute at several thresholds; the closed and maximal sets are found by
 * their definitions. tensor must give the same sets with the same supports for every target,
 * device, number of threads and kernel table; and a counting sink, which gets only numbers, must
 * count as many sets of each size. There are many combinations of these, so each (data set,
 * threshold) takes the next few in turn.
 *
 * LODE_TEST_DEVICES names the devices; the default is several consumers on the CPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/engine/item_task.h"
#include "tables.h"
#include "targets.h"

#define WAYS_AT_ONCE BY_BUILD(3, 1, 1)
#define STEP         BY_BUILD(1, 7, 29) /* of the data sets and ways, only each STEP-th */

static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL};
static const char *const cpus[] = {"cpu*1", "cpu*2", "cpu*3", "cpu*1"};
static const unsigned thread_counts[] = {1, 2, 4}; /* those that are no consumers write */

#define N_WAYS (3 * 4 * 3)

/* ---- the matrix ---------------------------------------------------------------------------- */

static bool check_way(const table *t, lode_mine_options o, size_t way, const lode_result *all,
                      const marks *m) {
    const char *device = mining_device(cpus, 4, way / 3 % 4);
    unsigned threads = thread_counts[way / 12];
    o.algorithm = "tensor";
    o.target = targets[way % 3];
    setenv("LODE_CPU", kernel_tables[way % n_kernel_tables], 1);
    mined got = mine_on(t, NULL, &o, device, threads);
    bool fine = CHECK_EQUAL(got.status, LODE_OK) & CHECK(is_right(&got.result, all, m, &o)) &
                counts_agree(&got, &o);
    unsetenv("LODE_CPU");
    if (!fine) {
        fprintf(stderr, "  support %llu, target %d, sizes %u to %u, %s, %u threads: %llu of %llu\n",
                (unsigned long long)o.min_support.numerator, (int)o.target, o.min_size, o.max_size,
                device, threads, (unsigned long long)got.result.n, (unsigned long long)all->n);
    }
    mined_free(&got);
    return fine;
}

/* Thresholds from `lowest` to n; those with too many patterns are passed over. */
static bool check_table(const family *f, const table *t, size_t *number) {
    static const uint32_t sizes[][2] = {{0, 0}, {0, 0}, {2, 0}, {0, 3}, {2, 2}, {0, 1}, {3, 5}};
    uint64_t n = t->n ? t->n : 1;
    bool fine = true;
    for (uint64_t support = f->lowest; support <= n && fine; support = next_threshold(support, n)) {
        lode_mine_options o = mining_options("brute", support);
        if (f->max_size) continue; /* larger sets decide what is closed */
        mined want = mine_on(t, NULL, &o, "cpu*1", 1);
        fine = CHECK_EQUAL(want.status, LODE_OK);
        bool few = want.result.n < MAX_PATTERNS;
        lode_result none = {0};
        marks m = marks_make(few ? &want.result : &none, t->n);
        for (unsigned i = 0; i < WAYS_AT_ONCE && fine && few; i++) {
            size_t at = (*number)++;
            o.min_size = sizes[at % 7][0];
            o.max_size = sizes[at % 7][1];
            fine = check_way(t, o, at * 5 % N_WAYS, &want.result, &m);
        }
        marks_free(&m);
        mined_free(&want);
    }
    return fine;
}

static void test_matrix(void) {
    size_t number = 0;
    uint64_t n_tables = 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        for (uint64_t seed = 0; seed < families[i].n; seed += STEP) {
            table t = families[i].make(seed);
            if (!check_table(&families[i], &t, &number)) {
                fprintf(stderr, "  data set '%s', seed %llu\n", families[i].name,
                        (unsigned long long)seed);
            }
            table_free(&t);
            n_tables++;
        }
    }
    printf("    %llu data sets, %zu runs\n", (unsigned long long)n_tables, number);
}

/* ---- shapes that the families do not reach --------------------------------------------------- */

/* Every way on one table. */
static void check_all_ways(const table *t, uint64_t support) {
    lode_mine_options o = mining_options("brute", support);
    mined want = mine_on(t, NULL, &o, "cpu*1", 1);
    if (!CHECK(want.result.n > 300 && want.result.n < 10 * MAX_PATTERNS)) {
        fprintf(stderr, "  %llu sets\n", (unsigned long long)want.result.n);
    }
    marks m = marks_make(&want.result, t->n);
    for (size_t way = 0; way < N_WAYS; way += STEP) check_way(t, o, way, &want.result, &m);
    marks_free(&m);
    mined_free(&want);
}

/* Classes with too many items for a lattice, several levels deep, some with equal rows. */
static void test_deep(void) {
    table t = table_random(3, 300, 34, 30, 80), twins = {0};
    check_all_ways(&t, 75);
    for (uint64_t i = 0; i < t.n; i++) {
        uint32_t row[80];
        size_t n;
        const uint32_t *items = table_row(&t, i, &n);
        for (size_t k = 0; k < n; k++) { /* every fourth item has a twin, and all have the last */
            row[k] = items[k];
            row[n + k] = items[k] % 4 == 0 ? 40 + items[k] : 90;
        }
        table_add(&twins, row, 2 * n);
    }
    check_all_ways(&twins, 110);
    table_free(&t);
    table_free(&twins);
}

/* More than 64 items. */
static void test_wide(void) {
    table t = table_random(7, 200, 90, 42, 58), p = table_patterns(2, 900, 400, 6);
    check_all_ways(&t, 40);
    check_all_ways(&p, 14);
    table_free(&t);
    table_free(&p);
}

/* So sparse that the root is lists. */
static void test_lists(void) {
    table t = {0};
    rng r = rng_make(4, 4);
    for (unsigned i = 0; i < 9000; i++) {
        uint32_t row[24];
        size_t n = 0;
        uint32_t first = (uint32_t)rng_below(&r, 150) * 20;
        for (uint32_t k = 0; k < 20; k++) {
            if (rng_below(&r, 100) < 35) row[n++] = first + k;
        }
        row[n++] = (uint32_t)rng_below(&r, 3000);
        table_add(&t, row, n);
    }
    if (BY_BUILD(true, false, false)) check_all_ways(&t, 4);
    lode_mine_options o = mining_options("tensor", 4);
    mined got = mine_on(&t, NULL, &o, mining_device(cpus, 4, 0), 1);
    CHECK(strstr(got.report->engine.why, "from lists") != NULL);
    CHECK(got.report->engine.n_depths > 1 && got.report->engine.depths[0].pairs > 0 &&
          got.report->engine.product[0]);
    mined_free(&got);
    table_free(&t);
}

/* Sets of 100 items do not fit the tally, so that everything is searched a second time. */
static void test_large_sets(void) {
    static uint32_t row[100];
    table t = {0};
    for (uint32_t i = 0; i < 100; i++) row[i] = 3 * i;
    for (unsigned i = 0; i < 5; i++) table_add(&t, row, 100);
    table_add(&t, row, 70);
    for (size_t i = 0; i < 12; i++) {
        lode_mine_options o = mining_options("tensor", i % 2 ? 5 : 6);
        o.target = targets[i / 2 % 3];
        if (o.target == LODE_TARGET_ALL) o.max_size = 2;
        uint64_t n = i % 2 ? 100 : 70;
        uint64_t want = o.target == LODE_TARGET_ALL               ? n + n * (n - 1) / 2
                        : i % 2 && o.target == LODE_TARGET_CLOSED ? 2
                                                                  : 1;
        mined got = mine_on(&t, NULL, &o, mining_device(cpus, 4, i), thread_counts[i % 3]);
        CHECK_EQUAL(got.status, LODE_OK);
        CHECK_EQUAL(got.result.n, want);
        CHECK(counts_agree(&got, &o));
        mined_free(&got);
    }
    lode_mine_options o = mining_options("tensor", 5);
    o.max_size = 1;
    mined got = mine_on(&t, NULL, &o, mining_device(cpus, 4, 0), 1);
    lode_sink *count = NULL;
    o.max_size = 0;
    CHECK(lode_sink_count(got.job, &count) == LODE_OK);
    CHECK_EQUAL(lode_mine(got.job, got.data, &o, count), LODE_UNSUPPORTED); /* 2^100 */
    lode_sink_free(count);
    mined_free(&got);
    table_free(&t);
}

/* ---- top-k, limits, what is refused ---------------------------------------------------------- */

static void test_top(void) {
    table t = table_random(21, 400, 26, 10, 80);
    for (uint64_t k = 1; k < 3000; k = k * 3 + 2) {
        lode_mine_options o = mining_options("brute", 20);
        o.target = LODE_TARGET_TOP;
        o.top_k = k;
        o.min_size = 1 + (uint32_t)k % 2;
        mined want = mine_on(&t, NULL, &o, "cpu*1", 1);
        o.algorithm = "tensor";
        for (size_t i = 0; i < 6; i++) {
            mined got = mine_on(&t, NULL, &o, mining_device(cpus, 4, i), thread_counts[i % 3]);
            CHECK_EQUAL(got.status, LODE_OK);
            CHECK(result_equal(&got.result, &want.result));
            CHECK_EQUAL(got.report->engine.final_min_count, want.report->engine.final_min_count);
            mined_free(&got);
        }
        mined_free(&want);
    }
    table_free(&t);
}

static void test_limits(void) {
    table t = table_random(22, 300, 40, 30, 80);
    lode_mine_options o = mining_options("tensor", 45);
    mined all = mine_on(&t, NULL, &o, "cpu*1", 1);
    for (uint64_t most = 1; most < 20000; most = most * 7 + 1) {
        o.limit_patterns = most;
        mined got = mine_on(&t, NULL, &o, mining_device(cpus, 4, most), 1 + (unsigned)most % 4);
        CHECK_EQUAL(got.status, LODE_STOPPED);
        CHECK_EQUAL(got.result.n, most);
        CHECK(result_within(&got.result, &all.result));
        mined_free(&got);
    }
    CHECK(all.result.n > 20000);
    mined_free(&all);
    table_free(&t);
}

static void test_refused(void) {
    table t = table_random(1, 20, 5, 20, 60);
    uint32_t weights[20] = {0};
    lode_mine_options o = mining_options("tensor", 2);
    mined weighted = mine_on(&t, weights, &o, "cpu*1", 1);
    CHECK_EQUAL(weighted.status, LODE_UNSUPPORTED);
    mined_free(&weighted);
    o.target = LODE_TARGET_GENERATORS;
    mined generators = mine_on(&t, NULL, &o, "cpu*1", 1);
    CHECK_EQUAL(generators.status, LODE_UNSUPPORTED);
    mined_free(&generators);
    o.target = LODE_TARGET_ALL;
    o.product = LODE_PRODUCT_MMA;
    mined mma = mine_on(&t, NULL, &o, "cpu*2", 1);
    CHECK_EQUAL(mma.status, LODE_UNSUPPORTED);
    mined_free(&mma);
    o.product = LODE_PRODUCT_POPC;
    mined popc = mine_on(&t, NULL, &o, "cpu*2", 1);
    CHECK_EQUAL(popc.status, LODE_OK);
    mined_free(&popc);
    table_free(&t);
}

/* `auto`: on a GPU that can do it, never on a CPU. */
static void test_choice(void) {
    static const backend_products some;
    const lode_backend able = {.name = "able", .products = &some}, unable = {.name = "unable"};
    const struct {
        const lode_backend *first, *second;
        const char *want;
    } cases[] = {{backend_at(0), backend_at(0), "adaptive"},
                 {&able, &able, "tensor"},
                 {&able, backend_at(0), "tensor"},
                 {&able, &unable, "frontier"},
                 {&unable, &unable, "frontier"}};
    table t = table_random(1, 20, 5, 20, 60);
    lode_job *job = mining_job("cpu*1");
    lode_dataset *data = mining_data(job, &t);
    lode_mine_options o = mining_options("auto", 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        backend_plan plan = {.slots = {{cases[i].first, 0}, {cases[i].second, 0}}, .n = 2};
        char why[LODE_REPORT_TEXT];
        engine_task task = {
            .job = job, .items = {.data = data, .options = &o}, .min_count = 2, .plan = &plan};
        const lode_engine *engine = engine_choose(&task, why, sizeof why);
        CHECK_TEXT(engine ? engine->name : "none", cases[i].want);
    }
    lode_dataset_free(data);
    lode_job_free(job);
    table_free(&t);
}

/* With any budget: the right sets, or a refusal that says why. */
static void test_budgets(void) {
    table t = table_random(9, 500, 44, 10, 66);
    lode_mine_options o = mining_options("tensor", 50);
    mined all = mine_on(&t, NULL, &o, "cpu*1", 1);
    unsigned refused = 0, fine = 0;
    CHECK(all.result.n > 2000);
    for (double mib = 0.1; mib < 1.5; mib *= 1.05) {
        for (size_t way = 0; way < 4; way++) {
            lode_job *job = NULL;
            lode_dataset *data = NULL;
            lode_sink *sink = NULL;
            lode_job_options c = {.size = sizeof c, .device = cpus[way], .threads = 1};
            c.threads = way == 3 ? 3 : 1;
            c.memory_bytes = (uint64_t)(mib * (1 << 20));
            if (lode_job_create(&job, NULL, &c) != LODE_OK) exit(2);
            lode_status status =
                lode_dataset_from_arrays(job, &data, t.n, t.offsets, t.items, NULL);
            if (status == LODE_OK) status = lode_sink_hash(job, &sink, data);
            if (status == LODE_OK) status = lode_mine(job, data, &o, sink);
            if (status == LODE_OK) CHECK_EQUAL(lode_sink_patterns(sink), all.result.n);
            if (status != LODE_OK) CHECK_EQUAL(status, LODE_BUDGET);
            *(status == LODE_OK ? &fine : &refused) += 1;
            CHECK((double)lode_ctx_memory_peak(lode_job_ctx(job)) <= mib * (1 << 20));
            lode_sink_free(sink);
            lode_dataset_free(data);
            CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
            lode_job_free(job);
        }
    }
    printf("    %u times refused, %u times fine\n", refused, fine);
    CHECK(refused > 0 && fine > 0);
    mined_free(&all);
    table_free(&t);
}

int main(void) {
    find_kernel_tables();
    CHECK_RUN(test_matrix);
    CHECK_RUN(test_deep);
    CHECK_RUN(test_wide);
    CHECK_RUN(test_lists);
    CHECK_RUN(test_large_sets);
    CHECK_RUN(test_top);
    CHECK_RUN(test_limits);
    CHECK_RUN(test_refused);
    CHECK_RUN(test_choice);
    CHECK_RUN(test_budgets);
    return check_result();
}
