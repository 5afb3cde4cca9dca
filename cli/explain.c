/* explain.c - see explain.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "explain.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define EXPLAIN_ITEMS 8 /* items that are named; the others are only counted */

static void explain_say(const explainer *e, const char *words) {
    e->write(e->to, words, strlen(words));
}

/* For numbers and fixed words only: at most 127 bytes. */
static void explain_sayf(const explainer *e, const char *format, ...) LODE_PRINTF(2, 3);
static void explain_sayf(const explainer *e, const char *format, ...) {
    char words[128];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    explain_say(e, words);
}

/* "12,345" */
static void explain_count(const explainer *e, uint64_t n) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) explain_say(e, ",");
        e->write(e->to, &digits[i], 1);
    }
}

/* "83.3%", "0.042%": three digits, and no zeros at the end. */
static void explain_share(const explainer *e, double share) {
    char digits[48];
    double percent = share * 100;
    int places = percent >= 99.95 || percent == 0 ? 0
                 : percent >= 10                  ? 1
                                                  : 1 - (int)floor(log10(percent));
    if (share < 1 && percent >= 99.95) { /* do not round up to 100% */
        explain_say(e, "more than 99.9%");
        return;
    }
    int n = snprintf(digits, sizeof digits, "%.*f", places < 12 ? places : 12, percent);
    while (strchr(digits, '.') && (digits[n - 1] == '0' || digits[n - 1] == '.')) {
        bool point = digits[--n] == '.';
        digits[n] = 0;
        if (point) break;
    }
    explain_sayf(e, "%s%%", digits);
}

static void explain_name(const explainer *e, uint32_t item) {
    size_t bytes;
    const char *name = e->name(e->names, item, &bytes);
    size_t shown = bytes < EXPLAIN_NAME_MOST ? bytes : EXPLAIN_NAME_MOST;
    while (shown < bytes && shown > 0 && ((unsigned char)name[shown] & 0xc0) == 0x80) shown--;
    e->write(e->to, name, shown);
    if (shown < bytes) explain_say(e, "…");
}

/* "a", "a and b", "a, b and c". */
static void explain_items(const explainer *e, const uint32_t *items, uint32_t n) {
    uint32_t named = n <= EXPLAIN_ITEMS ? n : EXPLAIN_ITEMS - 1;
    for (uint32_t i = 0; i < named; i++) {
        if (i > 0) explain_say(e, i + 1 == n ? " and " : ", ");
        explain_name(e, items[i]);
    }
    if (named < n) explain_sayf(e, " and %u more", n - named);
}

static void explain_of_part(const explainer *e, uint64_t part, uint64_t whole) {
    explain_count(e, part);
    if (whole == 0) return;
    explain_say(e, " (");
    explain_share(e, (double)part / (double)whole);
    explain_say(e, ")");
}

/* The lift in words. */
static void explain_lift(const explainer *e, const lode_counts *c) {
    double lift = (double)c->both / (double)c->lhs / ((double)c->rhs / (double)c->total);
    if (lift > 1.005) {
        explain_sayf(e, ". Both parts occur together %.3g times as often as expected by chance",
                     lift);
    } else if (lift < 0.995) {
        explain_sayf(
            e, ". Both parts occur together only %.3g times as often as expected by chance", lift);
    } else {
        explain_say(e, ", which is about the same");
    }
}

static void explain_of_rule(const explainer *e, const lode_store_row *row) {
    const lode_counts *c = &row->counts;
    explain_say(e, "Of ");
    explain_count(e, c->lhs);
    if (e->held_out) explain_say(e, " searched");
    explain_say(e, c->lhs == 1 ? " transaction" : " transactions");
    if (row->n_items > 0) {
        explain_say(e, " with ");
        explain_items(e, row->items, row->n_items);
    }
    explain_say(e, ", ");
    explain_of_part(e, c->both, c->lhs);
    explain_say(e, c->both == 1 ? " also has " : " also have ");
    explain_items(e, row->rhs, row->n_rhs);
    if (c->total > 0 && c->lhs > 0 && c->rhs > 0) {
        explain_sayf(e, "; of all%s transactions, ", e->held_out ? " searched" : "");
        explain_share(e, (double)c->rhs / (double)c->total);
        explain_say(e, row->n_rhs == 1 ? " have it" : " have them");
        explain_lift(e, c);
    }
    explain_say(e, ".");
}

/* "45 of 100 transactions (45%)" */
static void explain_of_all(const explainer *e, const lode_counts *c, const char *things) {
    explain_count(e, c->both);
    if (c->total > 0) {
        explain_say(e, " of ");
        explain_count(e, c->total);
    }
    explain_sayf(e, " %s", things);
    if (c->total == 0) return;
    explain_say(e, " (");
    explain_share(e, (double)c->both / (double)c->total);
    explain_say(e, ")");
}

static void explain_of_itemset(const explainer *e, const lode_store_row *row) {
    explain_of_all(e, &row->counts, "transactions");
    explain_say(e, row->counts.both == 1 ? " has " : " have ");
    explain_items(e, row->items, row->n_items);
    explain_say(e, row->n_items > 1 ? " together." : ".");
}

static void explain_of_graph(const explainer *e, const lode_store_row *row) {
    explain_say(e, "The pattern occurs in ");
    explain_of_all(e, &row->counts, "graphs");
    explain_say(e, ".");
}

void explain_row(const explainer *e, lode_pattern_kind kind, const lode_store_row *row) {
    switch (kind) {
    case LODE_RULES: explain_of_rule(e, row); return;
    case LODE_GRAPHS: explain_of_graph(e, row); return;
    default: explain_of_itemset(e, row); return;
    }
}
