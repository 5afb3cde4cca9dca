/* interval.c - confidence intervals
 *
 * Confidence: Wilson's interval. It has a closed form, stays within 0 and 1, is right for shares of
 * 0 and 1 as well, and its mean coverage is the nominal one. The exact interval of Clopper and
 * Pearson has a higher coverage, and is wider than necessary. Lift and odds ratio: their logarithms
 * are nearly normal, with the variances below (the first by the delta method for four cells, the
 * second is Woolf's). If a cell is zero, half a transaction is added to each (Haldane, Anscombe),
 * and the interval is open on the side of the value itself, 0 or infinity.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/measures/distribution.h"
#include "rules/measures/exact.h"
#include "rules/measures/measure.h"

typedef struct interval {
    double low, high;
} interval;

static interval interval_confidence(const lode_counts *c, double z) {
    double n = (double)c->lhs, square = z * z;
    double share = exact_ratio(c->both, c->lhs), rest = exact_ratio(c->lhs - c->both, c->lhs);
    double middle = share + square / (2.0 * n);
    double half = z * sqrt(share * rest / n + square / (4.0 * n * n));
    double scale = 1.0 + square / n;
    /* At the ends the difference is 0 or 1 but for rounding. */
    return (interval){c->both == 0 ? 0.0 : fmax(0.0, (middle - half) / scale),
                      c->both == c->lhs ? 1.0 : fmin(1.0, (middle + half) / scale)};
}

/* value · exp(± z √variance); `value` need not be the middle. */
static interval interval_of_log(double value, double variance, double z) {
    double factor = exp(z * sqrt(fmax(0.0, variance)));
    return (interval){value / factor, value * factor};
}

static interval interval_lift(const lode_counts *c, double z) {
    double more = c->both == 0 ? 0.5 : 0.0;
    double n11 = (double)c->both + more, n1x = (double)c->lhs + 2.0 * more;
    double nx1 = (double)c->rhs + 2.0 * more, n = (double)c->total + 4.0 * more;
    double lift = n11 / n1x * (n / nx1);
    double variance = (1.0 / n11 - 1.0 / n1x) - 1.0 / nx1 + (2.0 * lift - 1.0) / n;
    interval i = interval_of_log(lift, variance, z);
    if (c->both == 0) i.low = 0.0;
    return i;
}

static interval interval_odds_ratio(const lode_counts *c, double z) {
    exact_table t = exact_table_of(c);
    bool none = t.n11 == 0 || t.n00 == 0, sure = t.n10 == 0 || t.n01 == 0;
    double more = none || sure ? 0.5 : 0.0;
    double n11 = (double)t.n11 + more, n10 = (double)t.n10 + more;
    double n01 = (double)t.n01 + more, n00 = (double)t.n00 + more;
    double variance = 1.0 / n11 + 1.0 / n10 + 1.0 / n01 + 1.0 / n00;
    interval i = interval_of_log(n11 / n10 * (n00 / n01), variance, z);
    if (none) i.low = 0.0;
    if (sure) i.high = INFINITY;
    return i;
}

static bool interval_exists(lode_interval_of what, const lode_counts *c) {
    switch (what) {
    case LODE_INTERVAL_CONFIDENCE: return c->lhs > 0;
    case LODE_INTERVAL_LIFT: return c->lhs > 0 && c->rhs > 0;
    case LODE_INTERVAL_ODDS_RATIO:
        return c->lhs > 0 && c->rhs > 0 && c->lhs < c->total && c->rhs < c->total;
    }
    return false;
}

static interval interval_of(lode_interval_of what, const lode_counts *c, double z) {
    if (what == LODE_INTERVAL_CONFIDENCE) return interval_confidence(c, z);
    return what == LODE_INTERVAL_LIFT ? interval_lift(c, z) : interval_odds_ratio(c, z);
}

bool lode_measure_interval(lode_interval_of what, const lode_counts *counts, double level,
                           double *low, double *high) {
    interval i = {NAN, NAN};
    bool there = counts && exact_valid(counts) && level > 0.0 && level < 1.0 &&
                 interval_exists(what, counts);
    if (there) i = interval_of(what, counts, normal_within(level));
    if (low) *low = i.low;
    if (high) *high = i.high;
    return there;
}
