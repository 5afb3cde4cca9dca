/* lode/measures.h - how interesting a rule is: the measures, from one table; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MEASURES_H
#define LODE_MEASURES_H

#include "lode/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The counts behind a rule "body → head". They fix the table of two rows and two columns
 *
 *                  head          not head
 *      body        both          body - both
 *      not body    head - both   total - body - head + both
 *
 * Sums of weights where transactions have weights. Fixed for good: no size, no other field. */
typedef struct lode_counts {
    uint64_t both;  /* transactions with body and head */
    uint64_t body;  /* with the body */
    uint64_t head;  /* with the head */
    uint64_t total; /* all */
} lode_counts;

/* All that is known of a rule. Items as data.h says, ascending. */
typedef struct lode_rule {
    size_t size;
    const uint32_t *body, *head;
    uint32_t n_body, n_head;
    lode_counts counts;
    lode_counts held_out;   /* the same in the part that was held out; all zero: there was none */
    double best_confidence; /* the highest of all more general rules, those of a part of the body
                             * (or none of it) and the same head; NaN unless asked for */
    double best_lift;       /* likewise */
    double adjusted_p;      /* the p-value, adjusted for the number of tests; NaN likewise */
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
    const char *name;    /* "lift" */
    const char *aliases; /* what other tools call it, separated by blanks; "" = nothing else */
    const char
        *formula;     /* in the letters n11 n10 n01 n00, n1x nx1 n0x nx0, n; see docs/measures.md */
    const char *help; /* one sentence: what a high value says */
    const char *singular; /* what it is where the formula divides by zero, in words */
    double least, most;   /* bounds; may be infinite */
    double neutral;       /* its value where body and head are independent; NaN = it has none */
    int better;           /* 1 = high values are better, -1 = low ones, 0 = neither */
    lode_measure_needs needs;
} lode_measure;

/* The i-th measure. False, and all zero, past the end. */
LODE_API bool lode_measure_at(size_t i, lode_measure *out);
/* The number of the measure with a name or alias; false, and *i is left alone, if there is none.
 * Case, and the characters _ - . and blank, do not matter. */
LODE_API bool lode_measure_find(const char *name, size_t *i);
/* The value of the i-th measure. NaN: it is not defined for these counts, or what it needs is not
 * there, or there is no such measure. */
LODE_API double lode_measure_value(size_t i, const lode_rule *rule);

/* Measures with an interval of confidence. */
typedef enum lode_interval_of {
    LODE_INTERVAL_CONFIDENCE = 0,
    LODE_INTERVAL_LIFT = 1,
    LODE_INTERVAL_ODDS_RATIO = 2
} lode_interval_of;

/* The interval that holds the true value with the probability `level`, such as 0.95. False, and
 * NaN, where there is none. */
LODE_API bool lode_measure_interval(lode_interval_of what, const lode_counts *counts, double level,
                                    double *low, double *high);

/* How p-values are adjusted for the number of tests. */
typedef enum lode_adjust {
    LODE_ADJUST_NONE = 0,
    LODE_ADJUST_BONFERRONI = 1,
    LODE_ADJUST_HOLM = 2,
    LODE_ADJUST_BH = 3, /* Benjamini and Hochberg: the false discovery rate */
    LODE_ADJUST_BY = 4  /* Benjamini and Yekutieli: likewise, whatever depends on what */
} lode_adjust;

#ifdef __cplusplus
}
#endif
#endif
