/* bound.h - whether any rule below an antecedent can still meet a bound on a measure
 *
 * What:      a search adds items to an antecedent. Let n11 be the number of transactions with the
 *            antecedent and the consequent, and n10 the number of those with the antecedent only.
 *            Take an antecedent with `lhs` transactions, `both` of them with the consequent. Every
 *            antecedent below it in the search has n11 from `least` (the threshold) to `both`, and
 *            n10 from 0 to lhs - both, because n11 and n10 can only decrease. n11, n10, the count
 *            of the consequent and the total determine the table (exact.h). The ranges of n11 and
 *            n10 form a rectangle. A higher n11 speaks for the rule, a higher n10 against it:
 *
 *            n10
 *            lhs - both   LEAST,ALL ──────── MOST,ALL
 *                             │                 │
 *            0            LEAST,NONE ─────── MOST,NONE
 *                           least              both     n11
 *
 * How:       over such a rectangle most measures have their maximum (minimum) at a corner, for one
 *            of two reasons. Some measures rise with n11 and fall with n10: all measures that rise
 *            with confidence (because the consequent is fixed); D = n11 nx0 - n10 nx1; the odds
 *            ratio and other measures that compare with the transactions without the antecedent
 *            (when n11 and n10 change, n01 and n00 change in the opposite direction); phi and
 *            kappa, as their derivatives show; Fisher's test. Other measures (chi-squared, Gini,
 *            information) are convex, and 0 along the line of independence. measures.def names the
 *            corners, and the test measure_bounds tries them on every rectangle of all small tables
 *            and on random large ones.
 *            For weighted transactions, the same holds: counts are sums of weights, and only
 *            decrease.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_MEASURES_BOUND_H
#define LODE_RULES_MEASURES_BOUND_H

#include "lode.h"

/* Corners of the rectangle. */
enum {
    BOUND_LEAST_NONE = 1, /* n11 = least, n10 = 0 */
    BOUND_MOST_NONE = 2,  /* n11 = both,  n10 = 0 */
    BOUND_LEAST_ALL = 4,  /* n11 = least, n10 = antecedent - both */
    BOUND_MOST_ALL = 8    /* n11 = both,  n10 = antecedent - both */
};

/* The region of all antecedents below one antecedent, with the same consequent. */
typedef struct bound_region {
    uint64_t rhs, total; /* counts of the consequent, and of all transactions */
    uint64_t least;      /* the threshold for the common count, at least 1 */
    uint64_t both, lhs;  /* transactions with antecedent and consequent; with the antecedent */
} bound_region;

/* Returns false only if the measure meets the bound for no table of the region. Direction 1 means
 * that the measure must be at least `bound`, direction -1 that it must be at most `bound`;
 * measure_reaches() does the comparison. Returns true if nothing is known about the measure. */
bool measure_may_reach(size_t measure, const bound_region *region, int direction, double bound);

/* Returns the smallest common count with which a rule with this consequent can meet the bound,
 * whatever its antecedent is. This is a threshold for the consequent. Returns 1 if nothing is
 * known, and rhs + 1 if no rule can meet the bound. */
uint64_t measure_least_both(size_t measure, uint64_t rhs, uint64_t total, int direction,
                            double bound);

/* Returns whether measure_may_reach() can ever be false for a measure. If it cannot, there is no
 * need to call it. */
bool measure_can_prune(size_t measure, int direction);

#endif
