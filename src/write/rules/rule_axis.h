/* rule_axis.h - an axis of a drawing: from values to places, and round numbers to mark
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_RULES_RULE_AXIS_H
#define LODE_WRITE_RULES_RULE_AXIS_H

#include <stdbool.h>

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

#endif
