/* distribution.c - see distribution.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/measures/distribution.h"

#include <math.h>

#define HYPER_HALF_LOG_2PI 0.91893853320467274178
#define HYPER_FEW          16     /* from here on Stirling's series is exact to 10^-16 */
#define HYPER_SUM_MOST     4096.0 /* terms that are added one by one */
#define HYPER_SUM_LEFT     1e-17  /* a term that does not matter */
#define HYPER_FALL         45.0   /* e^-45: where an integral may end */
#define HYPER_PANELS       4
#define HYPER_TIE          1e-12 /* probabilities that differ by less are the same */

/* The numbers of the given table. Functions with a parameter `by` look at the table in which `by`
 * more transactions have both antecedent and consequent. */
typedef struct hyper {
    double n11, n10, n01, n00;
    double e11, e10, e01, e00; /* expected */
    double excess;             /* n11 - e11 */
    double margins;            /* what the logarithm of the probability has from them */
} hyper;

/* ---- how far a table is from independence: sums of n log(n / expected) that do not cancel ---- */

#define DEVIANCE_NEAR 0.1 /* up to here the difference would cancel */
#define DEVIANCE_LAST 17  /* power of v, at most 0.053: omitted terms are below 2^-60 */

/* Near 0, with v = e / (2 + e): log(1 + e) = 2 (v + v^3/3 + …), and 2 v (1 + e) - e = e v. */
static double deviance_of(double e) {
    if (e <= -1.0) return 1.0;
    if (fabs(e) > DEVIANCE_NEAR) return (1.0 + e) * log1p(e) - e;
    double v = e / (2.0 + e), square = v * v, series = 0.0;
    for (int power = DEVIANCE_LAST; power >= 3; power -= 2) {
        series = (series + 1.0 / power) * square;
    }
    return e * v + 2.0 * (1.0 + e) * v * series;
}

/* Of a row with the margin `row`, in which `more` is D / row. */
static double deviance_row(const exact_table *t, uint64_t row, double more) {
    double with = (double)t->nx1, without = (double)t->nx0, n = (double)t->n;
    double sum = with * deviance_of(more / with) + without * deviance_of(-more / without);
    return (double)row / n * sum;
}

static double deviance_excess(const exact_table *t, uint64_t row) {
    return exact_difference(exact_product(t->n, t->n11), exact_product(t->n1x, t->nx1), row);
}

static bool deviance_none(const exact_table *t) {
    return t->n1x == 0 || t->n0x == 0 || t->nx1 == 0 || t->nx0 == 0;
}

double deviance_lhs(const exact_table *t) {
    return deviance_none(t) ? 0.0 : deviance_row(t, t->n1x, deviance_excess(t, t->n1x));
}

double deviance_all(const exact_table *t) {
    if (deviance_none(t)) return 0.0;
    return deviance_lhs(t) + deviance_row(t, t->n0x, -deviance_excess(t, t->n0x));
}

/* ---- one table ------------------------------------------------------------------------------- */

/* log x! - x log x + x for 0 … 16. */
static const double hyper_few[HYPER_FEW + 1] = {
    0.0,
    1.0,
    1.3068528194400546,
    1.4959226032237258,
    1.6328763858683832,
    1.7403021806115442,
    1.828694396641771,
    1.9037903176782212,
    1.9690705693065629,
    2.0268062840554952,
    2.0785616431350586,
    2.1254598450918101,
    2.1683346982058822,
    2.2078222061234452,
    2.2444185681250608,
    2.2785183673077407,
    2.3104405502441732,
};

/* log x! - x log x + x. Fractions of few transactions only occur where they do not matter. */
static double hyper_rest(double x) {
    if (x < HYPER_FEW) {
        if (x <= 0.0) return 0.0;
        int below = (int)x;
        return hyper_few[below] + (x - below) * (hyper_few[below + 1] - hyper_few[below]);
    }
    double y = 1.0 / x, square = y * y;
    double series = 1.0 / 1188.0;
    series = series * square - 1.0 / 1680.0;
    series = series * square + 1.0 / 1260.0;
    series = series * square - 1.0 / 360.0;
    series = series * square + 1.0 / 12.0;
    return HYPER_HALF_LOG_2PI + 0.5 * log(x) + series * y;
}

static hyper hyper_of(const exact_table *t) {
    double n = (double)t->n, n1x = (double)t->n1x, n0x = (double)t->n0x;
    double nx1 = (double)t->nx1, nx0 = (double)t->nx0;
    return (hyper){
        .n11 = (double)t->n11,
        .n10 = (double)t->n10,
        .n01 = (double)t->n01,
        .n00 = (double)t->n00,
        .e11 = n1x * nx1 / n,
        .e10 = n1x * nx0 / n,
        .e01 = n0x * nx1 / n,
        .e00 = n0x * nx0 / n,
        .excess =
            exact_difference(exact_product(t->n, t->n11), exact_product(t->n1x, t->nx1), t->n),
        .margins =
            hyper_rest(n1x) + hyper_rest(n0x) + hyper_rest(nx1) + hyper_rest(nx0) - hyper_rest(n),
    };
}

/* log P(N11 = n11 + by), by need not be an integer. */
static double hyper_log_at(const hyper *h, double by) {
    double excess = h->excess + by;
    double off = h->e11 * deviance_of(excess / h->e11) + h->e10 * deviance_of(-excess / h->e10) +
                 h->e01 * deviance_of(-excess / h->e01) + h->e00 * deviance_of(excess / h->e00);
    double cells = hyper_rest(h->n11 + by) + hyper_rest(h->n10 - by) + hyper_rest(h->n01 - by) +
                   hyper_rest(h->n00 + by);
    return h->margins - cells - off;
}

/* ---- tails ----------------------------------------------------------------------------------- */

/* Returns the table with "antecedent and not consequent" in place of "antecedent and consequent": a
 * lower tail becomes an upper tail. */
static lode_counts hyper_mirror(const lode_counts *c) {
    return (lode_counts){c->lhs - c->both, c->lhs, c->total - c->rhs, c->total};
}

static uint64_t hyper_least(const lode_counts *c) {
    return c->lhs > c->total - c->rhs ? c->lhs - (c->total - c->rhs) : 0;
}

static uint64_t hyper_most(const lode_counts *c) {
    return c->lhs < c->rhs ? c->lhs : c->rhs;
}

/* Whether P(n11 + 1) < P(n11): from here on, upwards, probabilities fall. */
static bool hyper_falls(const exact_table *t) {
    return exact_product(t->n10, t->n01) < exact_product(t->n11 + 1, t->n00 + 1);
}

/* The sum of P(n11 + j) / P(n11) over j >= 0, term by term. */
static double hyper_sum_terms(const hyper *h) {
    double a = h->n10, b = h->n01, c = h->n11 + 1.0, d = h->n00 + 1.0;
    double term = 1.0, sum = 1.0;
    while (a > 0.0 && b > 0.0) {
        term *= a * b / (c * d);
        sum += term;
        if (term < HYPER_SUM_LEFT * sum) break;
        a -= 1.0;
        b -= 1.0;
        c += 1.0;
        d += 1.0;
    }
    return sum;
}

/* Nodes and weights of Gauss and Legendre for 16 points of -1 … 1; the others lie opposite. */
static const double hyper_gauss[8][2] = {
    {0.98940093499164993, 0.027152459411754095}, {0.94457502307323258, 0.062253523938647893},
    {0.86563120238783174, 0.095158511682492785}, {0.75540440835500303, 0.12462897125553387},
    {0.61787624440264375, 0.14959598881657673},  {0.45801677765722739, 0.16915651939500254},
    {0.28160355077925891, 0.18260341504492359},  {0.095012509837637440, 0.18945061045506850},
};

/* The integral of P(n11 + x) / P(n11) over a panel. */
static double hyper_panel(const hyper *h, double from, double to, double log_first) {
    double middle = (from + to) / 2.0, half = (to - from) / 2.0, sum = 0.0;
    for (int i = 0; i < 8; i++) {
        double off = half * hyper_gauss[i][0];
        double left = hyper_log_at(h, middle - off), right = hyper_log_at(h, middle + off);
        sum += hyper_gauss[i][1] * (exp(left - log_first) + exp(right - log_first));
    }
    return half * sum;
}

/* The sum as an integral: for a function g, the sum of g(j) over j >= 0 is the integral from -1/2
 * plus g'(-1/2) / 24 - 7 g'''(-1/2) / 5760 + …; here g falls by at most 1% a step, so that this is
 * enough. `slope` and `bend` are the first two derivatives of -log g. */
static double hyper_sum_integral(const hyper *h, double end, double bend) {
    double first = hyper_log_at(h, 0.0), sum = 0.0, width = (end + 0.5) / HYPER_PANELS;
    for (int i = 0; i < HYPER_PANELS; i++) {
        sum += hyper_panel(h, i * width - 0.5, (i + 1) * width - 0.5, first);
    }
    double slope = log(h->n11 / (h->n10 + 1.0) * (h->n00 / (h->n01 + 1.0)));
    double g = exp(hyper_log_at(h, -0.5) - first);
    double g1 = -slope * g, g3 = -slope * (slope * slope - 3.0 * bend) * g;
    return sum + g1 / 24.0 - 7.0 * g3 / 5760.0;
}

/* log P(N11 >= n11) where probabilities fall. The number of terms follows from how fast they fall:
 * after x terms the logarithm has fallen by about slope x + bend x² / 2. */
static double hyper_log_tail(const exact_table *t) {
    hyper h = hyper_of(t);
    double slope = -log(h.n10 / (h.n11 + 1.0) * (h.n01 / (h.n00 + 1.0)));
    double bend = 1.0 / (h.n11 + 1.0) + 1.0 / h.n10 + 1.0 / h.n01 + 1.0 / (h.n00 + 1.0);
    double end = 2.0 * HYPER_FALL / (slope + sqrt(slope * slope + 2.0 * HYPER_FALL * bend));
    double last = fmin(h.n10, h.n01);
    bool few = last <= HYPER_SUM_MOST || end <= HYPER_SUM_MOST;
    double sum = few ? hyper_sum_terms(&h) : hyper_sum_integral(&h, fmin(end, last), bend);
    return fmin(0.0, hyper_log_at(&h, 0.0) + log(sum));
}

/* log(1 - e^x), x <= 0. */
static double hyper_log_other(double x) {
    return x > -0.7 ? log(-expm1(x)) : log1p(-exp(x));
}

/* P(N11 < n11) is the upper tail of the mirrored table, one further. */
static exact_table hyper_below(const lode_counts *c) {
    lode_counts fewer = {c->both - 1, c->lhs, c->rhs, c->total};
    lode_counts mirrored = hyper_mirror(&fewer);
    return exact_table_of(&mirrored);
}

double hyper_log_upper(const lode_counts *c) {
    if (c->both <= hyper_least(c)) return 0.0;
    exact_table t = exact_table_of(c);
    if (hyper_falls(&t)) return hyper_log_tail(&t);
    exact_table below = hyper_below(c);
    return hyper_log_other(hyper_log_tail(&below));
}

double hyper_log_lower(const lode_counts *c) {
    if (c->both <= hyper_least(c)) return -INFINITY;
    exact_table below = hyper_below(c);
    if (hyper_falls(&below)) return hyper_log_tail(&below);
    exact_table t = exact_table_of(c);
    return hyper_log_other(hyper_log_tail(&t));
}

/* ---- both sides ------------------------------------------------------------------------------ */

static double hyper_log_sum(double a, double b) {
    double most = fmax(a, b), least = fmin(a, b);
    return isinf(least) ? most : fmin(0.0, most + log1p(exp(least - most)));
}

/* A table for which all others are judged; its count is higher than expected. */
typedef struct hyper_judge {
    const lode_counts *c;
    hyper_order order;
    double limit; /* the logarithm of its probability, or its deviance */
} hyper_judge;

static double hyper_judged(const lode_counts *c, hyper_order order) {
    exact_table t = exact_table_of(c);
    if (order == HYPER_INFORMATION) return deviance_all(&t);
    hyper h = hyper_of(&t);
    return hyper_log_at(&h, 0.0);
}

/* Whether a table with fewer than expected is as far off. */
static bool hyper_is_far(const hyper_judge *j, uint64_t both) {
    lode_counts other = {both, j->c->lhs, j->c->rhs, j->c->total};
    if (j->order == HYPER_CHI_SQUARED) {
        exact_wide expected = exact_product(j->c->lhs, j->c->rhs);
        exact_wide above = exact_product(j->c->total, j->c->both) - expected;
        return exact_product(j->c->total, both) + above <= expected;
    }
    double judged = hyper_judged(&other, j->order);
    if (j->order == HYPER_INFORMATION) return judged >= j->limit * (1.0 - HYPER_TIE);
    return judged <= j->limit + HYPER_TIE;
}

/* The number of tables with fewer that are as far off, from the least count on. */
static uint64_t hyper_count_far(const hyper_judge *j) {
    uint64_t least = hyper_least(j->c), none = 0, all = j->c->both - least;
    while (none < all) { /* `none` of them are known to be */
        uint64_t middle = none + (all - none) / 2;
        if (hyper_is_far(j, least + middle)) {
            none = middle + 1;
        } else {
            all = middle;
        }
    }
    return none;
}

static double hyper_log_above(const lode_counts *c, hyper_order order) {
    hyper_judge judge = {c, order, 0.0};
    if (order != HYPER_CHI_SQUARED) judge.limit = hyper_judged(c, order);
    uint64_t far = hyper_count_far(&judge), least = hyper_least(c);
    if (least + far >= c->both) return 0.0;
    lode_counts end = {least + far, c->lhs, c->rhs, c->total};
    return hyper_log_sum(hyper_log_upper(c), hyper_log_lower(&end));
}

double hyper_log_both(const lode_counts *c, hyper_order order) {
    if (hyper_least(c) == hyper_most(c)) return 0.0;
    exact_table t = exact_table_of(c);
    exact_wide there = exact_product(t.n, t.n11), expected = exact_product(t.n1x, t.nx1);
    if (order != HYPER_PROBABILITY && there == expected) return 0.0;
    bool above = order == HYPER_PROBABILITY ? hyper_falls(&t) : there > expected;
    lode_counts mirrored = hyper_mirror(c);
    return hyper_log_above(above ? c : &mirrored, order);
}

/* ---- quantiles ------------------------------------------------------------------------------- */

/* Whether P(N11 > q) is at most e^log_above. */
static bool hyper_is_enough(const lode_counts *c, uint64_t q, double log_above) {
    if (q >= hyper_most(c)) return true;
    lode_counts more = {q + 1, c->lhs, c->rhs, c->total};
    return hyper_log_upper(&more) <= log_above + HYPER_TIE;
}

/* By halves, between bounds that a step which doubles finds, from two deviations above the mean. */
uint64_t hyper_quantile(const lode_counts *c, double above) {
    uint64_t least = hyper_least(c), most = hyper_most(c);
    if (least == most) return least;
    double log_above = log(above), lhs = exact_ratio(c->lhs, c->total);
    double rhs = exact_ratio(c->rhs, c->total), mean = (double)c->lhs * rhs;
    double spread = sqrt(mean * (1.0 - lhs) * (1.0 - rhs));
    uint64_t high = (uint64_t)(mean + 2.0 * spread), step = 1 + (uint64_t)(spread / 8.0);
    high = high < least ? least : high > most ? most : high;
    uint64_t low = least;
    while (!hyper_is_enough(c, high, log_above)) {
        low = high + 1;
        high = most - high < step ? most : high + step;
        step *= 2;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (hyper_is_enough(c, middle, log_above)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* ---- the normal distribution, and chi-squared with one degree of freedom --------------------- */

#define NORMAL_PI    3.14159265358979323846
#define NORMAL_FAR   800.0 /* from this x on, the series is exact to the last bit */
#define NORMAL_TERMS 12
#define NORMAL_STEPS 60
#define NORMAL_CLOSE 1e-15

/* P = erfc(√(x / 2)). Far out, with z² = x / 2,
 *     erfc(z) = exp(-z²) / (z √π) (1 - 1/(2z²) + 1·3/(2z²)² - …),   2z² = x. */
double normal_log_chi_p(double x) {
    if (x < NORMAL_FAR) return log(erfc(sqrt(x / 2.0)));
    if (isinf(x)) return -INFINITY;
    double term = 1.0, sum = 0.0;
    for (int k = 1; k <= NORMAL_TERMS; k++) {
        term *= -(2.0 * k - 1.0) / x;
        sum += term;
    }
    return -x / 2.0 - 0.5 * log(x / 2.0 * NORMAL_PI) + log1p(sum);
}

/* Newton's method for log P(X >= z²) = log(1 - level). That function is concave, so the first step
 * overshoots the solution, and the others approach it from that side. */
double normal_within(double level) {
    double want = log1p(-level), z = 0.0;
    for (int step = 0; step < NORMAL_STEPS; step++) {
        double at = normal_log_chi_p(z * z);
        double slope = -sqrt(2.0 / NORMAL_PI) * exp(-z * z / 2.0 - at);
        double move = (want - at) / slope;
        z += move;
        if (fabs(move) <= NORMAL_CLOSE * z) break;
    }
    return z;
}
