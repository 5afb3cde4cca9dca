/* test_groups.c - differences between classes: every figure compared with direct definitions
 *
 * Fisher's test is compared with sums of exact integers. Permutations must have the right number of
 * rows of each class in each stratum, and all assignments must come equally often. The tests of all
 * closed sets together are compared with the definitions: all sets of ten items, each in all
 * permutations.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "groups/group_test.h"
#include "mining.h"
#include "reports.h"
#include "rules/measures/distribution.h"

/* ---- Fisher's test --------------------------------------------------------------------------- */

static uint64_t choose(uint64_t n, uint64_t k) {
    uint64_t c = 1;
    if (k > n) return 0;
    for (uint64_t i = 1; i <= k; i++) c = c * (n - k + i) / i;
    return c;
}

/* The p-value as a fraction: its numerator; the denominator is choose(n, x). */
static uint64_t exact_tail(uint32_t n, uint32_t n1, uint32_t x, uint32_t a,
                           lode_alternative alternative) {
    uint64_t sum = 0, own = choose(n1, a) * choose(n - n1, x - a);
    for (uint32_t b = 0; b <= x; b++) {
        uint64_t ways = choose(n1, b) * choose(n - n1, x - b);
        bool in = alternative == LODE_GREATER ? b >= a
                  : alternative == LODE_LESS  ? b <= a
                                              : ways <= own;
        if (in) sum += ways;
    }
    return sum;
}

static void check_table(fisher_test *f, uint32_t x) {
    uint64_t all = choose(f->n, x);
    fisher_p least = FISHER_ONE;
    for (uint32_t a = fisher_first(f, x); a <= fisher_last(f, x); a++) {
        double p = (double)exact_tail(f->n, f->n1, x, a, f->alternative) / (double)all;
        CHECK(fabs(fisher_log(f, x, a) - log(p)) < 1e-12 * (1 - log(p)));
        fisher_p key = fisher_key(f, x, a);
        CHECK(key == fisher_key(f, x, a) && fabs(fisher_to_p(key) / p - 1) < 2e-9);
        if (key < least) least = key;
    }
    CHECK(least == fisher_least(f, x) && least == f->least[x]);
    for (fisher_p limit = FISHER_ONE; limit > least - 2; limit += least / 7 - 1) {
        fisher_tails t = fisher_below(f, x, limit);
        for (uint32_t a = fisher_first(f, x); a <= fisher_last(f, x); a++) {
            CHECK(((int64_t)a <= t.low || (int64_t)a >= t.high) == (fisher_key(f, x, a) < limit));
        }
    }
}

static void fisher_is_exact(void) {
    static const uint32_t sizes[][2] = {{1, 1}, {7, 3}, {20, 10}, {25, 4}, {26, 23}};
    mem m;
    mem_init(&m, NULL, NULL, 0);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        long double *logs = NULL;
        CHECK(fisher_logs(&m, sizes[s][0], &logs) == LODE_OK);
        for (int alternative = 0; alternative <= LODE_LESS; alternative++) {
            fisher_test f;
            CHECK(fisher_open(&f, &m, logs, sizes[s][0], sizes[s][1],
                              (lode_alternative)alternative) == LODE_OK);
            for (uint32_t x = 0; x <= sizes[s][0]; x++) {
                check_table(&f, x);
                CHECK(x == 0 || fisher_envelope(&f, x) <= fisher_envelope(&f, x - 1));
                CHECK(fisher_envelope(&f, x) <= fisher_least(&f, x));
            }
            fisher_close(&f);
        }
        mem_free(&m, logs, (sizes[s][0] + (size_t)1) * sizeof *logs);
    }
    CHECK_EQUAL(mem_used(&m), 0);
}

/* p-values of larger tables, against an implementation with other formulas. */
static void fisher_of_large_tables(void) {
    enum { N = 8124, N1 = 3916 };
    mem m;
    mem_init(&m, NULL, NULL, 0);
    long double *logs = NULL;
    fisher_test f;
    rng r = rng_make(1, 1);
    CHECK(fisher_logs(&m, N, &logs) == LODE_OK);
    CHECK(fisher_open(&f, &m, logs, N, N1, LODE_TWO_SIDED) == LODE_OK);
    for (int i = 0; i < 2000; i++) {
        uint32_t x = 1 + (uint32_t)rng_below(&r, N - 1), first = fisher_first(&f, x);
        uint32_t a = first + (uint32_t)rng_below(&r, fisher_last(&f, x) - first + 1);
        double log_p = hyper_log_both(&(lode_counts){a, x, N1, N}, HYPER_PROBABILITY);
        CHECK(fabs(fisher_log(&f, x, a) - log_p) < 1e-11 * (1 - log_p));
    }
    fisher_close(&f);
    mem_free(&m, logs, (N + (size_t)1) * sizeof *logs);
}

/* ---- classes for tests ----------------------------------------------------------------------- */

static void classes_make(row_classes *c, mem *m, const uint8_t *of, const uint32_t *strata,
                         uint32_t n, uint32_t n_classes, uint32_t n_strata) {
    *c = (row_classes){.mem = m, .n_rows = n, .n_classes = n_classes, .n_strata = n_strata};
    CHECK(mem_keep_zero(m, &c->kept, (void **)&c->of, n) == LODE_OK);
    CHECK(mem_keep_zero(m, &c->kept, (void **)&c->row_of, n * sizeof(uint32_t)) == LODE_OK);
    CHECK(mem_keep_zero(m, &c->kept, (void **)&c->starts, (n_strata + 1) * sizeof(uint32_t)) ==
          LODE_OK);
    uint32_t place = 0;
    for (uint32_t s = 0; s < n_strata; s++) {
        c->starts[s] = place;
        for (uint32_t row = 0; row < n; row++) {
            if (strata && strata[row] != s) continue;
            c->row_of[place] = row;
            c->of[place++] = of[row];
            c->sizes[of[row]]++;
        }
    }
    c->starts[n_strata] = place;
}

static bool permuted_bit(const permutations *p, uint32_t test, uint64_t j, uint32_t place) {
    const uint64_t *block = permutations_block(p, test, j / PERMUTE_BLOCK);
    unsigned at = j % PERMUTE_BLOCK;
    return block[(size_t)place * PERMUTE_WORDS + at / 64] >> at % 64 & 1;
}

/* ---- permutations ---------------------------------------------------------------------------- */

/* Of 4 and 3 rows, 2 and 1 are in the class: 18 assignments. */
static void permutations_are_uniform(void) {
    enum { J = 18000 };
    static const uint8_t of[] = {0, 0, 1, 1, 0, 1, 1};
    static const uint32_t strata[] = {0, 0, 0, 0, 1, 1, 1};
    uint32_t seen[128] = {0}, n_seen = 0;
    double chi = 0;
    lode_job *job = mining_job("cpu");
    row_classes c;
    permutations p;
    classes_make(&c, &job->mem, of, strata, 7, 2, 2);
    CHECK(permutations_make(&p, job, &c, J, 5) == LODE_OK);
    for (uint64_t j = 0; j < J; j++) {
        unsigned bits = 0;
        for (uint32_t place = 0; place < 7; place++) {
            bits |= (unsigned)permuted_bit(&p, 0, j, place) << place;
        }
        CHECK(__builtin_popcount(bits & 15) == 2 && __builtin_popcount(bits >> 4) == 1);
        seen[bits]++;
    }
    for (unsigned i = 0; i < 128; i++) {
        n_seen += seen[i] > 0;
        if (seen[i] > 0) chi += (seen[i] - 1000.0) * (seen[i] - 1000.0) / 1000.0;
    }
    CHECK_EQUAL(n_seen, 18);
    CHECK(chi < 50); /* 17 degrees of freedom: exceeded once in 20,000 seeds */
    permutations_free(&p);
    classes_free(&c);
    lode_job_free(job);
}

/* The permutations do not depend on the threads; three classes keep their sizes. */
static void permutations_are_the_same(void) {
    enum { N = 333, J = 700 };
    static uint8_t of[N];
    static uint32_t strata[N];
    permutations p[2];
    row_classes c;
    for (uint32_t i = 0; i < N; i++) of[i] = (uint8_t)(i % 7 == 0 ? 2 : i % 3 == 0);
    for (uint32_t i = 0; i < N; i++) strata[i] = i * 17 % 5;
    lode_job *job = mining_job("cpu");
    for (uint32_t n_classes = 2; n_classes <= 3; n_classes++) {
        for (uint32_t i = 0; i < N && n_classes == 2; i++) of[i] = of[i] > 0;
        classes_make(&c, &job->mem, of, strata, N, n_classes, 5);
        for (int i = 0; i < 2; i++) {
            job->threads = i == 0 ? 1 : 7;
            CHECK(permutations_make(&p[i], job, &c, J, 9) == LODE_OK);
        }
        CHECK(memcmp(p[0].bits, p[1].bits, p[0].bytes) == 0);
        for (uint32_t test = 0; test < classes_tests(&c); test++) {
            for (uint64_t j = 0; j < J; j += 99) {
                uint64_t n = 0;
                for (uint32_t place = 0; place < N; place++)
                    n += permuted_bit(&p[0], test, j, place);
                CHECK_EQUAL(n, c.sizes[test]);
            }
        }
        permutations_free(&p[0]);
        permutations_free(&p[1]);
        classes_free(&c);
        for (uint32_t i = 0; i < N; i++) of[i] = (uint8_t)(i % 7 == 0 ? 2 : i % 3 == 0);
    }
    lode_job_free(job);
}

static void kernels_count(void) {
    enum { ROWS = 200 };
    static _Alignas(64) uint64_t block[(ROWS + 1) * PERMUTE_WORDS];
    static const char *const names[] = {"scalar", "avx2", "avx512"};
    uint32_t places[ROWS + PERMUTE_STEP];
    rng r = rng_make(3, 3);
    for (size_t i = 0; i < ROWS * PERMUTE_WORDS; i++) block[i] = rng_u64(&r);
    for (int i = 0; i < 60; i++) {
        setenv("LODE_CPU", names[i % 3], 1);
        const permute_kernels *k = permute_kernels_pick();
        unsetenv("LODE_CPU");
        uint32_t n = (uint32_t)rng_below(&r, ROWS), padded = n;
        for (uint32_t at = 0; at < n; at++) places[at] = (uint32_t)rng_below(&r, ROWS);
        while (padded % PERMUTE_STEP) places[padded++] = ROWS;
        unsigned n_planes = 32 - (unsigned)__builtin_clz(padded | 1);
        int64_t low = (int64_t)rng_below(&r, n / 2 + 1) - 1,
                high = n / 2 + (int64_t)rng_below(&r, n + 2);
        permute_counts got;
        permute_query q = {places, padded, n_planes, low, high};
        bool any = k->count(block, &q, &got), expected = false;
        for (unsigned j = 0; j < PERMUTE_BLOCK; j++) {
            uint32_t count = 0;
            for (uint32_t at = 0; at < n; at++) {
                count += block[places[at] * PERMUTE_WORDS + j / 64] >> j % 64 & 1;
            }
            bool hit = (int64_t)count <= low || (int64_t)count >= high;
            expected = expected || hit;
            CHECK((got.hits[j / 64] >> j % 64 & 1) == hit);
            CHECK(!hit || permute_count_at(&got, n_planes, j) == count);
        }
        CHECK(any == expected);
    }
}

/* ---- all sets of ten items ------------------------------------------------------------------- */

#define N_ITEMS 10
#define N_SETS  (1u << N_ITEMS)
#define N_ROWS  90

/* Random transactions of the items 0 … 9, with one more item for the class: 100, 101, …, and one
 * for the stratum: 200, 201, … */
typedef struct trial {
    table rows;
    uint32_t masks[N_ROWS], strata[N_ROWS];
    uint8_t of[N_ROWS];
    uint32_t n_classes, n_strata;
    lode_class_options o;
    char classes[32];
    fisher_test fishers[3];
    long double *logs;
    row_classes c; /* in the order of places */
    permutations p;
    lode_job *job;
    /* what is expected */
    fisher_p keys[N_SETS]; /* of closed sets, the smallest of their hypotheses */
    bool closed[N_SETS], significant[N_SETS];
    uint32_t supports[N_SETS];
    uint64_t n_tests, n_significant;
    double level, adjusted[N_SETS];
} trial;

static uint32_t trial_places(const trial *t, uint32_t set, uint32_t *places) {
    uint32_t n = 0;
    for (uint32_t p = 0; p < N_ROWS; p++) {
        if ((t->masks[t->c.row_of[p]] & set) == set) places[n++] = p;
    }
    return n;
}

static void trial_rows(trial *t, rng *r) {
    for (uint32_t row = 0; row < N_ROWS; row++) {
        uint32_t items[N_ITEMS + 2], n = 0;
        t->of[row] = row < t->n_classes ? (uint8_t)row : (uint8_t)rng_below(r, t->n_classes);
        t->strata[row] = row < t->n_strata ? row : (uint32_t)rng_below(r, t->n_strata);
        for (uint32_t i = 0; i < N_ITEMS; i++) {
            unsigned chance = i < 2 && t->of[row] == 0 ? 80 : 25 + 5 * i; /* two items differ */
            if (rng_below(r, 100) >= chance) continue;
            items[n++] = i;
            t->masks[row] |= 1u << i;
        }
        items[n++] = 100 + t->of[row];
        items[n++] = 200 + t->strata[row];
        table_add(&t->rows, items, n);
    }
}

static void trial_closed(trial *t) {
    uint32_t places[N_ROWS];
    for (uint32_t set = 1; set < N_SETS; set++) {
        uint32_t all = N_SETS - 1, n = trial_places(t, set, places);
        for (uint32_t i = 0; i < n; i++) all &= t->masks[t->c.row_of[places[i]]];
        t->supports[set] = n;
        t->closed[set] = n > 0 && all == set;
        t->keys[set] = FISHER_ONE;
        for (uint32_t k = 0; k < classes_tests(&t->c) && t->closed[set]; k++) {
            uint32_t a = 0;
            for (uint32_t i = 0; i < n; i++) a += t->c.of[places[i]] == k;
            fisher_p key = fisher_key(&t->fishers[k], n, a);
            if (key < t->keys[set]) t->keys[set] = key;
        }
    }
}

static trial *trial_make(uint64_t seed) {
    static const lode_significance by[] = {LODE_BY_PERMUTATION, LODE_BY_TARONE, LODE_BY_PERMUTATION,
                                           LODE_BY_FDR};
    rng r = rng_make(seed, 11);
    trial *t = calloc(1, sizeof *t);
    if (!t) exit(2);
    t->job = mining_job("cpu");
    t->o = (lode_class_options){.size = sizeof t->o,
                                .significant = seed % 3 ? 0.05 : 0.2,
                                .by = by[seed % 4],
                                .permutations = 199 + seed % 500,
                                .seed = seed,
                                .alternative = (lode_alternative)(seed / 2 % 3)};
    t->n_classes = seed % 5 == 1 && t->o.by != LODE_BY_FDR ? 3 : 2;
    t->n_strata = t->o.by == LODE_BY_PERMUTATION && seed % 4 == 2 ? 3 : 1;
    if (t->n_strata > 1) t->o.strata = "20[012]";
    snprintf(t->classes, sizeof t->classes, t->n_classes == 3 ? "100,101,102" : "10[01]");
    t->o.classes = t->classes;
    trial_rows(t, &r);
    mem *m = &t->job->mem;
    classes_make(&t->c, m, t->of, t->strata, N_ROWS, t->n_classes, t->n_strata);
    CHECK(fisher_logs(m, N_ROWS, &t->logs) == LODE_OK);
    for (uint32_t k = 0; k < classes_tests(&t->c); k++) {
        CHECK(fisher_open(&t->fishers[k], m, t->logs, N_ROWS, (uint32_t)t->c.sizes[k],
                          t->o.alternative) == LODE_OK);
    }
    trial_closed(t);
    return t;
}

static void trial_free(trial *t) {
    mem *m = &t->job->mem;
    for (uint32_t k = 0; k < 3; k++) fisher_close(&t->fishers[k]);
    mem_free(m, t->logs, (N_ROWS + (size_t)1) * sizeof *t->logs);
    classes_free(&t->c);
    table_free(&t->rows);
    lode_job_free(t->job);
    free(t);
}

/* ---- what the definitions say ---------------------------------------------------------------- */

static void expect_permutation(trial *t) {
    uint64_t n = t->o.permutations;
    uint32_t places[N_ROWS];
    fisher_p *minima = calloc(n, sizeof *minima), last = FISHER_ONE;
    if (!minima) exit(2);
    CHECK(permutations_make(&t->p, t->job, &t->c, n, t->o.seed) == LODE_OK);
    for (uint32_t set = 1; set < N_SETS; set++) {
        if (!t->closed[set]) continue;
        uint32_t x = trial_places(t, set, places);
        for (uint64_t j = 0; j < n; j++) {
            for (uint32_t k = 0; k < classes_tests(&t->c); k++) {
                uint32_t a = 0;
                for (uint32_t i = 0; i < x; i++) a += permuted_bit(&t->p, k, j, places[i]);
                fisher_p key = fisher_key(&t->fishers[k], x, a);
                if (key < minima[j]) minima[j] = key;
            }
        }
    }
    for (uint32_t set = 1; set < N_SETS; set++) {
        uint64_t below = 0;
        if (!t->closed[set]) continue;
        for (uint64_t j = 0; j < n; j++) below += minima[j] <= t->keys[set];
        t->adjusted[set] = (double)(1 + below) / (double)(1 + n);
        t->significant[set] = t->adjusted[set] <= t->o.significant && t->keys[set] < FISHER_ONE;
    }
    for (uint64_t j = 0; j < n; j++) { /* the smallest minimum that is not significant */
        uint64_t below = 0;
        for (uint64_t i = 0; i < n; i++) below += minima[i] <= minima[j];
        bool in = (double)(1 + below) / (double)(1 + n) <= t->o.significant;
        if (!in && minima[j] < last) last = minima[j];
    }
    t->level = fisher_to_p(last - 1);
    for (uint32_t set = 1; set < N_SETS; set++) {
        for (uint32_t k = 0; k < classes_tests(&t->c) && t->closed[set]; k++) {
            t->n_tests += fisher_least(&t->fishers[k], t->supports[set]) < last;
        }
    }
    permutations_free(&t->p);
    free(minima);
}

/* The number of hypotheses whose lowest possible p-value, made monotone, is at most `most`. */
static uint64_t expect_kappa(const trial *t, fisher_p most) {
    uint64_t kappa = 0;
    for (uint32_t set = 1; set < N_SETS; set++) {
        for (uint32_t k = 0; k < classes_tests(&t->c) && t->closed[set]; k++) {
            kappa += fisher_envelope(&t->fishers[k], t->supports[set]) <= most;
        }
    }
    return kappa;
}

/* The largest value of ψ at which Bonferroni's correction holds. */
static fisher_p expect_testable(const trial *t) {
    fisher_p best = INT64_MIN;
    for (uint32_t k = 0; k < classes_tests(&t->c); k++) {
        for (uint32_t x = 0; x <= N_ROWS; x++) {
            fisher_p value = fisher_envelope(&t->fishers[k], x);
            double most = (double)expect_kappa(t, value) * fisher_to_p(value);
            if (most <= t->o.significant && value > best) best = value;
        }
    }
    return best;
}

static void expect_tarone(trial *t) {
    fisher_p testable = expect_testable(t);
    t->n_tests = expect_kappa(t, testable);
    t->level = t->o.significant / (double)t->n_tests;
    for (uint32_t set = 1; set < N_SETS; set++) {
        if (!t->closed[set]) continue;
        bool tested = fisher_envelope(&t->fishers[0], t->supports[set]) <= testable;
        t->adjusted[set] = fmin(1, fisher_to_p(t->keys[set]) * (double)t->n_tests);
        t->significant[set] = tested && t->adjusted[set] <= t->o.significant;
    }
}

static void expect_fdr(trial *t) {
    fisher_p testable = expect_testable(t);
    double harmonic = 0;
    t->n_tests = expect_kappa(t, testable);
    for (uint64_t i = 1; i <= t->n_tests; i++) harmonic += 1 / (double)i;
    for (uint32_t set = 1; set < N_SETS; set++) {
        double best = 1;
        for (uint32_t other = 1; other < N_SETS; other++) { /* of this rank or a higher one */
            uint64_t rank = 0;
            if (!t->closed[other] || t->keys[other] < t->keys[set]) continue;
            if (fisher_envelope(&t->fishers[0], t->supports[other]) > testable) continue;
            for (uint32_t s = 1; s < N_SETS; s++) {
                bool in = t->closed[s] && t->keys[s] <= t->keys[other];
                rank += in && fisher_envelope(&t->fishers[0], t->supports[s]) <= testable;
            }
            double one = fisher_to_p(t->keys[other]) * (double)t->n_tests * harmonic / (double)rank;
            if (one < best) best = one;
        }
        bool tested = fisher_envelope(&t->fishers[0], t->supports[set]) <= testable;
        t->adjusted[set] = best;
        t->significant[set] = t->closed[set] && tested && best <= t->o.significant;
        if (t->significant[set]) t->level = fmax(t->level, fisher_to_p(t->keys[set]));
    }
}

static void trial_expect(trial *t) {
    switch (t->o.by) {
    case LODE_BY_PERMUTATION: expect_permutation(t); break;
    case LODE_BY_TARONE: expect_tarone(t); break;
    default: expect_fdr(t);
    }
    for (uint32_t set = 1; set < N_SETS; set++) t->n_significant += t->significant[set];
}

/* ---- the test by itself ---------------------------------------------------------------------- */

/* Sets in a random order, from two workers by turns. */
static void check_test(trial *t) {
    group_test *test = NULL;
    group_worker *workers[2];
    group_verdict *v = NULL;
    uint32_t places[N_ROWS], order[N_SETS];
    bool kept[N_SETS] = {false};
    rng r = rng_make(t->o.seed, 12);
    for (uint32_t i = 0; i < N_SETS; i++) {
        uint32_t at = (uint32_t)rng_below(&r, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    if (!CHECK(group_test_open(&test, t->job, &t->c, &t->o) == LODE_OK)) return;
    for (int i = 0; i < 2; i++) CHECK(group_worker_open(test, &workers[i]) == LODE_OK);
    for (uint32_t i = 0; i < N_SETS; i++) {
        fisher_p key;
        uint32_t set = order[i], n = t->supports[set];
        if (!t->closed[set] || !group_test_wants(test, n)) continue;
        trial_places(t, set, places);
        CHECK(group_add(workers[i % 2], places, n, &key) == LODE_OK);
        CHECK(key == t->keys[set]);
        kept[set] = key <= group_test_keep(test);
    }
    for (int i = 0; i < 2; i++) CHECK(group_worker_close(workers[i]) == LODE_OK);
    CHECK(group_test_finish(test, &t->job->mem, &v) == LODE_OK);
    CHECK_EQUAL(v->n_tests, t->n_tests);
    for (uint32_t set = 1; set < N_SETS; set++) {
        bool tested = t->closed[set] && kept[set] && t->supports[set] >= v->min_count;
        bool found = tested && verdict_is_significant(v, t->keys[set]);
        if (t->c.n_classes == 2 || t->o.by == LODE_BY_PERMUTATION) {
            CHECK(found == t->significant[set]);
        } else {
            CHECK(!found || t->adjusted[set] <= t->o.significant);
        }
        if (found) CHECK(fabs(verdict_adjusted(v, t->keys[set]) - t->adjusted[set]) < 1e-12);
    }
    verdict_free(&t->job->mem, v);
    group_test_close(test);
}

/* ---- the whole job --------------------------------------------------------------------------- */

static uint32_t result_set(const lode_result *r, uint64_t i) {
    size_t n;
    uint32_t set = 0;
    const uint32_t *items = result_items(r, i, &n);
    for (size_t k = 0; k < n; k++) set |= items[k] < N_ITEMS ? 1u << items[k] : N_SETS;
    return set;
}

static void check_job(const trial *t, const char *algorithm, const char *device, unsigned threads) {
    lode_job *job = NULL;
    lode_job_options jo = {.size = sizeof jo, .device = device, .threads = threads};
    if (lode_job_create(&job, NULL, &jo) != LODE_OK) exit(2);
    lode_dataset *data = mining_data(job, &t->rows);
    lode_sink *sink = NULL;
    lode_result r = LODE_INIT(lode_result);
    lode_mine_options o = mining_options(algorithm, 0);
    o.classes = &t->o;
    o.exclude = t->n_strata == 1 ? "200" : "20[012]";
    CHECK(lode_sink_memory(job, &sink) == LODE_OK);
    lode_status status = lode_mine(job, data, &o, sink);
    if (status == LODE_UNSUPPORTED) { /* the engine does not search closed sets */
        CHECK(strcmp(algorithm, "adaptive") != 0);
    } else if (CHECK(status == LODE_OK) && CHECK(lode_sink_result(sink, &r))) {
        CHECK_EQUAL(r.n, t->n_significant);
        CHECK_EQUAL(report_number(job, "significance.tests"), t->n_tests);
        CHECK(fabs(report_counter(job, "significance.level").number / t->level - 1) < 1e-8 ||
              t->n_significant == 0);
        for (uint64_t i = 0; i < r.n; i++) {
            uint32_t set = result_set(&r, i);
            CHECK(set < N_SETS && t->significant[set] && r.supports[i] == t->supports[set]);
        }
    } else {
        fprintf(stderr, "%s: %s\n", algorithm, lode_job_error(job));
    }
    lode_sink_free(sink);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

static void tests_are_right(void) {
    uint64_t found = 0;
    for (uint64_t seed = 1; seed <= BY_BUILD(24, 12, 8); seed++) {
        trial *t = trial_make(seed);
        trial_expect(t);
        found += t->n_significant;
        check_test(t);
        if (t->n_classes == 2 || t->o.by == LODE_BY_PERMUTATION) {
            lode_algorithm a = LODE_INIT(lode_algorithm);
            check_job(t, "adaptive", "cpu", 1);
            check_job(t, "adaptive", "cpu", 7);
            for (size_t i = 0; seed % 6 == 0 && lode_algorithm_at(LODE_ITEMSETS, i, &a); i++) {
                check_job(t, a.name, "cpu", 2);
            }
        }
        trial_free(t);
    }
    CHECK(found > 100);
}

int main(void) {
    CHECK_RUN(fisher_is_exact);
    CHECK_RUN(fisher_of_large_tables);
    CHECK_RUN(permutations_are_uniform);
    CHECK_RUN(permutations_are_the_same);
    CHECK_RUN(kernels_count);
    CHECK_RUN(tests_are_right);
    return check_result();
}
