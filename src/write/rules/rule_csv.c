/* rule_csv.c - rules as csv, with the columns of mlxtend in its order, or those that were chosen
 *
 *     antecedents,consequents,antecedent support,…
 *     a|b,c,0.054,…
 *
 * Items of a side share a cell, as in the csv of itemsets. What is not a number is an empty cell.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/rules/rule_text.h"

static char *csv_put_side(const rule_lines *l, char *to, const char *text, size_t n) {
    if (l->quote_cell) *to++ = '"';
    to = label_copy_text(to, text, n);
    if (l->quote_cell) *to++ = '"';
    return to;
}

static char *rule_csv_put(const rule_lines *l, char *to, const rule_line *line) {
    double values[RULE_VALUES_MOST];
    rule_values_of(&l->values, line->rule, values);
    to = csv_put_side(l, to, line->body, line->body_bytes);
    *to++ = ',';
    to = csv_put_side(l, to, line->head, line->head_bytes);
    for (size_t i = 0; i < l->values.n; i++) {
        *to++ = ',';
        bool is_number = values[i] == values[i];
        if (is_number) to = rule_put_number(line, to, values[i]);
    }
    *to++ = '\n';
    return to;
}

static const rule_value_name csv_values[] = {
    {"antecedent support", "antecedent support"},
    {"consequent support", "consequent support"},
    {"support", "support"},
    {"confidence", "confidence"},
    {"lift", "lift"},
    {"representativity", "representativity"},
    {"leverage", "leverage"},
    {"conviction", "conviction"},
    {"zhangs_metric", "zhangs_metric"},
    {"jaccard", "jaccard"},
    {"certainty", "certainty"},
    {"kulczynski", "kulczynski"},
};

const rule_format rule_format_csv = {
    .style = {'|', "|"},
    .csv = true,
    .has_intervals = true,
    .has_measures = true,
    .usual = csv_values,
    .n_usual = sizeof csv_values / sizeof *csv_values,
    .put = rule_csv_put,
};
