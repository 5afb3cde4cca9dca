/* test_statistics.c - adjusted p-values, intervals, exact tests and bounds, by definition
 *
 * tests/test_measures.py compares the measures with exact fractions. This test is about the
 * functions that they use, and also runs with sanitizers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "rules/measures/adjust.h"
#include "rules/measures/distribution.h"
#include "rules/measures/exact.h"
#include "rules/measures/measure.h"

#define MOST_TESTS 40

static mem memory;

static bool is_near(double got, double want, double error) {
    bool near = got == want || fabs(got - want) <= error * fabs(want);
    if (!near) fprintf(stderr, "  got %.17g, want %.17g\n", got, want);
    return near;
}

/* ---- p-values of a family -------------------------------------------------------------------- */

/* A family of `size` p-values, of which those from n on are 1. */
typedef struct family {
    double p[MOST_TESTS];
    unsigned n, size;
} family;

static unsigned count_below(const family *f, double p, bool or_equal) {
    unsigned n = 0;
    for (unsigned i = 0; i < f->size; i++) n += f->p[i] < p || (or_equal && f->p[i] == p);
    return n;
}

/* By the definitions, each from all of the others. */
static double slow_holm(const family *f, unsigned i) {
    double most = 0.0;
    for (unsigned j = 0; j < f->size; j++) {
        if (f->p[j] > f->p[i]) continue;
        most = fmax(most, fmin(1.0, (f->size - count_below(f, f->p[j], false)) * f->p[j]));
    }
    return most;
}

static double slow_rate(const family *f, unsigned i, double factor) {
    double least = 1.0;
    for (unsigned j = 0; j < f->size; j++) {
        if (f->p[j] < f->p[i]) continue;
        least = fmin(least, factor * f->size * f->p[j] / count_below(f, f->p[j], true));
    }
    return least;
}

static double slow_adjusted(const family *f, unsigned i, lode_adjust how) {
    double harmonic = 0.0;
    for (unsigned k = 1; k <= f->size; k++) harmonic += 1.0 / k;
    switch (how) {
    case LODE_ADJUST_NONE: return f->p[i];
    case LODE_ADJUST_BONFERRONI: return fmin(1.0, f->size * f->p[i]);
    case LODE_ADJUST_HOLM: return slow_holm(f, i);
    case LODE_ADJUST_BH: return slow_rate(f, i, 1.0);
    case LODE_ADJUST_BY: return slow_rate(f, i, harmonic);
    }
    return NAN;
}

/* Few different ones, so that there are ties; some are 1. */
static family random_family(rng *random) {
    family f = {.size = 1 + (unsigned)rng_below(random, MOST_TESTS)};
    f.n = (unsigned)rng_below(random, f.size + 1);
    unsigned kinds = 1 + (unsigned)rng_below(random, 30);
    for (unsigned i = 0; i < f.size; i++) {
        unsigned kind = (unsigned)rng_below(random, kinds);
        f.p[i] = i < f.n ? exp(-(double)kind * kind / 20.0) : 1.0;
    }
    return f;
}

static void adjusted(void) {
    rng random = rng_make(3, 1);
    for (int times = 0; times < 400; times++) {
        family f = random_family(&random);
        for (int how = LODE_ADJUST_NONE; how <= LODE_ADJUST_BY; how++) {
            double values[MOST_TESTS];
            for (unsigned i = 0; i < f.n; i++) values[i] = log(f.p[i]);
            lode_status status =
                adjust_p_values(&memory, (lode_adjust)how, f.size, values, f.n, NULL);
            CHECK_EQUAL(status, LODE_OK);
            for (unsigned i = 0; i < f.n; i++) {
                CHECK(is_near(values[i], slow_adjusted(&f, i, (lode_adjust)how), 1e-13));
                for (unsigned j = 0; j < f.n; j++) {
                    if (f.p[i] == f.p[j]) CHECK(values[i] == values[j]);
                    if (f.p[i] < f.p[j]) CHECK(values[i] <= values[j]);
                }
            }
        }
    }
    CHECK_EQUAL(memory.used, 0);
}

/* More tests than any integer, and p-values below any double. */
static void adjusted_far_out(void) {
    double values[] = {-2000.0, -100.0, NAN, -90.0};
    CHECK_EQUAL(adjust_p_values(&memory, LODE_ADJUST_BH, 1e30, values, 4, NULL), LODE_OK);
    CHECK(values[0] == 0.0 && isnan(values[2]));
    CHECK(is_near(values[1], exp(-100.0) * 1e30 / 2, 1e-12));
    CHECK(is_near(values[3], exp(-90.0) * 1e30 / 3, 1e-12));
    double least[] = {-800.0};
    CHECK_EQUAL(adjust_p_values(&memory, LODE_ADJUST_HOLM, 1e200, least, 1, NULL), LODE_OK);
    CHECK(is_near(least[0], exp(-800.0 + 200 * MEASURE_LN10), 1e-12));
    CHECK_EQUAL(adjust_p_values(&memory, LODE_ADJUST_BY, 5, NULL, 0, NULL), LODE_OK);
}

static bool always(void *user) {
    (void)user;
    return true;
}

static void adjusting_ends_early(void) {
    const size_t n = 300000;
    double *values = malloc(n * sizeof *values);
    if (!values) exit(2);
    rng random = rng_make(4, 1);
    for (size_t i = 0; i < n; i++) values[i] = -(double)rng_below(&random, 1000000);
    double first = values[0], last = values[n - 1];
    sort_stop stop = {always, NULL};
    CHECK_EQUAL(adjust_p_values(&memory, LODE_ADJUST_BH, 1e9, values, n, &stop), LODE_CANCELLED);
    CHECK(values[0] == first && values[n - 1] == last);
    mem small;
    mem_init(&small, NULL, NULL, 1000);
    CHECK_EQUAL(adjust_p_values(&small, LODE_ADJUST_BH, 1e9, values, n, NULL), LODE_BUDGET);
    CHECK_EQUAL(adjust_p_values(&small, LODE_ADJUST_BONFERRONI, 1e9, values, n, NULL), LODE_OK);
    CHECK_EQUAL(memory.used, 0);
    CHECK_EQUAL(small.used, 0);
    free(values);
}

static void harmonic(void) {
    double sum = 0.0;
    for (int k = 1; k <= 2000; k++) {
        sum += 1.0 / k;
        CHECK(is_near(adjust_harmonic(k), sum, 1e-14));
    }
    CHECK(is_near(adjust_harmonic(1e6), 14.392726722865724, 1e-15));
}

/* ---- the normal distribution ----------------------------------------------------------------- */

static void quantiles(void) {
    CHECK(is_near(normal_within(0.5), 0.67448975019608174, 1e-14));
    CHECK(is_near(normal_within(0.95), 1.9599639845400542, 1e-14));
    CHECK(is_near(normal_within(0.99), 2.5758293035489004, 1e-14));
    for (double level = 0.01; level < 0.9999; level += 0.0037) {
        double z = normal_within(level);
        CHECK(is_near(erf(z / sqrt(2.0)), level, 1e-12));
    }
    CHECK(normal_within(1.0 - 0x1p-53) > 8.2 && normal_within(1.0 - 0x1p-53) < 8.3);
}

static void far_chi_squared(void) {
    CHECK(normal_log_chi_p(0.0) == 0.0);
    CHECK(is_near(normal_log_chi_p(799.999999), normal_log_chi_p(800.000001), 1e-8));
    CHECK(is_near(normal_log_chi_p(1400.0), log(erfc(sqrt(700.0))), 1e-14));
    CHECK(isinf(normal_log_chi_p(INFINITY)) && normal_log_chi_p(1e12) < -4.9e11);
}

/* ---- intervals ------------------------------------------------------------------------------- */

typedef struct limits {
    double low, high;
} limits;

static limits interval_at(lode_interval_of what, lode_counts c, double level) {
    limits l = {0, 0};
    CHECK(lode_measure_interval(what, &c, level, &l.low, &l.high));
    return l;
}

/* Wilson's bounds are the shares from which what was seen is just z deviations away. */
static void intervals_of_confidence(void) {
    const double z = 1.9599639845400542;
    for (uint64_t n = 1; n < 40; n++) {
        for (uint64_t k = 0; k <= n; k++) {
            limits l = interval_at(LODE_INTERVAL_CONFIDENCE, (lode_counts){k, n, k, 100}, 0.95);
            double share = (double)k / (double)n;
            CHECK(l.low <= share && share <= l.high && l.low >= 0.0 && l.high <= 1.0);
            double below = z * sqrt(l.low * (1 - l.low) / (double)n);
            double above = z * sqrt(l.high * (1 - l.high) / (double)n);
            CHECK(fabs(share - l.low - below) < 1e-12 && fabs(l.high - share - above) < 1e-12);
        }
    }
}

static double binomial(unsigned n, unsigned k, double p) {
    double b = 1.0;
    for (unsigned i = 1; i <= k; i++) b *= (n - k + i) / (double)i;
    return b * pow(p, k) * pow(1 - p, n - k);
}

/* It holds the true share about as often as it says. */
static void intervals_hold(void) {
    const unsigned n = 50;
    double sum = 0.0, least = 1.0;
    for (int step = 1; step < 100; step++) {
        double p = step / 100.0, holds = 0.0;
        for (unsigned k = 0; k <= n; k++) {
            limits l = interval_at(LODE_INTERVAL_CONFIDENCE, (lode_counts){k, n, k, 100}, 0.9);
            if (l.low <= p && p <= l.high) holds += binomial(n, k, p);
        }
        sum += holds / 99;
        least = fmin(least, holds);
    }
    CHECK(fabs(sum - 0.9) < 0.01 && least > 0.8);
}

/* The variance of a smooth function of four cells, by its derivatives there. */
static double delta_variance(const double cells[4], const double slopes[4]) {
    double n = cells[0] + cells[1] + cells[2] + cells[3], mean = 0.0, square = 0.0;
    for (int i = 0; i < 4; i++) {
        mean += cells[i] / n * slopes[i];
        square += cells[i] / n * slopes[i] * slopes[i];
    }
    return (square - mean * mean) * n;
}

static void check_ratio(lode_interval_of what, const double cells[4], const double slopes[4],
                        double value) {
    const double z = 2.5758293035489004;
    lode_counts c = {(uint64_t)cells[0], (uint64_t)(cells[0] + cells[1]),
                     (uint64_t)(cells[0] + cells[2]),
                     (uint64_t)(cells[0] + cells[1] + cells[2] + cells[3])};
    limits l = interval_at(what, c, 0.99);
    double factor = exp(z * sqrt(delta_variance(cells, slopes)));
    CHECK(is_near(l.low, value / factor, 1e-11) && is_near(l.high, value * factor, 1e-11));
}

static void intervals_of_ratios(void) {
    rng random = rng_make(6, 1);
    for (int times = 0; times < 500; times++) {
        double cells[4], n = 0.0;
        for (int i = 0; i < 4; i++) n += cells[i] = 1.0 + (double)rng_below(&random, 1000);
        double lhs = cells[0] + cells[1], rhs = cells[0] + cells[2];
        /* Slopes in counts: log lift = log n11 + log n - log n1x - log nx1. */
        const double lift[4] = {1 / cells[0] - 1 / lhs - 1 / rhs + 1 / n, -1 / lhs + 1 / n,
                                -1 / rhs + 1 / n, 1 / n};
        check_ratio(LODE_INTERVAL_LIFT, cells, lift, cells[0] * n / (lhs * rhs));
        const double odds[4] = {1 / cells[0], -1 / cells[1], -1 / cells[2], 1 / cells[3]};
        check_ratio(LODE_INTERVAL_ODDS_RATIO, cells, odds,
                    cells[0] * cells[3] / (cells[1] * cells[2]));
    }
}

static void intervals_at_the_edge(void) {
    limits none = interval_at(LODE_INTERVAL_ODDS_RATIO, (lode_counts){0, 5, 5, 20}, 0.95);
    CHECK(none.low == 0.0 && none.high > 0.5 && none.high < 20.0);
    limits sure = interval_at(LODE_INTERVAL_ODDS_RATIO, (lode_counts){5, 5, 8, 20}, 0.95);
    CHECK(isinf(sure.high) && sure.low > 0.5 && sure.low < 10.0);
    limits never = interval_at(LODE_INTERVAL_LIFT, (lode_counts){0, 5, 5, 20}, 0.95);
    CHECK(never.low == 0.0 && never.high > 0.5 && never.high < 20.0);
    double low = 1.0, high = 1.0;
    lode_counts c = {2, 3, 4, 10};
    CHECK(!lode_measure_interval(LODE_INTERVAL_LIFT, &c, 0.0, &low, &high) && isnan(low));
    CHECK(!lode_measure_interval(LODE_INTERVAL_LIFT, &c, 1.0, NULL, &high) && isnan(high));
    CHECK(!lode_measure_interval(LODE_INTERVAL_LIFT, &c, NAN, &low, NULL));
    CHECK(!lode_measure_interval((lode_interval_of)7, &c, 0.9, &low, &high));
    CHECK(lode_measure_interval(LODE_INTERVAL_LIFT, &c, 0.9, NULL, NULL));
    const lode_counts bad[] = {{0, 0, 4, 10}, {4, 10, 4, 10}, {3, 3, 10, 10}, {4, 3, 4, 10}};
    for (int i = 0; i < 4; i++) {
        low = 1.0;
        CHECK(!lode_measure_interval(LODE_INTERVAL_ODDS_RATIO, &bad[i], 0.9, &low, &high));
        CHECK(isnan(low) && isnan(high));
    }
}

/* ---- ratios, and bounds ---------------------------------------------------------------------- */

/* Multiples of a ratio are the same number, whichever way it is divided. */
static void equal_ratios(void) {
    rng random = rng_make(7, 1);
    for (int times = 0; times < 20000; times++) {
        uint64_t p = rng_below(&random, 1 << 20), q = 1 + rng_below(&random, 1 << 20);
        uint64_t times_more = 1 + (rng_u64(&random) >> rng_below(&random, 63));
        double want = (double)p / (double)q;
        CHECK(exact_ratio(exact_product(p, times_more), exact_product(q, times_more)) == want);
        if (p) CHECK(exact_long_ratio(p, q) == want);
    }
    CHECK(isinf(exact_ratio((exact_wide)1 << 100, 0)) && isnan(exact_ratio(0, 0)));
    CHECK(exact_ratio(0, (exact_wide)1 << 100) == 0.0);
}

static void reaching(void) {
    CHECK(measure_reaches(0.1 + 0.2, 0.3, 1) && measure_reaches(0.1 + 0.2, 0.3, -1));
    CHECK(measure_reaches(0.3, 0.1 + 0.2, 1) && measure_reaches(-0.3, -0.1 - 0.2, -1));
    CHECK(!measure_reaches(0.2999999, 0.3, 1) && !measure_reaches(0.3000001, 0.3, -1));
    CHECK(measure_reaches(INFINITY, INFINITY, 1) && measure_reaches(INFINITY, 3, 1));
    CHECK(!measure_reaches(INFINITY, 3, -1) && !measure_reaches(3, INFINITY, 1));
    CHECK(!measure_reaches(NAN, 0, 1) && !measure_reaches(NAN, 0, -1));
    CHECK(measure_reaches(0, 0, 1) && !measure_reaches(-1e-300, 0, 1));
    CHECK(measure_reaches(1e-30, 1e-30, -1) && !measure_reaches(1.1e-30, 1e-30, -1));
}

static void better(void) {
    size_t lift = 0, p = 0;
    CHECK(lode_measure_find("lift", &lift) && lode_measure_find("fisher", &p));
    CHECK(measure_is_better(lift, 2, 1) && !measure_is_better(lift, 1, 1));
    CHECK(measure_is_better(p, 1, 2) && !measure_is_better(p, 2, 1));
    CHECK(measure_is_better(p, 2, NAN) && !measure_is_better(p, NAN, 2));
    CHECK(!measure_is_better(p, NAN, NAN));
}

/* ---- exact tests ----------------------------------------------------------------------------- */

/* From n11 on the terms are those of the ratios of neighbours, and they all add up to 1. */
static void tails_add_up(void) {
    rng random = rng_make(8, 1);
    for (int times = 0; times < 3000; times++) {
        uint64_t n = 2 + rng_below(&random, times % 2 ? 100 : 100000);
        uint64_t lhs = 1 + rng_below(&random, n - 1), rhs = 1 + rng_below(&random, n - 1);
        uint64_t least = lhs + rhs > n ? lhs + rhs - n : 0;
        uint64_t most = lhs < rhs ? lhs : rhs;
        lode_counts c = {least + rng_below(&random, most - least + 1), lhs, rhs, n};
        double upper = exp(hyper_log_upper(&c)), lower = exp(hyper_log_lower(&c));
        CHECK(fabs(upper + lower - 1.0) < 1e-12);
        if (c.both < most) {
            lode_counts next = {c.both + 1, lhs, rhs, n};
            CHECK(hyper_log_upper(&next) <= hyper_log_upper(&c));
        }
        uint64_t q = hyper_quantile(&c, 0.01);
        lode_counts above = {q + 1, lhs, rhs, n}, at = {q, lhs, rhs, n};
        CHECK(q >= most || exp(hyper_log_upper(&above)) <= 0.01 + 1e-12);
        CHECK(q == least || exp(hyper_log_upper(&at)) > 0.01 - 1e-12);
    }
}

/* Nothing overflows, and nothing takes long, whatever the counts. */
static void all_measures(void) {
    const uint64_t some[] = {
        0, 1, 2, 3, 1000, EXACT_MOST / 3, EXACT_MOST / 2, EXACT_MOST - 1, EXACT_MOST};
    const unsigned n = sizeof some / sizeof *some;
    for (unsigned k = 0; k < n * n * n * n; k++) {
        lode_counts c = {some[k % n], some[k / n % n], some[k / n / n % n], some[k / n / n / n]};
        if (!exact_valid(&c)) continue;
        for (size_t i = 0; i < measure_count; i++) {
            const lode_measure *m = &measure_table[i].shown;
            double value = measure_table[i].of ? measure_value(i, &c) : m->least;
            bool within = isnan(value) || (value >= m->least - 1e-15 && value <= m->most + 1e-15);
            if (!CHECK(within)) fprintf(stderr, "  %s: %g\n", m->name, value);
            double p = measure_log_p(i, &c);
            CHECK(isnan(p) || (p <= 0.0 && (isinf(p) || is_near(exp(p), value, 1e-15))));
        }
    }
}

/* Draws a table with antecedent and consequent of different sizes. */
static lode_counts draw_table(rng *random) {
    uint64_t n11 = 1 + rng_below(random, 30), n10 = rng_below(random, 40);
    uint64_t n01 = rng_below(random, 40), n00 = rng_below(random, 200);
    return (lode_counts){n11, n11 + n10, n11 + n01, n11 + n10 + n01 + n00};
}

/* Where a -> b and b -> a have the same value, they have it to the last digit: ties are ties. */
static void same_either_way(void) {
    for (size_t m = 0; m < measure_count; m++) {
        rng random = rng_make(19, 4);
        bool symmetric = measure_table[m].of != NULL, exact = true;
        for (int i = 0; i < 400 && symmetric; i++) {
            lode_counts c = draw_table(&random), other = {c.both, c.rhs, c.lhs, c.total};
            double a = measure_value(m, &c), b = measure_value(m, &other);
            if (a == b || (isnan(a) && isnan(b))) continue;
            symmetric = fabs(a - b) <= 1e-9 * fabs(a) + 1e-15;
            exact = false;
        }
        if (symmetric && !exact) fprintf(stderr, "  %s\n", measure_table[m].shown.name);
        CHECK(!symmetric || exact);
    }
}

int main(void) {
    mem_init(&memory, NULL, NULL, 0);
    CHECK_RUN(adjusted);
    CHECK_RUN(adjusted_far_out);
    CHECK_RUN(adjusting_ends_early);
    CHECK_RUN(harmonic);
    CHECK_RUN(quantiles);
    CHECK_RUN(far_chi_squared);
    CHECK_RUN(intervals_of_confidence);
    CHECK_RUN(intervals_hold);
    CHECK_RUN(intervals_of_ratios);
    CHECK_RUN(intervals_at_the_edge);
    CHECK_RUN(equal_ratios);
    CHECK_RUN(reaching);
    CHECK_RUN(better);
    CHECK_RUN(tails_add_up);
    CHECK_RUN(all_measures);
    CHECK_RUN(same_either_way);
    return check_result();
}
