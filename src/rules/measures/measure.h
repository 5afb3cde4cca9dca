/* measure.h - the table of measures from inside: values at full speed, and how they meet bounds
 *
 * What:  a measure is a row of measures.def and a function (ratios.c, association.c, measure.c).
 *        The public functions (lode/measures.h) check what they are given; these do not: counts
 *        must be those of a table (exact_valid() in exact.h).
 * Add:   a row and its function; docs/measures.md by `test_measures_doc --write`. The tests
 *        measures (against exact fractions) and measure_bounds fail until they know it.
 * Load:  once for every rule and every measure that is shown or filtered by. One call through a
 *        pointer: 1 .. 20 ns for ratios, 0.3 .. 20 us for exact tests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_MEASURES_MEASURE_H
#define LODE_RULES_MEASURES_MEASURE_H

#include "lode.h"

#define MEASURE_LN2  0.69314718055994530942
#define MEASURE_LN10 2.30258509299404568402

typedef double (*measure_fn)(const lode_counts *counts);

/* A row of the table as the search sees it. */
typedef struct measure_row {
    lode_measure shown;
    measure_fn of;                        /* NULL: it needs more than counts */
    measure_fn log_p;                     /* of a p-value: its logarithm; else NULL */
    double (*of_rule)(const lode_rule *); /* NULL: `of` is enough */
    unsigned high, low;                   /* corners of regions: bound.h */
} measure_row;

extern const measure_row measure_table[];
extern const size_t measure_count;

/* The value of a measure that needs only counts; loops may also keep measure_table[i].of. */
static inline double measure_value(size_t i, const lode_counts *counts) {
    return measure_table[i].of(counts);
}

/* The same for any measure; NaN where what it needs is not there. */
double measure_of_rule(size_t i, const lode_rule *rule);

/* The logarithm of a p-value, which does not become 0; NaN if the measure is none. */
double measure_log_p(size_t i, const lode_counts *counts);
/* The one that --adjust is about: P(N11 >= n11). */
double measure_log_fisher(const lode_counts *counts);

/* Whether a value is at least (direction 1) or at most (-1) the bound, or differs from it by no
 * more than rounding does. NaN is neither. */
bool measure_reaches(double value, double bound, int direction);

/* Whether a measure is a share: one division of counts, rounded once. A bound of it is compared as
 * it is, so that it admits the same as the minimum of the support or the confidence. */
bool measure_is_share(size_t i);

/* Order by a measure: whether value a comes before b if the best come first. NaN comes last. */
bool measure_is_better(size_t i, double a, double b);

#define MEASURE(name, ...) double measure_of_##name(const lode_counts *counts);
#define MEASURE_P(name, ...)                                                                       \
    double measure_log_##name(const lode_counts *counts);                                          \
    double measure_of_##name(const lode_counts *counts);
#define MEASURE_RULE(name, ...) double measure_of_##name(const lode_rule *rule);
#include "rules/measures/measures.def"
#undef MEASURE
#undef MEASURE_P
#undef MEASURE_RULE

#endif
