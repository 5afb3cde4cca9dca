/* measure.h - the internal half of the table of measures: fast values, and comparisons with bounds
 *
 * What:  a measure is a row of measures.def and a function (ratios.c, association.c, measure.c).
 *        The public functions (lode/measures.h) check their arguments, but the functions here do
 *        not: counts must form a valid contingency table (exact_valid() in exact.h).
 * Add:   write a row and its function, and update docs/measures.md with `test_measures_doc
 *        --write`. The tests `measures` (which compares with exact fractions) and `measure_bounds`
 *        fail until you add the measure to them.
 * Load:  a function is called once for every rule and every measure that is shown or used in a
 *        filter. A call takes 1 .. 20 ns for ratios, and 0.3 .. 20 us for exact tests.
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
    lode_measure shown;                   /* the public description */
    measure_fn of;                        /* NULL: the measure needs more than counts */
    measure_fn log_p;                     /* for a p-value: its logarithm; otherwise NULL */
    double (*of_rule)(const lode_rule *); /* NULL: `of` is enough */
    /* corners where the maximum and minimum may be (bound.h) */
    unsigned high, low;
} measure_row;

extern const measure_row measure_table[];
extern const size_t measure_count;

/* Returns the value of a measure that needs only counts. Loops may keep the pointer
 * measure_table[i].of instead. */
static inline double measure_value(size_t i, const lode_counts *counts) {
    return measure_table[i].of(counts);
}

/* Returns the value of any measure; NaN if the rule lacks figures that the measure needs. */
double measure_of_rule(size_t i, const lode_rule *rule);

/* Returns the logarithm of a p-value, which is finite even if the p-value is below the smallest
 * double. Returns NaN if the measure is not a p-value. */
double measure_log_p(size_t i, const lode_counts *counts);
/* Returns the logarithm of the p-value that --adjust uses: P(N11 >= n11). */
double measure_log_fisher(const lode_counts *counts);

/* Returns whether a value is at least the bound (direction 1) or at most the bound (direction -1).
 * A value that differs from the bound only by rounding meets it. NaN never does. */
bool measure_reaches(double value, double bound, int direction);

/* Returns whether a measure is a fraction: one division of counts, rounded once. Bounds on a
 * fraction are compared without tolerance, so that they accept the same rules as a minimum support
 * or confidence. */
bool measure_is_share(size_t i);

/* Returns whether value a comes before value b when the best come first. NaN comes last. */
bool measure_is_better(size_t i, double a, double b);

/* Returns whether the measure has this name or alias, spelled as lode_measure_find() allows. */
bool measure_has_name(const lode_measure *m, const char *name);

#define MEASURE_WHY 256

/* Returns whether no value of the measure is at least the bound (direction 1) or at most the bound
 * (direction -1), such as confidence=60; writes why, and what may have been meant. */
bool measure_never_reaches(const lode_measure *m, double bound, int direction,
                           char why[MEASURE_WHY]);

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
