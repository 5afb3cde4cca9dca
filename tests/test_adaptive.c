/* test_adaptive.c - adaptive against the oracle: data sets, thresholds, targets, threads, weights
 *
 * Every data set is mined by brute at several thresholds; the closed sets, maximal sets and
 * generators are found in the whole result, by their definitions. adaptive must give the same sets
 * with the same supports for every target, number of threads and kernel table. There are many
 * combinations of these, so each (data set, threshold) takes the next few in turn.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tables.h"
#include "targets.h"

#define WAYS_AT_ONCE BY_BUILD(3, 1, 1)
#define STEP         BY_BUILD(1, 7, 17) /* of the data sets, only each STEP-th */

#define MOST_WEIGHT 4

/* ---- one run ------------------------------------------------------------------------------- */

static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL,
                                      LODE_TARGET_GENERATORS};
static const unsigned thread_counts[] = {BY_BUILD(1, 1, 3), 2, 8};

typedef struct way {
    lode_target target;
    unsigned threads;
    const char *kernels;
} way;

#define N_WAYS 24

static way way_at(size_t i) {
    return (way){targets[i % 4], thread_counts[i / 4 % 3], kernel_tables[i / 3 % n_kernel_tables]};
}

/* ---- the matrix ---------------------------------------------------------------------------- */

static bool check_way(const table *t, const uint32_t *weights, lode_mine_options o, size_t number,
                      const lode_result *all, const marks *m) {
    way w = way_at(number);
    o.algorithm = "adaptive";
    o.target = w.target;
    setenv("LODE_CPU", w.kernels, 1);
    mined got = mine_on(t, weights, &o, "cpu", w.threads);
    bool fine = CHECK_EQUAL(got.status, LODE_OK) & CHECK(is_right(&got.result, all, m, &o)) &
                counts_agree(&got, &o);
    unsetenv("LODE_CPU");
    if (!fine) {
        fprintf(stderr, "  support %llu, target %d, sizes %u to %u, %u threads, %s: %llu of %llu\n",
                (unsigned long long)o.min_support.numerator, (int)w.target, o.min_size, o.max_size,
                w.threads, w.kernels, (unsigned long long)got.result.n, (unsigned long long)all->n);
    }
    mined_free(&got);
    return fine;
}

static uint64_t total_weight(const table *t, const uint32_t *weights) {
    uint64_t total = 0;
    for (uint64_t i = 0; i < t->n; i++) total += weights ? weights[i] : 1;
    return total;
}

/* Thresholds from `lowest` to n; those with too many patterns are passed over. */
static bool check_table(const family *f, const table *t, const uint32_t *weights, size_t *number) {
    static const uint32_t sizes[][2] = {{0, 0}, {0, 0}, {2, 0}, {0, 3}, {2, 2}};
    uint64_t n = t->n ? t->n : 1;
    bool fine = true;
    uint64_t lowest = weights ? f->lowest * (MOST_WEIGHT + 1) : f->lowest; /* never a single row */
    for (uint64_t support = lowest; support <= n && fine; support = next_threshold(support, n)) {
        lode_mine_options o = mining_options("brute", support);
        if (f->max_size) continue; /* what is above decides what is closed */
        mined want = mine_on(t, weights, &o, "cpu", 1);
        fine = CHECK_EQUAL(want.status, LODE_OK);
        bool few = want.result.n < MAX_PATTERNS;
        lode_result none = {0};
        marks m = marks_make(few ? &want.result : &none, total_weight(t, weights));
        for (unsigned i = 0; i < WAYS_AT_ONCE && fine && few; i++) {
            size_t at = (*number)++;
            o.min_size = sizes[at % 5][0];
            o.max_size = sizes[at % 5][1];
            fine = check_way(t, weights, o, at * 7 % N_WAYS, &want.result, &m);
        }
        marks_free(&m);
        mined_free(&want);
    }
    return fine;
}

static uint32_t *random_weights(uint64_t seed, uint64_t n) {
    uint32_t *weights = malloc((n + 1) * sizeof *weights);
    rng r = rng_make(seed, 0);
    if (!weights) exit(2);
    for (uint64_t i = 0; i < n; i++) weights[i] = (uint32_t)rng_below(&r, MOST_WEIGHT + 1);
    return weights;
}

static void check_families(bool weighted) {
    size_t number = 0;
    uint64_t n_tables = 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        for (uint64_t seed = weighted; seed < families[i].n; seed += weighted ? 4 * STEP : STEP) {
            table t = families[i].make(seed);
            uint32_t *weights = weighted ? random_weights(seed, t.n) : NULL;
            if (!check_table(&families[i], &t, weights, &number)) {
                fprintf(stderr, "  data set '%s', seed %llu\n", families[i].name,
                        (unsigned long long)seed);
            }
            free(weights);
            table_free(&t);
            n_tables++;
        }
    }
    printf("    %llu data sets, %zu runs\n", (unsigned long long)n_tables, number);
}

static void test_matrix(void) {
    check_families(false);
}

static void test_weights(void) {
    check_families(true);
}

/* ---- shapes that the families do not reach --------------------------------------------------- */

/* Some ways to mine a table, plain and with weights. */
static void check_both(const table *t, uint64_t support, size_t first_way) {
    uint32_t *random = random_weights(first_way, t->n);
    lode_mine_options o = mining_options("brute", 0);
    for (int weighted = 0; weighted < 2; weighted++) {
        const uint32_t *weights = weighted ? random : NULL;
        o.min_support.numerator = support * (weighted ? 3 : 1);
        mined want = mine_on(t, weights, &o, "cpu", 1);
        CHECK(want.result.n > 300 && want.result.n < 10 * MAX_PATTERNS);
        marks m = marks_make(&want.result, total_weight(t, weights));
        for (unsigned k = 0; k < N_WAYS; k += 3 * STEP) {
            check_way(t, weights, o, (first_way + k) * 5 % N_WAYS, &want.result, &m);
        }
        marks_free(&m);
        mined_free(&want);
    }
    free(random);
}

/* Many items: lists, and words below them. */
static void test_wide(void) {
    static const struct {
        uint64_t rows;
        uint32_t items, length;
        uint64_t support;
    } shapes[] = {{400, 100, 7, 14}, {900, 400, 6, 14}, {600, 1500, 6, 8}, {1500, 240, 5, 12}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        table t = table_patterns(i, shapes[i].rows, shapes[i].items, shapes[i].length);
        check_both(&t, shapes[i].support, i);
        table_free(&t);
    }
}

/* More than 64 items that go with each other: rows of bits, or with weights lists below lists. */
static void test_dense(void) {
    for (uint64_t seed = 0; seed < BY_BUILD(3, 3, 1); seed++) {
        table t = table_random(seed + 5, 200 + 300 * seed, 90, 42, 58);
        check_both(&t, 36 + 54 * seed, seed);
        table_free(&t);
    }
}

/* Children with more earlier items than fit a word: many items are frequent in pairs, and the
 * rarest are in all transactions of three others together, or nearly so. Transactions come in
 * pairs. */
static table make_pairs(uint64_t seed) {
    enum { LIGHT = 56, DENSE = 14, MORE = 12 };
    table t = {0};
    rng r = rng_make(seed, 6);
    for (unsigned i = 0; i < 200; i++) {
        uint32_t row[LIGHT + DENSE + MORE];
        bool light[LIGHT], dense[DENSE];
        size_t n = 0;
        for (uint32_t k = 0; k < LIGHT; k++) {
            light[k] = rng_below(&r, 100) < 46 + k % 8;
            if (light[k]) row[n++] = k;
        }
        for (uint32_t k = 0; k < DENSE; k++) {
            dense[k] = rng_below(&r, 100) < 72 + k % 4;
            if (dense[k]) row[n++] = LIGHT + k;
        }
        for (unsigned copy = 0; copy < 2; copy++) {
            size_t all = n;
            for (uint32_t k = 0; k < MORE; k++) {
                bool three = light[4 * k] && dense[k] && dense[k + 1];
                if (three && (k % 2 || rng_below(&r, 100) < 97)) row[all++] = LIGHT + DENSE + k;
            }
            table_add(&t, row, all);
        }
    }
    return t;
}

static void test_second_words(void) {
    if (BY_BUILD(false, false, true)) return; /* brute force takes minutes, on one thread */
    table t = make_pairs(1);
    check_both(&t, BY_BUILD(64, 72, 72), 3);
    table_free(&t);
}

/* Sparse, and mined at thresholds so low that most sets have few transactions: strips, of one word
 * and of several. Some groups of items are in 60 to 600 transactions, with gaps; an item is in all
 * transactions of two others, or in all but a few; the rest is noise, and rare. */
static table make_low(uint64_t seed) {
    enum { GROUPS = 30, GROUP_ITEMS = 9, NOISE = 250, NOISE_ITEMS = 300, ROWS = 6000 };
    table t = {0};
    rng r = rng_make(seed, 7);
    for (unsigned i = 0; i < ROWS; i++) {
        uint32_t row[GROUP_ITEMS + 8];
        uint32_t group = (uint32_t)(rng_below(&r, GROUPS) * rng_below(&r, GROUPS) / GROUPS);
        uint32_t gaps = 25 + group, first = group * (GROUP_ITEMS - 2); /* groups overlap */
        bool has[GROUP_ITEMS];
        size_t n = 0;
        for (uint32_t k = 0; k < GROUP_ITEMS; k++) {
            has[k] = rng_below(&r, 100) >= gaps;
            if (has[k]) row[n++] = first + k;
        }
        bool both = has[1] && has[2] && (group % 2 || rng_below(&r, 40));
        if (both) row[n++] = NOISE + NOISE_ITEMS + group;
        for (unsigned k = 0; k < 3; k++) row[n++] = NOISE + (uint32_t)rng_below(&r, NOISE_ITEMS);
        table_add(&t, row, n);
    }
    return t;
}

/* Thousands of items, so that a child has few of them: groups of three in about seven transactions,
 * with gaps, and one item more, often the same, of a few that are in 75 each. */
static table make_scattered(uint64_t seed) {
    enum { GROUPS = 900, HUBS = 80, ROWS = 6000 };
    table t = {0};
    rng r = rng_make(seed, 8);
    for (unsigned i = 0; i < ROWS; i++) {
        uint32_t row[4], group = (uint32_t)rng_below(&r, GROUPS);
        size_t n = 0;
        bool own = rng_below(&r, 2);
        row[n++] = 3 * GROUPS + (own ? group % HUBS : (uint32_t)rng_below(&r, HUBS));
        for (uint32_t k = 0; k < 3; k++) {
            if (rng_below(&r, 100) >= 15) row[n++] = 3 * group + k;
        }
        table_add(&t, row, n);
    }
    return t;
}

/* Every third way to mine a table, from a first one on. */
static void check_some(const table *t, uint64_t support, size_t first_way) {
    lode_mine_options o = mining_options("frontier", support);
    mined want = mine_on(t, NULL, &o, "cpu", 1);
    CHECK(want.result.n > 200 && want.result.n < MAX_PATTERNS);
    marks m = marks_make(&want.result, t->n);
    for (size_t k = 0; k < N_WAYS; k += 3 * STEP) {
        check_way(t, NULL, o, (first_way + k) % N_WAYS, &want.result, &m);
    }
    marks_free(&m);
    mined_free(&want);
}

static void test_low(void) {
    static const uint64_t supports[] = {10, 25, 60};
    for (uint64_t seed = 0; seed < BY_BUILD(2, 1, 1); seed++) {
        table low = make_low(seed), scattered = make_scattered(seed);
        for (size_t i = BY_BUILD(0, 0, 2); i < 3; i++) check_some(&low, supports[i], i + seed);
        if (BY_BUILD(true, true, false)) { /* the same threads again */
            check_some(&scattered, 3, seed);
            check_some(&scattered, 2, seed + 1); /* what two transactions have in common */
        }
        table_free(&low);
        table_free(&scattered);
    }
}

/* A few hundred transactions, mined down to two of them: strips below rows and below words. Of 30
 * items that hardly go with each other, generators start from rows. */
static void test_small(void) {
    static const struct {
        uint64_t rows;
        uint32_t items, length;
        uint64_t support;
    } shapes[] = {{200, 110, 4, 2}, {400, 100, 4, 4}, {150, 45, 4, 2}, {500, 60, 4, 4}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        table t = table_patterns(i + 20, shapes[i].rows, shapes[i].items, shapes[i].length);
        check_some(&t, shapes[i].support, i);
        table_free(&t);
    }
    table loose = table_random(9, 900, 30, 35, 45);
    for (size_t i = 0; i < 3; i++) check_some(&loose, 50, i);
    table_free(&loose);
}

/* Short transactions of many items, some of which are in thousands of them: below the lists of the
 * root are rows, though few of their bits are set. */
static void test_short(void) {
    enum { ROWS = 12000, ITEMS = 220 };
    table t = {0};
    rng r = rng_make(3, 9);
    for (unsigned i = 0; i < ROWS; i++) {
        uint32_t row[6];
        size_t n = 0, length = 2 + rng_below(&r, 5);
        while (n < length) {
            uint64_t a = rng_below(&r, ITEMS), b = rng_below(&r, ITEMS), c = rng_below(&r, ITEMS);
            uint32_t item = (uint32_t)(a * b / ITEMS * c / ITEMS);
            bool fresh = true;
            for (size_t k = 0; k < n; k++) fresh &= row[k] != item;
            if (fresh) row[n++] = item;
        }
        table_add(&t, row, n);
    }
    for (size_t i = 0; i < 3; i++) check_some(&t, 6, i);
    table_free(&t);
}

/* So many transactions that the rows of earlier items are kept for some columns only. Some items
 * are rare; the others are in most transactions of a part of the data. There, items are in all
 * transactions of another, of several others together, or of all but one. Shares are in percent. */
typedef struct many {
    unsigned n, part, rare, dense;
} many;

#define MANY_SUPPORT 16500
#define MANY_RARE    56
#define MANY_DENSE   10

static table make_many(const many *s, uint64_t seed) {
    table t = {0};
    rng r = rng_make(seed, 5);
    for (unsigned i = 0; i < s->n; i++) {
        uint32_t row[MANY_RARE + MANY_DENSE + 6];
        bool dense[MANY_DENSE], in_part = rng_below(&r, 100) < s->part;
        size_t n = 0;
        for (uint32_t k = 0; k < MANY_RARE; k++) {
            if (rng_below(&r, 100) < s->rare + k % 4) row[n++] = k;
        }
        for (uint32_t k = 0; k < MANY_DENSE; k++) {
            dense[k] = in_part && rng_below(&r, 100) < s->dense + k;
            if (dense[k]) row[n++] = MANY_RARE + k;
        }
        bool more[] = {dense[0],
                       dense[1] && i < s->n - 5,
                       (dense[2] && dense[3]) || (in_part && rng_below(&r, 20) == 0),
                       dense[4] && dense[5] && dense[9],
                       dense[6] && rng_below(&r, 9000),
                       dense[7] && dense[8] && i != s->n / 2};
        for (uint32_t k = 0; k < 6; k++) {
            if (more[k]) row[n++] = MANY_RARE + MANY_DENSE + k;
        }
        table_add(&t, row, n);
    }
    return t;
}

static void test_many(void) {
    static const many shapes[] = {{36000, 100, 48, 81}, {90000, 30, 20, 84}};
    for (size_t i = 0; i < BY_BUILD(2, 2, 1); i++) {
        table t = make_many(&shapes[i], i);
        lode_mine_options o = mining_options("frontier", MANY_SUPPORT); /* brute takes minutes */
        mined want = mine_on(&t, NULL, &o, "cpu", 1);
        CHECK(want.result.n > 1000 && want.result.n < MAX_PATTERNS);
        marks m = marks_make(&want.result, t.n);
        for (size_t k = 0; k < N_WAYS; k += BY_BUILD(1, 3, 5)) {
            bool closed = k % 4 == 1, maximal = k % 4 == 2; /* these need earlier items */
            if (closed || maximal) check_way(&t, NULL, o, k, &want.result, &m);
        }
        marks_free(&m);
        mined_free(&want);
        table_free(&t);
    }
}

/* Rows of the root of more than a MiB, so that its items are counted in blocks; items come in
 * groups, some of which are always whole. */
static table make_large_root(void) {
    enum { GROUPS = 45, GROUP = 4 };
    table t = {0};
    rng r = rng_make(8, 7);
    for (unsigned i = 0; i < 50000; i++) {
        uint32_t row[GROUPS * GROUP];
        size_t n = 0;
        for (uint32_t k = 0; k < GROUPS; k++) {
            if (rng_below(&r, 100) >= 5 + k / 9) continue;
            for (uint32_t item = 0; item < GROUP; item++) {
                if (k % 3 == 0 || rng_below(&r, 100) < 80) row[n++] = k * GROUP + item;
            }
        }
        table_add(&t, row, n);
    }
    return t;
}

static void test_large_root(void) {
    table t = make_large_root();
    lode_mine_options o = mining_options("frontier", 300); /* brute takes minutes */
    mined want = mine_on(&t, NULL, &o, "cpu", 1);
    CHECK(want.result.n > 1000 && want.result.n < MAX_PATTERNS);
    marks m = marks_make(&want.result, t.n);
    for (size_t k = 0; k < N_WAYS; k += BY_BUILD(1, 5, 9)) {
        check_way(&t, NULL, o, k, &want.result, &m);
    }
    marks_free(&m);
    mined_free(&want);
    table_free(&t);
}

/* Everything in all transactions, nothing in any, one item. */
static void test_plain_shapes(void) {
    static const uint32_t items[] = {3, 5, 6, 9};
    for (size_t n_items = 0; n_items <= 4; n_items++) {
        for (uint64_t n_rows = 0; n_rows <= 3; n_rows++) {
            table t = {0};
            for (uint64_t i = 0; i < n_rows; i++) table_add(&t, items, n_items);
            uint64_t sets = n_rows ? ((uint64_t)1 << n_items) - 1 : 0;
            for (size_t k = 0; k < 4; k++) {
                lode_mine_options o = mining_options("adaptive", n_rows ? n_rows : 1);
                o.target = targets[k];
                mined got = mine_on(&t, NULL, &o, "cpu", 2);
                uint64_t want = k == 0 ? sets : k == 3 ? 0 : sets > 0;
                CHECK_EQUAL(got.status, LODE_OK);
                CHECK_EQUAL(got.result.n, want);
                mined_free(&got);
            }
            table_free(&t);
        }
    }
}

/* One maximal set of many items, each of which is missing somewhere: subsets are not searched. */
static void test_together(void) {
    enum { ITEMS = 40, SUPPORT = 4 };
    table t = {0};
    for (uint32_t missing = 0; missing < ITEMS + SUPPORT; missing++) {
        uint32_t row[ITEMS];
        size_t n = 0;
        for (uint32_t item = 0; item < ITEMS; item++) {
            if (item != missing) row[n++] = item;
        }
        table_add(&t, row, n);
    }
    for (unsigned threads = 1; threads <= 2; threads++) {
        lode_mine_options o = mining_options("adaptive", SUPPORT);
        o.target = LODE_TARGET_MAXIMAL;
        mined got = mine_on(&t, NULL, &o, "cpu", threads);
        CHECK_EQUAL(got.status, LODE_OK);
        CHECK(got.result.n == 1 && got.result.offsets[1] == ITEMS);
        mined_free(&got);
    }
    table_free(&t);
}

static void test_refused(void) {
    table t = table_random(1, 20, 5, 20, 60);
    lode_mine_options o = mining_options("frontier", 2);
    o.target = LODE_TARGET_CLOSED;
    mined got = mine_on(&t, NULL, &o, "cpu", 1);
    CHECK_EQUAL(got.status, LODE_UNSUPPORTED);
    mined_free(&got);
    table_free(&t);
}

int main(void) {
    find_kernel_tables();
    CHECK_RUN(test_plain_shapes);
    CHECK_RUN(test_matrix);
    CHECK_RUN(test_weights);
    CHECK_RUN(test_wide);
    CHECK_RUN(test_dense);
    CHECK_RUN(test_second_words);
    CHECK_RUN(test_low);
    CHECK_RUN(test_small);
    CHECK_RUN(test_short);
    CHECK_RUN(test_many);
    CHECK_RUN(test_large_root);
    CHECK_RUN(test_together);
    CHECK_RUN(test_refused);
    return check_result();
}
