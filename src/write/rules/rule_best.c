/* rule_best.c - see rule_best.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/rules/rule_best.h"

void rule_best_free(rule_best *b, mem *m) {
    vec_u32_free(m, &b->items);
    *b = (rule_best){0};
}

static int best_compare_items(const uint32_t *a, const uint32_t *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

/* Whether a rule of the same lift comes before the one that is kept. */
static bool best_is_before(const lode_rule *a, const lode_rule *b) {
    uint32_t size = a->n_body + a->n_head, other = b->n_body + b->n_head;
    if (a->counts.both != b->counts.both) return a->counts.both > b->counts.both;
    if (size != other) return size < other;
    if (a->n_body != b->n_body) return a->n_body < b->n_body;
    int order = best_compare_items(a->body, b->body, a->n_body);
    return order != 0 ? order < 0 : best_compare_items(a->head, b->head, a->n_head) < 0;
}

lode_status rule_best_keep(rule_best *b, mem *m, const lode_rule *rule) {
    const lode_counts *c = &rule->counts;
    double ratio = rule_best_ratio(c->both, c->body, c->head);
    size_t n = (size_t)rule->n_body + rule->n_head;
    if (ratio == b->ratio && !best_is_before(rule, &b->rule)) return LODE_OK;
    b->items.n = 0;
    lode_status status = vec_u32_reserve(m, &b->items, n);
    if (status != LODE_OK) return status;
    memcpy(b->items.data, rule->body, rule->n_body * sizeof *rule->body);
    memcpy(b->items.data + rule->n_body, rule->head, rule->n_head * sizeof *rule->head);
    b->items.n = n;
    b->ratio = ratio;
    b->rule = *rule;
    b->rule.body = b->items.data;
    b->rule.head = b->items.data + rule->n_body;
    return LODE_OK;
}

lode_status rule_best_note_batch(rule_best *b, mem *m, const rule_batch *batch, uint64_t total) {
    lode_status status = LODE_OK;
    for (uint32_t i = 0; i < batch->n; i++) {
        if (rule_best_ratio(batch->both[i], batch->count, batch->of_head[i]) < b->ratio) continue;
        lode_rule rule = rule_batch_at(batch, i, total);
        LODE_TRY(rule_best_keep(b, m, &rule));
    }
done:
    return status;
}
