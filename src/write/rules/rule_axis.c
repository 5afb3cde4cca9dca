/* rule_axis.c - see rule_axis.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/rules/rule_axis.h"

#include "base/decimal.h"
#include "base/fmath.h"

#define AXIS_LOG_FROM 12   /* times the least value is the most: by logarithm */
#define AXIS_STEPS    7    /* wished between ticks */
#define AXIS_ROOM     0.04 /* of the axis, at each end */

/* 10^n, which decimal_put() gives back in one digit. */
static double axis_power(int n) {
    double power = 1;
    for (; n > 0; n--) power *= 10;
    for (; n < 0; n++) power /= 10;
    return power;
}

/* digits * 10^exponent, rounded once. */
static double axis_number(long digits, int exponent) {
    double value = (double)digits;
    return exponent < 0 ? value / axis_power(-exponent) : value * axis_power(exponent);
}

static void axis_add(axis *a, double value) {
    double slack = (a->most - a->least) * 1e-9;
    if (value < a->least - slack || value > a->most + slack) return;
    if (a->n_ticks == AXIS_TICKS_MOST) return;
    axis_tick *tick = &a->ticks[a->n_ticks++];
    tick->value = value;
    *decimal_put(tick->text, value) = 0;
}

static int axis_exponent(double value) {
    int exponent = 0;
    for (; value >= 10; value /= 10) exponent++;
    for (; value < 1; value *= 10) exponent--;
    return exponent;
}

/* Multiples of 1, 2 or 5 times a power of ten. */
static void axis_add_steps(axis *a) {
    double wished = (a->most - a->least) / AXIS_STEPS;
    int exponent = axis_exponent(wished);
    double digit = wished / axis_power(exponent);
    long step = digit <= 1.5 ? 1 : digit <= 3.5 ? 2 : digit <= 7 ? 5 : 10;
    double width = axis_number(step, exponent);
    long first = (long)(a->least / width), last = (long)(a->most / width) + 1;
    for (long i = first; i <= last; i++) axis_add(a, axis_number(i * step, exponent));
}

/* 1, 2 and 5 times the powers of ten; if those are many, the powers. */
static void axis_add_powers(axis *a) {
    int first = axis_exponent(a->least), last = axis_exponent(a->most);
    bool few = last - first <= 4;
    for (int e = first; e <= last; e++) {
        axis_add(a, axis_number(1, e));
        if (few) axis_add(a, axis_number(2, e));
        if (few) axis_add(a, axis_number(5, e));
    }
}

axis axis_make(double least, double most, double bound, bool may_log) {
    axis a = {.by_log = may_log && least > 0 && most > AXIS_LOG_FROM * least};
    if (!(most > least)) {
        least *= 0.9;
        most *= 1.1;
    }
    if (a.by_log) {
        double room = 1 + fmath_log(most / least) * AXIS_ROOM;
        a.least = least / room;
        a.most = most * room;
    } else {
        double room = (most - least) * AXIS_ROOM;
        a.least = least > room ? least - room : 0;
        a.most = most + room;
    }
    if (a.most > bound) a.most = bound;
    if (a.by_log) {
        axis_add_powers(&a);
    } else {
        axis_add_steps(&a);
    }
    return a;
}

double axis_place(const axis *a, double value) {
    double place = a->by_log ? fmath_log(value / a->least) / fmath_log(a->most / a->least)
                             : (value - a->least) / (a->most - a->least);
    return place < 0 ? 0 : place > 1 ? 1 : place;
}
