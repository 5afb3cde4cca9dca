/* adjust.h - p-values, adjusted for the number of tests
 *
 * What:  of a family of `size` tests, n p-values are known; the others count as p = 1, whatever
 *        they are, which can only make what is known less significant. So a search that prunes, or
 *        filters, may adjust what it found as long as it knows how many tests there were.
 *
 *            Bonferroni   size · p                              any error at all
 *            Holm         the k-th least: (size - k + 1) · p    the same, never worse
 *            BH           the k-th least: size / k · p          the share of errors
 *            BY           BH times 1 + 1/2 + … + 1/size         the same, whatever depends on what
 *
 *        each at most 1, and then made monotone: with Holm no value is below that of a lesser p,
 *        with BH and BY none is above that of a larger one. Equal p-values stay equal.
 * How:   logarithms come in, since p-values are below the least double where rules are good.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_MEASURES_ADJUST_H
#define LODE_RULES_MEASURES_ADJUST_H

#include "base/mem.h"
#include "base/sort.h"

/* Replaces n logarithms of p-values by the adjusted p-values (by p itself for LODE_ADJUST_NONE).
 * NaN stays NaN, and counts as p = 1. `size` is at least n; it may be larger than any integer type.
 * Takes 16 bytes of memory for each. Errors: NOMEM, BUDGET; CANCELLED, and the values are as they
 * were, if `stop` says so. */
LODE_NODISCARD lode_status adjust_p_values(mem *m, lode_adjust how, double size, double *values,
                                           size_t n, const sort_stop *stop);

/* 1 + 1/2 + … + 1/size. */
double adjust_harmonic(double size);

#endif
