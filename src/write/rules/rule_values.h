/* rule_values.h - the numbers to show for a rule: measures and their intervals
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_RULES_RULE_VALUES_H
#define LODE_WRITE_RULES_RULE_VALUES_H

#include "runtime/job.h"

#define RULE_VALUES_MOST 160 /* all measures, and some of them twice */
#define RULE_VALUE_NAME  40

typedef enum rule_value_kind {
    VALUE_MEASURE,
    VALUE_LOW, /* the lower end of an interval; the next value is the upper end */
    VALUE_HIGH
} rule_value_kind;

typedef struct rule_value {
    char name[RULE_VALUE_NAME];
    rule_value_kind kind;
    size_t measure;
    lode_interval_of interval;
} rule_value;

/* A measure that a format shows under another name. */
typedef struct rule_value_name {
    const char *shown;
    const char *measure;
} rule_value_name;

typedef struct rule_values {
    rule_value *list;
    size_t n, cap;
    double level;   /* confidence level of the intervals; 0 = no intervals */
    unsigned needs; /* bits 1 << lode_measure_needs */
} rule_values;

/* Returns whether a list of names begins with a "+". The measures are then added to the format's
 * usual measures. */
static inline bool rule_values_are_more(const char *names) {
    return names[0] == '+';
}

/* Appends the measures in a list of names, which are separated by commas or line ends. Measures
 * keep the names used in the list. Errors: INVALID (there is no such measure, a measure is
 * repeated, or there are too many), NOMEM, BUDGET. */
LODE_NODISCARD lode_status rule_values_choose(rule_values *v, lode_job *job, const char *names);
/* Appends the usual measures of a format. Errors: as above. */
LODE_NODISCARD lode_status rule_values_usual(rule_values *v, lode_job *job,
                                             const rule_value_name *names, size_t n);
/* Appends the intervals of the measures, at a confidence level. Errors: as above. */
LODE_NODISCARD lode_status rule_values_intervals(rule_values *v, lode_job *job, double level);
void rule_values_free(rule_values *v, mem *m);

/* Sets out[0] … out[v->n - 1] to the values of a rule. */
void rule_values_of(const rule_values *v, const lode_rule *rule, double *out);

#endif
