/* rule_values.c - see rule_values.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/rules/rule_values.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "rules/measures/measure.h"

#define MEASURES_MOST 256

/* ---- the list ------------------------------------------------------------------------------- */

static lode_status values_add(rule_values *v, lode_job *job, const rule_value *value) {
    lode_status status = LODE_OK;
    if (v->n == RULE_VALUES_MOST) {
        return job_fail(job, LODE_INVALID, "more than %d measures", RULE_VALUES_MOST);
    }
    if (v->n == v->cap) {
        LODE_TRY(vec_grow(&job->mem, (void **)&v->list, v->n, &v->cap, 8, sizeof *v->list));
    }
    v->list[v->n++] = *value;
done:
    return status;
}

static lode_status values_add_measure(rule_values *v, lode_job *job, size_t i, const char *shown) {
    lode_measure measure = LODE_INIT(lode_measure);
    rule_value value = {.kind = VALUE_MEASURE, .measure = i};
    if (!lode_measure_at(i, &measure)) return LODE_INTERNAL;
    snprintf(value.name, sizeof value.name, "%s", shown ? shown : measure.name);
    v->needs |= 1u << measure.needs;
    return values_add(v, job, &value);
}

/* There is no measure of this name. */
static lode_status values_complain(lode_job *job, const char *name) {
    const char *names[MEASURES_MOST];
    char hint[NEAREST_BYTES + 32];
    size_t n = 0;
    lode_measure measure = LODE_INIT(lode_measure);
    for (; n < MEASURES_MOST && lode_measure_at(n, &measure); n++) names[n] = measure.name;
    return job_fail(job, LODE_INVALID,
                    "there is no measure '%s'; %s`lode measures` lists them, such as confidence, "
                    "lift and conviction",
                    name, nearest_hint(hint, name, names, n));
}

/* Adds a measure under the name by which it was requested. Fails if that name is already in the
 * list. With `more`, skips measures that the format prints anyway. */
static lode_status values_add_named(rule_values *v, lode_job *job, const char *name, bool more) {
    size_t measure;
    if (!lode_measure_find(name, &measure)) return values_complain(job, name);
    for (size_t i = 0; i < v->n; i++) {
        if (more && v->list[i].measure == measure) return LODE_OK;
        if (strcmp(v->list[i].name, name) != 0) continue;
        return job_fail(job, LODE_INVALID, "the measure '%s' is listed twice", name);
    }
    return values_add_measure(v, job, measure, name);
}

/* Copies the first name of a list, without surrounding blanks and without the + of a list of
 * additional measures. Returns the length of the text that was consumed. */
static size_t values_name(const char *names, bool more, char name[RULE_VALUE_NAME]) {
    size_t n = strcspn(names, ",\n"), first = strspn(names, more ? "+ \t" : " \t"), last = n;
    while (last > first && (names[last - 1] == ' ' || names[last - 1] == '\t')) last--;
    if (first > last) first = last;
    snprintf(name, RULE_VALUE_NAME, "%.*s", (int)(last - first), names + first);
    return n;
}

lode_status rule_values_choose(rule_values *v, lode_job *job, const char *names) {
    lode_status status = LODE_OK;
    bool more = rule_values_are_more(names), goes_on = true;
    while (goes_on) {
        char name[RULE_VALUE_NAME];
        names += values_name(names, more, name);
        LODE_TRY(values_add_named(v, job, name, more));
        goes_on = *names != 0; /* after a comma, a name must come */
        names += goes_on;
    }
done:
    return status;
}

lode_status rule_values_usual(rule_values *v, lode_job *job, const rule_value_name *names,
                              size_t n) {
    lode_status status = LODE_OK;
    for (size_t k = 0; k < n; k++) {
        size_t i = 0;
        bool known = lode_measure_find(names[k].measure, &i);
        LODE_REQUIRE(job, known, "a default measure of the format does not exist");
        LODE_TRY(values_add_measure(v, job, i, names[k].shown));
    }
done:
    return status;
}

lode_status rule_values_intervals(rule_values *v, lode_job *job, double level) {
    static const struct {
        lode_interval_of interval;
        const char *name;
    } all[] = {
        {LODE_INTERVAL_CONFIDENCE, "confidence"},
        {LODE_INTERVAL_LIFT, "lift"},
        {LODE_INTERVAL_ODDS_RATIO, "oddsRatio"},
    };
    lode_status status = LODE_OK;
    v->level = level;
    for (size_t i = 0; i < sizeof all / sizeof *all && level > 0; i++) {
        rule_value low = {.kind = VALUE_LOW, .interval = all[i].interval};
        rule_value high = {.kind = VALUE_HIGH, .interval = all[i].interval};
        snprintf(low.name, sizeof low.name, "%s.low", all[i].name);
        snprintf(high.name, sizeof high.name, "%s.high", all[i].name);
        LODE_TRY(values_add(v, job, &low));
        LODE_TRY(values_add(v, job, &high));
    }
done:
    return status;
}

void rule_values_free(rule_values *v, mem *m) {
    mem_free(m, v->list, v->cap * sizeof *v->list);
    *v = (rule_values){0};
}

/* ---- the values ----------------------------------------------------------------------------- */

void rule_values_of(const rule_values *v, const lode_rule *rule, double *out) {
    for (size_t i = 0; i < v->n; i++) {
        const rule_value *value = &v->list[i];
        switch (value->kind) {
        case VALUE_MEASURE: out[i] = measure_of_rule(value->measure, rule); break;
        case VALUE_LOW:
            lode_measure_interval(value->interval, &rule->counts, v->level, &out[i], &out[i + 1]);
            break;
        case VALUE_HIGH: break; /* came with the lower end */
        }
    }
}
