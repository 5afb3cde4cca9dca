/* distribution.h - distributions: hypergeometric, normal and chi-squared, and deviance
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_MEASURES_DISTRIBUTION_H
#define LODE_RULES_MEASURES_DISTRIBUTION_H

#include "rules/measures/exact.h"

/* ---- the common count of independent antecedents and consequents ----------------------------- */

/* What:  if antecedent and consequent are independent, their common count N11, given how often each
 *        occurs, has the hypergeometric distribution. The functions return its tails as logarithms,
 *        because p-values of real data are far below the smallest double.
 * How:   the probability of one table comes from Stirling's series, as a sum of terms that do not
 *        cancel. The tail is summed, term by term, by the ratios of neighbouring terms, where a few
 *        thousand terms are enough; otherwise it is integrated by the Euler-Maclaurin formula. So
 *        the time does not depend on the counts: at most about 20 microseconds.
 * Error: the relative error of a p-value is below 10^-11, down to the smallest double. For smaller
 *        p-values, the relative error of the logarithm is about 10^-15. Totals may be up to
 *        EXACT_MOST. */

/* Returns log P(N11 >= n11). */
double hyper_log_upper(const lode_counts *c);
/* Returns log P(N11 < n11). */
double hyper_log_lower(const lode_counts *c);

/* The order that defines which of two tables is further from independence. */
typedef enum hyper_order { HYPER_PROBABILITY, HYPER_CHI_SQUARED, HYPER_INFORMATION } hyper_order;

/* Returns the logarithm of the two-sided p-value: the probability of all tables that are at least
 * as far from independence in this order. */
double hyper_log_both(const lode_counts *c, hyper_order order);

/* Returns the smallest q with P(N11 <= q) >= 1 - above. */
uint64_t hyper_quantile(const lode_counts *c, double above);

/* ---- the normal distribution, and chi-squared with one degree of freedom --------------------- */

/* Returns log P(X >= x) for a chi-squared X with one degree of freedom and x >= 0, even if the
 * probability is below the smallest double. */
double normal_log_chi_p(double x);

/* Returns the z for which a standard normal variable lies within -z … z with the probability
 * `level`, 0 < level < 1. */
double normal_within(double level);

/* ---- deviance: sums of n log(n / expected) without cancellation ------------------------------ */

/* Let n be the count of a cell, E its expected count, D = n11 n00 - n10 n01, and
 * e = n / E - 1 = ± D / (row total * column total of the cell). Then
 *
 *     n log(n / E) - n + E = E f(e),     f(e) = (1 + e) log(1 + e) - e >= 0
 *
 * and over the cells of a row the terms - n + E sum to zero. So the sum of E f(e) is the sum of n
 * log(n / E), but all its terms are positive, each from an exact e. Information, the G statistic
 * and, with Stirling's series, the probability of a table are computed from this sum. */

/* Returns the sum over the cells n11 and n10; 0 if a margin is 0. */
double deviance_lhs(const exact_table *t);
/* Returns the sum over all four cells; 0 if a margin is 0. */
double deviance_all(const exact_table *t);

#endif
