/* rule_jsonl.c - rules as lines of JSON
 *
 *     {"body":["a","b"],"head":["c"],"count":45,"body_count":54,"head_count":60,"total":1000,
 *      "support":0.045,"confidence":0.8333333333333334,"lift":13.88888888888889}
 *
 * JSON has no infinity: what is infinite, or not a number, is null. The counts are there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/digits.h"
#include "write/rules/rule_text.h"

static char *jsonl_put_counts(char *to, const lode_counts *c) {
    to = digits_put(rule_put(to, "\"count\":"), c->both);
    to = digits_put(rule_put(to, ",\"body_count\":"), c->body);
    to = digits_put(rule_put(to, ",\"head_count\":"), c->head);
    return digits_put(rule_put(to, ",\"total\":"), c->total);
}

static char *jsonl_put_value(const rule_line *line, char *to, const char *name, double value) {
    bool is_finite = value - value == 0;
    to = rule_put(to, ",\"");
    to = rule_put(rule_put(to, name), "\":");
    return is_finite ? rule_put_number(line, to, value) : rule_put(to, "null");
}

static char *rule_jsonl_put(const rule_lines *l, char *to, const rule_line *line) {
    const lode_rule *rule = line->rule;
    double values[RULE_VALUES_MOST];
    rule_values_of(&l->values, rule, values);
    to = label_copy_text(rule_put(to, "{\"body\":["), line->body, line->body_bytes);
    to = label_copy_text(rule_put(to, "],\"head\":["), line->head, line->head_bytes);
    to = jsonl_put_counts(rule_put(to, "],"), &rule->counts);
    for (size_t i = 0; i < l->values.n; i++) {
        const char *name = l->values.list[i].name;
        if (strcmp(name, "count") == 0) continue; /* it is there, with the other counts */
        to = jsonl_put_value(line, to, name, values[i]);
    }
    if (rule->held_out.total > 0) {
        to = jsonl_put_counts(rule_put(to, ",\"held_out\":{"), &rule->held_out);
        *to++ = '}';
    }
    return rule_put(to, "}\n");
}

static const rule_value_name jsonl_values[] = {
    {"support", "support"}, {"confidence", "confidence"}, {"lift", "lift"}};

const rule_format rule_format_jsonl = {
    .style = {',', NULL},
    .has_intervals = true,
    .has_measures = true,
    .usual = jsonl_values,
    .n_usual = 3,
    .title = "",
    .put = rule_jsonl_put,
};
