/* rule_borgelt.c - rules as the programs of C. Borgelt print them: c <- a b (54, 83.333)
 *
 * The head comes first. Of 54 transactions with a and b, 83.333 percent have c: his values for a
 * support that is given as a count, with up to three decimals. Chosen measures replace both, or
 * follow them; for people, who read this format, they have six digits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/decimal.h"
#include "write/core/digits.h"
#include "write/rules/rule_text.h"

static char *borgelt_put_values(const rule_lines *l, char *to, const lode_rule *rule) {
    double values[RULE_VALUES_MOST];
    rule_values_of(&l->values, rule, values);
    for (size_t i = 0; i < l->values.n; i++) {
        if (i > 0 || !l->chosen) to = rule_put(to, ", ");
        to = decimal_put_short(to, values[i]);
    }
    return to;
}

static char *borgelt_put(const rule_lines *l, char *to, const rule_line *line) {
    const lode_counts *c = &line->rule->counts;
    to = label_copy_text(to, line->head, line->head_bytes);
    memcpy(to, " <- ", 4);
    to = label_copy_text(to + 4, line->body, line->body_bytes);
    memcpy(to, " (", 2);
    to += 2;
    if (!l->chosen) {
        to = digits_put(to, c->body);
        memcpy(to, ", ", 2);
        to = rule_put_percent(to + 2, c->both, c->body);
    }
    if (l->values.n > 0) to = borgelt_put_values(l, to, line->rule);
    memcpy(to, ")\n", 2);
    return to + 2;
}

const rule_format rule_format_text = {
    .style = {' ', " ()"},
    .has_measures = true,
    .title = "",
    .put = borgelt_put,
};
