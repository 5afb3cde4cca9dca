/* test_rule_sinks.c - sinks for rules: texts byte for byte, order, limits, memory, hash
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "faulty.h"
#include "sink_feed.h"
#include "write/rules/rule_columns.h"

/* Ten baskets; ids in the order of names: "a,b" 0, beer 1, milk 2, "red wine" 3. */
static const char baskets[] = "milk;beer\nmilk;red wine\nmilk;beer\nmilk\nbeer;\"a,b\"\nmilk;beer\n"
                              "red wine;beer\nmilk\nmilk\nbeer\n";

static lode_dataset *basket_data(lode_job *job) {
    lode_dataset *data = NULL;
    lode_read_options o = {.size = sizeof o, .format = LODE_FORMAT_BASKET, .separator = ';'};
    lode_status status = lode_dataset_parse(job, &data, baskets, strlen(baskets), "baskets", &o);
    CHECK_EQUAL(status, LODE_OK);
    return data;
}

static lode_rule rule_of(const uint32_t *lhs, uint32_t n_lhs, const uint32_t *rhs, uint32_t n_rhs,
                         lode_counts counts) {
    return (lode_rule){.size = sizeof(lode_rule),
                       .lhs = lhs,
                       .rhs = rhs,
                       .n_lhs = n_lhs,
                       .n_rhs = n_rhs,
                       .counts = counts,
                       .best_confidence = NAN,
                       .best_lift = NAN,
                       .adjusted_p = NAN};
}

/* Rules of the data above, by hand: two of one antecedent in a batch, and one with a long
 * consequent. */
static void feed(lode_sink *sink, const lode_dataset *data) {
    const uint32_t lhs[] = {2, 3}, consequents[] = {0, 1}, one[] = {1}, two[] = {0, 3};
    const uint64_t both[] = {1, 3}, of_rhs[] = {1, 6};
    rule_batch batch = {lhs, 2, 3, consequents, both, of_rhs, 2};
    lode_rule rule = rule_of(one, 1, two, 2, (lode_counts){2, 6, 2, 10});
    sink_worker *worker = NULL;
    sink_set_data(sink, data);
    CHECK_EQUAL(rule_sink_open_worker(sink, &worker), LODE_OK);
    CHECK_EQUAL(rule_sink_emit(worker, &rule), LODE_OK);
    CHECK_EQUAL(rule_sink_emit_batch(worker, &batch), LODE_OK);
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
    sink_set_data(sink, NULL);
}

static void check_format(const lode_rule_write_options *o, const char *wanted) {
    lode_job *job = generated_job(1);
    lode_dataset *data = basket_data(job);
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_rule_sink_file(job, &sink, data, generated_path, o), LODE_OK);
    feed(sink, data);
    CHECK_EQUAL(lode_sink_patterns(sink), 3);
    CHECK_EQUAL(lode_sink_patterns_of_size(sink, 3), 3);
    char *text = finish_text(sink);
    CHECK_TEXT(text, wanted);
    free(text);
    lode_dataset_free(data);
    generated_done(job);
}

#define OPTIONS(...)                                                                               \
    &(lode_rule_write_options) {                                                                   \
        .size = sizeof(lode_rule_write_options), __VA_ARGS__                                       \
    }

/* The highest confidence first. */
static void texts(void) {
    check_format(NULL, "beer <- milk \"red wine\" (3, 100)\n"
                       "a,b \"red wine\" <- beer (6, 33.333)\n"
                       "a,b <- milk \"red wine\" (3, 33.333)\n");
    check_format(OPTIONS(.measures = "lift,support"), "beer <- milk \"red wine\" (1.66667, 0.3)\n"
                                                      "a,b \"red wine\" <- beer (1.66667, 0.2)\n"
                                                      "a,b <- milk \"red wine\" (3.33333, 0.1)\n");
    check_format(OPTIONS(.format = LODE_RULE_WRITE_SPMF),
                 "milk \"red wine\" ==> beer #SUP: 3 #CONF: 1 #LIFT: 1.6666666666666667\n"
                 "beer ==> a,b \"red wine\" #SUP: 2 #CONF: 0.3333333333333333 #LIFT: "
                 "1.6666666666666667\n"
                 "milk \"red wine\" ==> a,b #SUP: 1 #CONF: 0.3333333333333333 #LIFT: "
                 "3.3333333333333335\n");
    check_format(OPTIONS(.format = LODE_RULE_WRITE_SPMF, .measures = "count"),
                 "milk \"red wine\" ==> beer #SUP: 3 #COUNT: 3\n"
                 "beer ==> a,b \"red wine\" #SUP: 2 #COUNT: 2\n"
                 "milk \"red wine\" ==> a,b #SUP: 1 #COUNT: 1\n");
}

static void csv(void) {
    check_format(
        OPTIONS(.format = LODE_RULE_WRITE_CSV),
        "antecedents,consequents,antecedent support,consequent support,support,confidence,lift,"
        "representativity,leverage,conviction,zhangs_metric,jaccard,certainty,kulczynski\n"
        "\"milk|red wine\",\"beer\",0.3,0.6,0.3,1,1.6666666666666667,1,0.12,inf,"
        "0.5714285714285714,0.5,1,0.75\n"
        "\"beer\",\"a,b|red wine\",0.6,0.2,0.2,0.3333333333333333,1.6666666666666667,1,0.08,1.2,1,"
        "0.3333333333333333,0.16666666666666666,0.6666666666666666\n"
        "\"milk|red wine\",\"a,b\",0.3,0.1,0.1,0.3333333333333333,3.3333333333333335,1,0.07,1.35,"
        "1,0.3333333333333333,0.25925925925925924,0.6666666666666666\n");
    check_format(OPTIONS(.format = LODE_RULE_WRITE_CSV, .measures = "lift\nimprovement",
                         .sort = true, .bom = true),
                 "\xef\xbb\xbf"
                 "antecedents,consequents,lift,improvement\n"
                 "\"beer\",\"a,b|red wine\",1.6666666666666667,\n"
                 "\"milk|red wine\",\"a,b\",3.3333333333333335,\n"
                 "\"milk|red wine\",\"beer\",1.6666666666666667,\n");
}

static void jsonl(void) {
    check_format(
        OPTIONS(.format = LODE_RULE_WRITE_JSONL, .measures = "conviction", .sort = true),
        "{\"body\":[\"beer\"],\"head\":[\"a,b\",\"red wine\"],\"count\":2,\"body_count\":6,"
        "\"head_count\":2,\"total\":10,\"conviction\":1.2}\n"
        "{\"body\":[\"milk\",\"red wine\"],\"head\":[\"a,b\"],\"count\":1,\"body_count\":3,"
        "\"head_count\":1,\"total\":10,\"conviction\":1.35}\n"
        "{\"body\":[\"milk\",\"red wine\"],\"head\":[\"beer\"],\"count\":3,\"body_count\":3,"
        "\"head_count\":6,\"total\":10,\"conviction\":null}\n");
}

/* ---- pictures and intervals ------------------------------------------------------------------ */

static char *written(const lode_rule_write_options *o) {
    lode_job *job = generated_job(1);
    lode_dataset *data = basket_data(job);
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_rule_sink_file(job, &sink, data, generated_path, o), LODE_OK);
    feed(sink, data);
    char *text = finish_text(sink);
    lode_dataset_free(data);
    generated_done(job);
    return text;
}

static void check_has(const char *text, const char *piece) {
    if (!CHECK(strstr(text, piece) != NULL)) fprintf(stderr, "missing: %s in\n%s\n", piece, text);
}

static void pictures(void) {
    char *dot = written(OPTIONS(.format = LODE_RULE_WRITE_DOT));
    check_has(dot, "digraph rules {\n");
    check_has(dot, "label=\"3 rules\";\n");
    check_has(dot, "label=\"red wine\"];\n");
    check_has(dot, "label=\"confidence 1\\nlift 1.67\"];\n  i2 -> r0;\n  i3 -> r0;\n  r0 -> i1;\n");
    CHECK_TEXT(dot + strlen(dot) - 3, "\n}\n");
    char *svg = written(OPTIONS(.format = LODE_RULE_WRITE_SVG));
    check_has(svg, "<title id=\"title\">3 rules</title>\n");
    check_has(svg, "{milk, red wine} \xe2\x86\x92 {beer}\nsupport 30% (3), confidence 100% (of 3), "
                   "lift 1.67</title>");
    check_has(svg, "confidence, %</text>");
    CHECK_TEXT(svg + strlen(svg) - 8, "\n</svg>\n");
    free(dot);
    free(svg);
}

static void intervals(void) {
    char *text =
        written(OPTIONS(.format = LODE_RULE_WRITE_CSV, .measures = "lift", .interval = 0.9));
    check_has(text,
              "antecedents,consequents,lift,confidence.low,confidence.high,lift.low,lift.high,"
              "oddsRatio.low,oddsRatio.high\n");
    double low, high;
    lode_counts c = {2, 6, 2, 10};
    CHECK(lode_measure_interval(LODE_INTERVAL_CONFIDENCE, &c, 0.9, &low, &high));
    const char *line = strstr(text, "\n\"beer\",");
    double got[3] = {0};
    CHECK(line &&
          sscanf(line, "\n\"beer\",\"a,b|red wine\",%lf,%lf,%lf", got, got + 1, got + 2) == 3);
    CHECK(got[1] == low && got[2] == high && low < 1.0 / 3 && high > 1.0 / 3);
    free(text);
}

static void refuse(lode_job *job, const lode_dataset *data, const lode_rule_write_options *o,
                   const char *words) {
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_rule_sink_file(job, &sink, data, generated_path, o), LODE_INVALID);
    check_has(lode_job_error(job), words);
    CHECK(!sink);
}

static void wrong_options(void) {
    lode_job *job = generated_job(1);
    lode_dataset *data = basket_data(job);
    refuse(job, data, OPTIONS(.sort = true, .unsorted = true), "cannot be combined");
    refuse(job, data, OPTIONS(.bom = true), "bom is for csv");
    refuse(job, data, OPTIONS(.interval = 0.5), "require csv, jsonl, arrow or xlsx");
    refuse(job, data, OPTIONS(.format = LODE_RULE_WRITE_CSV, .interval = 1), "below 1");
    refuse(job, data, OPTIONS(.format = LODE_RULE_WRITE_CSV, .interval = NAN), "below 1");
    refuse(job, data, OPTIONS(.format = LODE_RULE_WRITE_SVG, .measures = "phi"), "svg shows");
    refuse(job, data, OPTIONS(.measures = "lift,lft"), "did you mean 'lift'?");
    refuse(job, data, OPTIONS(.measures = "lift,"), "no measure ''");
    refuse(job, data, OPTIONS(.measures = ",lift"), "no measure ''");
    refuse(job, data, OPTIONS(.format = (lode_rule_write_format)99), "format");
    lode_dataset_free(data);
    generated_done(job);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* n rules {0} -> {1}, of counts that differ, from `threads` workers, one after the other. */
static void feed_many(lode_sink *sink, const lode_dataset *data, uint64_t n) {
    const uint32_t lhs[] = {0}, rhs[] = {1};
    sink_worker *worker = NULL;
    sink_set_data(sink, data);
    CHECK_EQUAL(rule_sink_open_worker(sink, &worker), LODE_OK);
    for (uint64_t i = 0; i < n; i++) {
        lode_rule rule = rule_of(lhs, 1, rhs, 1, (lode_counts){i + 1, n, n, 2 * n});
        CHECK_EQUAL(rule_sink_emit(worker, &rule), LODE_OK);
        if (i % 1000 == 999) { /* another worker goes on */
            CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
            CHECK_EQUAL(rule_sink_open_worker(sink, &worker), LODE_OK);
        }
    }
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
    sink_set_data(sink, NULL);
}

/* The count at the beginning of the first line, and how many lines there are. */
static void check_many(uint64_t n, const lode_rule_write_options *o, bool keep_order,
                       uint64_t first) {
    lode_job *job = generated_job(1);
    lode_dataset *data = basket_data(job);
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_rule_sink_file(job, &sink, data, generated_path, o), LODE_OK);
    if (keep_order) rule_sink_keep_order(sink);
    feed_many(sink, data, n);
    char *text = finish_text(sink);
    uint64_t lines = 0;
    unsigned long long got = 0;
    for (const char *at = text; *at; at++) lines += *at == '\n';
    CHECK_EQUAL(lines, n);
    CHECK(sscanf(text, "beer <- a,b (%llu)", &got) == 1);
    CHECK_EQUAL(got, first);
    free(text);
    lode_dataset_free(data);
    generated_done(job);
}

static void orders(void) {
    const lode_rule_write_options *counts = OPTIONS(.measures = "count");
    check_many(500, counts, false, 500);     /* by confidence */
    check_many(10000, counts, false, 10000); /* as many as are held */
    check_many(10001, counts, false, 10001); /* what was held comes last */
    check_many(500, counts, true, 1);        /* in an order of their own */
    check_many(500, OPTIONS(.measures = "count", .unsorted = true), false, 1);
}

/* ---- memory, hash, callback ------------------------------------------------------------------ */

static void memory(void) {
    lode_job *job = generated_job(1);
    lode_dataset *data = basket_data(job);
    lode_sink *sink = NULL;
    lode_rule_result r = {.size = sizeof r};
    lode_rule rule = {.size = sizeof rule};
    CHECK_EQUAL(lode_rule_sink_memory(job, &sink), LODE_OK);
    CHECK(lode_rule_sink_result(sink, &r) && r.n == 0 && r.offsets[0] == 0);
    feed(sink, data);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    CHECK(lode_rule_sink_result(sink, &r));
    CHECK_EQUAL(r.n, 3);
    CHECK_EQUAL(r.total, 10);
    CHECK(!r.best_confidence && !r.best_lift && !r.adjusted_p && !r.held_out);
    CHECK(lode_rule_result_at(&r, 0, &rule));
    CHECK(rule.n_lhs == 1 && rule.lhs[0] == 1 && rule.n_rhs == 2 && rule.rhs[1] == 3);
    CHECK(lode_rule_result_at(&r, 2, &rule));
    CHECK(rule.n_lhs == 2 && rule.rhs[0] == 1 && rule.counts.both == 3 && rule.counts.rhs == 6);
    CHECK(isnan(rule.adjusted_p) && isnan(rule.best_lift) && rule.held_out.total == 0);
    CHECK(!lode_rule_result_at(&r, 3, &rule) && rule.n_lhs == 0);
    CHECK(!lode_rule_result_at(NULL, 0, &rule));
    CHECK(!lode_rule_sink_best(sink, &rule));
    lode_sink_free(sink);
    lode_dataset_free(data);
    generated_done(job);
}

/* What only some rules bring is there for all of them from then on. */
static void extras(void) {
    lode_job *job = generated_job(1);
    lode_dataset *data = basket_data(job);
    lode_sink *sink = NULL;
    sink_worker *worker = NULL;
    const uint32_t lhs[] = {0, 1}, rhs[] = {2};
    lode_rule rule = rule_of(lhs, 2, rhs, 1, (lode_counts){1, 2, 3, 10});
    lode_rule_result r = {.size = sizeof r};
    CHECK_EQUAL(lode_rule_sink_memory(job, &sink), LODE_OK);
    rule_sink_keep_order(sink);
    sink_set_data(sink, data);
    CHECK_EQUAL(rule_sink_open_worker(sink, &worker), LODE_OK);
    CHECK_EQUAL(rule_sink_emit(worker, &rule), LODE_OK);
    rule.n_lhs = 1;
    rule.adjusted_p = 0.25;
    rule.held_out = (lode_counts){1, 1, 1, 4};
    CHECK_EQUAL(rule_sink_emit(worker, &rule), LODE_OK);
    rule.counts.total = 11;
    CHECK_EQUAL(rule_sink_emit(worker, &rule), LODE_INVALID);
    check_has(lode_job_error(job), "from one data set");
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    CHECK(lode_rule_sink_result(sink, &r));
    CHECK_EQUAL(r.n, 2);
    CHECK(r.offsets[1] == 2 && !r.best_lift); /* as they came */
    CHECK(isnan(r.adjusted_p[0]) && r.adjusted_p[1] == 0.25);
    CHECK(r.held_out[0].total == 0 && r.held_out[1].total == 4);
    lode_sink_free(sink);
    lode_dataset_free(data);
    generated_done(job);
}

static uint64_t hash_of(bool swap, uint64_t both) {
    lode_job *job = generated_job(1);
    lode_dataset *data = basket_data(job);
    lode_sink *sink = NULL;
    sink_worker *worker = NULL;
    const uint32_t lhs[] = {0, 1}, rhs[] = {2};
    lode_rule a = rule_of(lhs, 2, rhs, 1, (lode_counts){1, 2, 3, 10});
    lode_rule b = rule_of(rhs, 1, lhs, 2, (lode_counts){both, 3, 2, 10});
    CHECK_EQUAL(lode_rule_sink_hash(job, &sink, data), LODE_OK);
    CHECK_EQUAL(rule_sink_open_worker(sink, &worker), LODE_OK);
    CHECK_EQUAL(rule_sink_emit(worker, swap ? &b : &a), LODE_OK);
    CHECK_EQUAL(rule_sink_emit(worker, swap ? &a : &b), LODE_OK);
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    uint64_t hash = lode_sink_hash_value(sink);
    lode_sink_free(sink);
    lode_dataset_free(data);
    generated_done(job);
    return hash;
}

static void hashes(void) {
    CHECK(hash_of(false, 1) != 0);
    CHECK_EQUAL(hash_of(false, 1), hash_of(true, 1));
    CHECK(hash_of(false, 1) != hash_of(false, 2));
}

static int stop_at_second(void *user, const lode_rule *rule) {
    CHECK(rule->size == sizeof *rule && rule->n_lhs > 0);
    return ++*(int *)user == 2;
}

static void callbacks(void) {
    lode_job *job = generated_job(1);
    lode_dataset *data = basket_data(job);
    lode_sink *sink = NULL;
    sink_worker *worker = NULL;
    int calls = 0;
    const uint32_t lhs[] = {2, 3}, consequents[] = {0, 1, 2};
    const uint64_t both[] = {1, 3, 1}, of_rhs[] = {1, 6, 7};
    rule_batch batch = {lhs, 2, 3, consequents, both, of_rhs, 3};
    CHECK_EQUAL(lode_rule_sink_callback(job, &sink, stop_at_second, &calls), LODE_OK);
    sink_set_data(sink, data);
    CHECK_EQUAL(rule_sink_open_worker(sink, &worker), LODE_OK);
    CHECK_EQUAL(rule_sink_emit_batch(worker, &batch), LODE_STOPPED);
    CHECK_EQUAL(rule_sink_emit_batch(worker, &batch), LODE_STOPPED);
    CHECK_EQUAL(calls, 2);
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
    lode_sink_free(sink);
    lode_dataset_free(data);
    generated_done(job);
}

/* The limit cuts a batch. */
static void limits(void) {
    lode_job *job = generated_job(1);
    lode_dataset *data = basket_data(job);
    lode_sink *sink = NULL;
    sink_worker *worker = NULL;
    const uint32_t lhs[] = {2, 3}, consequents[] = {0, 1};
    const uint64_t both[] = {1, 3}, of_rhs[] = {1, 6};
    rule_batch batch = {lhs, 2, 3, consequents, both, of_rhs, 2};
    CHECK_EQUAL(lode_rule_sink_file(job, &sink, data, generated_path, NULL), LODE_OK);
    sink_limit_patterns(sink, 3);
    sink_set_data(sink, data);
    CHECK_EQUAL(rule_sink_open_worker(sink, &worker), LODE_OK);
    CHECK_EQUAL(rule_sink_emit_batch(worker, &batch), LODE_OK);
    CHECK_EQUAL(rule_sink_emit_batch(worker, &batch), LODE_STOPPED);
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), 3);
    char *text = finish_text(sink);
    CHECK_TEXT(text, "beer <- milk \"red wine\" (3, 100)\na,b <- milk \"red wine\" (3, 33.333)\n"
                     "a,b <- milk \"red wine\" (3, 33.333)\n");
    free(text);
    lode_dataset_free(data);
    generated_done(job);
}

/* The rule of the highest lift, by items as lode.h numbers them. */
static void best(void) {
    lode_job *job = generated_job(1);
    lode_dataset *data = line_data(job, "7000000 9 8000000\n9 8000000\n9\n");
    lode_sink *sink = NULL;
    lode_rule rule = {.size = sizeof rule};
    CHECK_EQUAL(lode_rule_sink_file(job, &sink, data, generated_path, NULL), LODE_OK);
    const uint32_t lhs[] = {0}, consequents[] = {1, 2};
    const uint64_t both[] = {1, 2}, of_rhs[] = {1, 2};
    rule_batch batch = {lhs, 1, 3, consequents, both, of_rhs, 2};
    sink_worker *worker = NULL;
    sink_set_data(sink, data);
    CHECK_EQUAL(rule_sink_open_worker(sink, &worker), LODE_OK);
    CHECK_EQUAL(rule_sink_emit_batch(worker, &batch), LODE_OK);
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
    CHECK(!lode_rule_sink_best(sink, &rule)); /* not yet */
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    CHECK(lode_rule_sink_best(sink, &rule));
    CHECK(rule.lhs[0] == 9 && rule.rhs[0] == 8000000 && rule.counts.both == 2); /* of two */
    lode_sink_free(sink);
    char *text = generated_take(NULL);
    CHECK_TEXT(text, "8000000 <- 9 (3, 66.667)\n7000000 <- 9 (3, 33.333)\n");
    free(text);
    lode_dataset_free(data);
    generated_done(job);
}

/* ---- memory is short ------------------------------------------------------------------------- */

static lode_status feed_until_failure(lode_sink *sink, const lode_dataset *data) {
    const uint32_t lhs[] = {2, 3}, consequents[] = {0, 1};
    const uint64_t both[] = {1, 3}, of_rhs[] = {1, 6};
    rule_batch batch = {lhs, 2, 3, consequents, both, of_rhs, 2};
    lode_rule rule = rule_of(lhs, 2, consequents, 2, (lode_counts){1, 2, 3, 10});
    sink_worker *worker = NULL;
    rule.adjusted_p = 0.5;
    sink_set_data(sink, data);
    lode_status status = rule_sink_open_worker(sink, &worker);
    for (int i = 0; i < 20 && status == LODE_OK; i++) {
        status = rule_sink_emit_batch(worker, &batch);
        if (status == LODE_OK) status = rule_sink_emit(worker, &rule);
    }
    lode_status closed = sink_close_worker(worker);
    return status != LODE_OK ? status : closed;
}

static lode_status run_sink(lode_job *job, const lode_dataset *data, int which) {
    static const lode_rule_write_options options[] = {
        {.size = sizeof(lode_rule_write_options)},
        {.size = sizeof(lode_rule_write_options), .sort = true},
        {.size = sizeof(lode_rule_write_options), .format = LODE_RULE_WRITE_DOT},
        {.size = sizeof(lode_rule_write_options), .format = LODE_RULE_WRITE_SVG},
        {.size = sizeof(lode_rule_write_options),
         .format = LODE_RULE_WRITE_CSV,
         .measures = "lift,phi"},
    };
    lode_sink *sink = NULL;
    lode_status status =
        which < 5    ? lode_rule_sink_file(job, &sink, data, generated_path, &options[which])
        : which == 5 ? lode_rule_sink_memory(job, &sink)
                     : lode_rule_sink_hash(job, &sink, data);
    if (status == LODE_OK) status = feed_until_failure(sink, data);
    if (status == LODE_OK) status = lode_sink_finish(sink, false);
    lode_sink_free(sink);
    remove(generated_path);
    return status;
}

/* Refuses the k-th request for memory, for each k: the status says so, or the order is lost. */
static void faults(void) {
    for (int which = 0; which < 7; which++) {
        bool failed = true;
        for (uint64_t k = 0; failed; k++) {
            faulty f = {.lock = PTHREAD_MUTEX_INITIALIZER, .fail_at = UINT64_MAX};
            lode_ctx *ctx = NULL;
            lode_job *job = NULL;
            lode_ctx_options o = {.size = sizeof o, .resize = faulty_resize, .resize_user = &f};
            if (lode_ctx_create(&ctx, &o) != LODE_OK) exit(2);
            if (lode_job_create(&job, ctx, NULL) != LODE_OK) exit(2);
            lode_dataset *data = basket_data(job);
            uint64_t before = f.calls;
            f.fail_at = before + k;
            lode_status status = run_sink(job, data, which);
            failed = f.calls > f.fail_at;
            CHECK(status == LODE_OK || (failed && status == LODE_NOMEM));
            lode_dataset_free(data);
            lode_job_free(job);
            lode_ctx_free(ctx);
            CHECK(!f.wrong_size && f.live == 0);
        }
    }
}

/* A drawing that does not fit measures what it would have taken; a sorted text fits any memory. */
static void budget(void) {
    lode_job *job = NULL;
    lode_job_options o = {.size = sizeof o, .threads = 1, .memory_bytes = (uint64_t)2 << 20};
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    lode_dataset *data = basket_data(job);
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_rule_sink_file(job, &sink, data, generated_path,
                                    OPTIONS(.format = LODE_RULE_WRITE_SVG, .sort = true)),
                LODE_OK);
    feed_many(sink, data, 100000);
    CHECK(sink_memory_lost(sink) > 100000 * 48);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_BUDGET);
    lode_sink_free(sink);
    CHECK_EQUAL(lode_rule_sink_file(job, &sink, data, generated_path,
                                    OPTIONS(.measures = "count", .sort = true)),
                LODE_OK);
    feed_many(sink, data, 100000);
    CHECK_EQUAL(sink_memory_lost(sink), 0);
    char *text = finish_text(sink);
    const char *at = text;
    for (unsigned i = 1; i <= 100000 && at; i++) { /* of equal ones, the rarest comes first */
        CHECK_EQUAL(strtoul(at + strlen("beer <- a,b ("), NULL, 10), i);
        at = strchr(at, '\n') + 1;
    }
    CHECK(at && *at == '\0');
    free(text);
    lode_dataset_free(data);
    generated_done(job);
}

/* What a measure needs is told to the miner. */
static void needs(void) {
    lode_job *job = generated_job(1);
    lode_dataset *data = basket_data(job);
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_rule_sink_file(job, &sink, data, generated_path,
                                    OPTIONS(.measures = "lift,improvement")),
                LODE_OK);
    CHECK_EQUAL(rule_sink_needs(sink), 1u << LODE_NEEDS_COUNTS | 1u << LODE_NEEDS_GENERAL);
    lode_sink_free(sink);
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(rule_sink_needs(sink), 0);
    lode_sink_free(sink);
    lode_dataset_free(data);
    generated_done(job);
}

int main(void) {
    generated_setup();
    CHECK_RUN(texts);
    CHECK_RUN(csv);
    CHECK_RUN(jsonl);
    CHECK_RUN(pictures);
    CHECK_RUN(intervals);
    CHECK_RUN(wrong_options);
    CHECK_RUN(orders);
    CHECK_RUN(memory);
    CHECK_RUN(extras);
    CHECK_RUN(hashes);
    CHECK_RUN(callbacks);
    CHECK_RUN(limits);
    CHECK_RUN(best);
    CHECK_RUN(faults);
    CHECK_RUN(budget);
    CHECK_RUN(needs);
    generated_teardown();
    return check_result();
}
