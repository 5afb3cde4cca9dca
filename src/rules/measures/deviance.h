/* deviance.h - how far a table is from independence: sums of n log(n / expected) that do not cancel
 *
 * With E what is expected of a cell, and e = n / E - 1 = ± D / (product of its margins),
 *
 *     n log(n / E) - n + E = E f(e),     f(e) = (1 + e) log(1 + e) - e >= 0
 *
 * and over the cells of a row the terms - n + E add up to nothing. So the sum of E f(e) is the sum
 * of n log(n / E), but of terms that are all positive, each from an exact e. Information, the
 * G statistic and, with Stirling's series, the probability of a table (hyper.h) are made of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_MEASURES_DEVIANCE_H
#define LODE_RULES_MEASURES_DEVIANCE_H

#include "rules/measures/exact.h"

/* f(e), for e >= -1; relative error of some 10^-15. */
double deviance_of(double e);

/* The sum over the cells n11 and n10, and over all four; 0 where a margin is 0. */
double deviance_body(const exact_table *t);
double deviance_all(const exact_table *t);

#endif
