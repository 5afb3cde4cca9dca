/* rule_formats.c - rules as text: csv, JSON lines, Borgelt, SPMF and Graphviz
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/decimal.h"
#include "write/core/digits.h"
#include "write/rules/rule_svg.h"
#include "write/rules/rule_text.h"

/* ---- rules as csv, with the columns of mlxtend in its order, or those that were chosen ------- */

/*     antecedents,consequents,antecedent support,…
 *     a|b,c,0.054,…
 *
 * Items of a side share a cell, as in the csv of itemsets. A missing number is an empty cell. */

static char *csv_put_side(const rule_lines *l, char *to, const char *text, size_t n) {
    if (l->quote_cell) *to++ = '"';
    to = label_copy_text(to, text, n);
    if (l->quote_cell) *to++ = '"';
    return to;
}

static char *rule_csv_put(const rule_lines *l, char *to, const rule_line *line) {
    double values[RULE_VALUES_MOST];
    rule_values_of(&l->values, line->rule, values);
    to = csv_put_side(l, to, line->lhs, line->lhs_bytes);
    *to++ = l->csv.comma;
    to = csv_put_side(l, to, line->rhs, line->rhs_bytes);
    for (size_t i = 0; i < l->values.n; i++) {
        *to++ = l->csv.comma;
        bool is_number = values[i] == values[i];
        if (is_number) to = csv_set_point(&l->csv, to, rule_put_number(line, to, values[i]));
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

/* ---- rules as lines of JSON ------------------------------------------------------------------ */

/*     {"body":["a","b"],"head":["c"],"count":45,"body_count":54,"head_count":60,"total":1000,
 *      "support":0.045,"confidence":0.8333333333333334,"lift":13.88888888888889}
 *
 * JSON has no infinity: what is infinite, or not a number, is null. The counts are there. */

static char *jsonl_put_counts(char *to, const lode_counts *c) {
    to = digits_put(rule_put(to, "\"count\":"), c->both);
    to = digits_put(rule_put(to, ",\"body_count\":"), c->lhs);
    to = digits_put(rule_put(to, ",\"head_count\":"), c->rhs);
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
    to = label_copy_text(rule_put(to, "{\"body\":["), line->lhs, line->lhs_bytes);
    to = label_copy_text(rule_put(to, "],\"head\":["), line->rhs, line->rhs_bytes);
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

/* ---- rules as the programs of C. Borgelt print them: c <- a b (54, 83.333) ------------------- */

/* Borgelt's format. The consequent comes first. The values are those that his programs print if
 * supports are counts: the count of the antecedent, and the confidence in percent with up to three
 * decimals (of 54 transactions with a and b, 83.333 percent have c). Chosen measures replace both
 * or follow them, with six digits, because people read this format. */

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
    to = label_copy_text(to, line->rhs, line->rhs_bytes);
    memcpy(to, " <- ", 4);
    to = label_copy_text(to + 4, line->lhs, line->lhs_bytes);
    memcpy(to, " (", 2);
    to += 2;
    if (!l->chosen) {
        to = digits_put(to, c->lhs);
        memcpy(to, ", ", 2);
        to = rule_put_percent(to + 2, c->both, c->lhs);
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

/* ---- rules as SPMF prints them: a b ==> c #SUP: 45 #CONF: 0.83 #LIFT: 1.2 -------------------- */

/* Chosen measures replace the confidence and the lift: #CONVICTION: 3.1 */

static char *spmf_put_name(char *to, const char *name) {
    for (; *name; name++) *to++ = *name >= 'a' && *name <= 'z' ? (char)(*name - 'a' + 'A') : *name;
    return to;
}

static char *rule_spmf_put(const rule_lines *l, char *to, const rule_line *line) {
    double values[RULE_VALUES_MOST];
    rule_values_of(&l->values, line->rule, values);
    to = label_copy_text(to, line->lhs, line->lhs_bytes);
    to = label_copy_text(rule_put(to, " ==> "), line->rhs, line->rhs_bytes);
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

/* ---- rules as a graph for Graphviz ----------------------------------------------------------- */

/* Items are boxes; a rule is an ellipse, with arrows from the items of its antecedent and to those
 * of its consequent. Its colour is its lift: the darker, the higher. */

static const char dot_title[] = "digraph rules {\n"
                                "  graph [rankdir=LR, fontname=\"Helvetica\", labelloc=t];\n"
                                "  node [fontname=\"Helvetica\", fontsize=11];\n"
                                "  edge [color=\"#8a94a6\", arrowsize=0.6];\n";

/* The name of an item, as JSON writes it: with the quotes and escapes that Graphviz knows. */
static lode_status dot_put_item(rule_paper *p, uint32_t id) {
    lode_status status = LODE_OK;
    const labels *l = &p->lines->labels;
    label piece = l->items[id];
    const char *quote = l->text.data[piece.at] == '"' ? "" : "\"";
    LODE_TRY(paper_print(p,
                         "  i%u [shape=box, style=\"rounded,filled\", fillcolor=\"#eef2f7\", "
                         "color=\"#8a94a6\", label=%s",
                         id, quote));
    LODE_TRY(vec_char_append(p->lines->mem, &p->block, l->text.data + piece.at, piece.length - 1));
    LODE_TRY(paper_print(p, "%s];\n", quote));
done:
    return status;
}

/* All items of the rules, each once. */
static lode_status dot_put_items(rule_paper *p) {
    lode_status status = LODE_OK;
    mem *m = p->lines->mem;
    uint8_t *seen = NULL;
    size_t bytes = p->lines->labels.n_items;
    const vec_u32 *items = &p->rules->items;
    LODE_TRY(mem_zalloc(m, (void **)&seen, bytes));
    for (size_t i = 0; i < items->n; i++) seen[items->data[i]] = 1;
    for (uint32_t id = 0; id < bytes; id++) {
        if (seen[id]) LODE_TRY(dot_put_item(p, id));
    }
done:
    mem_free(m, seen, seen ? bytes : 0);
    return status;
}

static lode_status dot_put_label(rule_paper *p, const lode_rule *rule) {
    lode_status status = LODE_OK;
    const rule_values *v = &p->lines->values;
    double values[RULE_VALUES_MOST];
    rule_values_of(v, rule, values);
    for (size_t i = 0; i < v->n; i++) {
        char text[DECIMAL_BYTES + 1];
        *rule_put_rounded(text, values[i]) = 0;
        LODE_TRY(paper_print(p, "%s%s %s", i ? "\\n" : "", v->list[i].name, text));
    }
done:
    return status;
}

static lode_status dot_put_rule(rule_paper *p, uint64_t i, const rule_scale *lifts) {
    lode_status status = LODE_OK;
    char colour[8];
    lode_rule rule = rule_columns_at(p->rules, i);
    double lift = rule_lift(&rule);
    bool is_dark = lift > 1 && rule_scale_place(lifts, lift) > 0.4;
    LODE_TRY(paper_print(p,
                         "  r%llu [shape=ellipse, style=filled, fontsize=9, margin=\"0.04,0.02\", "
                         "color=\"#ffffff\", fillcolor=\"%s\", fontcolor=\"%s\", label=\"",
                         (unsigned long long)i, rule_colour(lifts, lift, colour),
                         is_dark ? "#ffffff" : "#111827"));
    LODE_TRY(dot_put_label(p, &rule));
    LODE_TRY(paper_print(p, "\"];\n"));
    for (uint32_t k = 0; k < rule.n_lhs; k++) {
        LODE_TRY(paper_print(p, "  i%u -> r%llu;\n", rule.lhs[k], (unsigned long long)i));
    }
    for (uint32_t k = 0; k < rule.n_rhs; k++) {
        LODE_TRY(paper_print(p, "  r%llu -> i%u;\n", (unsigned long long)i, rule.rhs[k]));
    }
done:
    return status;
}

static lode_status dot_draw(rule_paper *p) {
    lode_status status = LODE_OK;
    uint64_t n = rule_columns_count(p->rules);
    rule_scale lifts = rule_scale_of_lifts(p->rules);
    LODE_TRY(
        paper_print(p, "  label=\"%llu rule%s\";\n", (unsigned long long)n, n == 1 ? "" : "s"));
    LODE_TRY(dot_put_items(p));
    for (uint64_t i = 0; i < n; i++) {
        LODE_TRY(dot_put_rule(p, i, &lifts));
        LODE_TRY(paper_flow(p));
    }
    LODE_TRY(paper_print(p, "}\n"));
done:
    return status;
}

static const rule_value_name dot_values[] = {{"confidence", "confidence"}, {"lift", "lift"}};

const rule_format rule_format_dot = {
    .style = {' ', NULL},
    .has_measures = true,
    .usual = dot_values,
    .n_usual = 2,
    .title = dot_title,
    .draw = dot_draw,
};
