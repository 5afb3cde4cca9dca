/* exact.h - the contingency table of a rule, and ratios of integers with a single rounding
 *
 * What:  the nine counts of a table of two rows and two columns; products of two counts in 128
 *        bits; the quotient of two such products, rounded once, so that equal ratios are equal
 *        numbers whatever the counts were: 1/3 is the same for 1 of 3 and for 10^9 of 3 * 10^9.
 * Why:   rules are filtered and ordered by these numbers: 4 of 5 must reach a bound of 0.8.
 * Rules: counts must be at most EXACT_MOST, so that no sum of two products overflows.
 * Load:  these functions run for every rule that is filtered, 10^7 times a second. The common case
 *        is one division.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_MEASURES_EXACT_H
#define LODE_RULES_MEASURES_EXACT_H

#include <math.h>

#include "lode.h"

#define EXACT_MOST ((uint64_t)1 << 62) /* transactions, or their weight */

typedef unsigned __int128 exact_wide;

typedef struct exact_table {
    uint64_t n11, n10, n01, n00;
    uint64_t n1x, n0x, nx1, nx0, n;
} exact_table;

/* Returns whether transactions with these counts can exist, and the total is at most EXACT_MOST. */
static inline bool exact_valid(const lode_counts *c) {
    return c->total <= EXACT_MOST && c->lhs <= c->total && c->rhs <= c->total &&
           c->both <= c->lhs && c->both <= c->rhs && c->lhs - c->both <= c->total - c->rhs;
}

static inline exact_table exact_table_of(const lode_counts *c) {
    return (exact_table){
        .n11 = c->both,
        .n10 = c->lhs - c->both,
        .n01 = c->rhs - c->both,
        .n00 = c->total - c->rhs - (c->lhs - c->both),
        .n1x = c->lhs,
        .n0x = c->total - c->lhs,
        .nx1 = c->rhs,
        .nx0 = c->total - c->rhs,
        .n = c->total,
    };
}

static inline exact_wide exact_product(uint64_t a, uint64_t b) {
    return (exact_wide)a * b;
}

/* Returns p / q, rounded once. p and q must be at most 2^126. */
double exact_long_ratio(exact_wide p, exact_wide q);

/* Returns p / q, rounded once, with a fast path. x / 0 is infinite, and 0 / 0 is NaN. */
static inline double exact_ratio(exact_wide p, exact_wide q) {
    const exact_wide plain = (exact_wide)1 << 53;
    if (p <= plain && q <= plain) return (double)(uint64_t)p / (double)(uint64_t)q;
    if (q == 0) return INFINITY;
    return exact_long_ratio(p, q);
}

/* Returns (a - b) / q, rounded once. */
static inline double exact_difference(exact_wide a, exact_wide b, exact_wide q) {
    return a >= b ? exact_ratio(a - b, q) : -exact_ratio(b - a, q);
}

/* Returns (n n11 - n1x nx1) / q: the excess of the common count over its expected value, relative
 * to a caller's denominator. */
static inline double exact_excess(const lode_counts *c, exact_wide q) {
    return exact_difference(exact_product(c->total, c->both), exact_product(c->lhs, c->rhs), q);
}

/* Returns `value` if it is not NaN, else `otherwise`. */
static inline double exact_or(double value, double otherwise) {
    return isnan(value) ? otherwise : value;
}

#endif
