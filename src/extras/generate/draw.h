/* draw.h - random numbers of several distributions, the same to the last bit on every machine
 *
 * Exponential and normal numbers each take a logarithm, so they are only used for set-up. Numbers
 * that are drawn for every transaction come from a table, in constant time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_GENERATE_DRAW_H
#define LODE_EXTRAS_GENERATE_DRAW_H

#include "base/mem.h"
#include "base/rng.h"

double draw_exponential(rng *r); /* mean 1 */
double draw_normal(rng *r);      /* mean 0, variance 1 */

/* An alias table: n columns of equal width, each shared by at most two outcomes. A column and a
 * height are drawn; below `cut`, the outcome is the column's own number, above it `other`.
 *
 *     2^32 |aaa|ddd|   |ddd|
 *          |aaa|bbb|ccc|ddd|
 *            0   1   2   3
 */
typedef struct draw_column {
    uint32_t cut;
    uint32_t other;
} draw_column;

typedef struct draw_table {
    mem *mem;
    draw_column *columns;
    uint32_t n;
    uint32_t first; /* added to every number drawn */
} draw_table;

/* Makes a table that draws i with a probability proportional to weights[i]. No weight may be
 * negative, and not all may be zero. Weights are first rounded to integers; for these, the table is
 * exact. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status draw_table_weights(draw_table *t, mem *m, const double *weights,
                                              uint32_t n);

/* The same with n random weights, which are exponentially distributed. */
LODE_NODISCARD lode_status draw_table_exponential(draw_table *t, mem *m, uint32_t n, rng *r);

/* Makes a table that draws lengths: one plus a Poisson number, so that the mean is `mean`, which
 * must be at least 1. */
LODE_NODISCARD lode_status draw_table_lengths(draw_table *t, mem *m, double mean);

void draw_table_free(draw_table *t);

/* Draws a number from a table. */
static inline uint32_t draw_table_next(const draw_table *t, rng *r) {
    uint64_t fraction;
    uint32_t i = (uint32_t)rng_multiply(rng_u64(r), t->n, &fraction);
    draw_column c = t->columns[i];
    return t->first + (fraction >> 32 < c.cut ? i : c.other);
}

#endif
