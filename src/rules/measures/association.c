/* association.c - measures of correlation and information, and tests of independence
 *
 * Each function is one row of measures.def. These are roots and logarithms, or ratios of more than
 * two counts each: they are right to some 10^-15, not to the last bit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/measures/distribution.h"
#include "rules/measures/measure.h"

#define HYPER_LIFT_BEYOND 0.01

/* ---- correlation ----------------------------------------------------------------------------- */

/* D / √(a b), by way of (D / a) (D / b), which is 1 where it should be; 0 / 0 is 0. */
static double excess_by_root(const lode_counts *c, exact_wide a, exact_wide b) {
    if (c->total == 0) return NAN;
    if (a == 0 || b == 0) return 0.0;
    double by_a = exact_excess(c, a), by_b = exact_excess(c, b);
    return copysign(sqrt(by_a * by_b), by_a);
}

/* Returns the same table for a -> b and b -> a. So symmetric measures give the same result to the
 * last digit, and ties are ties. */
static lode_counts of_either(const lode_counts *c) {
    bool swap = c->lhs > c->rhs;
    return (lode_counts){c->both, swap ? c->rhs : c->lhs, swap ? c->lhs : c->rhs, c->total};
}

double measure_of_phi(const lode_counts *c) {
    return excess_by_root(c, exact_product(c->lhs, c->total - c->lhs),
                          exact_product(c->rhs, c->total - c->rhs));
}

double measure_of_lerman(const lode_counts *c) {
    lode_counts either = of_either(c);
    return excess_by_root(c, exact_product(c->total, either.lhs), either.rhs);
}

double measure_of_implicationIndex(const lode_counts *c) {
    return 0.0 - excess_by_root(c, exact_product(c->total, c->lhs), c->total - c->rhs);
}

double measure_of_gini(const lode_counts *c) {
    double with = exact_excess(c, exact_product(c->total, c->total));
    double within = exact_excess(c, exact_product(c->lhs, c->total - c->lhs));
    return c->total ? 2.0 * with * exact_or(within, 0.0) : NAN;
}

/* ---- information ----------------------------------------------------------------------------- */

double measure_of_informationGain(const lode_counts *c) {
    if (c->total == 0) return NAN;
    lode_counts either = of_either(c);
    exact_table t = exact_table_of(&either);
    return deviance_all(&t) / (double)t.n / MEASURE_LN2;
}

/* Of a share of two, in units of 1 / n; log1p, since the larger share may be close to 1. */
static double entropy_of(uint64_t with, uint64_t n) {
    uint64_t few = with < n - with ? with : n - with;
    if (few == 0) return 0.0;
    double share = exact_ratio(few, n);
    return -(double)few * log(share) - (double)(n - few) * log1p(-share);
}

double measure_of_mutualInformation(const lode_counts *c) {
    if (c->total == 0) return NAN;
    lode_counts either = of_either(c);
    exact_table t = exact_table_of(&either);
    double least = fmin(entropy_of(t.n1x, t.n), entropy_of(t.nx1, t.n));
    return least > 0 ? fmin(1.0, deviance_all(&t) / least) : 0.0;
}

double measure_of_jMeasure(const lode_counts *c) {
    if (c->total == 0) return NAN;
    exact_table t = exact_table_of(c);
    return deviance_lhs(&t) / (double)t.n;
}

/* ---- tests ----------------------------------------------------------------------------------- */

double measure_of_chiSquaredShare(const lode_counts *c) {
    if (c->total == 0) return NAN;
    double lhs = exact_excess(c, exact_product(c->lhs, c->total - c->lhs));
    double rhs = exact_excess(c, exact_product(c->rhs, c->total - c->rhs));
    return exact_or(lhs * rhs, 0.0);
}

double measure_of_chiSquared(const lode_counts *c) {
    return (double)c->total * measure_of_chiSquaredShare(c);
}

/* |D| - n / 2 is half of an integer: twice that, over twice the margins. */
double measure_of_yatesShare(const lode_counts *c) {
    if (c->total == 0) return NAN;
    exact_table t = exact_table_of(c);
    exact_wide there = exact_product(t.n, t.n11), expected = exact_product(t.n1x, t.nx1);
    exact_wide twice = 2 * (there > expected ? there - expected : expected - there);
    if (twice <= t.n) return 0.0;
    twice -= t.n;
    return exact_ratio(twice, 2 * exact_product(t.n1x, t.n0x)) *
           exact_ratio(twice, 2 * exact_product(t.nx1, t.nx0));
}

double measure_of_yates(const lode_counts *c) {
    return (double)c->total * measure_of_yatesShare(c);
}

double measure_of_gTest(const lode_counts *c) {
    if (c->total == 0) return NAN;
    lode_counts either = of_either(c);
    exact_table t = exact_table_of(&either);
    return 2.0 * deviance_all(&t);
}

double measure_log_chiSquaredP(const lode_counts *c) {
    return normal_log_chi_p(measure_of_chiSquared(c));
}

double measure_log_yatesP(const lode_counts *c) {
    return normal_log_chi_p(measure_of_yates(c));
}

double measure_log_gTestP(const lode_counts *c) {
    return normal_log_chi_p(measure_of_gTest(c));
}

static double of_both_tails(const lode_counts *c, hyper_order by) {
    lode_counts either = of_either(c);
    return c->total ? hyper_log_both(&either, by) : NAN;
}

double measure_log_fisher(const lode_counts *c) {
    lode_counts either = of_either(c);
    return c->total ? hyper_log_upper(&either) : NAN;
}

double measure_log_fisherTwoSided(const lode_counts *c) {
    return of_both_tails(c, HYPER_PROBABILITY);
}

double measure_log_fisherChiSquared(const lode_counts *c) {
    return of_both_tails(c, HYPER_CHI_SQUARED);
}

double measure_log_fisherInformation(const lode_counts *c) {
    return of_both_tails(c, HYPER_INFORMATION);
}

double measure_of_minusLog10P(const lode_counts *c) {
    return 0.0 - measure_log_fisher(c) / MEASURE_LN10;
}

double measure_of_hyperConfidence(const lode_counts *c) {
    lode_counts either = of_either(c);
    return c->total ? exp(hyper_log_lower(&either)) : NAN;
}

double measure_of_hyperLift(const lode_counts *c) {
    return c->total ? exact_ratio(c->both, hyper_quantile(c, HYPER_LIFT_BEYOND)) : NAN;
}
