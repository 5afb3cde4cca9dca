/* rule_page_words.c - see rule_page_words.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/rule_page_words.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define WORDS_ITEMS 8   /* items that are named; of the others, how many there are */
#define WORDS_NAME  200 /* bytes of a name, then it is cut */

/* "12,345" */
static void words_count(text *out, uint64_t n) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) text_char(out, ',');
        text_char(out, digits[i]);
    }
}

/* "83.3%", "0.042%": three digits, and no zeros at the end. */
static void words_share(text *out, double share) {
    char digits[48];
    double percent = share * 100;
    int places = percent >= 99.95 || percent == 0 ? 0
                 : percent >= 10                  ? 1
                                                  : 1 - (int)floor(log10(percent));
    if (share < 1 && percent >= 99.95) { /* nearly all are not all */
        text_put(out, "more than 99.9%");
        return;
    }
    int n = snprintf(digits, sizeof digits, "%.*f", places < 12 ? places : 12, percent);
    while (strchr(digits, '.') && (digits[n - 1] == '0' || digits[n - 1] == '.')) {
        bool point = digits[--n] == '.';
        digits[n] = 0;
        if (point) break;
    }
    text_printf(out, "%s%%", digits);
}

static void words_name(const store_handle *h, text *out, uint32_t item) {
    size_t bytes;
    const char *name = lode_store_item_name(h->store, item, &bytes);
    size_t shown = bytes < WORDS_NAME ? bytes : WORDS_NAME;
    while (shown < bytes && shown > 0 && ((unsigned char)name[shown] & 0xc0) == 0x80) shown--;
    text_add(out, name, shown);
    if (shown < bytes) text_put(out, "…");
}

/* "a", "a and b", "a, b and c". */
static void words_items(const store_handle *h, text *out, const uint32_t *items, uint32_t n) {
    uint32_t named = n <= WORDS_ITEMS ? n : WORDS_ITEMS - 1;
    for (uint32_t i = 0; i < named; i++) {
        if (i > 0) text_put(out, i + 1 == n ? " and " : ", ");
        words_name(h, out, items[i]);
    }
    if (named < n) text_printf(out, " and %u more", n - named);
}

static void words_of_part(text *out, uint64_t part, uint64_t whole) {
    words_count(out, part);
    if (whole == 0) return;
    text_put(out, " (");
    words_share(out, (double)part / (double)whole);
    text_char(out, ')');
}

/* What the lift says. */
static void words_lift(const lode_counts *c, text *out) {
    double lift = (double)c->both / (double)c->body / ((double)c->head / (double)c->total);
    if (lift > 1.005) {
        text_printf(out, ": %.3g times as often as if they had nothing to do with each other",
                    lift);
    } else if (lift < 0.995) {
        text_printf(out, ": %.3g times as often, so they come together less often than by chance",
                    lift);
    } else {
        text_put(out, ", which is about the same");
    }
}

static void words_of_rule(const store_handle *h, const lode_store_row *row, text *out) {
    const lode_counts *c = &row->counts;
    text_put(out, "Of ");
    words_count(out, c->body);
    text_put(out, c->body == 1 ? " basket" : " baskets");
    if (row->n_items > 0) {
        text_put(out, " with ");
        words_items(h, out, row->items, row->n_items);
    }
    text_put(out, ", ");
    words_of_part(out, c->both, c->body);
    text_put(out, c->both == 1 ? " also has " : " also have ");
    words_items(h, out, row->head, row->n_head);
    if (c->total > 0 && c->body > 0 && c->head > 0) {
        text_put(out, "; of all baskets, ");
        words_share(out, (double)c->head / (double)c->total);
        text_put(out, row->n_head == 1 ? " have it" : " have them");
        words_lift(c, out);
    }
    text_char(out, '.');
}

/* "45 of 100 baskets (45%)" */
static void words_of_all(const lode_counts *c, const char *things, text *out) {
    words_count(out, c->both);
    if (c->total > 0) {
        text_put(out, " of ");
        words_count(out, c->total);
    }
    text_printf(out, " %s", things);
    if (c->total == 0) return;
    text_put(out, " (");
    words_share(out, (double)c->both / (double)c->total);
    text_char(out, ')');
}

static void words_of_itemset(const store_handle *h, const lode_store_row *row, text *out) {
    words_of_all(&row->counts, "baskets", out);
    text_put(out, row->counts.both == 1 ? " has " : " have ");
    words_items(h, out, row->items, row->n_items);
    text_put(out, row->n_items > 1 ? " together." : ".");
}

static void words_of_graph(const lode_store_row *row, text *out) {
    text_put(out, "The pattern occurs in ");
    words_of_all(&row->counts, "graphs", out);
    text_char(out, '.');
}

void words_of_row(store_handle *h, const lode_store_row *row, text *out) {
    switch (h->info.kind) {
    case LODE_RULES: words_of_rule(h, row, out); return;
    case LODE_GRAPHS: words_of_graph(row, out); return;
    default: words_of_itemset(h, row, out); return;
    }
}

/* Whether a word stands here, as a whole. */
static bool words_is(const char *at, const char *start, const char *word) {
    size_t n = strlen(word);
    return strncmp(at, word, n) == 0 && !isalpha((unsigned char)at[n]) &&
           (at == start || !isalpha((unsigned char)at[-1]));
}

void words_summary(const char *help, text *out) {
    static const char *const words[][2] = {
        {"body and head", "both parts"}, {"body", "if-part"}, {"head", "then-part"}};
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
