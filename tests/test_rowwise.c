/* test_rowwise.c - the search by rows, compared with the definition and with the search by items
 *
 * With few rows, every closed set follows from a set of rows: the items in all of these. So the
 * oracle examines all 2^n sets of rows, and shares no code with the search. With more rows (one to
 * five words), the expected sets come from the search by items of `adaptive`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tables.h"
#include "targets.h"

#define N_SMALL BY_BUILD(250, 40, 20)
#define N_WIDE  BY_BUILD(60, 12, 12)

#define MOST_ROWS 10

/* ---- data ---------------------------------------------------------------------------------- */

/* Samples of genes: each is up (item 2g), down (2g + 1) or neither; modules of genes go together in
 * some of the samples. Some genes are copies of the one before, and some samples too. */
static table table_of_genes(rng *r, uint32_t n_rows, uint32_t n_genes) {
    table t = {0};
    uint32_t *row = malloc((2 * n_genes + 1) * sizeof *row), *module = malloc(n_rows * 4);
    uint64_t present = 20 + rng_below(r, 60), seed = rng_u64(r), copies = rng_below(r, 3);
    if (!row || !module) exit(2);
    for (uint32_t i = 0; i < n_rows; i++) module[i] = (uint32_t)rng_below(r, 3);
    for (uint32_t i = 0; i < n_rows; i++) {
        size_t n = 0;
        uint32_t like = copies && i > 0 && rng_below(r, 8) == 0 ? i - 1 : i;
        for (uint32_t g = 0; g < n_genes; g++) {
            uint32_t gene = copies > 1 && g % 4 == 3 ? g - 1 : g;
            rng here = rng_make(seed, like * (uint64_t)n_genes + gene);
            bool planted = gene % 3 == module[like] && rng_below(&here, 10) < 8;
            if (!planted && rng_below(&here, 100) >= present) continue;
            row[n++] = 2 * g + (planted ? gene % 2 : (uint32_t)rng_below(&here, 2));
        }
        table_add(&t, row, n);
    }
    free(row);
    free(module);
    return t;
}

/* ---- the oracle ---------------------------------------------------------------------------- */

typedef struct expected {
    uint64_t n; /* sets that are wanted */
    bool fine;  /* each is in the result, with its support */
} expected;

static bool row_has(const table *t, uint64_t i, uint32_t item) {
    size_t n;
    const uint32_t *items = table_row(t, i, &n);
    for (size_t k = 0; k < n; k++) {
        if (items[k] == item) return true;
    }
    return false;
}

/* The items in all rows of a set. */
static size_t items_of(const table *t, unsigned rows, uint32_t *out) {
    size_t n = 0, n_first;
    const uint32_t *first = table_row(t, (uint64_t)__builtin_ctz(rows), &n_first);
    for (size_t k = 0; k < n_first; k++) {
        bool all = true;
        for (uint64_t i = 0; i < t->n && all; i++)
            all = !(rows >> i & 1) || row_has(t, i, first[k]);
        if (all) out[n++] = first[k];
    }
    return n;
}

/* The weight of the rows that hold all of these items; *same: they are just `rows`, except for rows
 * that weigh nothing. */
static uint64_t support_of(const table *t, const uint32_t *weights, const uint32_t *items, size_t n,
                           unsigned rows, bool *same) {
    uint64_t support = 0;
    *same = true;
    for (uint64_t i = 0; i < t->n; i++) {
        uint64_t weight = weights ? weights[i] : 1;
        bool holds = true;
        for (size_t k = 0; k < n && holds; k++) holds = row_has(t, i, items[k]);
        if (holds) support += weight;
        if (weight > 0) *same &= holds == (rows >> i & 1);
    }
    return support;
}

/* Whether some item can be added to a set of rows' items, so that it stays frequent. */
static bool grows(const table *t, const uint32_t *weights, unsigned rows, uint64_t min) {
    for (uint32_t item = 0; item < 400; item++) {
        uint64_t support = 0;
        bool all = true;
        for (uint64_t i = 0; i < t->n; i++) {
            if (!(rows >> i & 1)) continue;
            bool has = row_has(t, i, item);
            if (has) support += weights ? weights[i] : 1;
            all &= has;
        }
        if (!all && support >= min) return true;
    }
    return false;
}

static expected expect(const table *t, const uint32_t *weights, const lode_mine_options *o,
                       const lode_result *got) {
    expected e = {.fine = true};
    uint32_t items[512];
    unsigned weigh = 0;
    for (uint64_t i = 0; i < t->n; i++) weigh |= (unsigned)(!weights || weights[i] > 0) << i;
    for (unsigned rows = 1; rows < 1u << t->n; rows++) {
        bool same;
        if (rows & ~weigh) continue;
        size_t n = items_of(t, rows, items);
        uint64_t support = support_of(t, weights, items, n, rows, &same);
        if (n == 0 || !same || support < o->min_support.numerator) continue;
        if (n < o->min_size || (o->max_size > 0 && n > o->max_size)) continue;
        bool maximal = o->target == LODE_TARGET_MAXIMAL;
        if (maximal && grows(t, weights, rows, o->min_support.numerator)) continue;
        e.n++;
        e.fine &= result_find(got, items, n) == support;
    }
    return e;
}

/* ---- the runs ------------------------------------------------------------------------------ */

static uint32_t *weights_of(rng *r, uint64_t n) {
    uint32_t *weights = malloc((n + 1) * sizeof *weights);
    if (!weights) exit(2);
    uint64_t most = rng_below(r, 4) == 0 ? 100000 : 4;
    for (uint64_t i = 0; i < n; i++) weights[i] = (uint32_t)rng_below(r, most + 1);
    return weights;
}

static lode_mine_options options_of(rng *r, uint64_t total) {
    lode_mine_options o = mining_options("adaptive", 1 + rng_below(r, total / 4 + 1));
    o.target = rng_below(r, 2) ? LODE_TARGET_CLOSED : LODE_TARGET_MAXIMAL;
    if (rng_below(r, 4) == 0) o.min_size = 2 + (uint32_t)rng_below(r, 3);
    if (rng_below(r, 4) == 0) o.max_size = 4 + (uint32_t)rng_below(r, 20);
    return o;
}

static uint64_t weigh_all(const table *t, const uint32_t *weights) {
    uint64_t total = 0;
    for (uint64_t i = 0; i < t->n; i++) total += weights ? weights[i] : 1;
    return total;
}

static mined mine_by_rows(const table *t, const uint32_t *weights, const lode_mine_options *o,
                          uint64_t number) {
    setenv("LODE_CROSSWISE", "always", 1);
    setenv("LODE_CPU", kernel_tables[number % n_kernel_tables], 1);
    mined m = mine_on(t, weights, o, "cpu", number % 2 ? 4 : 1);
    CHECK_EQUAL(m.status, LODE_OK);
    CHECK(m.result.n == 0 || strstr(m.report->engine.why, "sets of rows"));
    CHECK(counts_agree(&m, o));
    unsetenv("LODE_CPU");
    unsetenv("LODE_CROSSWISE");
    return m;
}

static void test_definition(void) {
    uint64_t n_sets = 0;
    for (uint64_t seed = 0; seed < N_SMALL; seed++) {
        rng r = rng_make(seed, 1);
        table t = table_of_genes(&r, 1 + (uint32_t)rng_below(&r, MOST_ROWS),
                                 1 + (uint32_t)rng_below(&r, seed % 3 ? 30 : 200));
        uint32_t *weights = seed % 3 == 2 ? weights_of(&r, t.n) : NULL;
        lode_mine_options o = options_of(&r, weigh_all(&t, weights));
        mined got = mine_by_rows(&t, weights, &o, seed);
        expected e = expect(&t, weights, &o, &got.result);
        if (!CHECK_EQUAL(got.result.n, e.n) | !CHECK(e.fine)) {
            fprintf(stderr, "  seed %llu, target %d, support %llu\n", (unsigned long long)seed,
                    (int)o.target, (unsigned long long)o.min_support.numerator);
        }
        n_sets += e.n;
        mined_free(&got);
        free(weights);
        table_free(&t);
    }
    printf("    %llu sets\n", (unsigned long long)n_sets);
    CHECK(n_sets > 5 * N_SMALL);
}

/* Columns of several words; few rows in each, so that both searches are short. */
static void test_wide(void) {
    uint64_t n_sets = 0;
    for (uint64_t seed = 0; seed < N_WIDE; seed++) {
        rng r = rng_make(seed, 2);
        uint32_t n_rows = 40 + (uint32_t)rng_below(&r, 280);
        unsigned most = 1200 / n_rows;
        table t = table_random(seed, n_rows, 300, 1, most > 2 ? most : 2);
        uint32_t *weights = seed % 3 == 2 ? weights_of(&r, t.n) : NULL;
        lode_mine_options o = options_of(&r, 1);
        o.min_support.numerator = weigh_all(&t, weights) / t.n * 2 + 1;
        mined got = mine_by_rows(&t, weights, &o, seed);
        setenv("LODE_CROSSWISE", "never", 1);
        mined want = mine_on(&t, weights, &o, "cpu", 1);
        unsetenv("LODE_CROSSWISE");
        CHECK(!strstr(want.report->engine.why, "sets of rows"));
        if (!CHECK(result_equal(&got.result, &want.result))) {
            fprintf(stderr, "  seed %llu, %llu rows, target %d: %llu of %llu\n",
                    (unsigned long long)seed, (unsigned long long)t.n, (int)o.target,
                    (unsigned long long)got.result.n, (unsigned long long)want.result.n);
        }
        n_sets += want.result.n;
        mined_free(&got);
        mined_free(&want);
        free(weights);
        table_free(&t);
    }
    printf("    %llu sets\n", (unsigned long long)n_sets);
    CHECK(n_sets > 20 * N_WIDE);
}

/* Left alone, lode goes by rows where there are few, and by items where there are many. */
static void test_choice(void) {
    lode_mine_options o = mining_options("adaptive", 6);
    o.target = LODE_TARGET_CLOSED;
    rng r = rng_make(1, 3);
    table few = table_of_genes(&r, 20, 1500), many = table_random(1, 2000, 40, 5, 30);
    mined a = mine_on(&few, NULL, &o, "cpu", 1);
    o.min_support.numerator = 200;
    mined b = mine_on(&many, NULL, &o, "cpu", 1);
    CHECK(strstr(a.report->engine.why, "sets of rows"));
    CHECK(!strstr(b.report->engine.why, "sets of rows"));
    mined_free(&a);
    mined_free(&b);
    table_free(&few);
    table_free(&many);
}

int main(void) {
    find_kernel_tables();
    CHECK_RUN(test_definition);
    CHECK_RUN(test_wide);
    CHECK_RUN(test_choice);
    return check_result();
}
