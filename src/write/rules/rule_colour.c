/* rule_colour.c - see rule_colour.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/rules/rule_colour.h"

#include <stdio.h>

#include "base/decimal.h"
#include "base/fmath.h"

double rule_lift(const lode_rule *rule) {
    const lode_counts *c = &rule->counts;
    return (double)c->both * (double)c->total / ((double)c->body * (double)c->head);
}

rule_scale rule_scale_of_lifts(const rule_columns *rules) {
    rule_scale scale = {0};
    for (uint64_t i = 0; i < rule_columns_count(rules); i++) {
        lode_rule rule = rule_columns_at(rules, i);
        double lift = rule_lift(&rule);
        if (lift > scale.most) scale.most = lift;
        if (lift <= 1) scale.some_against = true;
        if (lift > 1 && (scale.least == 0 || lift < scale.least)) scale.least = lift;
    }
    if (scale.least == 0) scale.least = scale.most = 1;
    return scale;
}

double rule_scale_place(const rule_scale *scale, double lift) {
    if (!(scale->most > scale->least)) return 1;
    double place = fmath_log(lift / scale->least) / fmath_log(scale->most / scale->least);
    return place < 0 ? 0 : place > 1 ? 1 : place;
}

const char *rule_colour_at(double place, char text[8]) {
    static const int stops[][3] = {
        {246, 209, 98}, {243, 155, 72}, {219, 89, 96}, {146, 53, 130}, {52, 36, 112}};
    int last = (int)(sizeof stops / sizeof *stops) - 1;
    int from = (int)(place * last);
    if (from >= last) from = last - 1;
    double share = place * last - from;
    int mixed[3];
    for (int i = 0; i < 3; i++) {
        mixed[i] = (int)(stops[from][i] + share * (stops[from + 1][i] - stops[from][i]) + 0.5);
    }
    snprintf(text, 8, "#%02x%02x%02x", (unsigned)mixed[0] & 255, (unsigned)mixed[1] & 255,
             (unsigned)mixed[2] & 255);
    return text;
}

const char *rule_colour(const rule_scale *scale, double lift, char text[8]) {
    if (lift > 1) return rule_colour_at(rule_scale_place(scale, lift), text);
    snprintf(text, 8, "%s", COLOUR_AGAINST);
    return text;
}

char *rule_put_rounded(char *to, double x) {
    double scaled = x < 0 ? -x : x, parts = 1;
    if (!(scaled < 1e15) || scaled < 1e-12) return decimal_put(to, x);
    for (; scaled < 100; scaled *= 10) parts *= 10;
    double rounded = (double)(uint64_t)(scaled + 0.5) / parts;
    if (parts == 1) rounded = (double)(uint64_t)(scaled + 0.5);
    return decimal_put(to, x < 0 ? -rounded : rounded);
}
