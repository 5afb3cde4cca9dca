/* adjust.h - adjusts p-values for the number of tests
 *
 * What:  of a family of `size` tests, n p-values are known; the others count as p = 1, which can
 *        only make the known ones less significant. So a search that prunes, or filters, may adjust
 *        what it found as long as it knows the number of tests.
 *
 *            Bonferroni   size · p                              family-wise error rate
 *            Holm         the k-th least: (size - k + 1) · p    the same, never larger
 *            BH           the k-th least: size / k · p          false discovery rate
 *            BY           BH times 1 + 1/2 + … + 1/size         the same, under any dependence
 *
 *        each at most 1, and then made monotone: with Holm no value is below that of a lesser p,
 *        with BH and BY none is above that of a larger one. Equal p-values stay equal.
 * How:   the input is logarithms, since p-values of good rules are below the smallest double.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_MEASURES_ADJUST_H
#define LODE_RULES_MEASURES_ADJUST_H

#include "base/mem.h"
#include "base/sort.h"

/* Replaces n logarithms of p-values by the adjusted p-values (by p itself for LODE_ADJUST_NONE).
 * NaN stays NaN, and counts as p = 1. `size` is at least n; it may be larger than any integer type.
 * Takes 16 bytes of memory per value. Errors: NOMEM, BUDGET; CANCELLED by `stop`, with values
 * unchanged. */
LODE_NODISCARD lode_status adjust_p_values(mem *m, lode_adjust how, double size, double *values,
                                           size_t n, const sort_stop *stop);

/* 1 + 1/2 + … + 1/size. */
double adjust_harmonic(double size);

#endif
