/* test_levels.c - the six level-wise algorithms against the oracle, in every way to run them
 *
 * Every data set is mined by brute at several thresholds. The algorithms, popcounts, trees, grids,
 * list pools, devices, kernel tables and limits on size are taken in turn: the periods have no
 * common factor, so over the data sets every option meets every algorithm. One further data set is
 * mined in all ways, and one under budgets from too little to enough.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tables.h"

#define N_ALGORITHMS 6
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define RUNS_PER_THRESHOLD 1
#define WAY_STEP           37 /* of all ways on one data set, every so manyth */
#define BUDGET_STEP        1.9
#else
#define RUNS_PER_THRESHOLD 3
#define WAY_STEP           1
#define BUDGET_STEP        1.2
#endif
#define GRID_PATTERNS 1500u /* gpu-apriori looks at every pair of them */

static const char *const algorithms[N_ALGORITHMS] = {"tbi",       "pbi",     "goethals",
                                                     "gpapriori", "eqclass", "gpu-apriori"};

/* ---- ways to run --------------------------------------------------------------------------- */

/* What a run may vary, as digits of the number of the way. */
typedef struct way {
    const char *algorithm, *device, *kernels;
    lode_popcount popcount;
    lode_reduce reduce_by;
    lode_grid grid;
    uint64_t max_lists;
} way;

#define N_WAYS ((size_t)N_ALGORITHMS * 3 * 2 * 2 * 3 * 3)

static way way_at(size_t number) {
    static const char *const devices[] = {"cpu*1", "cpu*2", "cpu*3"};
    static const uint64_t pools[] = {0, 1, 3};
    way w = {.algorithm = algorithms[number % N_ALGORITHMS]};
    number /= N_ALGORITHMS;
    w.popcount = (lode_popcount)(number % 3);
    number /= 3;
    w.reduce_by = (lode_reduce)(number % 2);
    number /= 2;
    w.grid = (lode_grid)(number % 2);
    number /= 2;
    w.max_lists = pools[number % 3];
    number /= 3;
    w.device = devices[number % 3];
    w.kernels = kernel_tables[(number + w.max_lists) % n_kernel_tables];
    return w;
}

static mined run_way(const table *t, lode_mine_options o, const way *w) {
    o.algorithm = w->algorithm;
    o.popcount = w->popcount;
    o.reduce_by = w->reduce_by;
    o.grid = w->grid;
    o.max_lists = w->max_lists;
    setenv("LODE_CPU", w->kernels, 1);
    mined m = mine_table(t, &o, w->device);
    unsetenv("LODE_CPU");
    return m;
}

/* The figures of the levels add up to those of the run, and to the patterns. */
static bool check_figures(const lode_report *r, const lode_mine_options *o) {
    uint64_t generated = 0, pruned = 0, counted = 0, frequent = 0;
    bool fine = true;
    for (unsigned i = 0; i < r->n_levels; i++) {
        const lode_level *level = &r->levels[i];
        fine &= CHECK_EQUAL(level->size, i + 2) & CHECK(level->frequent <= level->counted) &
                CHECK(level->counted + level->pruned <= level->generated);
        generated += level->generated;
        pruned += level->pruned;
        counted += level->counted;
        frequent += level->frequent;
    }
    fine &= CHECK_EQUAL(generated, r->candidates_generated) &
            CHECK_EQUAL(pruned, r->candidates_pruned) & CHECK_EQUAL(counted, r->candidates_counted);
    if (o->min_size <= 1) fine &= CHECK_EQUAL(r->frequent_items + frequent, r->patterns);
    return fine;
}

static bool check_way(const table *t, const lode_mine_options *o, size_t number,
                      const mined *want) {
    way w = way_at(number);
    mined got = run_way(t, *o, &w);
    bool fine = CHECK_EQUAL(got.status, LODE_OK) & CHECK(result_equal(&got.result, &want->result)) &
                CHECK_EQUAL(got.report.patterns, want->result.n) & check_figures(&got.report, o);
    if (w.max_lists) fine &= CHECK(got.report.lists_peak <= w.max_lists);
    if (!fine) {
        fprintf(stderr, "  %s on %s (%s), support %llu, lists %llu, way %zu: %llu of %llu (%s)\n",
                w.algorithm, w.device, w.kernels, (unsigned long long)o->min_support.numerator,
                (unsigned long long)w.max_lists, number, (unsigned long long)got.result.n,
                (unsigned long long)want->result.n, lode_ctx_error(got.ctx));
    }
    mined_free(&got);
    return fine;
}

/* ---- the matrix ---------------------------------------------------------------------------- */

/* The next way but those of gpu-apriori where there is too much for it. */
static size_t next_way(size_t *turn, uint64_t n_patterns) {
    size_t number;
    do {
        number = (*turn)++ * 331 % N_WAYS; /* a prime: all ways come up */
    } while (number % N_ALGORITHMS == 5 && n_patterns > GRID_PATTERNS);
    return number;
}

static bool check_table(const family *f, const table *t, size_t *turn) {
    static const uint32_t sizes[][2] = {{0, 0}, {0, 0}, {0, 3}, {2, 0}, {3, 4}};
    uint64_t n = t->n ? t->n : 1;
    bool fine = true;
    for (uint64_t support = f->lowest; support <= n && fine; support = next_threshold(support, n)) {
        lode_mine_options o = mining_options("brute", support);
        o.min_size = sizes[*turn % 5][0];
        o.max_size = f->max_size ? f->max_size : sizes[*turn % 5][1];
        mined want = mine_table(t, &o, "cpu*1");
        fine = CHECK_EQUAL(want.status, LODE_OK);
        for (unsigned i = 0; i < RUNS_PER_THRESHOLD && fine && want.result.n < MAX_PATTERNS; i++) {
            fine = check_way(t, &o, next_way(turn, want.result.n), &want);
        }
        mined_free(&want);
    }
    return fine;
}

static void test_matrix(void) {
    size_t turn = 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        for (uint64_t seed = 0; seed < families[i].n; seed++) {
            table t = families[i].make(seed);
            if (!check_table(&families[i], &t, &turn)) {
                fprintf(stderr, "  data set '%s', seed %llu\n", families[i].name,
                        (unsigned long long)seed);
            }
            table_free(&t);
        }
    }
    printf("    %zu turns, %zu ways\n", turn, N_WAYS);
}

static void test_all_ways(void) {
    table t = table_random(78, 300, 13, 25, 75);
    lode_mine_options o = mining_options("brute", 12);
    mined want = mine_table(&t, &o, "cpu*1");
    CHECK(want.result.n > 300);
    for (size_t number = 0; number < N_WAYS; number += WAY_STEP) {
        if (!check_way(&t, &o, number, &want)) break;
    }
    mined_free(&want);
    table_free(&t);
}

/* More threads than a device takes, and than there are candidates. */
static void test_many_threads(void) {
    table t = table_random(79, 700, 60, 5, 60);
    mined want = mine_brute(&t, 90);
    CHECK(want.result.n > 500);
    for (size_t i = 0; i < N_ALGORITHMS; i++) {
        lode_mine_options o = mining_options(algorithms[i], 90);
        mined got = mine_table(&t, &o, "cpu*70");
        CHECK_EQUAL(got.status, LODE_OK);
        if (!CHECK(result_equal(&got.result, &want.result)))
            fprintf(stderr, "  %s\n", algorithms[i]);
        mined_free(&got);
    }
    mined_free(&want);
    table_free(&t);
}

/* Enough candidates that threads share a block. */
static void test_wide_levels(void) {
    table t = table_random(80, 600, 160, 8, 22);
    mined want = mine_brute(&t, 12);
    CHECK(want.result.n > 3000);
    for (size_t i = 0; i < N_ALGORITHMS; i++) {
        for (unsigned threads = 1; threads <= 2; threads++) {
            lode_mine_options o = mining_options(algorithms[i], 12);
            mined got = mine_table(&t, &o, threads == 1 ? "cpu*1" : "cpu*2");
            bool fine = CHECK_EQUAL(got.status, LODE_OK) &
                        CHECK(result_equal(&got.result, &want.result)) &
                        check_figures(&got.report, &o);
            if (!fine) fprintf(stderr, "  %s, %u threads\n", algorithms[i], threads);
            mined_free(&got);
        }
    }
    mined_free(&want);
    table_free(&t);
}

/* One long itemset: eleven levels, and what is kept per level outgrows its first room. */
static void test_deep(void) {
    table t = {0};
    uint32_t row[12];
    for (uint32_t i = 0; i < 12; i++) row[i] = i;
    for (unsigned i = 0; i < 70; i++) table_add(&t, row, 12);
    for (size_t i = 0; i < N_ALGORITHMS; i++) {
        lode_mine_options o = mining_options(algorithms[i], 70);
        mined got = mine_table(&t, &o, "cpu*2");
        CHECK_EQUAL(got.result.n, 4095);
        CHECK_EQUAL(got.report.n_levels, 11);
        mined_free(&got);
    }
    table_free(&t);
}

/* ---- budgets ------------------------------------------------------------------------------- */

#define MIB ((double)(1 << 20))

static table big;
static mined big_want;
static uint64_t big_support;

/* Runs within a budget; true if it was enough. If not, the message must say what would be. */
static bool run_within(const char *algorithm, const char *device, double mib, uint64_t *rebuilt) {
    lode_ctx *ctx = NULL;
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;
    lode_report report = {.size = sizeof report};
    lode_ctx_options c = {.size = sizeof c, .device = device, .threads = 1};
    lode_mine_options o = mining_options(algorithm, big_support);
    c.memory_bytes = (uint64_t)(mib * MIB);
    if (lode_ctx_create(&ctx, &c) != LODE_OK) exit(2);
    lode_status status = lode_dataset_from_arrays(ctx, &data, big.n, big.offsets, big.items, NULL);
    if (status == LODE_OK) status = lode_sink_count(ctx, &sink);
    if (status == LODE_OK) status = lode_mine(ctx, data, &o, sink, &report);
    if (status == LODE_OK) {
        CHECK_EQUAL(lode_sink_patterns(sink), big_want.result.n);
    } else {
        bool fine = CHECK_EQUAL(status, LODE_BUDGET) &
                    CHECK(strstr(lode_ctx_error(ctx), " MiB") != NULL);
        if (!fine) fprintf(stderr, "  %s, %.2f MiB: '%s'\n", algorithm, mib, lode_ctx_error(ctx));
    }
    CHECK((double)lode_ctx_memory_peak(ctx) <= mib * MIB);
    *rebuilt += report.lists_rebuilt;
    lode_sink_free(sink);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(ctx), 0);
    lode_ctx_free(ctx);
    return status == LODE_OK;
}

/* From too little to plenty. More memory never makes it fail again. */
static void check_budgets(const char *algorithm, const char *device, double from, double to) {
    double enough = 0;
    unsigned refused = 0, later = 0;
    uint64_t rebuilt = 0;
    for (double mib = from; mib < to; mib *= BUDGET_STEP) {
        bool done = run_within(algorithm, device, mib, &rebuilt);
        if (done && enough == 0) enough = mib;
        refused += !done;
        later += !done && enough > 0;
    }
    printf("    %s on %s: refused %u times, %u of them later; enough from %.2f MiB; %llu rebuilt\n",
           algorithm, device, refused, later, enough, (unsigned long long)rebuilt);
    CHECK(refused > 0 && enough > 0);
    CHECK_EQUAL(later, 0);
}

static void test_budgets(void) {
    big = table_random(71, 3000, 40, 2, 42);
    big_support = 60;
    big_want = mine_brute(&big, big_support);
    CHECK(big_want.result.n > 500);
    for (size_t i = 0; i < N_ALGORITHMS; i++) check_budgets(algorithms[i], "cpu*1", 0.1, 10);
    check_budgets("goethals", "cpu*2", 0.1, 10);
    check_budgets("tbi", "cpu*2", 0.1, 10);
    mined_free(&big_want);
    table_free(&big);
}

/* So many items that the sets of a level and their candidates need more than their rows. */
static void test_budgets_of_many_items(void) {
    const uint32_t n_items = 1000;
    for (uint32_t i = 0; i < 2 * n_items; i++) {
        uint32_t row[] = {i % n_items, (i + 1) % n_items, (i + 2) % n_items};
        table_add(&big, row, 3);
    }
    big_support = 2;
    big_want = mine_brute(&big, big_support);
    CHECK_EQUAL(big_want.result.n, 4 * n_items);
    for (size_t i = 0; i < N_ALGORITHMS; i++) check_budgets(algorithms[i], "cpu*1", 0.1, 4);
    mined_free(&big_want);
    table_free(&big);
}

int main(void) {
    find_kernel_tables();
    CHECK_RUN(test_matrix);
    CHECK_RUN(test_all_ways);
    CHECK_RUN(test_many_threads);
    CHECK_RUN(test_wide_levels);
    CHECK_RUN(test_deep);
    CHECK_RUN(test_budgets);
    CHECK_RUN(test_budgets_of_many_items);
    return check_result();
}
