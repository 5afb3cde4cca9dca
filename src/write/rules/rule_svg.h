/* rule_svg.h - axes and colours of rule drawings
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

/* ---- colours: the higher the lift, the darker ------------------------------------------------ */

/* Colours go from yellow over red to indigo with the logarithm of the lift. They can be told apart
 * in grey and by colour-blind people. A lift of 1 or less, which speaks against the rule, is
 * grey-blue. */

#define COLOUR_AGAINST "#9db4c8"

/* The range of lifts: from the lowest lift above 1 (or 1, if there is none) to the highest. */
typedef struct rule_scale {
    double least, most;
    bool some_against; /* some lifts are at most 1 */
} rule_scale;

double rule_lift(const lode_rule *rule);
rule_scale rule_scale_of_lifts(const rule_columns *rules);

/* Writes the colour of a lift, such as "#f0a04b", to `text`, and returns `text`. */
const char *rule_colour(const rule_scale *scale, double lift, char text[8]);
/* Returns the position of a lift on the scale. */
double rule_scale_place(const rule_scale *scale, double lift);

/* Writes a number with three significant digits, such as 0.0123, 11.2 or 1230, and returns its
 * end. */
char *rule_put_rounded(char *to, double x);

#endif
