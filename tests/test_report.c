/* test_report.c - the report of a job: head, counters, tables, text, JSON; however the job ended
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/utf8.h"
#include "check.h"
#include "reports.h"
#include "runtime/report/report.h"

#define BASKETS "a b c\na b\na\n\n"

static lode_job *new_job(unsigned threads) {
    lode_job *job = NULL;
    lode_job_options options = {.size = sizeof options, .threads = threads, .device = "cpu"};
    if (lode_job_create(&job, NULL, &options) != LODE_OK) exit(2);
    return job;
}

static lode_dataset *read_text(lode_job *job, const char *text, const char *name) {
    lode_dataset *data = NULL;
    lode_read_options o = {.size = sizeof o, .format = LODE_FORMAT_BASKET, .separator = ' '};
    if (lode_dataset_parse(job, &data, text, strlen(text), name, &o) != LODE_OK) exit(2);
    return data;
}

static lode_mine_options options_for(uint64_t min_count) {
    lode_mine_options o = {.size = sizeof o, .min_support = {min_count, 0}};
    return o;
}

/* Mines into a sink that counts, and finishes it. */
static lode_status mine(lode_job *job, const lode_dataset *data, const lode_mine_options *o) {
    lode_sink *sink = NULL;
    if (lode_sink_count(job, &sink) != LODE_OK) exit(2);
    lode_status status = lode_mine(job, data, o, sink);
    bool usable = status == LODE_OK || status == LODE_CANCELLED || status == LODE_STOPPED;
    if (usable) CHECK_EQUAL(lode_sink_finish(sink, status == LODE_CANCELLED), LODE_OK);
    lode_sink_free(sink);
    return status;
}

static lode_report_head head_of(const lode_job *job) {
    lode_report_head head = {.size = sizeof head};
    CHECK(lode_report_get_head(lode_job_report(job), &head));
    return head;
}

/* ---- text that was written ------------------------------------------------------------------- */

typedef struct written {
    char text[1 << 16];
    size_t n, calls;
    size_t refuse_at; /* the call that is refused; 0 = none */
} written;

static int take(void *user, const char *text, size_t bytes) {
    written *w = user;
    w->calls++;
    if (w->calls == w->refuse_at) return 1;
    if (w->n + bytes < sizeof w->text) memcpy(w->text + w->n, text, bytes);
    w->n += bytes;
    w->text[w->n] = 0;
    return 0;
}

static written *write_with(lode_status (*write)(const lode_report *, lode_write_fn, void *),
                           const lode_report *report) {
    static written w;
    w = (written){.n = 0};
    CHECK_EQUAL(write(report, take, &w), LODE_OK);
    CHECK(w.n < sizeof w.text);
    return &w;
}

static const char *json_of(const lode_job *job) {
    return write_with(lode_report_json, lode_job_report(job))->text;
}

static lode_status short_text(const lode_report *r, lode_write_fn write, void *user) {
    return lode_report_text(r, LODE_REPORT_SHORT, write, user);
}

static lode_status long_text(const lode_report *r, lode_write_fn write, void *user) {
    return lode_report_text(r, LODE_REPORT_VERBOSE, write, user);
}

/* ---- a reader of JSON that only says whether it is some ------------------------------------- */

static const char *json_value(const char *s);

static const char *json_text(const char *s) {
    if (*s++ != '"') return NULL;
    while (*s != '"') {
        unsigned char c = (unsigned char)*s;
        if (c < 0x20) return NULL;
        if (c == '\\') {
            if (s[1] == 'u') {
                if (strspn(s + 2, "0123456789abcdef") < 4) return NULL;
                s += 6;
            } else if (s[1] == '"' || s[1] == '\\') {
                s += 2;
            } else {
                return NULL;
            }
            continue;
        }
        utf8_char next = utf8_next(s, strlen(s));
        if (c >= 0x80 && next.taken < 2) return NULL; /* no UTF-8 */
        s += next.taken;
    }
    return s + 1;
}

static const char *json_list(const char *s, char end, bool keys) {
    if (*++s == end) return s + 1;
    for (;; s++) {
        if (keys && !(s = json_text(s))) return NULL;
        if (keys && *s++ != ':') return NULL;
        if (!(s = json_value(s))) return NULL;
        if (*s == end) return s + 1;
        if (*s != ',') return NULL;
    }
}

static const char *json_value(const char *s) {
    if (*s == '{') return json_list(s, '}', true);
    if (*s == '[') return json_list(s, ']', false);
    if (*s == '"') return json_text(s);
    if (strncmp(s, "true", 4) == 0) return s + 4;
    if (strncmp(s, "false", 5) == 0) return s + 5;
    size_t n = strspn(s, "-+.e0123456789");
    return n > 0 ? s + n : NULL;
}

static bool is_json(const char *text) {
    const char *end = text[0] == '{' ? json_value(text) : NULL;
    return end && strcmp(end, "\n") == 0;
}

/* ---- head and counters ----------------------------------------------------------------------- */

static void test_head(void) {
    lode_job *job = new_job(1);
    lode_dataset *data = read_text(job, BASKETS, "baskets");
    lode_mine_options o = options_for(2);
    CHECK_EQUAL(mine(job, data, &o), LODE_OK);
    lode_report_head h = head_of(job);
    CHECK(h.status == LODE_OK && !h.partial && !h.graphs && h.message[0] == 0 && h.ended[0] == 0);
    CHECK_TEXT(h.algorithm, "adaptive");
    CHECK(h.why[0] && h.device_why[0] && strncmp(h.device, "cpu", 3) == 0 && h.threads == 1);
    CHECK_EQUAL(h.patterns, 3); /* a, b, ab */
    CHECK_EQUAL(h.largest, 2);
    CHECK_EQUAL(h.min_count, 2);
    CHECK_EQUAL(h.n_transactions, 4);
    CHECK_EQUAL(h.total_weight, 4);
    CHECK(h.memory_peak > 0 && h.read_seconds > 0);
    CHECK(h.read_seconds + h.prepare_seconds + h.search_seconds + h.output_seconds <=
          h.total_seconds + 1e-6);
    lode_dataset_free(data);
    lode_job_free(job);
}

/* Programs whose head lacks the last fields, or has more, and none at all. */
static void test_head_sizes(void) {
    lode_job *job = new_job(1);
    const lode_report *r = lode_job_report(job);
    struct {
        lode_report_head head;
        char more[40];
    } longer;
    memset(&longer, 0xee, sizeof longer);
    longer.head.size = sizeof longer;
    CHECK(lode_report_get_head(r, &longer.head));
    CHECK_EQUAL(longer.head.size, sizeof longer);
    for (size_t i = 0; i < sizeof longer.more; i++) CHECK_EQUAL(longer.more[i], 0);

    lode_report_head shorter;
    memset(&shorter, 0xee, sizeof shorter);
    shorter.size = offsetof(lode_report_head, patterns);
    CHECK(lode_report_get_head(r, &shorter));
    CHECK(shorter.status == LODE_OK && shorter.note[0] == 0);
    CHECK_EQUAL(shorter.patterns, 0xeeeeeeeeeeeeeeee);
    shorter.size = 0;
    CHECK(!lode_report_get_head(r, &shorter));
    CHECK(!lode_report_get_head(r, NULL) && !lode_report_get_head(NULL, &longer.head));
    lode_counter none = {0};
    CHECK(!lode_report_find(r, "status", &none));
    lode_job_free(job);
}

/* Every name there is: once, with help, and found in one of the three kinds of reports. */
static void test_names(void) {
    lode_report itemsets = {.has_input = true, .has_run = true}, graphs = itemsets, rules;
    itemsets.result.hashed = graphs.result.hashed = graphs.graphs = true;
    rules = itemsets;
    rules.rules = true;
    lode_counter a = {.size = sizeof a}, b = {.size = sizeof b};
    size_t n = 0;
    for (; lode_counter_at(n, &a); n++) {
        CHECK(a.name[0] && a.help[0] && !strchr(a.name, ' '));
        CHECK(lode_report_find(&rules, a.name, &b) || lode_report_find(&graphs, a.name, &b));
        CHECK_EQUAL(b.unit, a.unit);
        for (size_t k = 0; k < n && lode_counter_at(k, &b); k++) CHECK(strcmp(a.name, b.name) != 0);
    }
    CHECK(n > 80);
    CHECK(lode_report_find(&itemsets, "nodes", &b) && !lode_report_find(&graphs, "nodes", &b));
    CHECK(lode_report_find(&graphs, "search.occurrences", &b));
    CHECK(!lode_report_find(&itemsets, "search.occurrences", &b));
    CHECK(!lode_report_find(&itemsets, "rules.tests", &b) && lode_report_find(&rules, "nodes", &b));
    CHECK(!lode_report_find(&itemsets, "levels", &b) && !lode_report_find(&itemsets, "none", &b));
    lode_table t = {.size = sizeof t};
    CHECK(!lode_report_find_table(&itemsets, "nodes", &t));
}

/* What can be walked through, found by name and read in JSON is the same. */
static void test_walk(void) {
    lode_job *job = new_job(1);
    lode_dataset *data = read_text(job, BASKETS, "baskets");
    lode_mine_options o = options_for(1);
    o.algorithm = "gpapriori";
    CHECK_EQUAL(mine(job, data, &o), LODE_OK);
    const lode_report *r = lode_job_report(job);
    const char *tsv = write_with(lode_report_tsv, r)->text;
    lode_counter a = {.size = sizeof a}, b = {.size = sizeof b};
    size_t n = 0;
    for (; lode_report_counter_at(r, n, &a); n++) {
        char key[80];
        CHECK(lode_report_find(r, a.name, &b) && b.count == a.count && b.number == a.number);
        snprintf(key, sizeof key, "\n%s\t", a.name);
        CHECK(n == 0 || strstr(tsv, key) != NULL);
    }
    CHECK(n > 60 && report_number(job, "candidates.counted") == 4); /* ab ac bc abc */
    CHECK_EQUAL(report_rows(job, "levels"), 2);
    CHECK_EQUAL(report_at(job, "levels", 0, "size").count, 2);
    CHECK_EQUAL(report_at(job, "levels", 0, "counted").count, 3);
    CHECK_EQUAL(report_at(job, "levels", 1, "frequent").count, 1);
    CHECK_EQUAL(report_rows(job, "patterns.by_size"), 3);
    CHECK_EQUAL(report_at(job, "patterns.by_size", 2, "size").count, 3);
    CHECK(report_at(job, "thread_seconds", 0, "").unit == LODE_UNIT_SECONDS);
    CHECK(!lode_report_cell(r, "levels", 2, 0, &a) && !lode_report_cell(r, "levels", 0, 99, &a));
    CHECK(!lode_report_cell(r, "none", 0, 0, &a));
    size_t tables = 0;
    for (lode_table t = {.size = sizeof t}; lode_report_table_at(r, tables, &t);) tables++;
    CHECK_EQUAL(tables, 5);
    lode_dataset_free(data);
    lode_job_free(job);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Names of files are any bytes but 0. */
static void test_escapes(void) {
    char name[1000];
    size_t n = 0;
    for (int c = 1; c < 256; c++) name[n++] = (char)c;
    n += (size_t)snprintf(name + n, 64,
                          "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xed\xa0\x80\xf4\x90\x80\x80");
    lode_job *job = new_job(1);
    lode_dataset *data = read_text(job, BASKETS, name);
    lode_mine_options o = options_for(1);
    CHECK(is_json(json_of(job))); /* nothing was mined yet */
    CHECK_EQUAL(mine(job, data, &o), LODE_OK);
    CHECK_TEXT(report_words(job, "input.path"), name);
    const char *json = json_of(job);
    CHECK(is_json(json));
    CHECK(strstr(json, "\"path\":\"\\u0001\\u0002") && strstr(json, " !\\\"#") &&
          strstr(json, "[\\\\]"));
    CHECK(strstr(json, "\xc3\xbf\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xad\xc2\xa0\xe2\x82\xac"));
    CHECK(!is_json("{\"a\":1,}\n") && !is_json("{\"a\":\"\xff\"}\n") && !is_json("{\"a\":1"));

    const char *tsv = write_with(lode_report_tsv, lode_job_report(job))->text;
    for (const char *line = tsv; *line;) {
        const char *end = strchr(line, '\n'), *tab = strchr(line, '\t');
        if (!CHECK(end && tab && tab < end)) break;
        CHECK(!memchr(tab + 1, '\t', (size_t)(end - tab - 1)));
        line = end + 1;
    }
    lode_dataset_free(data);
    lode_job_free(job);
}

static void test_refusal(void) {
    static lode_status (*const writers[])(const lode_report *, lode_write_fn, void *) = {
        lode_report_json, lode_report_tsv, short_text, long_text};
    char name[4000];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = 0; /* so that there are several calls */
    lode_job *job = new_job(1);
    lode_dataset *data = read_text(job, BASKETS, name);
    lode_mine_options o = options_for(1);
    CHECK_EQUAL(mine(job, data, &o), LODE_OK);
    const lode_report *r = lode_job_report(job);
    for (size_t i = 0; i < 4; i++) {
        written *w = write_with(writers[i], r);
        size_t calls = w->calls;
        CHECK(calls >= (i == 2 ? 1 : 2));
        for (size_t k = 1; k <= calls; k++) {
            *w = (written){.refuse_at = k};
            CHECK_EQUAL(writers[i](r, take, w), LODE_STOPPED);
            CHECK_EQUAL(w->calls, k); /* and never again */
        }
        CHECK_EQUAL(writers[i](NULL, take, w), LODE_INVALID);
        CHECK_EQUAL(writers[i](r, NULL, w), LODE_INVALID);
    }
    written *w = write_with(short_text, r);
    CHECK_EQUAL(lode_report_text(r, (lode_report_level)2, take, w), LODE_INVALID);
    lode_dataset_free(data);
    lode_job_free(job);
}

/* ---- how it can end -------------------------------------------------------------------------- */

static void check_end(const lode_job *job, lode_status status, const char *text, const char *says) {
    lode_report_head h = head_of(job);
    CHECK_EQUAL(h.status, status);
    CHECK_EQUAL(h.partial, status != LODE_OK);
    CHECK_TEXT(report_words(job, "status"), text);
    CHECK_EQUAL(report_number(job, "exit"), (uint64_t)lode_exit_code(status));
    if (!CHECK(strstr(h.message, says) != NULL)) fprintf(stderr, "  says: %s\n", h.message);
    CHECK(is_json(json_of(job)));
    CHECK(write_with(long_text, lode_job_report(job))->n > 0);
}

static void test_failures(void) {
    lode_job *job = new_job(1);
    lode_dataset *none = NULL;
    lode_sink *file = NULL;
    lode_counter c = {.size = sizeof c};
    check_end(job, LODE_OK, "done", "");
    CHECK_TEXT(write_with(short_text, lode_job_report(job))->text, "nothing was done\n");
    CHECK_EQUAL(lode_dataset_open(job, &none, "/no/such/file", NULL), LODE_NOTFOUND);
    check_end(job, LODE_NOTFOUND, "failed", "/no/such/file");
    CHECK(!lode_report_find(lode_job_report(job), "input.path", &c));
    CHECK(strstr(write_with(short_text, lode_job_report(job))->text, "failed: cannot open"));

    lode_dataset *data = read_text(job, BASKETS, "baskets");
    check_end(job, LODE_OK, "done", "");
    CHECK_EQUAL(lode_sink_file(job, &file, data, "/no/such/folder/out", NULL), LODE_IO);
    check_end(job, LODE_IO, "failed", "/no/such/folder/out");
    CHECK_TEXT(report_words(job, "input.path"), "baskets");
    CHECK(!lode_report_find(lode_job_report(job), "threshold.count", &c));

    lode_mine_options o = options_for(1);
    o.min_size = 3;
    o.max_size = 2;
    CHECK_EQUAL(mine(job, data, &o), LODE_INVALID);
    check_end(job, LODE_INVALID, "failed", "the maximum size 2 is below");
    o = options_for(1);
    o.algorithm = "no-such";
    CHECK_EQUAL(mine(job, data, &o), LODE_INVALID);
    check_end(job, LODE_INVALID, "failed", "no-such");
    CHECK_EQUAL(report_number(job, "threshold.count"), 1);

    o.algorithm = NULL;
    CHECK_EQUAL(mine(job, data, &o), LODE_OK);
    check_end(job, LODE_OK, "done", "");
    lode_report_fail(job, LODE_IO, "the line is dead");
    check_end(job, LODE_IO, "failed", "the line is dead");
    CHECK_EQUAL(report_number(job, "patterns.total"), 7);
    lode_dataset_free(data);
    lode_job_free(job);
}

static void test_ends(void) {
    lode_job *job = new_job(1);
    lode_dataset *data = read_text(job, BASKETS, "baskets");
    lode_mine_options o = options_for(1);
    o.limit_patterns = 3;
    CHECK_EQUAL(mine(job, data, &o), LODE_STOPPED);
    check_end(job, LODE_STOPPED, "stopped by a limit", "stopped at the limit of 3 patterns");
    CHECK_TEXT(head_of(job).stopped_by, "limit-patterns");
    CHECK_TEXT(head_of(job).ended,
               "stopped by --limit-patterns 3: the result is partial, 3 itemsets so far");
    CHECK_TEXT(report_at(job, "next", 0, "rule").text, "limit-patterns");

    lode_job_cancel(job);
    o.limit_patterns = 0;
    CHECK_EQUAL(mine(job, data, &o), LODE_CANCELLED);
    check_end(job, LODE_CANCELLED, "interrupted", "interrupted");
    CHECK(strncmp(head_of(job).ended, "interrupted: the result is partial, ", 36) == 0);
    lode_job_reset(job);
    CHECK_EQUAL(mine(job, data, &o), LODE_OK);
    check_end(job, LODE_OK, "done", "");
    CHECK_TEXT(head_of(job).stopped_by, "");
    lode_dataset_free(data);
    lode_job_free(job);
}

/* The file, and what it is called when the job was cancelled. */
static void test_output(void) {
    char path[] = "/tmp/lode-report-XXXXXX", partial[64];
    int fd = mkstemp(path);
    if (fd < 0) exit(2);
    lode_job *job = new_job(1);
    lode_dataset *data = read_text(job, BASKETS, "baskets");
    lode_mine_options o = options_for(2);
    snprintf(partial, sizeof partial, "%s.partial", path);
    for (int i = 0; i < 2; i++) {
        bool cancelled = i == 1;
        lode_sink *sink = NULL;
        CHECK_EQUAL(lode_sink_file(job, &sink, data, path, NULL), LODE_OK);
        if (cancelled) lode_job_cancel(job);
        CHECK_EQUAL(lode_mine(job, data, &o, sink), cancelled ? LODE_CANCELLED : LODE_OK);
        CHECK_EQUAL(lode_sink_finish(sink, cancelled), LODE_OK);
        CHECK_TEXT(report_words(job, "patterns.output"), cancelled ? partial : path);
        CHECK_EQUAL(report_number(job, "patterns.text_bytes"), lode_sink_bytes(sink));
        CHECK((strstr(head_of(job).ended, partial) != NULL) == cancelled);
        const char *text = write_with(short_text, lode_job_report(job))->text;
        CHECK((strstr(text, "written to /tmp/lode-report") == NULL) == cancelled);
        lode_sink_free(sink);
    }
    remove(path);
    remove(partial);
    lode_dataset_free(data);
    lode_job_free(job);
}

/* ---- several -------------------------------------------------------------------------------- */

static lode_status busy(lode_job *job, lode_dataset *data) {
    lode_mine_options o = options_for(1);
    return mine(job, data, &o);
}

/* Each job has its own, and nothing adds up from one run to the next. */
static void test_two_jobs(void) {
    lode_ctx *ctx = NULL;
    lode_job *first = NULL, *second = NULL;
    CHECK_EQUAL(lode_ctx_create(&ctx, NULL), LODE_OK);
    CHECK_EQUAL(lode_job_create(&first, ctx, NULL), LODE_OK);
    CHECK_EQUAL(lode_job_create(&second, ctx, NULL), LODE_OK);
    lode_dataset *data = read_text(first, BASKETS, "baskets");
    CHECK_EQUAL(busy(first, data), LODE_OK);
    lode_mine_options o = options_for(3);
    CHECK_EQUAL(mine(second, data, &o), LODE_OK);
    CHECK_EQUAL(head_of(first).patterns, 7);
    CHECK_EQUAL(head_of(second).patterns, 1);
    CHECK(head_of(first).read_seconds > 0);
    CHECK(head_of(second).read_seconds == 0); /* the data were there */
    CHECK(report_counter(second, "input.read_seconds").number > 0);
    CHECK_TEXT(report_words(second, "input.path"), "baskets");
    CHECK(!strstr(write_with(short_text, lode_job_report(second))->text, "read in"));

    double before = 0;
    for (int i = 0; i < 20; i++) {
        CHECK_EQUAL(busy(first, data), LODE_OK);
        before += report_at(first, "thread_seconds", 0, "").number;
    }
    CHECK(report_at(first, "thread_seconds", 0, "").number < before);
    CHECK(head_of(first).read_seconds == 0); /* by the second run */
    CHECK_EQUAL(report_rows(first, "patterns.by_size"), 3);
    lode_dataset_free(data);
    lode_job_free(first);
    lode_job_free(second);
    lode_ctx_free(ctx);
}

static void test_graphs(void) {
    static const char text[] = "t # 0\nv 0 C\nv 1 O\ne 0 1 x\nt # 1\nv 0 C\nv 1 O\ne 0 1 x\n";
    lode_job *job = new_job(2);
    lode_graphs *graphs = NULL;
    lode_sink *sink = NULL;
    lode_graph_options o = {.size = sizeof o, .min_support = {1, 2}}; /* half of them */
    CHECK_EQUAL(lode_graphs_parse(job, &graphs, text, sizeof text - 1, "pair", NULL), LODE_OK);
    CHECK_EQUAL(lode_graph_sink_hash(job, &sink, graphs), LODE_OK);
    CHECK_EQUAL(lode_graphs_mine(job, graphs, &o, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    lode_report_head h = head_of(job);
    CHECK(h.graphs && h.patterns == 1 && h.largest == 1 && h.n_transactions == 2);
    CHECK_TEXT(h.algorithm, "graft");
    CHECK_TEXT(report_words(job, "threshold.text"), "50%");
    CHECK_EQUAL(strtoull(report_words(job, "patterns.hash"), NULL, 16), lode_sink_hash_value(sink));
    CHECK_EQUAL(report_at(job, "patterns.by_edges", 0, "edges").count, 1);
    CHECK_EQUAL(report_number(job, "input.vertices"), 4);
    CHECK(report_number(job, "search.frequent_triples") == 1 && is_json(json_of(job)));
    lode_sink_free(sink);

    lode_dataset *data = read_text(job, BASKETS, "baskets"); /* the other kind, in the same job */
    CHECK_EQUAL(busy(job, data), LODE_OK);
    CHECK(!head_of(job).graphs && report_number(job, "input.items") == 3);
    lode_dataset_free(data);
    lode_graphs_free(graphs);
    lode_job_free(job);
}

/* ---- what to try next ----------------------------------------------------------------------- */

typedef struct advice_case {
    const char *text;
    lode_threshold min_support;
    lode_target target;
    uint64_t top_k;
    uint32_t min_size, max_size;
    const char *rules; /* in order, each followed by a blank */
    const char *says;
} advice_case;

static const char twins[] =
    "a b c d e f g h i j k l m n o p q\na b c d e f g h i j k l m n o p q\n";

static const advice_case advice_cases[] = {
    {"", {1, 0}, LODE_TARGET_ALL, 0, 0, 0, "empty ", "contain no transactions"},
    {BASKETS, {9, 0}, LODE_TARGET_ALL, 0, 0, 0, "never none ", "only 4 transactions"},
    {BASKETS, {4, 0}, LODE_TARGET_ALL, 0, 0, 0, "none ", "in 3 of 4 transactions; use -s 3"},
    {BASKETS, {3, 0}, LODE_TARGET_ALL, 0, 2, 0, "none ", "use --target top:20 --min-size 2"},
    {"a b\nc d\n", {2, 0}, LODE_TARGET_ALL, 0, 0, 0, "apart ", "no item occurs in two"},
    {BASKETS, {1, 0}, LODE_TARGET_ALL, 0, 0, 0, "one items ", "-s 1 is a count"},
    {BASKETS, {1, 0}, LODE_TARGET_TOP, 2, 0, 0, "items ", "2 itemsets have only one item"},
    {BASKETS, {3, 0}, LODE_TARGET_ALL, 0, 0, 0, "single ", "such as -s 2, may find larger"},
    {BASKETS, {3, 0}, LODE_TARGET_ALL, 0, 0, 1, "", ""}, /* no more was wanted */
    {BASKETS, {0, 0}, LODE_TARGET_TOP, 1, 0, 0, "single ", "--min-size 2 to find larger ones"},
    {BASKETS, {2, 0}, LODE_TARGET_MAXIMAL, 0, 0, 0, "", ""},
    {twins, {2, 0}, LODE_TARGET_ALL, 0, 0, 0, "many items ", "closed, which loses no information"},
    {twins, {2, 0}, LODE_TARGET_CLOSED, 0, 0, 0, "", ""},
};

static void check_advice(const advice_case *c) {
    char rules[100] = "", all[1000] = "";
    lode_job *job = new_job(1);
    lode_dataset *data = read_text(job, c->text, "baskets");
    lode_mine_options o = {.size = sizeof o,
                           .min_support = c->min_support,
                           .target = c->target,
                           .top_k = c->top_k,
                           .min_size = c->min_size,
                           .max_size = c->max_size};
    CHECK_EQUAL(mine(job, data, &o), LODE_OK);
    for (size_t i = 0; i < report_rows(job, "next"); i++) {
        size_t r = strlen(rules), a = strlen(all);
        snprintf(rules + r, sizeof rules - r, "%s ", report_at(job, "next", i, "rule").text);
        snprintf(all + a, sizeof all - a, "%s\n", report_at(job, "next", i, "text").text);
    }
    CHECK_TEXT(rules, c->rules);
    if (!CHECK(strstr(all, c->says) != NULL)) fprintf(stderr, "  says: %s", all);
    const char *text = write_with(short_text, lode_job_report(job))->text;
    CHECK((strstr(text, "next: ") == NULL) == (rules[0] == 0) && strstr(text, c->says));
    lode_dataset_free(data);
    lode_job_free(job);
}

static void test_advice(void) {
    for (size_t i = 0; i < sizeof advice_cases / sizeof *advice_cases; i++) {
        check_advice(&advice_cases[i]);
    }
    /* What takes long to bring about. */
    lode_report r = {.has_run = true, .input.n = 9, .result.patterns = 1000000};
    r.asked.adjective = "closed";
    report_settle(&r);
    CHECK(r.n_advice == 1 && strcmp(r.advice[0].rule, "many-closed") == 0);
    r.status = LODE_STOPPED;
    snprintf(r.engine.stopped_by, sizeof r.engine.stopped_by, "limit-time");
    report_settle(&r);
    CHECK(r.n_advice == 1 && strcmp(r.advice[0].rule, "ended") == 0);
    CHECK_TEXT(r.advice[0].text, "to finish sooner, use a higher -s or --max-size 3");
}

static void test_weights(void) {
    static const uint64_t offsets[] = {0, 2, 3};
    static const uint32_t items[] = {1, 2, 1}, weights[] = {10, 5};
    lode_job *job = new_job(1);
    lode_dataset *data = NULL;
    CHECK_EQUAL(lode_dataset_from_arrays(job, &data, 2, offsets, items, weights), LODE_OK);
    lode_mine_options o = options_for(10);
    CHECK_EQUAL(mine(job, data, &o), LODE_OK);
    CHECK_EQUAL(head_of(job).n_transactions, 2);
    CHECK_EQUAL(head_of(job).total_weight, 15);
    const char *text = write_with(short_text, lode_job_report(job))->text;
    CHECK(strstr(text, "3 itemsets in at least 10 of a total weight of 15 (67%)"));
    CHECK(strstr(text, "data: 2 transactions") && strstr(text, "supports are sums of weights"));
    lode_dataset_free(data);
    lode_job_free(job);
}

int main(void) {
    CHECK_RUN(test_head);
    CHECK_RUN(test_head_sizes);
    CHECK_RUN(test_names);
    CHECK_RUN(test_walk);
    CHECK_RUN(test_escapes);
    CHECK_RUN(test_refusal);
    CHECK_RUN(test_failures);
    CHECK_RUN(test_ends);
    CHECK_RUN(test_output);
    CHECK_RUN(test_two_jobs);
    CHECK_RUN(test_graphs);
    CHECK_RUN(test_advice);
    CHECK_RUN(test_weights);
    return check_result();
}
