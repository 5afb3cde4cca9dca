/* test_read_quotes.c - one stray quote costs one line, whatever else the file holds
 *
 * Large texts are written by rules simple enough to say what must come out of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/csv.h"
#include "read_util.h"

#define STRAY "unclosed quote; expected a closing quote on this line or one of the next 100"
#define LINES 100000
#define AT    8101 /* the line with the stray quote */

static char *text;
static size_t n_text;

static void put(const char *line) {
    size_t n = strlen(line);
    memcpy(text + n_text, line, n);
    n_text += n;
}

static void make_room(size_t bytes) {
    text = malloc(bytes);
    if (!text) abort();
    n_text = 0;
}

/* Reads with the quote's line left out; the message without that. */
static void expect_one_lost(lode_format format, uint64_t transactions, const char *message) {
    static const unsigned threads[] = {1, 2, 8};
    static const size_t blocks[] = {0, 5000};
    lode_read_options options = read_options(format);
    options.separator = ',';
    for (size_t i = 0; i < 6; i++) {
        options.skip_bad_lines = true;
        const read_outcome *o = read_with(text, n_text, &options, threads[i % 3], blocks[i / 3]);
        CHECK_EQUAL(o->status, LODE_OK);
        CHECK_EQUAL(o->profile.n_skipped, 1);
        CHECK_EQUAL(o->profile.n_transactions, transactions);
        options.skip_bad_lines = false;
        o = read_with(text, n_text, &options, threads[i % 3], blocks[i / 3]);
        CHECK_EQUAL(o->status, LODE_PARSE);
        CHECK_TEXT(o->text, message);
    }
}

static void a_stray_quote_in_baskets(void) {
    make_room(LINES * 20);
    for (int i = 1; i <= LINES; i++) put(i == AT ? "bread,\"milk\n" : "bread,milk,beer\n");
    expect_one_lost(LODE_FORMAT_BASKET, LINES - 1, "in:8101:7: " STRAY);
    free(text);
}

/* Each later quote would close the stray one and open another. */
static void a_stray_quote_among_quotes(void) {
    make_room(LINES * 20);
    for (int i = 1; i <= LINES; i++) put(i == AT ? "\"bread\",\"milk\n" : "\"bread\",\"milk\"\n");
    expect_one_lost(LODE_FORMAT_BASKET, LINES - 1, "in:8101:9: " STRAY);
    free(text);
}

static void a_stray_quote_in_a_table(void) {
    make_room(LINES * 20);
    char line[32];
    put("order,item\n");
    for (int i = 2; i <= LINES; i++) {
        snprintf(line, sizeof line, i == AT ? "%d,\"x\n" : "%d,x\n", i);
        put(line);
    }
    expect_one_lost(LODE_FORMAT_AUTO, LINES - 2, "in:8101:6: " STRAY);
    free(text);
}

static void a_stray_quote_in_onehot(void) {
    make_room(LINES * 20);
    put("bread,milk\n");
    for (int i = 2; i <= LINES; i++) put(i == AT ? "1,\"0\n" : i % 2 ? "1,\"0\"\n" : "0,1\n");
    expect_one_lost(LODE_FORMAT_AUTO, LINES - 2, "in:8101:3: " STRAY);
    free(text);
}

/* A field over `lines` line ends and `bytes` more bytes, with a line after it. */
static const read_outcome *field_over(int lines, size_t bytes) {
    make_room(bytes + (size_t)lines + 64);
    put("a,\"");
    for (int i = 0; i < lines; i++) put("\n");
    memset(text + n_text, 'x', bytes);
    n_text += bytes;
    put("\",b\nc\n");
    lode_read_options options = read_options(LODE_FORMAT_BASKET);
    options.separator = ',';
    static read_outcome all;
    all = *read_all_ways(text, n_text, &options);
    free(text);
    return &all;
}

static void fields_over_lines_have_bounds(void) {
    CHECK_EQUAL(field_over(CSV_QUOTE_LINES, 1)->profile.n_transactions, 2);
    CHECK_TEXT(field_over(CSV_QUOTE_LINES + 1, 1)->text, "in:1:3: " STRAY);
    CHECK_EQUAL(field_over(1, CSV_QUOTE_BYTES - 2)->profile.n_transactions, 2);
    CHECK_TEXT(field_over(1, CSV_QUOTE_BYTES - 1)->text, "in:1:3: " STRAY);
    CHECK_EQUAL(field_over(0, 2 * CSV_QUOTE_BYTES)->profile.n_transactions, 2); /* one line */
}

/* Where a quote opens and closes, and what is left of the lines. */
static void small_texts(void) {
    static const struct {
        const char *text, *rest;
        uint64_t skipped;
    } cases[] = {
        {"a,\"b\nc\nd\n", "c|d|", 1},
        {"\"a\nb\n", "b|", 1},
        {"a,\"b\n\"c\",d\n", "c d|", 1},        /* closed by an opening quote */
        {"a,\"b\n\"c\",\"d\n\"e\"\n", "e|", 2}, /* twice */
        {"a,\"b\n\n\"\"c\n", "|", 2},           /* "" inside, and then text behind "" */
        {"\"p\nq\",\"r\ns\n", "s|", 1},         /* the record that is lost has two lines */
        {"12\" pipe,x\n6\",y\n", "12\" pipe x|6\" y|", 0}, /* quotes in fields are text */
        {"\"a\" b,\"c\nd\",e\nf\n", "f|", 1},
        {"a,\"b\r\nc\r\n", "c|", 1},
        {"a,\"b\rc\rd,\"e\rf\"\r", "c|d e\rf|", 1},
        {"a,\"", "", 1},
        {"a,\"\n", "", 1},
        {"a,\"\"\"\nb\n", "b|", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lode_read_options options = read_options(LODE_FORMAT_BASKET);
        options.separator = ',';
        options.skip_bad_lines = true;
        const read_outcome *o = read_all_ways(cases[i].text, strlen(cases[i].text), &options);
        CHECK_TEXT(o->text, cases[i].rest);
        CHECK_EQUAL(o->profile.n_skipped, cases[i].skipped);
    }
}

/* The format and the separator come from the lines that are well-formed, wherever the malformed
 * ones are. Decimal commas are no separators. */
static void the_separator_of_the_other_lines(void) {
    static const struct {
        const char *text, *rest;
        uint64_t skipped;
        bool header;
    } cases[] = {
        {"\"a;b\na;b\nb;c\n", "a b|b c|", 1, false},
        {"\"a;b\r\na;b\r\nb;c\r\n", "a b|b c|", 1, false},
        {"\"a;b\ra;b\rb;c\r", "a b|b c|", 1, false},
        {"\xef\xbb\xbf\"a;b\na;b\nb;c\n", "a b|b c|", 1, false},
        {"\"a\tb\na\tb\nb\tc\n", "a b|b c|", 1, false},
        {"\"a|b\na|b\nb|c\n", "a b|b c|", 1, false},
        {"\"sep=;\na;b\nb;c\n", "a b|b c|", 1, false},
        {"'a;b\na;b\nb;c\n", "'a b|a b|b c|", 0, false},
        {"\"a, b, c\n\"a, b, c\na;b\nb;c\n", "a b|b c|", 2, false},
        {"\"a\" 1;b\n\"b\" 2;c\n", "", 2, false}, /* all malformed: still not by blanks */
        {"\"a title\norder;item\n1;a\n1;b\n2;b\n", "a b|b|", 0, false},
        {"\"x;y\na;b\nb;c\n", "a b|b c|", 0, true},
        {"\"x;y\n\"a;b\na;1,0;2,5\nb;1,5;2,0\n", "1,0 2,5 a|1,5 2,0 b|", 2, false},
        {"{\"a\": [\"x\"\n{\"a\": [\"x\", \"y\"]}\n{\"a\": [\"y\"]}\n", "x y|y|", 1, false},
        {"{\"b\": x}\n{\"a\": [\"x\", \"y\"]}\n{\"a\": [\"y\"]}\n", "x y|y|", 1, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lode_read_options options = read_options(LODE_FORMAT_AUTO);
        options.skip_bad_lines = true;
        options.header = cases[i].header;
        const read_outcome *o = read_all_ways(cases[i].text, strlen(cases[i].text), &options);
        CHECK_TEXT(o->text, cases[i].rest);
        CHECK_EQUAL(o->profile.n_skipped, cases[i].skipped);
    }
}

int main(void) {
    CHECK_RUN(a_stray_quote_in_baskets);
    CHECK_RUN(a_stray_quote_among_quotes);
    CHECK_RUN(a_stray_quote_in_a_table);
    CHECK_RUN(a_stray_quote_in_onehot);
    CHECK_RUN(fields_over_lines_have_bounds);
    CHECK_RUN(small_texts);
    CHECK_RUN(the_separator_of_the_other_lines);
    return check_result();
}
