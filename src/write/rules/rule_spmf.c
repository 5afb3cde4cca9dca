/* rule_spmf.c - rules as SPMF prints them: a b ==> c #SUP: 45 #CONF: 0.83 #LIFT: 1.2
 *
 * Chosen measures replace the confidence and the lift: #CONVICTION: 3.1
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/digits.h"
#include "write/rules/rule_text.h"

static char *spmf_put_name(char *to, const char *name) {
    for (; *name; name++) *to++ = *name >= 'a' && *name <= 'z' ? (char)(*name - 'a' + 'A') : *name;
    return to;
}

static char *rule_spmf_put(const rule_lines *l, char *to, const rule_line *line) {
    double values[RULE_VALUES_MOST];
    rule_values_of(&l->values, line->rule, values);
    to = label_copy_text(to, line->body, line->body_bytes);
    to = label_copy_text(rule_put(to, " ==> "), line->head, line->head_bytes);
    to = digits_put(rule_put(to, " #SUP: "), line->rule->counts.both);
    for (size_t i = 0; i < l->values.n; i++) {
        to = spmf_put_name(rule_put(to, " #"), l->values.list[i].name);
        to = rule_put(to, ": ");
        bool is_number = values[i] == values[i];
        to = is_number ? rule_put_number(line, to, values[i]) : rule_put(to, "nan");
    }
    *to++ = '\n';
    return to;
}

static const rule_value_name spmf_values[] = {{"CONF", "confidence"}, {"LIFT", "lift"}};

const rule_format rule_format_spmf = {
    .style = {' ', " ()"},
    .has_measures = true,
    .usual = spmf_values,
    .n_usual = 2,
    .title = "",
    .put = rule_spmf_put,
};
