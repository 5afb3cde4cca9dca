/* rule_write.c - rules as lines of a block, or as the writer of a format that is no text wants them
 *
 * The text of a side is kept from one rule to the next: most of them share the body.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/rules/rule_file.h"

static lode_status side_set(side_text *s, const labels *l, const uint32_t *ids, uint32_t n) {
    lode_status status = LODE_OK;
    if (s->ids.n == n && n > 0 && memcmp(s->ids.data, ids, n * sizeof *ids) == 0) return LODE_OK;
    s->ids.n = s->text.n = 0;
    LODE_TRY(vec_u32_reserve(l->mem, &s->ids, n));
    LODE_TRY(vec_char_reserve(l->mem, &s->text, (size_t)n * l->longest + 2 * LABEL_PAD));
    char *to = s->text.data;
    for (uint32_t i = 0; i < n; i++) to = label_copy(l, to, ids[i]);
    s->text.n = (size_t)(to - s->text.data);
    if (n > 0) memcpy(s->ids.data, ids, n * sizeof *ids);
    s->ids.n = n;
done:
    return status;
}

static void side_free(side_text *s, mem *m) {
    vec_u32_free(m, &s->ids);
    vec_char_free(m, &s->text);
}

lode_status rule_file_write(rules_worker *w, const lode_rule *rule) {
    lode_status status = LODE_OK;
    rule_file *sink = rule_file_of(w);
    const rule_lines *l = &sink->lines;
    const rule_writer *writer = l->format->writer;
    if (writer) return writer->write(&sink->base, sink->own, w->own, rule);
    LODE_TRY(side_set(&w->body, &l->labels, rule->body, rule->n_body));
    LODE_TRY(side_set(&w->head, &l->labels, rule->head, rule->n_head));
    rule_line line = {.rule = rule,
                      .body = w->body.text.data,
                      .head = w->head.text.data,
                      .body_bytes = w->body.text.n - 1, /* without the last separator */
                      .head_bytes = w->head.text.n - 1,
                      .numbers = w->numbers};
    size_t most = w->body.text.n + w->head.text.n + l->more;
    LODE_TRY(w->keeps ? vec_char_reserve(l->mem, &w->block, most)
                      : text_reserve(&sink->base, &w->block, most));
    char *end = l->format->put(l, w->block.data + w->block.n, &line);
    w->block.n = (size_t)(end - w->block.data);
done:
    return status;
}

/* For a writer, rule by rule. */
static lode_status rule_file_write_each(rules_worker *w, const rule_batch *b) {
    lode_status status = LODE_OK;
    lode_rule rule = rule_batch_at(b, 0, rule_file_total(w));
    for (uint32_t i = 0; i < b->n && status == LODE_OK; i++) {
        rule.head = &b->heads[i];
        rule.counts.both = b->both[i];
        rule.counts.head = b->of_head[i];
        status = rule_file_write(w, &rule);
    }
    return status;
}

lode_status rule_file_write_batch(rules_worker *w, const rule_batch *b) {
    lode_status status = LODE_OK;
    rule_file *sink = rule_file_of(w);
    const rule_lines *l = &sink->lines;
    if (l->format->writer) return rule_file_write_each(w, b);
    LODE_TRY(side_set(&w->body, &l->labels, b->body, b->n_body));
    lode_rule rule = rule_batch_at(b, 0, rule_file_total(w));
    rule_line line = {.rule = &rule,
                      .body = w->body.text.data,
                      .body_bytes = w->body.text.n - 1,
                      .numbers = w->numbers};
    size_t line_bytes = w->body.text.n + l->labels.longest + l->more;
    for (uint32_t i = 0; i < b->n; i++) {
        label head = l->labels.items[b->heads[i]];
        rule.head = &b->heads[i];
        rule.counts.both = b->both[i];
        rule.counts.head = b->of_head[i];
        line.head = l->labels.text.data + head.at;
        line.head_bytes = head.length - 1;
        LODE_TRY(text_reserve(&sink->base, &w->block, line_bytes));
        char *end = l->format->put(l, w->block.data + w->block.n, &line);
        w->block.n = (size_t)(end - w->block.data);
    }
done:
    return status;
}

void rule_file_sides_free(rules_worker *w) {
    side_free(&w->body, rule_file_mem(w));
    side_free(&w->head, rule_file_mem(w));
}
