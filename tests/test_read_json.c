/* test_read_json.c - JSON as transactions: shapes, fields, places of errors, any size of blocks
 * SPDX-License-Identifier: Apache-2.0 */
#include "read_util.h"

#define J LODE_FORMAT_JSON
#define A LODE_FORMAT_AUTO

/* Reads with options in all ways; checks the outcome. */
static void reads_as(const char *text, lode_read_options o, lode_status status,
                     const char *expected) {
    o.size = sizeof o;
    const read_outcome *out = read_all_ways(text, strlen(text), &o);
    if (!(CHECK_EQUAL(out->status, status) & CHECK_TEXT(out->text, expected))) {
        fprintf(stderr, "  of %s\n", text);
    }
}

static void lines(void) {
    READS("[\"milk\",\"bread\"]\n[\"milk\"]\n[]\n", A, "bread milk|milk||");
    READS("[1,2]\n[2]\n", A, "1 2|2|");
    READS("[1]\n[1,1]\n", A, "1|1|");
    READS("  [\"a\"]  \r\n[\"b\"]", A, "a|b|");
    READS("[\"a\"]\r[\"b\"]\r", J, "a|b|");
    READS("[\"a\",null,\"\"]\n[\"b\"]\n\n\n", A, "a|b|");
    READS("[\"\\u00e9\\t\\\"\",\"\\ud83d\\ude00\"]\n[1]\n", A, "\xc3\xa9\t\" \xf0\x9f\x98\x80|1|");
    READS("[-1.5e3,7]\n[7]\n", A, "-1.5e3 7|7|");
    READS("", J, "");
    READS("\n\n", J, "");
}

static void objects(void) {
    READS("{\"id\":1,\"items\":[\"a\",\"b\"]}\n{\"items\":[\"c\"],\"id\":2}\n{\"id\":3}\n", A,
          "a b|c||");
    READS("{\"x\":{\"y\":[[1]]},\"basket\":[\"a\"]}\n{\"basket\":null}\n", A, "a||");
    READS("{\"order\":1,\"lines\":[{\"sku\":\"a\",\"n\":2},{\"sku\":\"b\"}]}\n", A, "a b|");
    READS("[{\"sku\":\"a\"},{\"sku\":\"b\"}]\n[{\"sku\":\"a\"}]\n", A, "a b|a|");
    READS("{\"order\":1,\"product\":\"x\"}\n{\"order\":2,\"product\":\"x\"}\n"
          "{\"product\":\"y\",\"order\":1}\n{\"order\":3,\"product\":null}\n",
          A, "x y|x||");
    READS("{\"items\":[\"a\"]}\n[\"b\"]\n", A, "a|b|");
}

static void documents(void) {
    READS("[[\"a\",\"b\"],[\"c\"]]", A, "a b|c|");
    READS("[\n [\"a\",\n  \"b\"],\n\n [\"c\"]\n]\n\n", A, "a b|c|");
    READS("[{\"items\":[\"a]\",\"b,\"]},{\"items\":[]}]", A, "a] b,||");
    READS("[{\"order\":1,\"product\":\"x\"},{\"order\":1,\"product\":\"y\"}]", A, "x y|");
    READS("[]", J, "");
    READS(" [ ] ", J, "");
    READS("[[\"\\\"],[\"]]", A, "\"],[|");
}

static void options(void) {
    reads_as("{\"Order ID\":1,\"what\":[\"a\"],\"which\":[\"b\"]}\n",
             (lode_read_options){.item_column = "WHICH"}, LODE_OK, "b|");
    reads_as("{\"l\":[{\"a\":\"x\",\"b\":\"y\"}]}\n", (lode_read_options){.item_column = "l.b"},
             LODE_OK, "y|");
    reads_as("{\"a\":1,\"b\":\"x\"}\n{\"a\":1,\"b\":\"y\"}\n",
             (lode_read_options){.item_column = "b", .tid_column = "a"}, LODE_OK, "x y|");
    reads_as("{\"items\":[\"a\"],\"s\":\"ok\"}\n{\"items\":[\"b\"],\"s\":\"bad "
             "one\"}\n{\"items\":[1]}\n",
             (lode_read_options){.drop_rows = "s=bad*"}, LODE_OK, "a|1|");
    reads_as("{\"items\":[\"a\"],\"q\":-1}\n{\"items\":[\"b\"],\"q\":2.5}\n",
             (lode_read_options){.drop_rows = "q<=0"}, LODE_OK, "b|");
    reads_as("{\"items\":[\"a\"]}\n", (lode_read_options){.item_column = "x"}, LODE_INVALID,
             "in has no field 'x'; its fields are: items");
    reads_as("[\"a\",\"b\"]\n", (lode_read_options){.weight_column = "w"}, LODE_INVALID,
             "in: its records are lists, which have no field 'w'");
    reads_as("{\"items\":[\"a\"],\"count\":1,\"support\":1}\n", (lode_read_options){.format = A},
             LODE_PARSE,
             "in: these are itemsets (items, count and support) that lode wrote, not transactions; "
             "use --item items to read them as transactions");
    reads_as(
        "{\"a\":1,\"b\":2}\n", (lode_read_options){.format = A}, LODE_PARSE,
        "in: this is JSON, but lode cannot tell which field holds the items; its fields are: a, b; "
        "use --item FIELD, and also --tid FIELD if each record is one item of a transaction");
}

static void errors(void) {
    FAILS("[\"a\"]\n[\"b\"}\n", J, "in:2:5: expected , or ] after an element of a list");
    FAILS("[\"a\"]\n[\"b\n", J, "in:2:2: unclosed string; expected a closing quote");
    FAILS("[\"a\"] x\n", J, "in:1:7: text after the record; expected one record per line");
    FAILS("[\"a\"]\n\n[\"b\"]\n", J,
          "in:2:1: blank line; blank lines are allowed only at the end; --skip-bad-lines skips "
          "them");
    FAILS("[\"a\"]\n[true]\n", J,
          "in:2:2: the item is true or false; expected a string or a number");
    FAILS("[\"a\"]\n[[1]]\n", J, "in:2:2: the item is a list; expected a string or a number");
    FAILS("[\"a\"]\n3\n", J, "in:2:1: expected a list of items");
    FAILS("[\"a\"]\n{\"items\":[]}\n[", J, "in:3:2: the list is not closed; expected , or ]");
    FAILS("[\"\\ud800\"]\n", J, "in:1:3: incomplete surrogate pair; expected both halves");
    FAILS("[\"\\u12\"]\n", J, "in:1:3: \\u without a number; expected four hexadecimal digits");
    FAILS("[\"\\x\"]\n", J,
          "in:1:3: unknown escape; expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
    FAILS("[\"a\\u0000\"]\n", J, "in:1:4: zero byte in a string; expected text");
    FAILS("[01]\n", J, "in:1:2: invalid JSON number; expected digits");
    FAILS("[1.]\n", J, "in:1:2: invalid JSON number; expected digits");
    FAILS("[a]\n", J,
          "in:1:2: invalid JSON value; expected a string in double quotes, a number, a list or an "
          "object");
    FAILS("{\"items\":[1],\"items\":[2]}\n", J, "in:1:22: duplicate field; expected it once");
    FAILS("{\"items\":\"a\"}\n{\"items\":[]}", J, "in:1:10: expected a list of items");
    FAILS("{\"order\":1,\"product\":\"a\"}\n{\"product\":\"b\"}\n", J,
          "in:2:1: no transaction; expected its name or number (--drop-rows 'order=' skips such "
          "rows; --skip-bad-lines skips all malformed rows)");
}

static void document_errors(void) {
    FAILS("[[\"a\"],\n [\"b\"}]", J, "in:2:6: expected , or ] after an element of a list");
    FAILS("[[\"a\"] [\"b\"]]", J, "in:1:8: expected , or ] after a record");
    FAILS("[[\"a\"],[\"b\"]", J, "in:1:13: the list is not closed; expected , or ]");
    FAILS("[[\"a\"],\n\n ", J, "in:3:2: the list is not closed; expected ]");
    FAILS("[[\"a\"],]", J,
          "in:1:8: invalid JSON value; expected a string in double quotes, a number, a list or an "
          "object");
    FAILS("[[\"a\"],\n[\"b\"]] [", J, "in:2:8: text after the end of the list; expected nothing");
    FAILS("[[\"a\"],\n3]", J, "in:2:1: expected a list of items");
    FAILS("[[\"a\"],\n  {\"x\":1},[\"b\"]]", J,
          "in: this is JSON, but lode cannot tell which field holds the items; its fields are: x; "
          "use --item FIELD, and also --tid FIELD if each record is one item of a transaction");
    FAILS("[", J, "in:1:2: the list is not closed; expected ]");
}

static void nested_too_deep(void) {
    char text[400], open[101], close[101];
    memset(open, '[', 100);
    memset(close, ']', 100);
    open[100] = close[100] = 0;
    snprintf(text, sizeof text, "{\"items\":[\"a\"],\"x\":%s%s}\n", open, close);
    FAILS(text, J, "in:1:84: lists and objects are nested too deeply; expected at most 64 levels");
}

static void skipping(void) {
    lode_read_options o = {.format = J, .skip_bad_lines = true};
    reads_as("[\"a\"]\n[\"b\"}\n[\"c\"] x\n7\n[\"d\"]\n", o, LODE_OK, "a|d|");
    reads_as("[[\"a\"],7,[\"b\",true],[\"c\"]]", o, LODE_OK, "a|c|");
    reads_as("[[\"a\"],[\"b\"},[\"c\"]]", o, LODE_PARSE,
             "in:1:12: expected , or ] after an element of a list (the rest of the list cannot be "
             "skipped)");
    CHECK_EQUAL(
        read_with("[\"a\"]\n[x]\n", 9,
                  &(lode_read_options){.size = sizeof o, .format = J, .skip_bad_lines = true}, 1, 0)
            ->profile.n_skipped,
        1);
}

int main(void) {
    CHECK_RUN(lines);
    CHECK_RUN(objects);
    CHECK_RUN(documents);
    CHECK_RUN(options);
    CHECK_RUN(errors);
    CHECK_RUN(document_errors);
    CHECK_RUN(nested_too_deep);
    CHECK_RUN(skipping);
    return check_result();
}
