/* measure.c - the table of measures, and the public functions about it
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/measures/measure.h"

#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "rules/measures/bound.h"
#include "rules/measures/exact.h"

#define MEASURE_ROUNDING 1e-12

/* ---- the table ------------------------------------------------------------------------------- */

/* Corners, by what makes a measure high there. */
#define NOWHERE     0
#define BEST        BOUND_MOST_NONE /* most for the rule, none against it */
#define WORST       BOUND_LEAST_ALL
#define MOST_LHS    BOUND_MOST_ALL
#define LEAST_LHS   BOUND_LEAST_NONE
#define MOST_BOTH   BOUND_MOST_NONE /* n10 does not matter */
#define LEAST_BOTH  BOUND_LEAST_NONE
#define MOST_ALONE  BOUND_LEAST_ALL /* n11 does not matter */
#define LEAST_ALONE BOUND_LEAST_NONE
#define ANYWHERE    BOUND_LEAST_NONE                    /* neither does */
#define CORNERS     (BOUND_MOST_NONE | BOUND_LEAST_ALL) /* one of the two */
#define ANTECEDENTS (BOUND_MOST_ALL | BOUND_LEAST_NONE)

#define ROW(name, aliases, formula, help, singular, least, most, neutral, better, needs)           \
    {                                                                                              \
        sizeof(lode_measure), #name, aliases, formula, help, singular, least, most, neutral,       \
            better, needs                                                                          \
    }

#define MEASURE(name, aliases, formula, help, singular, least, most, neutral, better, high, low)   \
    {ROW(name, aliases, formula, help, singular, least, most, neutral, better, LODE_NEEDS_COUNTS), \
     measure_of_##name,                                                                            \
     NULL,                                                                                         \
     NULL,                                                                                         \
     high,                                                                                         \
     low},
#define MEASURE_P(name, aliases, formula, help, singular, high, low)                               \
    {ROW(name, aliases, formula, help, singular, 0, 1, NAN, -1, LODE_NEEDS_COUNTS),                \
     measure_of_##name,                                                                            \
     measure_log_##name,                                                                           \
     NULL,                                                                                         \
     high,                                                                                         \
     low},
#define MEASURE_RULE(name, aliases, formula, help, singular, least, most, neutral, better, needs)  \
    {ROW(name, aliases, formula, help, singular, least, most, neutral, better, needs),             \
     NULL,                                                                                         \
     NULL,                                                                                         \
     measure_of_##name,                                                                            \
     0,                                                                                            \
     0},

const measure_row measure_table[] = {
#include "rules/measures/measures.def"
};

#undef MEASURE
#undef MEASURE_P
#undef MEASURE_RULE

const size_t measure_count = sizeof measure_table / sizeof *measure_table;

/* p-values, from their logarithms. */
#define MEASURE(...)
#define MEASURE_RULE(...)
#define MEASURE_P(name, ...)                                                                       \
    double measure_of_##name(const lode_counts *counts) {                                          \
        return exp(measure_log_##name(counts));                                                    \
    }
#include "rules/measures/measures.def"

/* ---- inside ---------------------------------------------------------------------------------- */

double measure_of_rule(size_t i, const lode_rule *rule) {
    const measure_row *row = &measure_table[i];
    return row->of ? row->of(&rule->counts) : row->of_rule(rule);
}

double measure_log_p(size_t i, const lode_counts *counts) {
    return measure_table[i].log_p ? measure_table[i].log_p(counts) : NAN;
}

bool measure_reaches(double value, double bound, int direction) {
    bool beyond = direction > 0 ? value >= bound : value <= bound;
    return beyond || (isfinite(bound) && fabs(value - bound) <= MEASURE_ROUNDING * fabs(bound));
}

bool measure_is_share(size_t i) {
    double (*of)(const lode_counts *) = measure_table[i].of;
    return of == measure_of_support || of == measure_of_confidence || of == measure_of_coverage ||
           of == measure_of_rhsSupport;
}

bool measure_is_better(size_t i, double a, double b) {
    if (isnan(a) || isnan(b)) return !isnan(a) && isnan(b);
    return measure_table[i].shown.better < 0 ? a < b : a > b;
}

/* ---- the public functions -------------------------------------------------------------------- */

bool lode_measure_at(size_t i, lode_measure *out) {
    return sized_fill(out, i < measure_count ? &measure_table[i].shown : NULL);
}

/* The next character that matters, in lower case; 0 at the end of the text, or at `end`. */
static int name_next(const char **text, const char *end) {
    while (*text != end && **text && strchr("_-. ", **text)) ++*text;
    if (*text == end || !**text) return 0;
    char c = *(*text)++;
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

/* A name may begin with such a character only if the text does: "-lift" is not lift. */
static bool name_is(const char *name, const char *text, size_t length) {
    const char *end = text + length;
    int a, b;
    name += strspn(name, " ");
    if (strchr("_-.", *name) && *name != *text) return false;
    do {
        a = name_next(&name, NULL);
        b = name_next(&text, end);
    } while (a == b && a);
    return a == b;
}

static bool name_is_one_of(const char *name, const char *aliases) {
    for (size_t length; *aliases; aliases += length + (aliases[length] == ' ')) {
        length = strcspn(aliases, " ");
        if (name_is(name, aliases, length)) return true;
    }
    return false;
}

bool measure_has_name(const lode_measure *m, const char *name) {
    const char *first = name;
    if (!name || name_next(&first, NULL) == 0) return false;
    return name_is(name, m->name, strlen(m->name)) || name_is_one_of(name, m->aliases);
}

bool measure_never_reaches(const lode_measure *m, double bound, int direction,
                           char why[MEASURE_WHY]) {
    double limit = direction > 0 ? m->most : m->least;
    char percent[96] = "", count[64] = "";
    if (measure_reaches(limit, bound, direction)) return false;
    if (direction > 0 && limit == 1 && bound >= 2 && bound <= 100) {
        snprintf(percent, sizeof percent, "; for percent, write %s=%.6g%%", m->name, bound);
    }
    if (direction > 0 && strcmp(m->name, "support") == 0) {
        snprintf(count, sizeof count, "; for a number of transactions, write count=%.6g", bound);
    }
    snprintf(why, MEASURE_WHY, "%s=%.10g: %s is always at %s %.6g%s%s", m->name, bound, m->name,
             direction > 0 ? "most" : "least", limit, percent, count);
    return true;
}

bool lode_measure_find(const char *name, size_t *i) {
    for (size_t k = 0; k < measure_count; k++) {
        if (!measure_has_name(&measure_table[k].shown, name)) continue;
        if (i) *i = k;
        return true;
    }
    return false;
}

/* Fields that a shorter struct does not have were not asked for. */
static bool rule_take(const lode_rule *given, lode_rule *copy) {
    size_t size = given ? sized_told(given, sizeof *copy) : 0;
    if (size == 0) return false;
    *copy = (lode_rule){
        .size = sizeof *copy, .best_confidence = NAN, .best_lift = NAN, .adjusted_p = NAN};
    size_t known = size < sizeof *copy ? size : sizeof *copy;
    memcpy((char *)copy + sizeof size, (const char *)given + sizeof size, known - sizeof size);
    return exact_valid(&copy->counts) && exact_valid(&copy->held_out);
}

double lode_measure_value(size_t i, const lode_rule *rule) {
    lode_rule copy;
    if (i >= measure_count || !rule_take(rule, &copy)) return NAN;
    return measure_of_rule(i, &copy);
}

/* ---- measures that need more than the counts of a rule --------------------------------------- */

/* Each function is one row of measures.def. Fields of a rule that were not requested are NaN, and
 * so are measures that depend on them. */

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
