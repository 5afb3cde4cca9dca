/* adjust.h - adjusts p-values for the number of tests
 *
 * What:  n p-values of a family of `size` tests are known. The other p-values count as 1, which can
 *        only make the known p-values less significant. So a search that prunes or filters may
 *        adjust the p-values it found, if it knows the number of tests.
 *
 *            Bonferroni   size · p                              family-wise error rate
 *            Holm         the k-th least: (size - k + 1) · p    the same, never larger
 *            BH           the k-th least: size / k · p          false discovery rate
 *            BY           BH times 1 + 1/2 + … + 1/size         the same, under any dependence
 *
 *        Each value is limited to 1. Then the values are made monotone: with Holm, no value is
 *        below the value of a smaller p; with BH and BY, no value is above the value of a larger p.
 *        Equal p-values stay equal.
 * How:   the input consists of logarithms, because p-values of good rules are below the smallest
 *        double.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_MEASURES_ADJUST_H
#define LODE_RULES_MEASURES_ADJUST_H

#include "base/mem.h"
#include "base/sort.h"

/* Replaces n logarithms of p-values by the adjusted p-values (by p itself for LODE_ADJUST_NONE).
 * NaN stays NaN, and counts as p = 1. `size` is at least n; it may be larger than any integer type.
 * Takes 16 bytes of memory per value. Errors: NOMEM, BUDGET; CANCELLED if `stop` ended it, with the
 * values unchanged. */
LODE_NODISCARD lode_status adjust_p_values(mem *m, lode_adjust how, double size, double *values,
                                           size_t n, const sort_stop *stop);

/* Returns 1 + 1/2 + … + 1/size. */
double adjust_harmonic(double size);

#endif
