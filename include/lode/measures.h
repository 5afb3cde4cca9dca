/* lode/measures.h - how interesting a rule is: the measures, from one table; part of lode.h
 *
 * A MEASURE is a number that says how interesting a rule is: confidence, lift, the p-value of an
 * exact test. One table has all of them, with the names that other programs use; docs/measures.md
 * shows it.
 *
 *     size_t lift;
 *     if (lode_measure_find("lift", &lift)) printf("%g\n", lode_measure_value(lift, rule));
 *
 * Ratios of counts are rounded once: equal ratios are equal numbers, and a rule that holds in 4 of
 * 5 cases has exactly the confidence 0.8.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MEASURES_H
#define LODE_MEASURES_H

#include "lode/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The counts behind a rule "antecedent → consequent". They determine its 2 × 2 table:
 *
 *                        consequent     not consequent
 *      antecedent        both           lhs - both
 *      not antecedent    rhs - both     total - lhs - rhs + both
 *
 * With weighted transactions they are sums of weights. Fixed for good: this struct has no size. */
typedef struct lode_counts {
    uint64_t both;  /* transactions with antecedent and consequent */
    uint64_t lhs;   /* with the antecedent */
    uint64_t rhs;   /* with the consequent */
    uint64_t total; /* all */
} lode_counts;

/* All that is known of a rule. Items as data.h says, ascending. */
typedef struct lode_rule {
    size_t size;
    const uint32_t *lhs, *rhs;
    uint32_t n_lhs, n_rhs;
    lode_counts counts;
    lode_counts held_out; /* the same in the part that was held out; all zero: there was none */
    double
        best_confidence; /* the highest of all more general rules, those of a part of the antecedent
                             * (or none of it) and the same consequent; NaN unless asked for */
    double best_lift;    /* likewise */
    double adjusted_p;   /* the p-value, adjusted for the number of tests; NaN likewise. Of the
                             * part that was held out, if there was one */
} lode_rule;

/* What a measure needs besides the counts. */
typedef enum lode_measure_needs {
    LODE_NEEDS_COUNTS = 0,   /* nothing */
    LODE_NEEDS_GENERAL = 1,  /* best_confidence and best_lift */
    LODE_NEEDS_ADJUSTED = 2, /* adjusted_p */
    LODE_NEEDS_HELD_OUT = 3  /* held_out */
} lode_measure_needs;

/* One row of the table of measures. All texts are static. */
typedef struct lode_measure {
    size_t size;
    const char *name;     /* "lift" */
    const char *aliases;  /* what other programs call it, separated by blanks; "" = nothing else */
    const char *formula;  /* in the letters n11 n10 n01 n00, n1x nx1 n0x nx0, n, and D and N11: see
                           * docs/measures.md */
    const char *help;     /* what it says, in a few words */
    const char *singular; /* what it is where the formula divides by zero, in words */
    double least, most;   /* bounds; may be infinite */
    double neutral;       /* its value for independent sides; NaN = it has none */
    int better;           /* 1 = high values are better, -1 = low ones, 0 = neither */
    lode_measure_needs needs;
} lode_measure;

/* The i-th measure. False, and all zero, past the end. The order may change with the version: names
 * are what to keep. */
LODE_API bool lode_measure_at(size_t i, lode_measure *out);
/* The number of the measure with a name or alias; false, and *i is left alone, if there is none.
 * Case, and the characters _ - . and blank, do not matter. `i` may be NULL. */
LODE_API bool lode_measure_find(const char *name, size_t *i);
/* The value of the i-th measure. NaN: it is not defined for these counts (`singular` says where),
 * or what it needs is not there, or there is no such measure, or the counts are not those of a
 * table (both > antecedent, …) or above 2^62. */
LODE_API double lode_measure_value(size_t i, const lode_rule *rule);

/* Measures with an interval of confidence. */
typedef enum lode_interval_of {
    LODE_INTERVAL_CONFIDENCE = 0, /* Wilson's */
    LODE_INTERVAL_LIFT = 1,       /* lift and odds ratio by the logarithm, which is nearly normal */
    LODE_INTERVAL_ODDS_RATIO = 2
} lode_interval_of;

/* The interval that holds the true value with the probability `level`, such as 0.95, if
 * transactions are a sample of many more. It contains the value of the measure, also where that is
 * 0 or infinite. False, and NaN, where there is none: an antecedent or consequent that never
 * occurs, for the odds ratio also one that always occurs. `low` and `high` may be NULL. */
LODE_API bool lode_measure_interval(lode_interval_of what, const lode_counts *counts, double level,
                                    double *low, double *high);

/* How p-values are adjusted for the number of tests. */
typedef enum lode_adjust {
    LODE_ADJUST_NONE = 0,
    LODE_ADJUST_BONFERRONI = 1, /* the chance of a single error: p times the number of tests */
    LODE_ADJUST_HOLM = 2,       /* the same, and never a larger value */
    LODE_ADJUST_BH = 3,         /* Benjamini and Hochberg: the share of errors in what is found */
    LODE_ADJUST_BY = 4          /* Benjamini and Yekutieli: likewise, whatever depends on what */
} lode_adjust;

#ifdef __cplusplus
}
#endif
#endif
