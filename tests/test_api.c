/* test_api.c - thresholds, options by name, versions, statuses: the public functions that do not
 * mine
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "check.h"
#include "jobs.h"
#include "lode.h"

/* ---- thresholds ---------------------------------------------------------------------------- */

typedef struct threshold_case {
    const char *text;
    uint64_t n, count; /* count 0: the text is refused */
} threshold_case;

static const threshold_case thresholds[] = {
    /* ratios */
    {"1%", 100, 1},
    {"1%", 101, 2},
    {"1%", 0, 1},
    {"0.01", 100, 1},
    {".01", 1000, 10},
    {"0.28", 25, 7},
    {"28%", 25, 7},
    {"0.07", 100, 7},
    {"0.29", 100, 29},
    {"0.57", 100, 57},
    {"75%", 4, 3},
    {"100%", 12345, 12345},
    {"100.0%", 7, 7},
    {"50%", 3, 2},
    {"99.999%", 100000, 99999},
    {"0.1%", 1000, 1},
    {"0.1%", 1001, 2},
    {"1e-3", 1000, 1},
    {"1E-3", 1001, 2},
    {"2.5e-1", 10, 3},
    {"5e1%", 10, 5},
    {"33.3333333333333333%", 3, 1},
    {"33.3333333333333334%", 3, 2}, /* one unit of the last digit above a third */
    {"0.333333333333333333", 3, 1},
    {"0.000000000000000001", 1000000000000000000u, 1},
    {"0.000000000000000001", UINT64_MAX, 19},
    {"0.999999999999999999", UINT64_MAX, 18446744073709551597u},
    {"00.50", 10, 5},
    {"000000000000000000000.5", 10, 5},
    /* counts */
    {"1", 100, 1},
    {"250", 100, 250},
    {"250.0", 100, 250},
    {"1e3", 10, 1000},
    {"2.5e1", 10, 25},
    {"007", 10, 7},
    {"999999999999999999", 10, 999999999999999999u},
    /* neither */
    {"0", 100, 0},
    {"0%", 100, 0},
    {"0.0", 100, 0},
    {"0e9", 100, 0},
    {"-1", 100, 0},
    {"-1%", 100, 0},
    {"+1", 100, 0},
    {"1.5", 100, 0},
    {"1.5e0", 100, 0},
    {"101%", 100, 0},
    {"100.0000001%", 100, 0},
    {"1e3%", 100, 0},
    {"", 100, 0},
    {" ", 100, 0},
    {".", 100, 0},
    {"%", 100, 0},
    {"abc", 100, 0},
    {"5 %", 100, 0},
    {" 5%", 100, 0},
    {"5% ", 100, 0},
    {"5%%", 100, 0},
    {"5x", 100, 0},
    {"0x10", 100, 0},
    {"1e", 100, 0},
    {"1e-", 100, 0},
    {"1.2.3", 100, 0},
    {"1,5", 100, 0},
    {"nan", 100, 0},
    {"inf", 100, 0},
    {"1e400", 100, 0},
    {"1e-400", 100, 0},
    {"1e99999999999999999999", 100, 0},
    {"0.0000000000000000001", 100, 0},
    {"33.333333333333333333333%", 100, 0},
    {"99999999999999999999999999", 100, 0},
};

static void test_thresholds(void) {
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
        const threshold_case *c = &thresholds[i];
        lode_threshold t = {77, 78};
        char message[120] = "";
        lode_status status = lode_threshold_parse(c->text, &t, message, sizeof message);
        bool fine = CHECK_EQUAL(status, c->count ? LODE_OK : LODE_INVALID);
        if (c->count) {
            fine &= CHECK_EQUAL(lode_threshold_count(t, c->n), c->count) & CHECK(message[0] == 0);
        } else {
            fine &= CHECK(message[0] != 0) & CHECK(t.numerator == 77 && t.denominator == 78);
        }
        if (!fine) fprintf(stderr, "  threshold '%s' of %" PRIu64 "\n", c->text, c->n);
        CHECK_EQUAL(lode_threshold_parse(c->text, &t, NULL, 0), status);
    }
}

/* Every share of every small number, against whole numbers. */
static void test_threshold_grid(void) {
    for (uint64_t n = 0; n <= 300; n += 7) {
        for (uint64_t share = 1; share <= 1000; share++) {
            lode_threshold t = {share, 1000};
            uint64_t want = (share * n + 999) / 1000;
            CHECK_EQUAL(lode_threshold_count(t, n), want ? want : 1);
        }
    }
    CHECK_EQUAL(lode_threshold_count((lode_threshold){0, 0}, 10), 1);
    CHECK_EQUAL(lode_threshold_count((lode_threshold){UINT64_MAX, 0}, 10), UINT64_MAX);
    CHECK_EQUAL(lode_threshold_count((lode_threshold){1, 1}, UINT64_MAX), UINT64_MAX);
}

/* ---- options ------------------------------------------------------------------------------- */

typedef struct option_case {
    const char *name, *value;
    bool ok;
} option_case;

static const option_case option_cases[] = {
    {"min-confidence", "60%", true},
    {"min-confidence", "1", true},
    {"min-confidence", "0.0", true},
    {"min-confidence", "2", false},
    {"max-rhs", "2", true},
    {"max-rhs", "any", true},
    {"max-rhs", "0", false},
    {"max-lhs", "3", true},
    {"lhs", "beer*", true},
    {"rhs", "milk", true},
    {"include-lhs", "milk", true},
    {"include-rhs", "milk", true},
    {"exclude-lhs", "bag", true},
    {"exclude-rhs", "bag", true},
    {"min", "lift=1.5", true},
    {"max", "fisher=1e-6", true},
    {"sort-by", "lift", true},
    {"top", "10", true},
    {"top", "0", false},
    {"productive", NULL, true},
    {"holdout", "30%", true},
    {"seed", "7", true},
    {"class", "milk", true},
    {"strata", "type", true},
    {"alternative", "greater", true},
    {"alternative", "bigger", false},
    {"adjust", "holm", true},
    {"adjust", "hlom", false},
    {"significant", "0.05", true},
    {"significant", "5", false},
    {"measure", "lift", true},
    {"interval", "0.95", true},
    {"include", "beer*", true},
    {"exclude", "milk", true},
    {"include-lhs", "milk", true},
    {"exclude-lhs", "milk", true},
    {"include-rhs", "milk", true},
    {"exclude-rhs", "milk", true},
    {"match", "^beer", true},
    {"lhs-match", "^beer", true},
    {"rhs-match", "^beer", true},
    {"pick", "0,12", true},
    {"pick", "4294967296", true},
    {"reverse", NULL, true},
    {"page", "2", true},
    {"page", "0", false},
    {"rows", "all", true},
    {"rows", "50", true},
    {"by", "lift", true},
    {"all", NULL, true},
    {"want", "1000", true},
    {"want", "0", false},
    {"min-support", "1%", true},
    {"min-support", "250", true},
    {"min-support", "0", false},
    {"min-support", "abc", false},
    {"algorithm", "auto", true},
    {"algorithm", "frontier", true},
    {"algorithm", "brute", true},
    {"algorithm", "Frontier", false},
    {"algorithm", "", false},
    {"target", "all", true},
    {"target", "top:1", true},
    {"target", "top:18446744073709551615", true},
    {"target", "top:0", false},
    {"target", "top:", false},
    {"target", "top:5x", false},
    {"target", "top:-5", false},
    {"target", "top:18446744073709551616", false},
    {"target", "best", false},
    {"min-edges", "2", true},
    {"min-edges", "0", false},
    {"max-edges", "2", true},
    {"max-edges", "x", false},
    {"min-vertices", "2", true},
    {"min-vertices", "-1", false},
    {"max-vertices", "4294967295", true},
    {"max-vertices", "4294967296", false},
    {"vertices", "true", true},
    {"vertices", "yes", false},
    {"induced", NULL, true},
    {"induced", "1", false},
    {"graphs", "false", true},
    {"graphs", "all", false},
    {"embeddings", "true", true},
    {"embeddings", "", false},
    {"directed", "true", true},
    {"directed", "no", false},
    {"skip-bad-graphs", "true", true},
    {"skip-bad-graphs", "2", false},
    {"min-size", "1", true},
    {"min-size", "4294967295", true},
    {"min-size", "4294967296", false},
    {"min-size", "0", false},
    {"max-size", "3", true},
    {"max-size", "3.0", false},
    {"max-size", "-3", false},
    {"max-size", "", false},
    {"spill", "/tmp", true},
    {"share", "2/8", true},
    {"share", "8/8", true},
    {"share", "9/8", false},
    {"share", "0/8", false},
    {"share", "2", false},
    {"share", "1/2000", false},
    {"epsilon", "1", true},
    {"epsilon", "unlimited", true},
    {"epsilon", "0", false},
    {"epsilon", "12many", false},
    {"lists", "10", true},
    {"lists", "18446744073709551615", true},
    {"lists", "18446744073709551616", false},
    {"lists", "12x", false},
    {"lists", "0", false},
    {"popcount", "native", true},
    {"popcount", "table16", true},
    {"popcount", "shift", true},
    {"popcount", "fast", false},
    {"records", "columns", true},
    {"records", "16", false},
    {"loads", "plain", true},
    {"loads", "slow", false},
    {"reduce", "any", true},
    {"reduce", "pow2", true},
    {"reduce", "two", false},
    {"grid", "folded", true},
    {"product", "auto", true},
    {"product", "popc", true},
    {"product", "mma", true},
    {"product", "wgmma", true},
    {"product", "tensor", false},
    {"grid", "square", true},
    {"grid", "round", false},
    {"grid-rows", NULL, true},
    {"grid-rows", "yes", false},
    {"limit-time", "60", true},
    {"limit-time", "0.5", true},
    {"limit-time", "10m", true},
    {"limit-time", "0", false},
    {"limit-time", "soon", false},
    {"limit-patterns", "1", true},
    {"limit-patterns", "0", false},
    {"device", "auto", true},
    {"device", "cpu*3", true},
    {"device", "cuda:0", true},
    {"device", "gpu", false},
    {"device", "cpu*0", false},
    {"threads", "1", true},
    {"threads", "1024", true},
    {"threads", "1025", false},
    {"threads", "0", false},
    {"memory", "unlimited", true},
    {"memory", "auto", true},
    {"memory", "1", true},
    {"memory", "64M", true},
    {"memory", "64m", true},
    {"memory", "2GiB", true},
    {"memory", "2GB", true},
    {"memory", "123456789012", true},
    {"memory", "99999999K", true},
    {"memory", "16777215T", true},
    {"memory", "16777216T", false},
    {"memory", "18446744073709551615", true},
    {"memory", "18446744073709551616", false},
    {"memory", "0", false},
    {"memory", "M", false},
    {"memory", "64X", false},
    {"memory", "64MBs", false},
    {"memory", "-1G", false},
    {"memory", "1.5G", false},
    {"device-memory", "256M", true},
    {"device-memory", "0", false},
    {"format", "auto", true},
    {"format", "fimi", true},
    {"format", "spmf", true},
    {"format", "basket", true},
    {"format", "table", true},
    {"format", "onehot", true},
    {"format", "xml", false},
    {"separator", ";", true},
    {"separator", "tab", true},
    {"separator", "\\t", true},
    {"separator", "", false},
    {"separator", ";;", false},
    {"separator", "\"", false},
    {"separator", "\n", false},
    {"header", NULL, true},
    {"header", "true", true},
    {"header", "false", true},
    {"header", "yes", false},
    {"tid", "order", true},
    {"item", "3", true},
    {"weight", "times", true},
    {"weight", NULL, false},
    {"verify", NULL, true},
    {"verify", "1", false},
    {"sheet", "March", true},
    {"sheet", NULL, false},
    {"sql", "SELECT 1", true},
    {"sql", NULL, false},
    {"db", "a.duckdb", true},
    {"db", NULL, false},
    {"driver", "libduckdb.so", true},
    {"driver", NULL, false},
    {"ignore", "date", true},
    {"ignore", NULL, false},
    {"split", ",", true},
    {"split", ",,", false},
    {"bins", "age=quantiles:5", true},
    {"bins", NULL, false},
    {"keep-missing", NULL, true},
    {"keep-missing", "1", false},
    {"drop-rows", "Status=cancelled", true},
    {"drop-rows", NULL, false},
    {"labels", "v 6 C", true},
    {"labels", NULL, false},
    {"keep-blanks", NULL, true},
    {"fold-accents", NULL, true},
    {"fold-case", NULL, true},
    {"map", "names.csv", true},
    {"drop", "beer*", true},
    {"unique-baskets", NULL, true},
    {"min-item-support", "1%", true},
    {"min-item-support", "0", false},
    {"max-item-support", "250", true},
    {"min-basket", "2", true},
    {"min-basket", "x", false},
    {"max-basket", "9", true},
    {"include", "milk", true},
    {"exclude", "beer", true},
    {"any", NULL, true},
    {"limit", "5", true},
    {"limit", "-1", false},
    {"ids", NULL, true},
    {"skip-bad-lines", NULL, true},
    {"skip-bad-lines", "1", false},
    {"write", "fimi", true},
    {"write", "spmf", true},
    {"write", "csv", true},
    {"write", "jsonl", true},
    {"write", "json", false},
    {"sort", NULL, true},
    {"sort", "maybe", false},
    {"unsorted", NULL, true},
    {"include", "milk", true},
    {"exclude", "beer*", true},
    {"group", "0-1:size=*", true},
    {"rare", "5%", true},
    {"rare", "0", false},
    {"csv-items", "cell", true},
    {"csv-items", "columns", true},
    {"csv-items", "rows", false},
    {"bom", NULL, true},
    {"csv-safe", NULL, true},
    {"csv-safe", "safe", false},
    {"csv-separator", ";", true},
    {"csv-separator", "tab", true},
    {"csv-separator", "; ", false},
    {"no-such-option", "1", false},
    {"", "1", false},
    {"Min-Support", "1%", false},
};

static lode_options *make_options(void) {
    lode_options *o = NULL;
    if (lode_options_create(&o) != LODE_OK) exit(2);
    return o;
}

static all_options copy_options(const lode_options *o) {
    all_options all;
    memset(&all, 0, sizeof all);
    memcpy(&all.read, lode_options_read(o), sizeof all.read);
    memcpy(&all.mine, lode_options_mine(o), sizeof all.mine);
    memcpy(&all.write, lode_options_write(o), sizeof all.write);
    memcpy(&all.graph_read, lode_options_graph_read(o), sizeof all.graph_read);
    memcpy(&all.graph, lode_options_graph(o), sizeof all.graph);
    memcpy(&all.graph_write, lode_options_graph_write(o), sizeof all.graph_write);
    memcpy(&all.paper, lode_options_papers(o), sizeof all.paper);
    memcpy(&all.rule, lode_options_rule(o), sizeof all.rule);
    all.mine.papers = all.graph.papers = NULL; /* what they point to is all.paper */
    all.mine.classes = all.write.classes = NULL;
    all.graph.classes = all.graph_write.classes = NULL;
    return all;
}

/* A refused value leaves everything as it was, and says why. */
static void test_options(void) {
    for (size_t i = 0; i < sizeof option_cases / sizeof *option_cases; i++) {
        const option_case *c = &option_cases[i];
        lode_options *o = make_options();
        all_options before = copy_options(o);
        char message[200] = "";
        lode_status status = lode_options_set(o, c->name, c->value, message, sizeof message);
        bool fine =
            CHECK_EQUAL(status, c->ok ? LODE_OK : LODE_INVALID) & CHECK((message[0] == 0) == c->ok);
        all_options after = copy_options(o);
        if (!c->ok) fine &= CHECK(memcmp(&after, &before, sizeof after) == 0);
        if (!fine) fprintf(stderr, "  --%s '%s': %s\n", c->name, c->value ? c->value : "", message);
        CHECK_EQUAL(lode_options_set(o, c->name, c->value, NULL, 0), status);
        lode_options_free(o);
    }
}

static void set(lode_options *o, const char *name, const char *value) {
    CHECK_EQUAL(lode_options_set(o, name, value, NULL, 0), LODE_OK);
}

/* Each value lands in its field. */
static void test_fields(void) {
    lode_options *o = make_options();
    set(o, "min-support", "2%");
    CHECK(lode_options_mine(o)->min_support.numerator == 2 &&
          lode_options_mine(o)->min_support.denominator == 100);
    set(o, "algorithm", "brute");
    CHECK_TEXT(lode_options_mine(o)->algorithm, "brute");
    set(o, "target", "top:9");
    CHECK(lode_options_mine(o)->target == LODE_TARGET_TOP && lode_options_mine(o)->top_k == 9);
    set(o, "target", "all");
    CHECK(lode_options_mine(o)->target == LODE_TARGET_ALL);
    set(o, "min-size", "2");
    set(o, "max-size", "7");
    CHECK(lode_options_mine(o)->min_size == 2 && lode_options_mine(o)->max_size == 7);
    set(o, "epsilon", "5");
    CHECK_EQUAL(lode_options_mine(o)->epsilon, 5);
    set(o, "epsilon", "unlimited");
    CHECK_EQUAL(lode_options_mine(o)->epsilon, UINT64_MAX);
    set(o, "lists", "11");
    CHECK_EQUAL(lode_options_mine(o)->max_lists, 11);
    set(o, "device", "cpu*3");
    CHECK_TEXT(lode_options_job(o)->device, "cpu*3");
    set(o, "threads", "6");
    CHECK_EQUAL(lode_options_job(o)->threads, 6);
    set(o, "device-memory", "2G");
    CHECK_EQUAL(lode_options_job(o)->device_memory_bytes, (uint64_t)2 << 30);
    set(o, "memory", "3M");
    CHECK_EQUAL(lode_options_job(o)->memory_bytes, 3 << 20);
    set(o, "memory", "100000000");
    CHECK_EQUAL(lode_options_job(o)->memory_bytes, 100000000);
    set(o, "format", "onehot");
    CHECK(lode_options_read(o)->format == LODE_FORMAT_ONEHOT);
    set(o, "separator", "tab");
    CHECK(lode_options_read(o)->separator == '\t');
    set(o, "header", NULL);
    set(o, "skip-bad-lines", "true");
    CHECK(lode_options_read(o)->header && lode_options_read(o)->skip_bad_lines);
    set(o, "header", "false");
    CHECK(!lode_options_read(o)->header);
    set(o, "tid", "order");
    set(o, "item", "product");
    CHECK_TEXT(lode_options_read(o)->tid_column, "order");
    CHECK_TEXT(lode_options_read(o)->item_column, "product");
    set(o, "write", "jsonl");
    set(o, "sort", NULL);
    set(o, "unsorted", NULL);
    set(o, "csv-items", "columns");
    set(o, "bom", NULL);
    CHECK(lode_options_write(o)->unsorted && lode_options_write(o)->csv_items == LODE_CSV_COLUMNS &&
          lode_options_write(o)->bom);
    set(o, "popcount", "shift");
    set(o, "reduce", "pow2");
    set(o, "grid", "square");
    set(o, "grid-rows", NULL);
    set(o, "records", "columns");
    set(o, "loads", "plain");
    const lode_paper_options *papers = lode_options_mine(o)->papers;
    CHECK(papers->popcount == LODE_POPCOUNT_SHIFT && papers->reduce == LODE_REDUCE_POW2 &&
          papers->grid == LODE_GRID_SQUARE && papers->records == LODE_GRAPH_RECORDS_COLUMNS &&
          papers->loads == LODE_GRAPH_LOADS_PLAIN && papers->grid_rows);
    char message[200];
    unsigned graphs = LODE_OPTION_GRAPH | LODE_OPTION_GRAPH_WRITE;
    CHECK(lode_options_set_in(o, graphs, "write", "dot", message, sizeof message) == LODE_OK);
    CHECK(lode_options_set_in(o, graphs, "target", "maximal", NULL, 0) == LODE_OK);
    CHECK(lode_options_set_in(o, graphs, "min-support", "3", NULL, 0) == LODE_OK);
    CHECK(lode_options_set_in(o, graphs, "algorithm", "gspan", NULL, 0) == LODE_OK);
    CHECK(lode_options_set_in(o, graphs, "max-size", "3", NULL, 0) == LODE_INVALID);
    CHECK(lode_options_set_in(o, graphs, "algorithm", "adaptive", NULL, 0) == LODE_INVALID);
    CHECK(lode_options_set_in(o, graphs, "unsorted", NULL, NULL, 0) == LODE_OK);
    CHECK(lode_options_set_in(o, graphs, "bom", NULL, NULL, 0) == LODE_OK);
    CHECK(lode_options_graph_write(o)->unsorted && lode_options_graph_write(o)->bom);
    CHECK(lode_options_graph_write(o)->format == LODE_GRAPH_WRITE_DOT &&
          lode_options_graph(o)->target == LODE_TARGET_MAXIMAL);
    CHECK(lode_options_graph(o)->min_support.numerator == 3 &&
          lode_options_mine(o)->min_support.numerator != 3);
    CHECK(lode_options_write(o)->format == LODE_WRITE_JSONL && lode_options_write(o)->sort);
    char text[] = "product"; /* texts are copied */
    set(o, "item", text);
    text[0] = 'x';
    CHECK_TEXT(lode_options_read(o)->item_column, "product");
    CHECK(lode_options_ctx(o)->threads == 6 && lode_options_ctx(o)->memory_bytes == 100000000);
    lode_options_free(o);
}

/* The commands that may have an option: of itemsets 1, of graphs 2, of rules 4, of baskets 8, of
 * stored results 16 and 32, suggest 64. */
static unsigned commands_of(const lode_option *row) {
    unsigned graphs = LODE_OPTION_GRAPH_READ | LODE_OPTION_GRAPH | LODE_OPTION_GRAPH_WRITE |
                      LODE_OPTION_GRAPH_PAPERS | LODE_OPTION_GRAPH_SHARE | LODE_OPTION_GRAPH_CLASS;
    unsigned all = LODE_OPTION_JOB | LODE_OPTION_DEVICE;
    unsigned baskets = LODE_OPTION_CLEAN | LODE_OPTION_SELECT | LODE_OPTION_BASKET_WRITE;
    if (row->group & all) return 127;
    if (row->group & graphs) return 2;
    if (row->group & baskets) return 8;
    if (row->group == LODE_OPTION_SUGGEST) return 64;
    if (row->group == LODE_OPTION_QUERY) return 16;
    if (row->group == LODE_OPTION_APPLY) return 32;
    if (row->group & (LODE_OPTION_RULE | LODE_OPTION_RULE_WRITE)) return 4;
    return row->group == LODE_OPTION_READ ? 109 : 1;
}

/* Every word that a row lists is taken, and there is a list where the help names words. */
static void test_option_words(void) {
    size_t n_lists = 0;
    for (size_t n = 0; lode_option_at(n); n++) {
        const lode_option *row = lode_option_at(n);
        lode_options *o = make_options();
        char message[200];
        n_lists += lode_option_word(row, 0) != NULL;
        for (size_t i = 0; lode_option_word(row, i); i++) {
            const char *word = lode_option_word(row, i);
            if (strcmp(word, "top:K") == 0) word = "top:5";
            lode_status status =
                lode_options_set_in(o, row->group, row->name, word, message, sizeof message);
            if (!CHECK_EQUAL(status, LODE_OK)) fprintf(stderr, "  %s %s\n", row->name, message);
        }
        lode_options_free(o);
    }
    CHECK(n_lists >= 16);
}

/* Names and letters are unique; every row has its texts, a case above, and misses a value. */
static void test_option_table(void) {
    size_t n = 0;
    for (; lode_option_at(n); n++) {
        const lode_option *row = lode_option_at(n);
        lode_options *o = make_options();
        char message[200] = "";
        bool covered = false;
        CHECK(row->name[0] && row->help[0] && row->fallback[0]);
        CHECK(row->group > 0 && (row->group & (row->group - 1)) == 0 &&
              row->group <= LODE_OPTION_GRAPH_CLASS);
        for (size_t i = 0; i < n; i++) {
            const lode_option *other = lode_option_at(i);
            if (!(commands_of(other) & commands_of(row))) continue; /* no command has both */
            CHECK(strcmp(other->name, row->name) != 0);
            CHECK(row->letter == 0 || other->letter != row->letter);
        }
        lode_status status =
            lode_options_set_in(o, row->group, row->name, NULL, message, sizeof message);
        CHECK_EQUAL(status, row->argument ? LODE_INVALID : LODE_OK);
        CHECK((message[0] != 0) == (row->argument != NULL));
        for (size_t i = 0; i < sizeof option_cases / sizeof *option_cases; i++) {
            covered = covered || strcmp(option_cases[i].name, row->name) == 0;
        }
        if (!CHECK(covered)) fprintf(stderr, "  no case for --%s\n", row->name);
        lode_options_free(o);
    }
    CHECK(n > 10 && !lode_option_at(n + 1));
}

/* Renamed options are still found by their old names, and messages and help use the new ones. */
static void test_old_names(void) {
    static const struct {
        unsigned group;
        const char *old, *name;
    } rows[] = {
        {LODE_OPTION_CONSTRAINT, "must", "include"},
        {LODE_OPTION_RULE, "must", "include"},
        {LODE_OPTION_RULE, "must-lhs", "include-lhs"},
        {LODE_OPTION_RULE, "must-rhs", "include-rhs"},
        {LODE_OPTION_RULE, "max-body", "max-lhs"},
        {LODE_OPTION_RULE, "max-head", "max-rhs"},
        {LODE_OPTION_SELECT, "with", "include"},
        {LODE_OPTION_SELECT, "without", "exclude"},
        {LODE_OPTION_QUERY, "has", "include"},
        {LODE_OPTION_QUERY, "lacks", "exclude"},
        {LODE_OPTION_QUERY, "lhs-has", "include-lhs"},
        {LODE_OPTION_QUERY, "lhs-lacks", "exclude-lhs"},
        {LODE_OPTION_QUERY, "rhs-has", "include-rhs"},
        {LODE_OPTION_QUERY, "rhs-lacks", "exclude-rhs"},
    };
    lode_options *o = NULL;
    char value[32];
    CHECK_EQUAL(lode_options_create(&o), LODE_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const lode_option *found = lode_option_find(rows[i].group, rows[i].old);
        CHECK(found && strcmp(found->name, rows[i].name) == 0 && found->group == rows[i].group);
        CHECK_EQUAL(lode_options_set_in(o, rows[i].group, rows[i].old, "7", NULL, 0), LODE_OK);
        lode_options_get_in(o, rows[i].group, rows[i].name, value, sizeof value);
        CHECK_TEXT(value, "7");
    }
    CHECK(!lode_option_find(LODE_OPTION_JOB, "must") && !lode_option_find(~0u, "musty"));
    lode_options_free(o);
}

/* The structs of two options are equal, and so are the texts that they point to. */
static bool are_equal(const lode_options *a, const lode_options *b) {
    all_options x = copy_options(a), y = copy_options(b);
    lode_job_options p = *lode_options_job(a), q = *lode_options_job(b);
    const char **texts[][2] = {{&x.mine.algorithm, &y.mine.algorithm},
                               {&x.graph.algorithm, &y.graph.algorithm},
                               {&x.mine.include, &y.mine.include},
                               {&x.rule.algorithm, &y.rule.algorithm},
                               {&x.rule.lhs, &y.rule.lhs},
                               {&x.rule.rhs, &y.rule.rhs},
                               {&x.rule.include, &y.rule.include},
                               {&x.rule.include_lhs, &y.rule.include_lhs},
                               {&x.rule.include_rhs, &y.rule.include_rhs},
                               {&x.rule.exclude, &y.rule.exclude},
                               {&x.rule.exclude_lhs, &y.rule.exclude_lhs},
                               {&x.rule.exclude_rhs, &y.rule.exclude_rhs},
                               {&x.rule.minima, &y.rule.minima},
                               {&x.rule.maxima, &y.rule.maxima},
                               {&x.rule.sort_by, &y.rule.sort_by},
                               {&x.rule.holdout, &y.rule.holdout},
                               {&x.mine.exclude, &y.mine.exclude},
                               {&x.mine.minima, &y.mine.minima},
                               {&x.mine.maxima, &y.mine.maxima},
                               {&x.write.measures, &y.write.measures},
                               {&x.write.sort_by, &y.write.sort_by},
                               {&x.mine.groups, &y.mine.groups},
                               {&x.read.ignore, &y.read.ignore},
                               {&x.read.bins, &y.read.bins},
                               {&x.read.tid_column, &y.read.tid_column},
                               {&x.read.item_column, &y.read.item_column},
                               {&x.read.weight_column, &y.read.weight_column},
                               {&x.read.drop_rows, &y.read.drop_rows},
                               {&x.read.spill, &y.read.spill},
                               {&x.read.sheet, &y.read.sheet},
                               {&x.read.sql, &y.read.sql},
                               {&x.read.database, &y.read.database},
                               {&x.read.driver, &y.read.driver},
                               {&x.graph_read.labels, &y.graph_read.labels},
                               {&p.device, &q.device}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *one = *texts[i][0], *other = *texts[i][1];
        if (!one != !other || (one && strcmp(one, other) != 0)) return false;
        *texts[i][0] = *texts[i][1] = NULL;
    }
    return memcmp(&x, &y, sizeof x) == 0 && p.threads == q.threads &&
           p.memory_bytes == q.memory_bytes && p.device_memory_bytes == q.device_memory_bytes &&
           !p.device == !q.device;
}

/* What an option is read as can be set again, for every value of every option. */
static void test_get_and_set(void) {
    size_t n_tried = 0;
    for (size_t i = 0; lode_option_at(i); i++) {
        const lode_option *row = lode_option_at(i);
        for (size_t k = 0; k < sizeof option_cases / sizeof *option_cases; k++) {
            const option_case *c = &option_cases[k];
            lode_options *a = make_options(), *b = make_options();
            char text[64] = "", again[64] = "";
            if (strcmp(c->name, row->name) == 0 &&
                lode_options_set_in(a, row->group, c->name, c->value, NULL, 0) == LODE_OK) {
                size_t n = lode_options_get_in(a, row->group, c->name, text, sizeof text);
                CHECK(n > 0 && n == strlen(text));
                bool fine = CHECK_EQUAL(lode_options_set_in(b, row->group, c->name, text, NULL, 0),
                                        LODE_OK);
                fine &= CHECK(are_equal(a, b));
                lode_options_get_in(b, row->group, c->name, again, sizeof again);
                fine &= CHECK_TEXT(again, text);
                if (!fine) fprintf(stderr, "  --%s %s became '%s'\n", c->name, c->value, text);
                n_tried++;
            }
            lode_options_free(a);
            lode_options_free(b);
        }
    }
    CHECK(n_tried > 80);
}

static void check_get(const char *name, const char *value, const char *want) {
    char text[64] = "";
    lode_options *o = make_options();
    if (value) CHECK_EQUAL(lode_options_set(o, name, value, NULL, 0), LODE_OK);
    CHECK_EQUAL(lode_options_get(o, name, text, sizeof text), strlen(want));
    if (!CHECK_TEXT(text, want)) fprintf(stderr, "  --%s %s\n", name, value ? value : "");
    lode_options_free(o);
}

/* In the words that a person would use. */
static void test_get(void) {
    static const struct {
        const char *name, *value, *want;
    } cases[] = {{"min-support", "0.01", "1%"},
                 {"min-support", "0.5%", "0.5%"},
                 {"min-support", "100%", "100%"},
                 {"min-support", "0.000000000000000001", "0.0000000000000001%"},
                 {"min-support", "250", "250"},
                 {"min-support", NULL, ""},
                 {"target", NULL, "all"},
                 {"target", "top:9", "top:9"},
                 {"algorithm", NULL, ""},
                 {"algorithm", "brute", "brute"},
                 {"limit-time", "10m", "600"},
                 {"limit-time", "0.1", "0.1"},
                 {"limit-time", "0.000001", "0.000001"},
                 {"limit-time", "1234567.891", "1234567.891"},
                 {"limit-time", "4294967295h", "4294967295h"},
                 {"limit-time", NULL, ""},
                 {"memory", "2048M", "2G"},
                 {"memory", "1000", "1000"},
                 {"epsilon", "unlimited", "unlimited"},
                 {"separator", "\\t", "tab"},
                 {"separator", NULL, ""},
                 {"header", NULL, "false"},
                 {"header", "true", "true"},
                 {"write", NULL, "fimi"},
                 {"product", "mma", "mma"},
                 {"no-such-option", NULL, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_get(cases[i].name, cases[i].value, cases[i].want);
    }
    lode_options *o = make_options();
    char cut[4] = "???";
    set(o, "item", "Product Name");
    CHECK_EQUAL(lode_options_get(o, "item", cut, sizeof cut), strlen("Product Name"));
    CHECK_TEXT(cut, "Pro");
    CHECK_EQUAL(lode_options_get(o, "item", NULL, 0), strlen("Product Name"));
    CHECK_EQUAL(lode_options_get_in(o, LODE_OPTION_GRAPH, "item", cut, sizeof cut), 0);
    CHECK_TEXT(cut, "");
    lode_options_free(o);
}

/* ---- the rest ------------------------------------------------------------------------------ */

static void test_texts(void) {
    for (int i = LODE_OK; i <= LODE_INTERNAL; i++) {
        for (int k = LODE_OK; k < i; k++) {
            CHECK(strcmp(lode_status_text((lode_status)i), lode_status_text((lode_status)k)) != 0);
        }
    }
    CHECK_TEXT(lode_status_text(LODE_BUDGET), "memory budget");
    CHECK_TEXT(lode_status_text((lode_status)99), "unknown status");
    CHECK_TEXT(lode_version(), LODE_VERSION_TEXT);
    lode_algorithm algorithm = LODE_INIT(lode_algorithm);
    size_t n = 0;
    while (lode_algorithm_at(LODE_ITEMSETS, n, &algorithm)) {
        CHECK(algorithm.name[0] && algorithm.summary[0]);
        n++;
    }
    CHECK(n >= 2 && !lode_algorithm_at(LODE_ITEMSETS, n + 1, &algorithm));
    lode_device device = LODE_INIT(lode_device);
    CHECK(lode_device_at(0, &device) && device.usable && device.detail[0]);
    CHECK_TEXT(device.name, "cpu");
    CHECK(!lode_device_at(99, &device));
    /* Waking is never an error; what is wrong, jobs report. */
    static const char *const devices[] = {NULL,    "",       "auto",       "cpu",
                                          "cpu*2", "abacus", "cuda:99+cpu"};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) lode_device_wake(devices[i]);
    CHECK(lode_device_at(0, &device) && device.usable);
}

static void check_refused(lode_job *job, const lode_dataset *data, const lode_mine_options *o) {
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, o, sink), LODE_INVALID);
    CHECK(lode_job_error(job)[0] != 0);
    CHECK_EQUAL(lode_sink_patterns(sink), 0);
    lode_sink_free(sink);
}

static void test_bad_requests(void) {
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    CHECK_EQUAL(lode_job_create(&job, NULL, NULL), LODE_OK);
    CHECK_EQUAL(lode_dataset_parse(job, &data, "1 2\n", 4, "text", NULL), LODE_OK);
    lode_mine_options good = {.size = sizeof good, .min_support = {1, 0}}, o = good;
    o.min_support.numerator = 0;
    check_refused(job, data, &o);
    o = good;
    o.algorithm = "magic";
    check_refused(job, data, &o);
    o = good;
    o.min_size = 3;
    o.max_size = 2;
    check_refused(job, data, &o);
    o = good;
    o.target = LODE_TARGET_TOP;
    check_refused(job, data, &o);
    lode_dataset_free(data);
    lode_job_free(job);
    char device[400];
    memset(device, 'x', sizeof device - 1);
    device[sizeof device - 1] = 0;
    lode_job *none = NULL;
    lode_job_options c = {.size = sizeof c, .device = device};
    CHECK_EQUAL(lode_job_create(&none, NULL, &c), LODE_INVALID);
    CHECK(!none);
}

int main(void) {
    CHECK_RUN(test_thresholds);
    CHECK_RUN(test_threshold_grid);
    CHECK_RUN(test_options);
    CHECK_RUN(test_fields);
    CHECK_RUN(test_option_table);
    CHECK_RUN(test_old_names);
    CHECK_RUN(test_option_words);
    CHECK_RUN(test_get_and_set);
    CHECK_RUN(test_get);
    CHECK_RUN(test_texts);
    CHECK_RUN(test_bad_requests);
    return check_result();
}
