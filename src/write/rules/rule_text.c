/* rule_text.c - see rule_text.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/rules/rule_text.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/decimal.h"
#include "runtime/valid.h"
#include "write/core/digits.h"
#include "write/rules/rule_file.h"

#define LINE_MORE 512 /* counts, names of counts and the pieces between them */

/* ---- the formats ---------------------------------------------------------------------------- */

#define LODE_RULE_FORMAT(name) extern const rule_format rule_format_##name;
#include "write/rules/formats.def"
#undef LODE_RULE_FORMAT

const rule_format *const rule_formats[] = {
#define LODE_RULE_FORMAT(name) &rule_format_##name,
#include "write/rules/formats.def"
#undef LODE_RULE_FORMAT
};

const char *const rule_format_names[] = {
#define LODE_RULE_FORMAT(name) #name,
#include "write/rules/formats.def"
#undef LODE_RULE_FORMAT
    NULL,
};

/* ---- what all lines share ------------------------------------------------------------------- */

static lode_status lines_check(lode_job *job, const lode_rule_write_options *o) {
    lode_status status = valid_choice(job, "format", o->format, N_RULE_FORMATS);
    if (status != LODE_OK) return status;
    const rule_format *f = rule_formats[o->format];
    const char *wrong = NULL;
    if (o->sort && o->unsorted) wrong = "--sort cannot be combined with --unsorted";
    if (o->bom && !f->csv) wrong = "--bom is for csv only";
    if (o->csv_safe && !f->csv) wrong = "--csv-safe is for csv only";
    if (!csv_can_separate(o->csv_separator)) wrong = CSV_SEPARATOR_WORDS;
    if (o->csv_separator && !f->csv) wrong = "--csv-separator is for csv only";
    if (!(o->interval >= 0 && o->interval < 1)) {
        wrong = "--interval: expected a probability below 1, such as 0.95";
    } else if (o->interval > 0 && !f->has_intervals) {
        wrong = "intervals require csv, jsonl, arrow or xlsx";
    }
    if (o->measures && !f->has_measures) {
        wrong =
            "svg shows only support, confidence and lift; use another format for other measures";
    }
    return wrong ? job_fail(job, LODE_INVALID, "%s", wrong) : LODE_OK;
}

lode_status rule_lines_init(rule_lines *l, lode_job *job, const lode_dataset *data,
                            const lode_rule_write_options *o) {
    lode_status status = LODE_OK;
    *l = (rule_lines){.mem = &job->mem, .data = data};
    LODE_TRY(lines_check(job, o));
    l->format = rule_formats[o->format];
    l->chosen = o->measures && !rule_values_are_more(o->measures);
    if (!l->chosen) {
        LODE_TRY(rule_values_usual(&l->values, job, l->format->usual, l->format->n_usual));
    }
    if (o->measures) LODE_TRY(rule_values_choose(&l->values, job, o->measures));
    LODE_TRY(rule_values_intervals(&l->values, job, o->interval));
    label_style style = l->format->style;
    style.safe = o->csv_safe;
    style.utf8 = o->bom;
    l->csv = csv_style_of(o->csv_separator);
    LODE_TRY(labels_init(&l->labels, &job->mem, data, &style));
    if (l->format->csv) LODE_TRY(labels_quote_cells(&l->labels, l->csv.comma, &l->quote_cell));
    l->more = LINE_MORE + 3 * LABEL_PAD + l->values.n * (DECIMAL_BYTES + RULE_VALUE_NAME + 8);
done:
    return status;
}

void rule_lines_clear(rule_lines *l) {
    if (!l->mem) return;
    rule_values_free(&l->values, l->mem);
    labels_clear(&l->labels);
}

lode_status rule_lines_title(const rule_lines *l, mem *m, vec_char *to) {
    lode_status status = LODE_OK;
    const char *title = l->format->title;
    if (title) return vec_char_append(m, to, title, strlen(title));
    LODE_TRY(vec_char_printf(m, to, "antecedents%cconsequents", l->csv.comma));
    for (size_t i = 0; i < l->values.n; i++) {
        LODE_TRY(vec_char_printf(m, to, "%c%s", l->csv.comma, l->values.list[i].name));
    }
    LODE_TRY(vec_char_append(m, to, "\n", 1));
done:
    return status;
}

/* ---- numbers -------------------------------------------------------------------------------- */

char *rule_put_new_number(rule_number *kept, char *to, double value) {
    char *end = decimal_put(to, value);
    size_t n = (size_t)(end - to);
    if (n > sizeof kept->text) return end;
    memcpy(&kept->bits, &value, sizeof value);
    memcpy(kept->text, to, sizeof kept->text);
    kept->n = (uint8_t)n;
    return end;
}

#define PERCENT_PARTS 1000 /* three decimals */

char *rule_put_percent(char *to, uint64_t part, uint64_t whole) {
    uint64_t hundred = 100 * PERCENT_PARTS, scaled;
    if (part >= whole) return rule_put(to, "100");
    if (whole <= UINT32_MAX) { /* so is the part */
        scaled = (part * hundred + whole / 2) / whole;
    } else {
        scaled = (uint64_t)(((unsigned __int128)part * hundred + whole / 2) / whole);
    }
    if (scaled >= hundred) scaled = hundred - 1;
    to = digits_put_short(to, scaled / PERCENT_PARTS);
    uint64_t rest = scaled % PERCENT_PARTS;
    if (rest == 0) return to;
    digits_put_four(to, rest); /* four digits, of which the first is a zero */
    *to = '.';
    to += 4;
    while (to[-1] == '0') to--;
    return to;
}

/* ---- drawings ------------------------------------------------------------------------------- */

lode_status paper_print(rule_paper *p, const char *format, ...) {
    char piece[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof piece) return LODE_INTERNAL;
    return vec_char_append(&p->sink->base.job->mem, &p->block, piece, (size_t)n);
}

lode_status paper_flow(rule_paper *p) {
    if (p->stop && p->stop->asked(p->stop->user)) return LODE_CANCELLED;
    return p->block.n < TEXT_BLOCK_BYTES ? LODE_OK : text_flush(p->sink, &p->block);
}

/* ---- rules as lines of a block, or as the writer of a format that is no text wants them ------ */

/* The text of a side is kept from one rule to the next: most of them share the antecedent. */

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
    LODE_TRY(side_set(&w->lhs, &l->labels, rule->lhs, rule->n_lhs));
    LODE_TRY(side_set(&w->rhs, &l->labels, rule->rhs, rule->n_rhs));
    rule_line line = {.rule = rule,
                      .lhs = w->lhs.text.data,
                      .rhs = w->rhs.text.data,
                      .lhs_bytes = w->lhs.text.n - 1, /* without the last separator */
                      .rhs_bytes = w->rhs.text.n - 1,
                      .numbers = w->numbers};
    size_t most = w->lhs.text.n + w->rhs.text.n + l->more;
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
        rule.rhs = &b->consequents[i];
        rule.counts.both = b->both[i];
        rule.counts.rhs = b->of_rhs[i];
        status = rule_file_write(w, &rule);
    }
    return status;
}

lode_status rule_file_write_batch(rules_worker *w, const rule_batch *b) {
    lode_status status = LODE_OK;
    rule_file *sink = rule_file_of(w);
    const rule_lines *l = &sink->lines;
    if (l->format->writer) return rule_file_write_each(w, b);
    LODE_TRY(side_set(&w->lhs, &l->labels, b->lhs, b->n_lhs));
    lode_rule rule = rule_batch_at(b, 0, rule_file_total(w));
    rule_line line = {.rule = &rule,
                      .lhs = w->lhs.text.data,
                      .lhs_bytes = w->lhs.text.n - 1,
                      .numbers = w->numbers};
    size_t line_bytes = w->lhs.text.n + l->labels.longest + l->more;
    for (uint32_t i = 0; i < b->n; i++) {
        label rhs = l->labels.items[b->consequents[i]];
        rule.rhs = &b->consequents[i];
        rule.counts.both = b->both[i];
        rule.counts.rhs = b->of_rhs[i];
        line.rhs = l->labels.text.data + rhs.at;
        line.rhs_bytes = rhs.length - 1;
        LODE_TRY(text_reserve(&sink->base, &w->block, line_bytes));
        char *end = l->format->put(l, w->block.data + w->block.n, &line);
        w->block.n = (size_t)(end - w->block.data);
    }
done:
    return status;
}

void rule_file_sides_free(rules_worker *w) {
    side_free(&w->lhs, rule_file_mem(w));
    side_free(&w->rhs, rule_file_mem(w));
}
