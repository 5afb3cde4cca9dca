/* rule_page.c - one row with its contingency table, measures and sentence
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/rule_page.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "explain.h"
#include "results/patterns_write.h"
#include "results/stores_ask.h"
#include "results/stores_routes.h"

#define RULE_LEVEL 0.95 /* of the intervals */

static void rule_write_table(const lode_counts *c, text *out) {
    text_printf(out, "{\"both\":%llu,\"body_only\":%llu,\"head_only\":%llu,\"neither\":",
                (unsigned long long)c->both, (unsigned long long)(c->lhs - c->both),
                (unsigned long long)(c->rhs - c->both));
    text_json_count(out, c->total + c->both - c->lhs - c->rhs);
    text_printf(out, ",\"total\":%llu}", (unsigned long long)c->total);
}

/* Whether the counts form a valid table; a damaged file may have any numbers. */
static bool rule_counts_fit(const lode_counts *c) {
    return c->both <= c->lhs && c->both <= c->rhs && c->lhs <= c->total &&
           c->rhs - c->both <= c->total - c->lhs;
}

/* The interval of a measure; NaN where it has none. */
static void rule_interval(const char *name, const lode_counts *counts, double out[2]) {
    static const char *const names[] = {"confidence", "lift", "oddsRatio"};
    lode_counts c = *counts;
    out[0] = out[1] = NAN;
    if (strcmp(name, "support") ==
        0) { /* a share of all, as confidence is one of the antecedent's */
        c.lhs = c.total;
        c.rhs = c.both;
        name = names[0];
    }
    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        (void)lode_measure_interval((lode_interval_of)i, &c, RULE_LEVEL, &out[0], &out[1]);
    }
}

typedef struct rule_figure {
    const char *name, *summary;
    double value, interval[2];
} rule_figure;

static void rule_write_figure(const rule_figure *f, text *out) {
    text title = TEXT_INIT, summary = TEXT_INIT;
    words_title(f->name, &title);
    words_summary(f->summary, &summary);
    text_json_comma(out);
    text_put(out, "{\"name\":");
    text_json_string(out, f->name);
    text_put(out, ",\"title\":");
    text_json_string(out, title.data ? title.data : f->name);
    text_put(out, ",\"value\":");
    text_json_number(out, f->value);
    text_put(out, ",\"low\":");
    text_json_number(out, f->interval[0]);
    text_put(out, ",\"high\":");
    text_json_number(out, f->interval[1]);
    text_put(out, ",\"summary\":");
    text_json_string(out, summary.data ? summary.data : f->summary);
    text_char(out, '}');
    out->failed |= title.failed || summary.failed;
    text_free(&title);
    text_free(&summary);
}

/* All measures that the counts determine, and those that are stored. */
static lode_status rule_write_measures(store_handle *h, const lode_store_row *row, text *out) {
    lode_measure m = LODE_INIT(lode_measure);
    for (size_t i = 0; lode_measure_at(i, &m); i++) {
        rule_figure f = {.name = m.name, .summary = m.help};
        uint32_t column;
        if (!lode_store_column_find(h->store, m.name, &column)) continue;
        lode_status status = lode_store_value(h->store, row->row, column, &f.value);
        if (status != LODE_OK) return status;
        rule_interval(m.name, &row->counts, f.interval);
        rule_write_figure(&f, out);
    }
    return LODE_OK;
}

/* Patterns without a consequent have two measures; itemsets have more, if the file has the counts
 * of the items. */
static lode_status pattern_write_measures(store_handle *h, const lode_store_row *row, text *out) {
    bool graphs = h->info.kind == LODE_GRAPHS;
    const lode_counts *c = &row->counts;
    rule_figure count = {"count",
                         graphs ? "number of graphs that contain the pattern"
                                : "number of transactions with all of these items",
                         (double)c->both,
                         {NAN, NAN}};
    rule_figure share = {"support",
                         graphs ? "share of graphs that contain the pattern"
                                : "share of transactions with all of these items",
                         c->total ? (double)c->both / (double)c->total : NAN,
                         {NAN, NAN}};
    rule_interval("support", c, share.interval);
    rule_write_figure(&count, out);
    rule_write_figure(&share, out);
    lode_measure m = LODE_INIT(lode_measure);
    for (size_t i = 0; !graphs && lode_itemset_measure_at(i, &m); i++) {
        rule_figure f = {m.name, m.help, NAN, {NAN, NAN}};
        uint32_t column;
        if (!lode_store_column_find(h->store, m.name, &column)) continue;
        lode_status status = lode_store_value(h->store, row->row, column, &f.value);
        if (status != LODE_OK) return status;
        rule_write_figure(&f, out);
    }
    return LODE_OK;
}

static lode_status rule_write(store_handle *h, row_writer *w, const lode_store_row *row,
                              text *out) {
    text words = TEXT_INIT;
    lode_status status = LODE_OK;
    bool rules = h->info.kind == LODE_RULES;
    text_put(out, "{\"row\":");
    status = row_write(w, row->row);
    text_put(out, ",\"table\":");
    if (rules && rule_counts_fit(&row->counts)) {
        rule_write_table(&row->counts, out);
    } else {
        text_put(out, "null");
    }
    text_put(out, ",\"level\":");
    text_json_number(out, RULE_LEVEL);
    text_put(out, ",\"measures\":[");
    if (rules && status == LODE_OK) status = rule_write_measures(h, row, out);
    if (!rules && status == LODE_OK) status = pattern_write_measures(h, row, out);
    words_of_row(h, row, &words);
    text_put(out, "],\"sentence\":");
    text_json_bytes(out, words.data ? words.data : "", words.length);
    text_char(out, '}');
    out->failed |= words.failed;
    text_free(&words);
    return status;
}

static lode_status rule_work(const question *q, store_handle *h, text *out, store_failure *why) {
    lode_store_row row = LODE_INIT(lode_store_row);
    row_writer w;
    if (q->from >= h->info.rows) {
        why->status = LODE_NOTFOUND;
        snprintf(why->message, sizeof why->message,
                 "there is no row %llu; this result has %llu rows", (unsigned long long)q->from,
                 (unsigned long long)h->info.rows);
        return LODE_NOTFOUND;
    }
    lode_status status = row_writer_init(&w, h, out, NULL, why);
    if (status == LODE_OK) status = lode_store_row_at(h->store, q->from, &row);
    if (status == LODE_OK) status = rule_write(h, &w, &row, out);
    row_writer_clear(&w);
    return status;
}

void route_row(server *s, request *r) {
    result_job job;
    if (!result_of_request(s, r, &job)) return;
    question *q = question_new(job.id, rule_work, NULL, NULL);
    if (q) {
        q->quick = true;
        q->from = request_number(r, 1);
        (void)question_key(q, "row %llu", (unsigned long long)q->from);
    }
    asked_reply(stores_asked(s->stores), q, r);
}

/* ---- what a row says, in a sentence ---------------------------------------------------------- */

static const char *words_name(const void *store, uint32_t item, size_t *bytes) {
    return lode_store_item_name(store, item, bytes);
}

static int words_write(void *to, const char *bytes, size_t n) {
    text_add(to, bytes, n);
    return 0;
}

void words_of_row(store_handle *h, const lode_store_row *row, text *out) {
    uint32_t held_out;
    const explainer e = {words_name, h->store, words_write, out,
                         lode_store_column_find(h->store, "heldOutP", &held_out)};
    explain_row(&e, h->info.kind, row);
}

/* Whether this whole word is here. */
static bool words_is(const char *at, const char *start, const char *word) {
    size_t n = strlen(word);
    return strncmp(at, word, n) == 0 && !isalpha((unsigned char)at[n]) &&
           (at == start || !isalpha((unsigned char)at[-1]));
}

void words_summary(const char *help, text *out) {
    static const char *const words[][2] = {{"antecedent and consequent", "both parts"},
                                           {"antecedent", "if-part"},
                                           {"consequent", "then-part"}};
    for (const char *c = help; *c;) {
        size_t i = 0;
        while (i < 3 && !words_is(c, help, words[i][0])) i++;
        if (i == 3) {
            text_char(out, *c++);
        } else {
            text_put(out, words[i][1]);
            c += strlen(words[i][0]);
        }
    }
}

void words_title(const char *name, text *out) {
    for (const char *c = name; *c; c++) {
        bool starts = c == name;
        bool inner = !starts && isupper((unsigned char)*c) && islower((unsigned char)c[-1]);
        if (inner) text_char(out, ' ');
        if (*c == '_') {
            text_char(out, ' ');
        } else {
            text_char(out,
                      (char)(starts                                   ? toupper((unsigned char)*c)
                             : inner && !isupper((unsigned char)c[1]) ? tolower((unsigned char)*c)
                                                                      : *c));
        }
    }
}
