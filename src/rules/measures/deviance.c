/* deviance.c - see deviance.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/measures/deviance.h"

#define DEVIANCE_NEAR 0.1 /* up to here the difference would cancel */
#define DEVIANCE_LAST 17  /* power of v, at most 0.053: what is left out is below 2^-60 */

/* Near 0, with v = e / (2 + e): log(1 + e) = 2 (v + v^3/3 + …), and 2 v (1 + e) - e = e v. */
double deviance_of(double e) {
    if (e <= -1.0) return 1.0;
    if (fabs(e) > DEVIANCE_NEAR) return (1.0 + e) * log1p(e) - e;
    double v = e / (2.0 + e), square = v * v, series = 0.0;
    for (int power = DEVIANCE_LAST; power >= 3; power -= 2) {
        series = (series + 1.0 / power) * square;
    }
    return e * v + 2.0 * (1.0 + e) * v * series;
}

/* Of a row with the margin `row`, in which `more` is D / row. */
static double deviance_row(const exact_table *t, uint64_t row, double more) {
    double with = (double)t->nx1, without = (double)t->nx0, n = (double)t->n;
    double sum = with * deviance_of(more / with) + without * deviance_of(-more / without);
    return (double)row / n * sum;
}

static double deviance_excess(const exact_table *t, uint64_t row) {
    return exact_difference(exact_product(t->n, t->n11), exact_product(t->n1x, t->nx1), row);
}

static bool deviance_none(const exact_table *t) {
    return t->n1x == 0 || t->n0x == 0 || t->nx1 == 0 || t->nx0 == 0;
}

double deviance_body(const exact_table *t) {
    return deviance_none(t) ? 0.0 : deviance_row(t, t->n1x, deviance_excess(t, t->n1x));
}

double deviance_all(const exact_table *t) {
    if (deviance_none(t)) return 0.0;
    return deviance_body(t) + deviance_row(t, t->n0x, -deviance_excess(t, t->n0x));
}
