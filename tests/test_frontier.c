/* test_frontier.c - frontier against the oracle: data sets, thresholds, devices, batches, lists
 *
 * Every data set is mined by brute at several thresholds; frontier must give the same sets with the
 * same supports whatever the number of devices, epsilon, the number of lists and the kernel table.
 * The ways to run are many, so each (data set, threshold) takes the next few of them in turn; over
 * the 200 data sets each way is taken many times.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mining.h"

#define MAX_PATTERNS 20000u
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define WAYS_AT_ONCE 1 /* ten times slower; what counts there is not the matrix */
#else
#define WAYS_AT_ONCE 3
#endif

/* ---- data ---------------------------------------------------------------------------------- */

static table make_repeated(uint64_t seed) {
    table t = {0};
    rng r = rng_make(seed, 1);
    for (uint64_t i = 0; i < 60; i++) {
        uint32_t row[24];
        size_t n = 1 + (size_t)rng_below(&r, 8);
        for (size_t k = 0; k < n; k++)
            row[k] = row[n + k] = row[2 * n + k] = (uint32_t)rng_below(&r, 9);
        table_add(&t, row, 3 * n); /* every item at least three times, in any order */
    }
    return t;
}

static table make_duplicates(uint64_t seed) {
    table base = table_random(seed, 5, 9, 30, 80), t = {0};
    for (unsigned i = 0; i < 130; i++) table_add_rows(&t, &base, i % 5, 5);
    table_free(&base);
    return t;
}

/* Blocks of items that come and go together, some of them damaged. */
static table make_blocks(uint64_t seed) {
    table t = {0};
    rng r = rng_make(seed, 2);
    for (unsigned i = 0; i < 200; i++) {
        uint32_t row[40];
        size_t n = 0;
        for (uint32_t block = 0; block < 5; block++) {
            if (rng_below(&r, 100) >= 45) continue;
            for (uint32_t k = 0; k < 4; k++) {
                if (rng_below(&r, 100) < 92) row[n++] = block * 4 + k;
            }
        }
        table_add(&t, row, n);
    }
    return t;
}

static table make_equal(uint64_t seed) {
    table t = {0};
    uint32_t row[8];
    for (uint32_t i = 0; i < 8; i++) row[i] = i * 3 + (uint32_t)seed;
    for (uint64_t i = 0; i < 3 + seed * 97 % 1100; i++) table_add(&t, row, 8);
    return t;
}

/* Item numbers up to 70,000 and beyond, a few of them frequent. */
static table make_wide(uint64_t seed) {
    table t = {0};
    rng r = rng_make(seed, 3);
    for (unsigned i = 0; i < 1200; i++) {
        uint32_t row[80];
        size_t n = 0;
        for (uint32_t k = 0; k < 60; k++) row[n++] = i * 60 + k; /* 72,000 items, each once */
        for (uint32_t k = 0; k < 8; k++) {
            if (rng_below(&r, 100) < 15 + 8 * k) row[n++] = 65530 + 3 * k + (k > 4 ? 10000 : 0);
        }
        table_add(&t, row, n);
    }
    return t;
}

/* Transactions of more than 10,000 items, nearly all of them in no other one. */
static table make_long(uint64_t seed) {
    static uint32_t row[11010];
    table t = {0};
    rng r = rng_make(seed, 4);
    for (uint32_t i = 0; i < 6; i++) {
        size_t n = 0;
        for (uint32_t item = 0; item < 9; item++) {
            if (rng_below(&r, 3) > 0) row[n++] = item;
        }
        for (uint32_t k = 0; k < 11000; k++) row[n++] = 9 + i * 11000 + k;
        table_add(&t, row, n);
    }
    return t;
}

static table make_empty_rows(uint64_t n) {
    table t = {0};
    for (uint64_t i = 0; i < n; i++) table_add(&t, NULL, 0);
    return t;
}

static table make_single_item(uint64_t seed) {
    table t = {0};
    rng r = rng_make(seed, 5);
    uint32_t item = (uint32_t)rng_below(&r, 1000);
    for (uint64_t i = 0; i < 1 + seed * 131 % 1500; i++) table_add(&t, &item, rng_below(&r, 2));
    return t;
}

static table make_one_row(uint64_t seed) {
    table t = {0};
    uint32_t row[13];
    rng r = rng_make(seed, 6);
    size_t n = 1 + (size_t)rng_below(&r, 13);
    for (size_t i = 0; i < n; i++) row[i] = (uint32_t)(17 * i + rng_below(&r, 17));
    table_add(&t, row, n);
    return t;
}

/* A table of n rows, around the lengths at which lines of bits end. */
static table make_edge(uint64_t seed) {
    static const uint64_t lengths[] = {1, 2, 63, 64, 65, 127, 128, 511, 512, 513, 1023, 1024, 1025};
    uint64_t n = lengths[seed % (sizeof lengths / sizeof *lengths)];
    return table_random(seed, n, 10, 20, 70);
}

static table make_sparse(uint64_t seed) {
    return table_random(seed, 150 + seed % 5 * 200, 40, 1, 12);
}

static table make_dense(uint64_t seed) {
    return table_random(seed, 40 + seed % 7 * 30, 10, 45, 95);
}

typedef struct family {
    const char *name;
    table (*make)(uint64_t seed);
    uint64_t n;
    uint64_t lowest;   /* threshold to begin with */
    uint32_t max_size; /* 0: none */
} family;

static const family families[] = {
    {"sparse", make_sparse, 36, 1, 0},
    {"dense", make_dense, 36, 1, 0},
    {"edge", make_edge, 39, 1, 0},
    {"blocks", make_blocks, 20, 20, 0},
    {"duplicate rows", make_duplicates, 15, 1, 0},
    {"repeated items", make_repeated, 15, 1, 0},
    {"equal rows", make_equal, 10, 1, 0},
    {"one row", make_one_row, 12, 1, 0},
    {"single item", make_single_item, 10, 1, 0},
    {"wide", make_wide, 2, 2, 0},
    {"long", make_long, 2, 2, 0},
    {"long, pairs", make_long, 1, 2, 2},
    {"empty rows", make_empty_rows, 5, 1, 0}, /* the first has no rows at all */
};

/* ---- ways to run --------------------------------------------------------------------------- */

static const char *const devices[] = {"cpu*1", "cpu*2", "cpu*3"};
static const uint64_t epsilons[] = {0, 1, 64, UINT64_MAX};
static const uint64_t pools[] = {0, 1, 2, 10};
static const char *kernel_tables[8];
static size_t n_kernel_tables;

#define N_WAYS (3 * 4 * 4)

static void find_kernel_tables(void) {
    static const char *const names[] = {"avx512", "avx2", "neon", "scalar"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lode_device device;
        setenv("LODE_CPU", names[i], 1);
        if (lode_device_at(0, &device) && device.usable)
            kernel_tables[n_kernel_tables++] = names[i];
    }
    unsetenv("LODE_CPU");
    CHECK(n_kernel_tables > 0);
}

static mined run_way(const table *t, lode_mine_options o, size_t way) {
    o.algorithm = "frontier";
    o.epsilon = epsilons[way / 3 % 4];
    o.max_lists = pools[way / 12 % 4];
    setenv("LODE_CPU", kernel_tables[way % n_kernel_tables], 1);
    mined m = mine_table(t, &o, devices[way % 3]);
    unsetenv("LODE_CPU");
    return m;
}

static bool check_way(const table *t, const lode_mine_options *o, size_t way, const mined *want) {
    mined got = run_way(t, *o, way);
    bool fine = CHECK_EQUAL(got.status, LODE_OK) & CHECK(result_equal(&got.result, &want->result)) &
                CHECK_EQUAL(got.report.patterns, want->result.n) &
                CHECK_EQUAL(got.report.min_count, o->min_support.numerator);
    uint64_t pool = pools[way / 12 % 4];
    if (pool) fine &= CHECK(got.report.lists_peak <= pool);
    if (!fine) {
        fprintf(stderr, "  support %llu, device %s, epsilon %lld, lists %llu: %llu of %llu\n",
                (unsigned long long)o->min_support.numerator, devices[way % 3],
                (long long)epsilons[way / 3 % 4], (unsigned long long)pool,
                (unsigned long long)got.result.n, (unsigned long long)want->result.n);
    }
    mined_free(&got);
    return fine;
}

/* The next threshold: small steps first, then larger ones, and n itself. */
static uint64_t next_threshold(uint64_t now, uint64_t n) {
    uint64_t next = now + 1 + now * 2;
    return now < n && next > n ? n : next;
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
        for (uint64_t seed = 0; seed < families[i].n; seed++) {
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
    CHECK(n_tables >= 200);
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
    lode_result want = {3, offsets, items, supports};
    table t = {0};
    for (size_t i = 0; i < 4; i++) table_add(&t, rows[i], lengths[i]);
    lode_mine_options o = mining_options("frontier", 0);
    CHECK(lode_threshold_parse("75%", &o.min_support, NULL, 0) == LODE_OK);
    for (size_t i = 0; i < 3; i++) {
        mined got = mine_table(&t, &o, devices[i]);
        CHECK_EQUAL(got.report.min_count, 3);
        CHECK_EQUAL(got.report.frequent_items, 2);
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
        mined a = mine_table(&t, &o, devices[seed % 3]), b = run_way(&p, o, seed * 7);
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
