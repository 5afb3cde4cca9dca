/* hyper.h - the distribution of the common count of body and head, if chance alone makes it
 *
 * What:  given how often body and head occur, and that they are independent, their common count N11
 *        has the hypergeometric distribution. Tails of it, as logarithms, since p-values of real
 *        data are far below the least number of a double.
 * How:   the probability of one table from Stirling's series, as a sum of terms that do not cancel
 *        (deviance.h). Then the tail that falls off: by the ratios of neighbours where that takes a
 *        few thousand terms, and else as an integral, by the formula of Euler and Maclaurin. So the
 *        time does not depend on the counts: at most some 20 microseconds.
 * Error: relative error of a p-value below 10^-11 down to the least number of a double; of a
 *        logarithm below that, 10^-15 or so. Totals of up to EXACT_MOST.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_MEASURES_HYPER_H
#define LODE_RULES_MEASURES_HYPER_H

#include "rules/measures/exact.h"

/* log P(N11 >= n11) and log P(N11 < n11). */
double hyper_log_upper(const lode_counts *c);
double hyper_log_lower(const lode_counts *c);

/* What makes a table further from independence than another. */
typedef enum hyper_order { HYPER_PROBABILITY, HYPER_CHI_SQUARED, HYPER_INFORMATION } hyper_order;

/* log of the probability of all tables that are at least as far off as this one, on both sides. */
double hyper_log_both(const lode_counts *c, hyper_order order);

/* The least q with P(N11 <= q) >= 1 - above. */
uint64_t hyper_quantile(const lode_counts *c, double above);

#endif
