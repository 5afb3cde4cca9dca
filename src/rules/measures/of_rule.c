/* of_rule.c - measures that need more than the counts of a rule
 *
 * Each function is one row of measures.def. Fields of a rule that were not asked for are NaN, and
 * so is what follows from them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/measures/exact.h"
#include "rules/measures/measure.h"

/* x / 0 is infinite, 0 / 0 NaN, as everywhere. */
double measure_of_improvement(const lode_rule *rule) {
    return measure_of_confidence(&rule->counts) - rule->best_confidence;
}

double measure_of_boost(const lode_rule *rule) {
    return measure_of_confidence(&rule->counts) / rule->best_confidence;
}

double measure_of_LIC(const lode_rule *rule) {
    return measure_of_lift(&rule->counts) / rule->best_lift;
}

double measure_of_adjustedP(const lode_rule *rule) {
    return rule->adjusted_p;
}

static double held_out(const lode_rule *rule, measure_fn of) {
    return rule->held_out.total ? of(&rule->held_out) : NAN;
}

double measure_of_heldOutCount(const lode_rule *rule) {
    return held_out(rule, measure_of_count);
}

double measure_of_heldOutSupport(const lode_rule *rule) {
    return held_out(rule, measure_of_support);
}

double measure_of_heldOutConfidence(const lode_rule *rule) {
    return held_out(rule, measure_of_confidence);
}

double measure_of_heldOutLift(const lode_rule *rule) {
    return held_out(rule, measure_of_lift);
}

double measure_of_heldOutP(const lode_rule *rule) {
    return held_out(rule, measure_of_fisher);
}
