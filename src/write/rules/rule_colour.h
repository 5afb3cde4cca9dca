/* rule_colour.h - the colours of drawings: the higher the lift, the darker
 *
 * From yellow over red to indigo, by the logarithm of the lift, so that it reads in grey and by the
 * colour-blind as well. A lift of 1 or less, which speaks against the rule, is grey-blue.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_RULES_RULE_COLOUR_H
#define LODE_WRITE_RULES_RULE_COLOUR_H

#include "write/rules/rule_columns.h"

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
