/* test_levels.c - the papers' algorithms for itemsets compared with the oracle, with all options
 *
 * Every data set is mined by brute at several thresholds. The algorithms, popcounts, trees, grids,
 * list pools, devices, kernel tables and limits on size are taken in turn, with periods without a
 * common factor, so that every option is combined with every algorithm. One more data set is mined
 * with all combinations.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tables.h"

#define N_ALGORITHMS       9
#define N_LEVELWISE        6 /* the others are baselines, which know no devices */
#define RUNS_PER_THRESHOLD BY_BUILD(2, 1, 1)
#define WAY_STEP           BY_BUILD(1, 61, 61) /* of the ways on one data set */
#define SEED_STEP          BY_BUILD(1, 4, 11)  /* of the data sets */
#define GRID_PATTERNS      1500u               /* gpu-apriori looks at every pair of them */

static const char *const algorithms[N_ALGORITHMS] = {"tbi",       "pbi",        "goethals",
                                                     "gpapriori", "eqclass",    "gpu-apriori",
                                                     "eclat",     "eclat-bits", "fpgrowth"};

/* ---- ways to run --------------------------------------------------------------------------- */

/* What a run may vary, as digits of the number of the way. */
typedef struct way {
    const char *algorithm, *device, *kernels;
    lode_paper_options papers;
    uint64_t max_lists;
} way;

#define N_WAYS ((size_t)N_ALGORITHMS * 4 * 2 * 2 * 3 * 3)

static size_t number_of(const char *algorithm) {
    size_t i = 0;
    while (strcmp(algorithms[i], algorithm) != 0) i++;
    return i;
}

static way way_at(size_t number) {
    static const char *const cpus[] = {"cpu*1", "cpu*2", "cpu*3"};
    static const uint64_t pools[] = {0, 1, 3};
    way w = {.algorithm = algorithms[number % N_ALGORITHMS], .papers.size = sizeof w.papers};
    number /= N_ALGORITHMS;
    w.papers.popcount = (lode_popcount)(number % 4);
    number /= 4;
    w.papers.reduce = (lode_reduce)(number % 2);
    number /= 2;
    w.papers.grid = (lode_grid)(number % 2);
    bool grid_rows = number % 4 > 1;
    number /= 2;
    w.max_lists = pools[number % 3];
    number /= 3;
    bool devices = strcmp(w.algorithm, "goethals") != 0 && number_of(w.algorithm) < N_LEVELWISE;
    w.device = !devices ? cpus[number % 3] : mining_device(cpus, 3, number);
    bool one = !strpbrk(w.device, "*+") || strcmp(w.device, "cpu*1") == 0;
    w.papers.grid_rows = grid_rows && one; /* refused for several devices */
    w.kernels = kernel_tables[(number + w.max_lists) % n_kernel_tables];
    return w;
}

static mined run_way(const table *t, lode_mine_options o, const way *w) {
    o.algorithm = w->algorithm;
    o.papers = &w->papers;
    o.max_lists = w->max_lists;
    setenv("LODE_CPU", w->kernels, 1);
    mined m = mine_table(t, &o, w->device);
    unsetenv("LODE_CPU");
    return m;
}

/* The figures of the levels add up to those of the run, and to the patterns. */
static bool check_figures(const lode_report *report, const lode_mine_options *o) {
    const engine_report *r = &report->engine;
    uint64_t generated = 0, pruned = 0, counted = 0, frequent = 0;
    bool fine = true;
    for (unsigned i = 0; i < r->n_levels; i++) {
        const engine_level *level = &r->levels[i];
        fine &= CHECK_EQUAL(level->size, i + 2) & CHECK(level->frequent <= level->counted) &
                CHECK(level->counted + level->pruned <= level->generated);
        generated += level->generated;
        pruned += level->pruned;
        counted += level->counted;
        frequent += level->frequent;
    }
    fine &= CHECK_EQUAL(generated, r->candidates_generated) &
            CHECK_EQUAL(pruned, r->candidates_pruned) & CHECK_EQUAL(counted, r->candidates_counted);
    if (o->min_size <= 1)
        fine &= CHECK_EQUAL(r->frequent_items + frequent, report->result.patterns);
    return fine;
}

static bool check_way(const table *t, const lode_mine_options *o, size_t number,
                      const mined *want) {
    way w = way_at(number);
    mined got = run_way(t, *o, &w);
    bool fine = CHECK_EQUAL(got.status, LODE_OK) & CHECK(result_equal(&got.result, &want->result)) &
                CHECK_EQUAL(got.report->result.patterns, want->result.n) &
                (number_of(w.algorithm) >= N_LEVELWISE || check_figures(got.report, o));
    if (w.max_lists) fine &= CHECK(got.report->engine.lists_peak <= w.max_lists);
    if (!fine) {
        fprintf(stderr, "  %s on %s (%s), support %llu, lists %llu, way %zu: %llu of %llu (%s)\n",
                w.algorithm, w.device, w.kernels, (unsigned long long)o->min_support.numerator,
                (unsigned long long)w.max_lists, number, (unsigned long long)got.result.n,
                (unsigned long long)want->result.n, lode_job_error(got.job));
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
        if (f->max_size) {
            o.max_size = f->max_size;
        } else {
            o.min_size = sizes[*turn % 5][0];
            o.max_size = sizes[*turn % 5][1];
        }
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
        for (uint64_t seed = 0; seed < families[i].n; seed += SEED_STEP) {
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
    uint64_t counted = 0;
    table t = table_random(79, 700, 60, 5, 60);
    mined want = mine_brute(&t, 90);
    CHECK(want.result.n > 500);
    for (size_t i = 0; i < N_LEVELWISE; i++) {
        lode_mine_options o = mining_options(algorithms[i], 90);
        mined got = mine_table(&t, &o, "cpu*70");
        CHECK_EQUAL(got.status, LODE_OK);
        if (i == 0) counted = got.report->engine.candidates_counted;
        if (i < 5) CHECK_EQUAL(got.report->engine.candidates_counted, counted);
        if (!CHECK(result_equal(&got.result, &want.result)))
            fprintf(stderr, "  %s\n", algorithms[i]);
        mined_free(&got);
    }
    mined_free(&want);
    table_free(&t);
}

/* Enough candidates that threads share a block. All but gpu-apriori prune by the same subsets. */
static void test_wide_levels(void) {
    uint64_t counted = 0;
    table t = table_random(80, 600, 160, 8, 22);
    mined want = mine_brute(&t, 12);
    CHECK(want.result.n > 3000);
    for (size_t i = 0; i < N_LEVELWISE; i++) {
        for (unsigned threads = BY_BUILD(1, 1, 2); threads <= 2; threads++) {
            lode_mine_options o = mining_options(algorithms[i], 12);
            mined got = mine_table(&t, &o, threads == 1 ? "cpu*1" : "cpu*2");
            bool fine = CHECK_EQUAL(got.status, LODE_OK) &
                        CHECK(result_equal(&got.result, &want.result)) &
                        check_figures(got.report, &o);
            if (counted == 0) counted = got.report->engine.candidates_counted;
            if (i < 5) fine &= CHECK_EQUAL(got.report->engine.candidates_counted, counted);
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
    for (size_t i = 0; i < N_LEVELWISE; i++) {
        lode_mine_options o = mining_options(algorithms[i], 70);
        mined got = mine_table(&t, &o, "cpu*2");
        CHECK_EQUAL(got.result.n, 4095);
        CHECK_EQUAL(got.report->engine.n_levels, 11);
        mined_free(&got);
    }
    table_free(&t);
}

/* pbi, where only numbers are wanted: what goes to a device and comes from it does not depend on
 * how many sets a level has. (On a CPU, nothing goes anywhere.) */
static void test_bytes_of_levels(void) {
    static const char *const cpu[] = {"cpu*1"};
    const char *device = mining_device(cpu, 1, 0);
    bool gpu = strncmp(device, "cuda", 4) == 0;
    table t = table_random(81, 500, 40, 20, 70);
    mined want = mine_brute(&t, 60);
    lode_mine_options o = mining_options("pbi", 60);
    lode_job *job = mining_job(device);
    lode_dataset *data = mining_data(job, &t);
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), want.result.n);
    const engine_report *r = &lode_job_report(job)->engine;
    CHECK(r->n_levels >= 4);
    for (unsigned i = 0; i < r->n_levels; i++) {
        if (r->levels[i].generated == 0) continue; /* without a join there is one total less */
        CHECK_EQUAL(r->levels[i].bytes_up, 0);
        CHECK_EQUAL(r->levels[i].bytes_down, gpu ? 16 : 0);
    }
    lode_sink_free(sink);
    lode_dataset_free(data);
    lode_job_free(job);
    mined_free(&want);
    table_free(&t);
}

int main(void) {
    find_kernel_tables();
    CHECK_RUN(test_matrix);
    CHECK_RUN(test_all_ways);
    CHECK_RUN(test_many_threads);
    CHECK_RUN(test_wide_levels);
    CHECK_RUN(test_deep);
    CHECK_RUN(test_bytes_of_levels);
    return check_result();
}
