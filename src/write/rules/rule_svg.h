/* rule_svg.h - an axis of a drawing: from values to places, and round numbers to mark
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_RULES_RULE_SVG_H
#define LODE_WRITE_RULES_RULE_SVG_H

#include <stdbool.h>

#include "write/rules/rule_columns.h"

#define AXIS_TICKS_MOST 24
#define AXIS_TICK_BYTES 24

typedef struct axis_tick {
    double value;
    char text[AXIS_TICK_BYTES];
} axis_tick;

typedef struct axis {
    double least, most;
    bool by_log;
    axis_tick ticks[AXIS_TICKS_MOST];
    int n_ticks;
} axis;

/* An axis for values from `least` to `most`, with a little room around them; by the logarithm where
 * the values, above zero, differ much. `bound` is not exceeded. */
axis axis_make(double least, double most, double bound, bool may_log);

/* Where a value is, from 0 to 1. */
double axis_place(const axis *a, double value);

/* ---- the colours of drawings: the higher the lift, the darker -------------------------------- */

/* From yellow over red to indigo, by the logarithm of the lift, so that it reads in grey and by the
 * colour-blind as well. A lift of 1 or less, which speaks against the rule, is grey-blue. */

#define COLOUR_AGAINST "#9db4c8"

/* From 1, or the lowest lift above it, to the highest. */
typedef struct rule_scale {
    double least, most;
    bool some_against; /* there are lifts of at most 1 */
} rule_scale;

double rule_lift(const lode_rule *rule);
rule_scale rule_scale_of_lifts(const rule_columns *rules);

/* The colour of a lift, such as "#f0a04b", in the text of the caller's, which it returns. */
const char *rule_colour(const rule_scale *scale, double lift, char text[8]);
/* The colour at a place of the scale, from 0 to 1. */
const char *rule_colour_at(double place, char text[8]);
/* Where on the scale a lift is. */
double rule_scale_place(const rule_scale *scale, double lift);

/* Three digits of a number, such as 0.0123, 11.2 or 1230, at `to`; returns the end. */
char *rule_put_rounded(char *to, double x);

#endif
