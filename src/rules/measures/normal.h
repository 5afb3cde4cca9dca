/* normal.h - the normal distribution, and chi-squared with one degree of freedom
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_MEASURES_NORMAL_H
#define LODE_RULES_MEASURES_NORMAL_H

/* log of P(X >= x) for chi-squared with one degree of freedom, x >= 0, however small it is. */
double normal_log_chi_p(double x);

/* z such that a normal variable lies within -z … z with the probability `level`, 0 < level < 1. */
double normal_within(double level);

#endif
