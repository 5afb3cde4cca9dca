/* rule_dot.c - rules as a graph for Graphviz
 *
 * Items are boxes; a rule is an ellipse, with arrows from the items of its body and to those of its
 * head. Its colour is its lift: the darker, the higher.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/decimal.h"
#include "write/rules/rule_colour.h"
#include "write/rules/rule_text.h"

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
    for (uint32_t k = 0; k < rule.n_body; k++) {
        LODE_TRY(paper_print(p, "  i%u -> r%llu;\n", rule.body[k], (unsigned long long)i));
    }
    for (uint32_t k = 0; k < rule.n_head; k++) {
        LODE_TRY(paper_print(p, "  r%llu -> i%u;\n", (unsigned long long)i, rule.head[k]));
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
