/* ratios.c - measures that are ratios of counts, or simple functions of such ratios
 *
 * Each function is one row of measures.def, which has its formula. Differences are brought to one
 * fraction first: n11/n1x - nx1/n is D / (n n1x), so that nothing cancels.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/measures/exact.h"
#include "rules/measures/measure.h"

static uint64_t lesser(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* ---- counts and shares ----------------------------------------------------------------------- */

double measure_of_support(const lode_counts *c) {
    return exact_ratio(c->both, c->total);
}

double measure_of_confidence(const lode_counts *c) {
    return exact_ratio(c->both, c->lhs);
}

double measure_of_lift(const lode_counts *c) {
    return exact_ratio(exact_product(c->total, c->both), exact_product(c->lhs, c->rhs));
}

double measure_of_count(const lode_counts *c) {
    return (double)c->both;
}

double measure_of_coverage(const lode_counts *c) {
    return exact_ratio(c->lhs, c->total);
}

double measure_of_rhsSupport(const lode_counts *c) {
    return exact_ratio(c->rhs, c->total);
}

double measure_of_n10(const lode_counts *c) {
    return (double)exact_table_of(c).n10;
}

double measure_of_n01(const lode_counts *c) {
    return (double)exact_table_of(c).n01;
}

double measure_of_n00(const lode_counts *c) {
    return (double)exact_table_of(c).n00;
}

double measure_of_reverseConfidence(const lode_counts *c) {
    return exact_ratio(c->both, c->rhs);
}

double measure_of_representativity(const lode_counts *c) {
    return c->total ? 1.0 : NAN;
}

/* ---- confidence, against what is expected ---------------------------------------------------- */

double measure_of_leverage(const lode_counts *c) {
    return exact_excess(c, exact_product(c->total, c->total));
}

double measure_of_conviction(const lode_counts *c) {
    exact_table t = exact_table_of(c);
    if (t.n10 == 0) return t.n1x ? INFINITY : NAN;
    return exact_ratio(exact_product(t.n1x, t.nx0), exact_product(t.n, t.n10));
}

double measure_of_zhang(const lode_counts *c) {
    if (c->total == 0) return NAN;
    exact_table t = exact_table_of(c);
    exact_wide with = exact_product(t.n11, t.n0x), without = exact_product(t.n1x, t.n01);
    return exact_or(exact_excess(c, with > without ? with : without), 0.0);
}

double measure_of_certainty(const lode_counts *c) {
    if (c->lhs == 0) return NAN;
    return exact_or(exact_excess(c, exact_product(c->lhs, c->total - c->rhs)), 0.0);
}

double measure_of_certaintyFactor(const lode_counts *c) {
    double certainty = measure_of_certainty(c);
    if (!(certainty < 0)) return certainty;
    return exact_or(exact_excess(c, exact_product(c->lhs, c->rhs)), 0.0);
}

double measure_of_addedValue(const lode_counts *c) {
    return exact_excess(c, exact_product(c->total, c->lhs));
}

double measure_of_confidenceDifference(const lode_counts *c) {
    return fabs(measure_of_addedValue(c));
}

double measure_of_doc(const lode_counts *c) {
    if (c->lhs == 0) return NAN;
    return exact_or(exact_excess(c, exact_product(c->lhs, c->total - c->lhs)), 0.0);
}

double measure_of_relativeRisk(const lode_counts *c) {
    if (c->lhs == 0) return NAN;
    exact_table t = exact_table_of(c);
    return exact_or(exact_ratio(exact_product(t.n11, t.n0x), exact_product(t.n1x, t.n01)), 1.0);
}

/* log(p / q), also where that is close to 0. */
static double log_of_ratio(exact_wide p, exact_wide q) {
    double more = exact_difference(p, q, q);
    return fabs(more) < 0.5 ? log1p(more) : log(exact_ratio(p, q));
}

double measure_of_logRelativeRisk(const lode_counts *c) {
    if (c->lhs == 0) return NAN;
    exact_table t = exact_table_of(c);
    exact_wide with = exact_product(t.n11, t.n0x), without = exact_product(t.n1x, t.n01);
    return exact_or(log_of_ratio(with, without), 0.0) / MEASURE_LN2;
}

double measure_of_importance(const lode_counts *c) {
    if (c->total == 0) return NAN;
    exact_table t = exact_table_of(c);
    return log_of_ratio(exact_product(t.n11 + 1, t.n0x + 2), exact_product(t.n01 + 1, t.n1x + 2)) /
           MEASURE_LN10;
}

double measure_of_oddsRatio(const lode_counts *c) {
    if (c->total == 0) return NAN;
    exact_table t = exact_table_of(c);
    return exact_or(exact_ratio(exact_product(t.n11, t.n00), exact_product(t.n10, t.n01)), 1.0);
}

double measure_of_yuleQ(const lode_counts *c) {
    if (c->total == 0) return NAN;
    exact_table t = exact_table_of(c);
    return exact_or(exact_excess(c, exact_product(t.n11, t.n00) + exact_product(t.n10, t.n01)),
                    0.0);
}

/* With a = n11 n00 and b = n10 n01: (√a - √b) / (√a + √b) = (a - b) / (√a + √b)². Divided by a + b
 * above and below, it is yuleQ / (1 + 2 √(ab) / (a + b)). */
double measure_of_yuleY(const lode_counts *c) {
    if (c->total == 0) return NAN;
    exact_table t = exact_table_of(c);
    exact_wide a = exact_product(t.n11, t.n00), b = exact_product(t.n10, t.n01);
    if (a + b == 0) return 0.0;
    double mean = sqrt(exact_ratio(a, a + b) * exact_ratio(b, a + b));
    return exact_difference(a, b, a + b) / (1.0 + 2.0 * mean);
}

double measure_of_varyingLiaison(const lode_counts *c) {
    return exact_excess(c, exact_product(c->lhs, c->rhs));
}

double measure_of_liftDistance(const lode_counts *c) {
    return fabs(measure_of_varyingLiaison(c));
}

double measure_of_liftQuotient(const lode_counts *c) {
    double up = measure_of_varyingLiaison(c);
    if (up <= 0) return fabs(up);
    return fabs(exact_excess(c, exact_product(c->total, c->both))); /* 1 - 1 / lift */
}

/* (n1x nx0 - n n10) / q, whose numerator is D again. */
double measure_of_convictionDistance(const lode_counts *c) {
    exact_table t = exact_table_of(c);
    if (t.n10 == 0) return t.n1x ? INFINITY : NAN;
    return fabs(exact_excess(c, exact_product(t.n, t.n10)));
}

double measure_of_convictionQuotient(const lode_counts *c) {
    exact_table t = exact_table_of(c);
    if (t.n10 == 0) return t.n1x ? 1.0 : NAN;
    exact_wide expected = exact_product(t.n1x, t.nx0), there = exact_product(t.n, t.n10);
    return fabs(exact_excess(c, expected > there ? expected : there));
}

double measure_of_laplace(const lode_counts *c) {
    return c->total ? exact_ratio(c->both + 1, c->lhs + 2) : NAN;
}

double measure_of_sebag(const lode_counts *c) {
    return exact_ratio(c->both, c->lhs - c->both);
}

double measure_of_counterexample(const lode_counts *c) {
    return exact_difference(c->both, c->lhs - c->both, c->both);
}

double measure_of_confirmedConfidence(const lode_counts *c) {
    return exact_difference(c->both, c->lhs - c->both, c->lhs);
}

double measure_of_casualConfidence(const lode_counts *c) {
    exact_table t = exact_table_of(c);
    return exact_ratio(exact_product(t.n11, t.n0x) + exact_product(t.n00, t.n1x),
                       2 * exact_product(t.n1x, t.n0x));
}

double measure_of_casualSupport(const lode_counts *c) {
    exact_table t = exact_table_of(c);
    return exact_ratio((exact_wide)t.n11 + t.n00, t.n);
}

double measure_of_leastContradiction(const lode_counts *c) {
    return exact_difference(c->both, c->lhs - c->both, c->rhs);
}

double measure_of_ralambondrainy(const lode_counts *c) {
    return exact_ratio(c->lhs - c->both, c->total);
}

double measure_of_rulePowerFactor(const lode_counts *c) {
    return exact_ratio(exact_product(c->both, c->both), exact_product(c->total, c->lhs));
}

double measure_of_klosgen(const lode_counts *c) {
    return sqrt(measure_of_support(c)) * measure_of_addedValue(c);
}

double measure_of_strength(const lode_counts *c) {
    return exact_ratio(c->rhs, c->lhs);
}

/* ---- how alike ------------------------------------------------------------------------------- */

double measure_of_jaccard(const lode_counts *c) {
    return exact_ratio(c->both, (exact_wide)c->lhs + c->rhs - c->both);
}

double measure_of_cosine(const lode_counts *c) {
    return sqrt(measure_of_confidence(c) * measure_of_reverseConfidence(c));
}

double measure_of_kulczynski(const lode_counts *c) {
    return exact_ratio(exact_product(c->both, c->lhs + c->rhs), 2 * exact_product(c->lhs, c->rhs));
}

double measure_of_maxconfidence(const lode_counts *c) {
    if (c->lhs == 0 || c->rhs == 0) return NAN;
    return exact_ratio(c->both, lesser(c->lhs, c->rhs));
}

double measure_of_imbalance(const lode_counts *c) {
    return exact_ratio(larger(c->lhs, c->rhs) - lesser(c->lhs, c->rhs),
                       (exact_wide)c->lhs + c->rhs - c->both);
}

double measure_of_kappa(const lode_counts *c) {
    if (c->total == 0) return NAN;
    exact_table t = exact_table_of(c);
    exact_wide apart = exact_product(t.n1x, t.nx0) + exact_product(t.nx1, t.n0x);
    return exact_or(2.0 * exact_excess(c, apart), 0.0);
}

double measure_of_collectiveStrength(const lode_counts *c) {
    if (c->total == 0) return NAN;
    exact_table t = exact_table_of(c);
    exact_wide apart = exact_product(t.n1x, t.nx0) + exact_product(t.nx1, t.n0x);
    exact_wide alike = exact_product(t.n1x, t.nx1) + exact_product(t.n0x, t.nx0);
    if (apart == 0 || alike == 0) return 1.0; /* each is in all or in none */
    return exact_ratio(t.n11 + t.n00, t.n10 + t.n01) * exact_ratio(apart, alike);
}

double measure_of_lambda(const lode_counts *c) {
    if (c->total == 0) return NAN;
    exact_table t = exact_table_of(c);
    uint64_t guess = larger(t.nx1, t.nx0);
    uint64_t better = larger(t.n11, t.n10) + larger(t.n01, t.n00);
    return exact_or(exact_ratio(better - guess, t.n - guess), 0.0);
}

double measure_of_stdLift(const lode_counts *c) {
    if (c->total == 0) return NAN;
    exact_table t = exact_table_of(c);
    uint64_t least = larger(1, t.n11 > t.n00 ? t.n11 - t.n00 : 0); /* n1x + nx1 - n */
    if (t.n11 < least) return 0.0;
    return exact_or(exact_ratio(t.n11 - least, lesser(t.n1x, t.nx1) - least), 1.0);
}

double measure_of_RLD(const lode_counts *c) {
    if (c->total == 0) return NAN;
    exact_table t = exact_table_of(c);
    exact_wide there = exact_product(t.n, t.n11), expected = exact_product(t.n1x, t.nx1);
    bool above = there > expected;
    exact_wide off = above ? there - expected : expected - there;
    uint64_t room = above ? lesser(t.n10, t.n01) : lesser(t.n11, t.n00);
    return exact_or(exact_ratio(off, off + exact_product(t.n, room)), 0.0);
}
