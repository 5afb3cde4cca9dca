/* lode/measures.h - measures of how interesting a rule is; part of lode.h
 *
 * A MEASURE is a number such as confidence, lift, or the p-value of an exact test. One table has
 * all of them, with the names that other programs use; docs/measures.md shows it.
 *
 *     size_t lift;
 *     if (lode_measure_find("lift", &lift)) printf("%g\n", lode_measure_value(lift, rule));
 *
 * Ratios of counts are rounded once. So equal ratios are equal numbers, and a rule that holds in 4
 * of 5 cases has exactly the confidence 0.8.
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
 * With weighted transactions they are sums of weights. This struct has no size and never grows. */
typedef struct lode_counts {
    uint64_t both;  /* transactions with antecedent and consequent */
    uint64_t lhs;   /* with the antecedent */
    uint64_t rhs;   /* with the consequent */
    uint64_t total; /* all */
} lode_counts;

/* A rule with all its figures. Items as in lode/data.h, ascending. */
typedef struct lode_rule {
    size_t size;
    const uint32_t *lhs, *rhs;
    uint32_t n_lhs, n_rhs;
    lode_counts counts;
    lode_counts held_out;   /* counts of the rule in the held-out part; all zero = no part was held
                             * out */
    double best_confidence; /* the highest confidence of all more general rules (same consequent,
                             * and a proper subset of the antecedent, possibly the empty set); NaN
                             * unless requested */
    double best_lift;       /* likewise, the highest lift */
    double adjusted_p;      /* the p-value, adjusted for the number of tests; with held_out, that of
                             * the held-out part; NaN unless requested */
} lode_rule;

/* What a measure needs in addition to the counts: these fields of lode_rule. */
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
    const char *aliases;  /* names in other programs, separated by blanks; "" = none */
    const char *formula;  /* in the letters n11 n10 n01 n00, n1x nx1 n0x nx0, n, D and N11, which
                           * docs/measures.md explains */
    const char *help;     /* its meaning, in a few words */
    const char *singular; /* its value where the formula divides by zero, in words */
    double least, most;   /* bounds; may be infinite */
    double neutral;       /* its value if antecedent and consequent are independent; NaN = none */
    int better;           /* 1 = high values are better, -1 = low ones, 0 = neither */
    lode_measure_needs needs;
} lode_measure;

/* The i-th measure. Past the end, fills *out with zeros and returns false. The order may change
 * between versions: store names, not numbers. */
LODE_API bool lode_measure_at(size_t i, lode_measure *out);
/* Finds a measure by name or alias. Returns false, and leaves *i unchanged, if there is none. Case,
 * blanks and the characters _ - . within a name are ignored. `i` may be NULL. */
LODE_API bool lode_measure_find(const char *name, size_t *i);
/* The value of the i-th measure. NaN if it is not defined for these counts (see `singular`), if a
 * figure that it needs is NaN, if there is no such measure, or if the counts are impossible (both >
 * lhs, …) or above 2^62. */
LODE_API double lode_measure_value(size_t i, const lode_rule *rule);

/* Measures with a confidence interval. */
typedef enum lode_interval_of {
    LODE_INTERVAL_CONFIDENCE = 0, /* Wilson's */
    LODE_INTERVAL_LIFT = 1,       /* lift and odds ratio: normal approximation of the logarithm */
    LODE_INTERVAL_ODDS_RATIO = 2
} lode_interval_of;

/* The interval that contains the true value with probability `level`, such as 0.95, if the
 * transactions are a sample of a larger population. It always contains the value of the measure,
 * even 0 and infinity. If the interval is undefined, both ends are NaN, and the call returns false:
 * this is so if antecedent or consequent never occurs or, for the odds ratio, always occurs. `low`
 * and `high` may be NULL. */
LODE_API bool lode_measure_interval(lode_interval_of what, const lode_counts *counts, double level,
                                    double *low, double *high);

/* ---- itemsets -------------------------------------------------------------------------------- */

/* Itemsets have measures of their own: lift, leverage and allConfidence. They compare the support
 * of a set with the supports of its items; docs/measures.md has the formulas. */

/* The i-th measure of itemsets. Past the end, fills *out with zeros and returns false. In the
 * formula, c is the support of the set, c1 … ck are those of its items, and n is that of all
 * transactions. */
LODE_API bool lode_itemset_measure_at(size_t i, lode_measure *out);
/* Finds a measure of itemsets, as lode_measure_find() finds one of rules. */
LODE_API bool lode_itemset_measure_find(const char *name, size_t *i);
/* The value of the i-th measure of a set with this support, whose n_items items have these
 * supports. `total` is the number, or the weight, of all transactions. The order of the items does
 * not matter. NaN if there is no such measure, if the set is empty, if the supports are impossible
 * (one of an item below that of the set, or above the total), or if the total is 0 or above
 * 2^62. */
LODE_API double lode_itemset_measure_value(size_t i, const uint64_t *item_supports, size_t n_items,
                                           uint64_t support, uint64_t total);

/* How p-values are adjusted for the number of tests. */
typedef enum lode_adjust {
    LODE_ADJUST_NONE = 0,
    LODE_ADJUST_BONFERRONI = 1, /* family-wise error rate: p times the number of tests */
    LODE_ADJUST_HOLM = 2,       /* the same error rate; p-values are never larger than with
                                 * Bonferroni */
    LODE_ADJUST_BH = 3,         /* Benjamini and Hochberg: false discovery rate */
    LODE_ADJUST_BY = 4 /* Benjamini and Yekutieli: the same rate, even if tests depend on each
                        * other */
} lode_adjust;

#ifdef __cplusplus
}
#endif
#endif
