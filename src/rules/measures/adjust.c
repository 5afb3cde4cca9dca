/* adjust.c - see adjust.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/measures/adjust.h"

#include <math.h>

#define ADJUST_EULER 0.57721566490153286061
#define ADJUST_FEW   64 /* terms that are added; beyond, the series is exact to the last bit */

typedef struct adjust_test {
    double log_p;
    size_t at; /* where it comes from */
} adjust_test;

/* A total order, so that the result is the same whatever order they come in. */
static bool adjust_before(const adjust_test *a, const adjust_test *b) {
    return a->log_p != b->log_p ? a->log_p < b->log_p : a->at < b->at;
}

#define SORT_NAME   sort_tests
#define SORT_TYPE   adjust_test
#define SORT_BEFORE adjust_before
#include "base/sort_body.h"

double adjust_harmonic(double size) {
    if (size > ADJUST_FEW) {
        double y = 1.0 / size, square = y * y;
        double series = 1.0 / 12.0 - square * (1.0 / 120.0 - square / 252.0);
        return log(size) + ADJUST_EULER + y / 2.0 - square * series;
    }
    double sum = 0.0;
    for (double k = floor(size); k >= 1.0; k -= 1.0) sum += 1.0 / k;
    return sum;
}

/* All by the same factor, whose logarithm it is. */
static void adjust_by(double *values, size_t n, double log_factor) {
    for (size_t i = 0; i < n; i++) {
        if (!isnan(values[i])) values[i] = exp(fmin(0.0, values[i] + log_factor));
    }
}

/* Downwards, each at most as much as the one after it. */
static void adjust_rate(const adjust_test *tests, size_t n, double log_size, double *values) {
    double least = 0.0;
    for (size_t k = n; k-- > 0;) {
        least = fmin(least, tests[k].log_p + (log_size - log((double)k + 1.0)));
        values[tests[k].at] = exp(least);
    }
}

/* Those that are numbers; the others are p = 1, and come after all of them. */
static size_t adjust_list(const double *values, size_t n, adjust_test *tests) {
    size_t known = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isnan(values[i])) tests[known++] = (adjust_test){values[i], i};
    }
    return known;
}

lode_status adjust_p_values(mem *m, lode_adjust how, double size, double *values, size_t n,
                            const sort_stop *stop) {
    lode_status status = LODE_OK;
    adjust_test *tests = NULL;
    size_t bytes = 0;
    if (how == LODE_ADJUST_NONE || how == LODE_ADJUST_BONFERRONI || n == 0) {
        adjust_by(values, n, how == LODE_ADJUST_BONFERRONI ? log(size) : 0.0);
        return LODE_OK;
    }
    LODE_TRY(mem_resize(m, (void **)&tests, 0, n * sizeof *tests));
    bytes = n * sizeof *tests;
    size_t known = adjust_list(values, n, tests);
    if (!sort_tests(tests, known, stop)) LODE_LEAVE(LODE_CANCELLED);
    if (how == LODE_ADJUST_HOLM) {
        /* Upwards, each at least as much as the one before it. */
        double most = -INFINITY;
        for (size_t k = 0; k < known; k++) {
            double left = fmax(1.0, size - (double)k);
            most = fmax(most, fmin(0.0, tests[k].log_p + log(left)));
            values[tests[k].at] = exp(most);
        }
    } else {
        double more = how == LODE_ADJUST_BY ? log(adjust_harmonic(size)) : 0.0;
        adjust_rate(tests, known, log(size) + more, values);
    }
done:
    mem_free(m, tests, bytes);
    return status;
}
