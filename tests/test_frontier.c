/* test_frontier.c - frontier against the oracle: data sets, thresholds, devices, batches, lists
 *
 * Every data set is mined by brute at several thresholds; frontier must give the same sets with the
 * same supports whatever the number of devices, epsilon, the number of lists and the kernel table.
 * There are many combinations of these, so each (data set, threshold) takes the next few in turn;
 * over the 200 data sets, each combination is taken many times.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tables.h"

#define WAYS_AT_ONCE BY_BUILD(3, 1, 1) /* ten times slower; what counts there is not the matrix */

/* ---- ways to run --------------------------------------------------------------------------- */

static const char *const cpus[] = {"cpu*1", "cpu*2", "cpu*3"};
static const uint64_t epsilons[] = {0, 1, 64, UINT64_MAX};
static const uint64_t pools[] = {0, 1, 2, 10};

#define N_WAYS (3 * 4 * 4)

static mined run_way(const table *t, lode_mine_options o, size_t way) {
    o.algorithm = "frontier";
    o.epsilon = epsilons[way / 3 % 4];
    o.max_lists = pools[way / 12 % 4];
    setenv("LODE_CPU", kernel_tables[way % n_kernel_tables], 1);
    mined m = mine_table(t, &o, mining_device(cpus, 3, way));
    unsetenv("LODE_CPU");
    return m;
}

static bool check_way(const table *t, const lode_mine_options *o, size_t way, const mined *want) {
    mined got = run_way(t, *o, way);
    bool fine = CHECK_EQUAL(got.status, LODE_OK) & CHECK(result_equal(&got.result, &want->result)) &
                CHECK_EQUAL(got.report->result.patterns, want->result.n) &
                CHECK_EQUAL(got.report->engine.min_count, o->min_support.numerator);
    uint64_t pool = pools[way / 12 % 4];
    if (pool) fine &= CHECK(got.report->engine.lists_peak <= pool);
    if (!fine) {
        fprintf(stderr, "  support %llu, device %s, epsilon %lld, lists %llu: %llu of %llu\n",
                (unsigned long long)o->min_support.numerator, mining_device(cpus, 3, way),
                (long long)epsilons[way / 3 % 4], (unsigned long long)pool,
                (unsigned long long)got.result.n, (unsigned long long)want->result.n);
    }
    mined_free(&got);
    return fine;
}

/* Thresholds from `lowest` to n; those with too many patterns are passed over. */
static bool check_table(const family *f, const table *t, size_t *way) {
    uint64_t n = t->n ? t->n : 1;
    bool fine = true;
    for (uint64_t support = f->lowest; support <= n && fine; support = next_threshold(support, n)) {
        lode_mine_options o = mining_options("brute", support);
        o.max_size = f->max_size;
        mined want = mine_table(t, &o, "cpu*1");
        fine = CHECK_EQUAL(want.status, LODE_OK);
        for (unsigned i = 0; i < WAYS_AT_ONCE && fine && want.result.n < MAX_PATTERNS; i++) {
            fine = check_way(t, &o, (*way)++ * 29 % N_WAYS, &want);
        }
        mined_free(&want);
    }
    return fine;
}

static void test_matrix(void) {
    uint64_t n_tables = 0;
    size_t way = 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        for (uint64_t seed = 0; seed < families[i].n; seed += BY_BUILD(1, 2, 9)) {
            table t = families[i].make(seed);
            if (!check_table(&families[i], &t, &way)) {
                fprintf(stderr, "  data set '%s', seed %llu\n", families[i].name,
                        (unsigned long long)seed);
            }
            table_free(&t);
            n_tables++;
        }
    }
    printf("    %llu data sets, %zu runs\n", (unsigned long long)n_tables, way);
    CHECK(n_tables >= BY_BUILD(200, 100, 20));
}

/* All ways on one data set, with sizes limited in every manner. */
static void test_all_ways(void) {
    static const uint32_t sizes[][2] = {{0, 0}, {1, 1}, {2, 0}, {0, 2}, {3, 4}, {9, 0}, {5, 5}};
    table t = table_random(77, 300, 14, 25, 75);
    mined all = mine_brute(&t, 40);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        lode_mine_options o = mining_options("brute", 40);
        o.min_size = sizes[i][0];
        o.max_size = sizes[i][1];
        mined want = mine_table(&t, &o, "cpu*1");
        uint32_t most = o.max_size ? o.max_size : UINT32_MAX;
        CHECK_EQUAL(want.result.n, result_count(&all.result, 1, o.min_size, most));
        CHECK(result_within(&want.result, &all.result));
        for (size_t way = 0; way < (i ? 16 : N_WAYS); way++) {
            check_way(&t, &o, i ? way * 29 % N_WAYS : way, &want);
        }
        mined_free(&want);
    }
    mined_free(&all);
    table_free(&t);
}

/* ---- the oracle itself, and relations that hold without one -------------------------------- */

/* Supports counted from the definition, over every subset of eight items. */
static void test_oracle(void) {
    table t = table_random(8, 90, 8, 20, 90);
    for (uint64_t support = 1; support <= 90; support += 11) {
        mined got = mine_brute(&t, support);
        uint64_t n_frequent = 0;
        for (uint32_t set = 1; set < 256; set++) {
            uint32_t items[8];
            size_t n = 0, n_row;
            uint64_t count = 0;
            for (uint32_t i = 0; i < 8; i++) {
                if (set >> i & 1) items[n++] = i;
            }
            for (uint64_t row = 0; row < t.n; row++) {
                const uint32_t *at = table_row(&t, row, &n_row);
                uint32_t bits = 0;
                for (size_t i = 0; i < n_row; i++) bits |= (uint32_t)1 << at[i];
                count += (bits & set) == set;
            }
            n_frequent += count >= support;
            CHECK_EQUAL(result_find(&got.result, items, n), count >= support ? count : 0);
        }
        CHECK_EQUAL(got.result.n, n_frequent);
        mined_free(&got);
    }
    table_free(&t);
}

/* Figure 2 of the paper: 75 % of four transactions. */
static void test_paper(void) {
    static const uint32_t rows[][5] = {{1, 2, 3, 4, 5}, {3, 4, 6}, {2, 3, 7}, {3, 4, 6, 7}};
    static const size_t lengths[] = {5, 3, 3, 4};
    static const uint32_t items[] = {3, 4, 3, 4};
    static const uint64_t offsets[] = {0, 1, 2, 4}, supports[] = {4, 3, 3};
    lode_result want = {0, 3, offsets, items, supports};
    table t = {0};
    for (size_t i = 0; i < 4; i++) table_add(&t, rows[i], lengths[i]);
    lode_mine_options o = mining_options("frontier", 0);
    CHECK(lode_threshold_parse("75%", &o.min_support, NULL, 0) == LODE_OK);
    for (size_t i = 0; i < 3; i++) {
        mined got = mine_table(&t, &o, cpus[i]);
        CHECK_EQUAL(got.report->engine.min_count, 3);
        CHECK_EQUAL(got.report->engine.frequent_items, 2);
        CHECK(result_equal(&got.result, &want));
        mined_free(&got);
    }
    table_free(&t);
}

static void test_permuted(void) {
    for (uint64_t seed = 0; seed < 6; seed++) {
        table t = table_random(seed, 700, 16, 10, 60), p = {0};
        for (uint64_t i = 0; i < 13; i++) table_add_rows(&p, &t, i * 5 % 13, 13);
        lode_mine_options o = mining_options("frontier", 50);
        mined a = mine_table(&t, &o, cpus[seed % 3]), b = run_way(&p, o, seed * 7);
        CHECK(a.result.n > 100 && result_equal(&a.result, &b.result));
        mined_free(&a);
        mined_free(&b);
        table_free(&t);
        table_free(&p);
    }
}

static void test_doubled(void) {
    for (uint64_t seed = 0; seed < 6; seed++) {
        table t = table_random(seed + 50, 333, 14, 15, 65), twice = {0};
        table_add_rows(&twice, &t, 0, 1);
        table_add_rows(&twice, &t, 0, 1);
        lode_mine_options once = mining_options("frontier", 30);
        lode_mine_options both = mining_options("frontier", 60);
        mined a = mine_table(&t, &once, "cpu*1"), b = run_way(&twice, both, seed * 11);
        CHECK_EQUAL(a.result.n, b.result.n);
        for (uint64_t i = 0; i < a.result.n; i++) {
            size_t n;
            const uint32_t *items = result_items(&a.result, i, &n);
            CHECK_EQUAL(result_find(&b.result, items, n), 2 * a.result.supports[i]);
        }
        mined_free(&a);
        mined_free(&b);
        table_free(&t);
        table_free(&twice);
    }
}

static void test_raised(void) {
    table t = table_random(99, 500, 18, 10, 60);
    mined low = mine_brute(&t, 25);
    for (uint64_t support = 26; support < 300; support = support * 5 / 4) {
        mined high = run_way(&t, mining_options("frontier", support), support);
        CHECK(result_within(&high.result, &low.result));
        CHECK_EQUAL(high.result.n, result_count(&low.result, support, 1, UINT32_MAX));
        mined_free(&high);
    }
    mined_free(&low);
    table_free(&t);
}

int main(void) {
    find_kernel_tables();
    CHECK_RUN(test_oracle);
    CHECK_RUN(test_paper);
    CHECK_RUN(test_matrix);
    CHECK_RUN(test_all_ways);
    CHECK_RUN(test_permuted);
    CHECK_RUN(test_doubled);
    CHECK_RUN(test_raised);
    return check_result();
}
