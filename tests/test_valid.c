/* test_valid.c - every public function with NULL in every place, every enum out of its range
 *
 * tests/test_public.py sees to it that no function of lode.h and no enum is missing here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "jobs.h"
#include "lode.h"
#include "stores.h"
#include "structs.h"

static lode_job *job;
static lode_dataset *data;
static lode_graphs *graphs;
static store_data rules;  /* a stored result … */
static lode_store *store; /* … that is open */
static const char graph_text[] = "t # 1\nv 0 C\nv 1 O\ne 0 1 x\n";

/* LODE_INVALID, with a sentence that holds the words. */
#define BAD(call, words)                                                                           \
    do {                                                                                           \
        CHECK_EQUAL(call, LODE_INVALID);                                                           \
        if (!CHECK(strstr(lode_job_error(job), words) != NULL)) {                                  \
            fprintf(stderr, "  said: %s\n", lode_job_error(job));                                  \
        }                                                                                          \
    } while (0)

/* Without a job there is nothing that could hold a sentence. */
#define MUTE(call) CHECK_EQUAL(call, LODE_INVALID)

static int take_batch(void *user, const lode_batch *batch) {
    (void)user;
    (void)batch;
    return 0;
}

static int take_graph(void *user, const lode_graph_pattern *pattern) {
    (void)user;
    (void)pattern;
    return 0;
}

static int take_nothing(void *user, const char *text, size_t bytes) {
    (void)user;
    (void)text;
    (void)bytes;
    return 0;
}

static void open_all(void) {
    lode_job_options options = {.size = sizeof options, .threads = 1, .device = "cpu"};
    if (lode_job_create(&job, NULL, &options) != LODE_OK) exit(2);
    if (lode_dataset_parse(job, &data, "1 2\n2 3\n", 8, NULL, NULL) != LODE_OK) exit(2);
    if (lode_graphs_parse(job, &graphs, graph_text, sizeof graph_text - 1, NULL, NULL) != LODE_OK) {
        exit(2);
    }
}

static void open_store(void) {
    rng dice = rng_make(1, 1);
    rules = store_make(job, LODE_RULES, 20, 20, &dice);
    if (lode_store_open(job, &store, rules.path) != LODE_OK) exit(2);
}

static void close_all(void) {
    lode_store_free(store);
    store_drop(&rules);
    lode_graphs_free(graphs);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

/* ---- NULL ----------------------------------------------------------------------------------- */

static void null_options(void) {
    lode_options *o = NULL;
    lode_threshold t = {5, 6};
    char message[100] = "";
    MUTE(lode_options_create(NULL));
    CHECK_EQUAL(lode_options_create(&o), LODE_OK);
    lode_options_free(NULL);
    lode_options_set_log(NULL, NULL, NULL);
    lode_options_set_progress(NULL, NULL, NULL);
    CHECK(!lode_options_ctx(NULL) && !lode_options_job(NULL) && !lode_options_read(NULL));
    CHECK(!lode_options_papers(NULL));
    CHECK(!lode_options_query(NULL) && !lode_options_query_write(NULL) &&
          !lode_options_apply(NULL));
    CHECK(!lode_options_mine(NULL) && !lode_options_write(NULL) && !lode_options_graph(NULL));
    CHECK(!lode_options_graph_read(NULL) && !lode_options_graph_write(NULL));
    MUTE(lode_options_set(NULL, "sort", NULL, message, sizeof message));
    CHECK(message[0] != 0);
    MUTE(lode_options_set(o, NULL, NULL, NULL, 0));
    MUTE(lode_options_set_in(NULL, UINT_MAX, "sort", NULL, NULL, 0));
    MUTE(lode_options_set_in(o, UINT_MAX, NULL, "1", NULL, 0));
    MUTE(lode_options_set_in(o, UINT_MAX, "min-support", NULL, NULL, 0));
    MUTE(lode_threshold_parse(NULL, &t, message, sizeof message));
    MUTE(lode_threshold_parse("1%", NULL, message, sizeof message));
    CHECK(t.numerator == 5 && t.denominator == 6);
    CHECK_EQUAL(lode_threshold_count((lode_threshold){0, 0}, 0), 1);
    CHECK(!lode_option_at(SIZE_MAX));
    CHECK(!lode_option_word(NULL, 0) && !lode_option_word(&(lode_option){.name = "sort"}, 0));
    CHECK(!lode_option_word(lode_option_at(0), SIZE_MAX));
    CHECK(!lode_algorithm_at(LODE_ITEMSETS, 0, NULL) &&
          !lode_algorithm_at(LODE_ITEMSETS, SIZE_MAX, NULL));
    CHECK(!lode_algorithm_at(LODE_GRAPHS, 0, NULL) && !lode_device_at(0, NULL));
    lode_device_wake(NULL);
    CHECK(lode_status_text((lode_status)INT_MAX)[0] && lode_version()[0]);
    CHECK(!lode_build_info(NULL) && !lode_nearest(NULL, NULL, 3));
    CHECK_EQUAL(lode_options_get(NULL, "sort", message, sizeof message), 0);
    CHECK_TEXT(message, "");
    CHECK_EQUAL(lode_options_get(o, NULL, message, sizeof message), 0);
    CHECK_EQUAL(lode_options_get_in(o, UINT_MAX, "sort", NULL, 5), strlen("false"));
    lode_options_free(o);
    lode_outputs_discard(); /* there are none */
}

static void null_context(void) {
    MUTE(lode_job_create(NULL, NULL, NULL));
    MUTE(lode_ctx_create(NULL, NULL));
    lode_ctx_free(NULL);
    CHECK_TEXT(lode_job_error(NULL), "out is NULL"); /* of those two */
    lode_job_cancel(NULL);
    lode_job_reset(NULL);
    lode_progress p = {.size = sizeof p};
    CHECK(!lode_job_progress(NULL, &p) && !lode_job_progress(job, NULL));
    lode_job_raise_threshold(NULL, 1);
    CHECK(!lode_job_ctx(NULL));
    CHECK(lode_ctx_memory_used(NULL) == 0 && lode_ctx_memory_peak(NULL) == 0);
    CHECK(!lode_ctx_usage(NULL, NULL));
    CHECK(lode_job_memory_used(NULL) == 0 && lode_job_memory_peak(NULL) == 0);
    CHECK_EQUAL(lode_job_memory_needed(NULL), 0);
    MUTE(lode_job_expect(NULL, NULL));
    lode_job_free(NULL);
}

static void null_data(void) {
    lode_dataset *out = NULL;
    const uint64_t offsets[] = {0, 1};
    const uint32_t items[] = {7};
    const lode_dataset *parts[] = {data, NULL};
    const char *const paths[] = {"x", NULL};
    MUTE(lode_dataset_open(NULL, &out, "x", NULL));
    BAD(lode_dataset_open(job, NULL, "x", NULL), "out is NULL");
    BAD(lode_dataset_open(job, &out, NULL, NULL), "path is NULL");
    CHECK(lode_dataset_open(job, &out, "", NULL) != LODE_OK && lode_job_error(job)[0]);
    MUTE(lode_dataset_open_files(NULL, &out, paths, 1, NULL));
    BAD(lode_dataset_open_files(job, NULL, paths, 1, NULL), "out is NULL");
    BAD(lode_dataset_open_files(job, &out, NULL, 1, NULL), "paths is NULL");
    BAD(lode_dataset_open_files(job, &out, paths, 2, NULL), "paths[1] is NULL");
    BAD(lode_dataset_open_files(job, &out, paths, 0, NULL), "no file");
    MUTE(lode_dataset_parse(NULL, &out, "1", 1, "x", NULL));
    BAD(lode_dataset_parse(job, NULL, "1", 1, "x", NULL), "out is NULL");
    BAD(lode_dataset_parse(job, &out, NULL, 1, "x", NULL), "text is NULL");
    CHECK_EQUAL(lode_dataset_parse(job, &out, "\"", 1, NULL, NULL), LODE_PARSE);
    MUTE(lode_dataset_from_arrays(NULL, &out, 1, offsets, items, NULL));
    BAD(lode_dataset_from_arrays(job, NULL, 1, offsets, items, NULL), "out is NULL");
    BAD(lode_dataset_from_arrays(job, &out, 1, NULL, items, NULL), "offsets is NULL");
    BAD(lode_dataset_from_arrays(job, &out, 1, offsets, NULL, NULL), "items is NULL");
    MUTE(lode_dataset_merge(NULL, &out, parts, 1));
    BAD(lode_dataset_merge(job, NULL, parts, 1), "out is NULL");
    BAD(lode_dataset_merge(job, &out, NULL, 1), "parts is NULL");
    BAD(lode_dataset_merge(job, &out, parts, 2), "parts[1] is NULL");
    CHECK(!out);
    CHECK_EQUAL(lode_dataset_parse(job, &out, NULL, 0, NULL, NULL), LODE_OK);
    CHECK_EQUAL(profile_of(out).n_transactions, 0);
    lode_dataset_free(out);
    lode_dataset_free(NULL);
}

static void null_data_getters(void) {
    uint32_t item = 9;
    char name[4] = "abc";
    CHECK_EQUAL(profile_of(NULL).n_transactions, 0);
    CHECK(!lode_dataset_profile(data, NULL));
    CHECK(!lode_dataset_has_numbers(NULL) && lode_dataset_item_bound(NULL) == 0);
    CHECK(lode_dataset_item_at(NULL, 0) == 0 && lode_dataset_item_at(data, UINT32_MAX) == 0);
    CHECK_EQUAL(lode_dataset_item_support(NULL, 1), 0);
    CHECK_EQUAL(lode_dataset_item_support(data, UINT32_MAX), 0);
    CHECK_EQUAL(lode_dataset_item_name(NULL, 1, name, sizeof name), 0);
    CHECK_EQUAL(lode_dataset_item_name(data, 1, NULL, sizeof name), 1);
    CHECK(!lode_dataset_item_find(NULL, "1", 1, &item));
    CHECK(!lode_dataset_item_find(data, NULL, 1, &item));
    CHECK(!lode_dataset_item_find(data, "1", 1, NULL) && item == 9);
    CHECK_EQUAL(lode_dataset_transaction(NULL, 0, &item, 1), 0);
    CHECK_EQUAL(lode_dataset_transaction(data, 0, NULL, 5), 2);
    CHECK_EQUAL(lode_dataset_transaction(data, UINT64_MAX, &item, 1), 0);
    CHECK(lode_dataset_transaction_weight(NULL, 0) == 0 && lode_dataset_total_weight(NULL) == 0);
}

static void null_names(void) {
    uint64_t offsets[] = {5, 6, 7};
    uint32_t item = 9;
    bool found = true;
    CHECK_EQUAL(lode_dataset_item_names(NULL, 0, 2, offsets, NULL, 0), 0);
    CHECK(offsets[0] == 0 && offsets[2] == 0);
    CHECK_EQUAL(lode_dataset_item_names(data, 1, 2, NULL, NULL, 9), 2);
    CHECK_EQUAL(lode_dataset_item_names(data, UINT32_MAX, UINT32_MAX, NULL, NULL, 9), 0);
    CHECK_EQUAL(lode_dataset_items(NULL, 0, 5, &item, NULL), 0);
    CHECK_EQUAL(lode_dataset_items(data, 1, UINT32_MAX, NULL, NULL), 3);
    CHECK_EQUAL(lode_dataset_items_find(NULL, 1, offsets, "1", &item, &found), 0);
    CHECK(!found && item == 9);
    CHECK_EQUAL(lode_dataset_items_find(data, 1, NULL, "1", &item, NULL), 0);
    CHECK_EQUAL(lode_dataset_items_find(data, 1, offsets, NULL, &item, NULL), 0);
    CHECK_EQUAL(lode_dataset_items_find(data, 1, offsets, "1", NULL, NULL), 0);
    CHECK_EQUAL(lode_dataset_names_export(NULL, NULL, 0), 0);
    MUTE(lode_dataset_adopt_names(NULL, data, "x", 1));
    BAD(lode_dataset_adopt_names(job, NULL, "x", 1), "data is NULL");
    BAD(lode_dataset_adopt_names(job, data, NULL, 1), "names is NULL");
    BAD(lode_dataset_adopt_names(job, data, "x", 1), "damaged");
}

static void null_suggest(void) {
    lode_suggestion *s = NULL;
    lode_suggest_point p = {.size = sizeof p, .min_count = 7};
    lode_suggest_options o = {.size = sizeof o, .targets = 16};
    CHECK(!lode_options_suggest(NULL));
    MUTE(lode_suggest(NULL, data, NULL, &s));
    BAD(lode_suggest(job, NULL, NULL, &s), "data is NULL");
    BAD(lode_suggest(job, data, NULL, NULL), "out is NULL");
    BAD(lode_suggest(job, data, &o, &s), "targets");
    o = (lode_suggest_options){.size = sizeof o, .min_confidence = {3, 0}};
    BAD(lode_suggest(job, data, &o, &s), "confidence");
    lode_suggestion_free(NULL);
    CHECK(!lode_suggestion_point(NULL, 0, &p) && p.min_count == 0);
    CHECK(!lode_suggestion_point(NULL, 0, NULL));
    CHECK(!lode_suggestion_answer(NULL, LODE_SUGGEST_ALL, &p));
    CHECK(!lode_suggest_target_name((lode_suggest_target)4));
}

static void null_sinks(void) {
    lode_sink *out = NULL;
    MUTE(lode_sink_count(NULL, &out));
    BAD(lode_sink_count(job, NULL), "out is NULL");
    MUTE(lode_sink_hash(NULL, &out, data));
    BAD(lode_sink_hash(job, NULL, data), "out is NULL");
    BAD(lode_sink_hash(job, &out, NULL), "data is NULL");
    MUTE(lode_sink_callback(NULL, &out, take_batch, NULL));
    BAD(lode_sink_callback(job, NULL, take_batch, NULL), "out is NULL");
    BAD(lode_sink_callback(job, &out, NULL, NULL), "function is NULL");
    MUTE(lode_sink_file(NULL, &out, data, "/tmp/x", NULL));
    BAD(lode_sink_file(job, NULL, data, "/tmp/x", NULL), "out is NULL");
    BAD(lode_sink_file(job, &out, NULL, "/tmp/x", NULL), "data is NULL");
    BAD(lode_sink_file(job, &out, data, NULL, NULL), "path is NULL");
    CHECK_EQUAL(lode_sink_file(job, &out, data, "", NULL), LODE_IO);
    MUTE(lode_sink_write(NULL, &out, data, take_nothing, NULL, NULL));
    BAD(lode_sink_write(job, NULL, data, take_nothing, NULL, NULL), "out is NULL");
    BAD(lode_sink_write(job, &out, NULL, take_nothing, NULL, NULL), "data is NULL");
    BAD(lode_sink_write(job, &out, data, NULL, NULL, NULL), "write is NULL");
    MUTE(lode_sink_memory(NULL, &out));
    BAD(lode_sink_memory(job, NULL), "out is NULL");
    CHECK(!out);
    MUTE(lode_sink_finish(NULL, false));
    lode_sink_free(NULL);
    CHECK(lode_sink_patterns(NULL) == 0 && lode_sink_patterns_of_size(NULL, 1) == 0);
    CHECK(lode_sink_largest(NULL) == 0 && lode_sink_hash_value(NULL) == 0);
    CHECK(lode_sink_bytes(NULL) == 0 && result_of(NULL).n == 0);
    CHECK(!lode_sink_result(NULL, NULL));
}

static void null_arrow(void) {
    lode_sink *count = NULL, *memory = NULL;
    struct ArrowSchema schema;
    struct ArrowArray array;
    CHECK_EQUAL(lode_sink_count(job, &count), LODE_OK);
    CHECK_EQUAL(lode_sink_memory(job, &memory), LODE_OK);
    MUTE(lode_result_arrow(NULL, data, &schema, &array));
    BAD(lode_result_arrow(memory, NULL, &schema, &array), "data is NULL");
    BAD(lode_result_arrow(memory, data, NULL, &array), "schema is NULL");
    BAD(lode_result_arrow(memory, data, &schema, NULL), "array is NULL");
    BAD(lode_result_arrow(count, data, &schema, &array), "keeps no itemsets");
    MUTE(lode_rule_result_arrow(NULL, data, &schema, &array));
    BAD(lode_rule_result_arrow(memory, NULL, &schema, &array), "data is NULL");
    BAD(lode_rule_result_arrow(memory, data, NULL, &array), "schema is NULL");
    BAD(lode_rule_result_arrow(memory, data, &schema, NULL), "array is NULL");
    BAD(lode_rule_result_arrow(memory, data, &schema, &array), "keeps no rules");
    lode_sink_free(count);
    lode_sink_free(memory);
}

static void null_supports(void) {
    lode_sink *count = NULL, *memory = NULL;
    const uint64_t offsets[] = {0, 1}, falling[] = {1, 0};
    const uint32_t item = 1;
    uint64_t support = 9;
    lode_known known = LODE_KNOWN_BELOW;
    CHECK_EQUAL(lode_sink_count(job, &count), LODE_OK);
    CHECK_EQUAL(lode_sink_memory(job, &memory), LODE_OK);
    MUTE(lode_result_support(NULL, &item, 1, &support, &known));
    BAD(lode_result_support(count, &item, 1, &support, &known), "this sink keeps none");
    lode_job_reset(job);
    BAD(lode_result_support(memory, NULL, 1, &support, &known), "items is NULL");
    lode_job_reset(job);
    BAD(lode_result_support(memory, &item, 1, NULL, &known), "support is NULL");
    lode_job_reset(job);
    MUTE(lode_result_supports(NULL, 1, offsets, &item, &support, NULL));
    BAD(lode_result_supports(memory, 1, NULL, &item, &support, NULL), "offsets is NULL");
    lode_job_reset(job);
    BAD(lode_result_supports(memory, 1, offsets, &item, NULL, NULL), "supports is NULL");
    lode_job_reset(job);
    BAD(lode_result_supports(memory, 1, falling, &item, &support, NULL), "less than the one");
    CHECK(support == 9 && known == LODE_KNOWN_BELOW);
    CHECK_EQUAL(lode_result_support(memory, NULL, 0, &support, &known), LODE_OK);
    CHECK(support == 0 && known == LODE_KNOWN_NOT); /* nothing was mined into it */
    CHECK_EQUAL(lode_result_supports(memory, 1, offsets, &item, &support, NULL), LODE_OK);
    lode_sink_free(count);
    lode_sink_free(memory);
}

static void null_mining(void) {
    lode_mine_options o = {.size = sizeof o, .min_support = {1, 0}};
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    MUTE(lode_dataset_prepare(NULL, data, &o));
    BAD(lode_dataset_prepare(job, NULL, &o), "data is NULL");
    BAD(lode_dataset_prepare(job, data, NULL), "options is NULL");
    lode_dataset_forget(NULL);
    MUTE(lode_mine(NULL, data, &o, sink));
    BAD(lode_mine(job, NULL, &o, sink), "data is NULL");
    BAD(lode_mine(job, data, NULL, sink), "options is NULL");
    BAD(lode_mine(job, data, &o, NULL), "sink is NULL");
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), 5);
    lode_sink_free(sink);
}

static int take_text(void *user, const char *text, size_t bytes) {
    (void)text;
    *(size_t *)user += bytes;
    return 0;
}

static void null_reports(void) {
    const lode_report *report = lode_job_report(job);
    lode_counter c = {.size = sizeof c};
    lode_table t = {.size = sizeof t};
    lode_report_head head = {.size = sizeof head};
    size_t bytes = 0;
    CHECK(lode_job_report(NULL) == NULL && report != NULL);
    lode_report_fail(NULL, LODE_IO, "");
    CHECK(!lode_report_get_head(NULL, &head) && !lode_report_get_head(report, NULL));
    CHECK(!lode_report_counter_at(NULL, 0, &c) && !lode_report_counter_at(report, 0, NULL));
    CHECK(!lode_report_counter_at(report, SIZE_MAX, &c));
    CHECK(!lode_report_find(NULL, "status", &c) && !lode_report_find(report, NULL, &c));
    CHECK(!lode_report_find(report, "status", NULL) && lode_report_find(report, "status", &c));
    CHECK(!lode_counter_at(0, NULL) && !lode_counter_at(SIZE_MAX, &c) && lode_counter_at(0, &c));
    CHECK(!lode_report_table_at(NULL, 0, &t) && !lode_report_table_at(report, SIZE_MAX, &t));
    CHECK(!lode_report_table_at(report, 0, NULL) && !lode_report_find_table(report, NULL, &t));
    CHECK(!lode_report_find_table(NULL, "levels", &t));
    CHECK(!lode_report_find_table(report, "levels", NULL));
    CHECK(!lode_report_cell(NULL, "levels", 0, 0, &c) && !lode_report_cell(report, NULL, 0, 0, &c));
    CHECK(!lode_report_cell(report, "levels", 0, 0, NULL));
    MUTE(lode_report_text(NULL, LODE_REPORT_SHORT, take_text, &bytes));
    MUTE(lode_report_text(report, LODE_REPORT_SHORT, NULL, &bytes));
    MUTE(lode_report_json(NULL, take_text, &bytes));
    MUTE(lode_report_json(report, NULL, &bytes));
    MUTE(lode_report_tsv(NULL, take_text, &bytes));
    MUTE(lode_report_tsv(report, NULL, &bytes));
    CHECK_EQUAL(bytes, 0);
    CHECK_EQUAL(lode_report_json(report, take_text, &bytes), LODE_OK);
    CHECK(bytes > 0 && lode_exit_code(LODE_OK) == 0 && lode_exit_code((lode_status)99) == 1);
}

static void null_generators(void) {
    MUTE(lode_generate_quest(NULL, "/tmp/x", NULL));
    BAD(lode_generate_quest(job, NULL, NULL), "path is NULL");
    MUTE(lode_generate_mutate(NULL, data, "/tmp/x", NULL));
    BAD(lode_generate_mutate(job, NULL, "/tmp/x", NULL), "data is NULL");
    BAD(lode_generate_mutate(job, data, NULL, NULL), "path is NULL");
    MUTE(lode_generate_graphs(NULL, "/tmp/x", NULL));
    BAD(lode_generate_graphs(job, NULL, NULL), "path is NULL");
}

static int take_basket(void *user, const lode_basket *basket) {
    (void)user;
    (void)basket;
    return 0;
}

static void null_cleaning(void) {
    lode_dataset *out = NULL;
    lode_clean_report *report = NULL;
    lode_clean_step step = LODE_INIT(lode_clean_step);
    lode_clean_merge merge = LODE_INIT(lode_clean_merge);
    lode_clean_hint hint = LODE_INIT(lode_clean_hint);
    char id[4];
    CHECK(!lode_options_clean(NULL) && !lode_options_select(NULL));
    CHECK(!lode_options_basket_write(NULL));
    CHECK_EQUAL(lode_dataset_transaction_id(NULL, 0, id, sizeof id), 0);
    CHECK_EQUAL(lode_dataset_transaction_id(data, UINT64_MAX, NULL, 9), 0);
    MUTE(lode_clean(NULL, &out, data, NULL, NULL));
    BAD(lode_clean(job, NULL, data, NULL, NULL), "out is NULL");
    BAD(lode_clean(job, &out, NULL, NULL, NULL), "data is NULL");
    BAD(lode_clean(job, &out, data, &(lode_clean_options){0}, NULL), "size");
    CHECK_EQUAL(lode_clean(job, &out, data, NULL, &report), LODE_OK);
    lode_dataset_free(out);
    lode_clean_report_free(NULL);
    CHECK(!lode_clean_step_at(NULL, 0, &step) && !lode_clean_step_at(report, SIZE_MAX, &step));
    CHECK(!lode_clean_step_at(report, 0, NULL) && lode_clean_step_at(report, 0, &step));
    CHECK(!lode_clean_merge_at(NULL, 0, &merge) && !lode_clean_merge_at(report, 0, &merge));
    CHECK(!lode_clean_hint_at(NULL, 0, &hint) && !lode_clean_hint_at(report, 0, NULL));
    MUTE(lode_clean_report_text(NULL, take_nothing, NULL));
    MUTE(lode_clean_report_text(report, NULL, NULL));
    MUTE(lode_clean_report_json(NULL, take_nothing, NULL));
    MUTE(lode_clean_report_json(report, NULL, NULL));
    MUTE(lode_clean_write_map(NULL, report, "/tmp/x"));
    BAD(lode_clean_write_map(job, NULL, "/tmp/x"), "report is NULL");
    BAD(lode_clean_write_map(job, report, NULL), "path is NULL");
    lode_clean_report_free(report);
    MUTE(lode_dataset_select(NULL, data, NULL, take_basket, NULL, NULL));
    BAD(lode_dataset_select(job, NULL, NULL, take_basket, NULL, NULL), "data is NULL");
    CHECK_EQUAL(lode_dataset_select(job, data, NULL, take_basket, NULL, NULL), LODE_OK);
    BAD(lode_dataset_select(job, data, &(lode_select_options){0}, NULL, NULL, NULL), "size");
    MUTE(lode_dataset_write(NULL, data, NULL, "/tmp/x", NULL));
    BAD(lode_dataset_write(job, NULL, NULL, "/tmp/x", NULL), "data is NULL");
    BAD(lode_dataset_write(job, data, NULL, NULL, NULL), "path is NULL");
    MUTE(lode_dataset_write_call(NULL, data, NULL, take_nothing, NULL, NULL));
    BAD(lode_dataset_write_call(job, NULL, NULL, take_nothing, NULL, NULL), "data is NULL");
    BAD(lode_dataset_write_call(job, data, NULL, NULL, NULL, NULL), "write is NULL");
}

static lode_status use_basket_write(const void *o) {
    return lode_dataset_write(job, data, NULL, "/dev/null", o);
}

static void null_graphs(void) {
    lode_graphs *out = NULL;
    bool is_graphs;
    uint64_t support = 9;
    lode_graph g = graph_at(graphs, 0);
    MUTE(lode_graphs_open(NULL, &out, "x", NULL));
    BAD(lode_graphs_open(job, NULL, "x", NULL), "out is NULL");
    BAD(lode_graphs_open(job, &out, NULL, NULL), "path is NULL");
    MUTE(lode_graphs_parse(NULL, &out, "t", 1, "x", NULL));
    BAD(lode_graphs_parse(job, NULL, "t", 1, "x", NULL), "out is NULL");
    BAD(lode_graphs_parse(job, &out, NULL, 1, "x", NULL), "text is NULL");
    CHECK_EQUAL(lode_graphs_parse(job, &out, "e", 1, NULL, NULL), LODE_PARSE);
    MUTE(lode_graphs_sniff(NULL, "x", &is_graphs));
    BAD(lode_graphs_sniff(job, NULL, &is_graphs), "path is NULL");
    BAD(lode_graphs_sniff(job, "-", NULL), "is_graphs is NULL");
    MUTE(lode_graphs_write(NULL, graphs, "/tmp/x"));
    BAD(lode_graphs_write(job, NULL, "/tmp/x"), "data is NULL");
    BAD(lode_graphs_write(job, graphs, NULL), "path is NULL");
    MUTE(lode_graphs_support(NULL, graphs, graphs, &g, false, &support));
    BAD(lode_graphs_support(job, NULL, graphs, &g, false, &support), "data is NULL");
    BAD(lode_graphs_support(job, graphs, NULL, &g, false, &support), "labels is NULL");
    BAD(lode_graphs_support(job, graphs, graphs, NULL, false, &support), "pattern is NULL");
    BAD(lode_graphs_support(job, graphs, graphs, &g, false, NULL), "support is NULL");
    CHECK(!out && support == 9);
    MUTE(lode_graphs_from_arrays(NULL, &out, NULL));
    BAD(lode_graphs_from_arrays(job, &out, NULL), "arrays is NULL");
    BAD(lode_graphs_from_arrays(job, NULL, &(lode_graph_arrays){0}), "out is NULL");
    MUTE(lode_graphs_prepare(NULL, graphs, NULL));
    BAD(lode_graphs_prepare(job, NULL, &(lode_graph_options){0}), "data is NULL");
    BAD(lode_graphs_prepare(job, graphs, NULL), "options is NULL");
    lode_graphs_free(NULL);
}

static void null_graph_getters(void) {
    char name[4];
    CHECK_EQUAL(graph_profile_of(NULL).n_graphs, 0);
    CHECK(!lode_graphs_profile(graphs, NULL) && !lode_graphs_at(graphs, 0, NULL));
    CHECK(graph_at(NULL, 0).n_vertices == 0 && graph_at(graphs, 1).n_vertices == 0);
    CHECK_EQUAL(lode_graphs_vertex_label(NULL, 0, name, 4), 0);
    CHECK_EQUAL(lode_graphs_vertex_label(graphs, 99, name, 4), 0);
    CHECK_EQUAL(lode_graphs_vertex_label(graphs, 0, NULL, 4), 1);
    CHECK_EQUAL(lode_graphs_edge_label(NULL, 0, name, 4), 0);
    CHECK_EQUAL(lode_graphs_vertex_labels(NULL, NULL, NULL, name, 4), 0);
    CHECK_EQUAL(lode_graphs_edge_labels(graphs, NULL, NULL, name, 0), 1);
    CHECK_EQUAL(lode_graphs_edge_label(graphs, 99, name, 4), 0);
    CHECK_EQUAL(lode_graphs_name(NULL, 0, name, 4), 0);
    CHECK_EQUAL(lode_graphs_name(graphs, 99, name, 4), 0);
    CHECK_EQUAL(lode_graphs_vertex_name(NULL, 0, 0, name, 4), 0);
    CHECK_EQUAL(lode_graphs_vertex_name(graphs, 1, 0, name, 4), 0);
    CHECK_EQUAL(lode_graphs_vertex_name(graphs, 0, 2, name, 4), 0);
    CHECK(lode_graphs_given_support(NULL, 0) == 0 && lode_graphs_given_support(graphs, 99) == 0);
}

static int take_rule(void *user, const lode_rule *rule) {
    (void)user, (void)rule;
    return 0;
}

static void null_rule_sinks(void) {
    lode_sink *out = NULL, *kept = NULL;
    MUTE(lode_rule_sink_callback(NULL, &out, take_rule, NULL));
    BAD(lode_rule_sink_callback(job, NULL, take_rule, NULL), "out is NULL");
    BAD(lode_rule_sink_callback(job, &out, NULL, NULL), "function is NULL");
    MUTE(lode_rule_sink_hash(NULL, &out, data));
    BAD(lode_rule_sink_hash(job, NULL, data), "out is NULL");
    BAD(lode_rule_sink_hash(job, &out, NULL), "data is NULL");
    MUTE(lode_rule_sink_file(NULL, &out, data, "/tmp/x", NULL));
    BAD(lode_rule_sink_file(job, NULL, data, "/tmp/x", NULL), "out is NULL");
    BAD(lode_rule_sink_file(job, &out, NULL, "/tmp/x", NULL), "data is NULL");
    BAD(lode_rule_sink_file(job, &out, data, NULL, NULL), "path is NULL");
    MUTE(lode_rule_sink_write(NULL, &out, data, take_nothing, NULL, NULL));
    BAD(lode_rule_sink_write(job, NULL, data, take_nothing, NULL, NULL), "out is NULL");
    BAD(lode_rule_sink_write(job, &out, NULL, take_nothing, NULL, NULL), "data is NULL");
    BAD(lode_rule_sink_write(job, &out, data, NULL, NULL, NULL), "write is NULL");
    MUTE(lode_rule_sink_memory(NULL, &out));
    BAD(lode_rule_sink_memory(job, NULL), "out is NULL");
    CHECK_EQUAL(lode_rule_sink_memory(job, &kept), LODE_OK);
    CHECK(!lode_rule_sink_result(NULL, &(lode_rule_result){0}));
    CHECK(!lode_rule_sink_result(kept, NULL));
    CHECK(!lode_rule_result_at(NULL, 0, &(lode_rule){0}));
    CHECK(!lode_rule_result_at(&(lode_rule_result){0}, 0, NULL));
    CHECK(!lode_rule_sink_best(NULL, &(lode_rule){0}) && !lode_rule_sink_best(kept, NULL));
    CHECK(!lode_options_rule_write(NULL));
    CHECK(!out);
    lode_sink_free(kept);
}

static void null_graph_sinks(void) {
    lode_sink *out = NULL, *inner = NULL;
    CHECK_EQUAL(lode_sink_count(job, &inner), LODE_OK);
    MUTE(lode_graph_sink_hash(NULL, &out, graphs));
    BAD(lode_graph_sink_hash(job, NULL, graphs), "out is NULL");
    BAD(lode_graph_sink_hash(job, &out, NULL), "data is NULL");
    MUTE(lode_graph_sink_memory(NULL, &out));
    BAD(lode_graph_sink_memory(job, NULL), "out is NULL");
    CHECK(!lode_graph_sink_result(NULL, &(lode_graph_result){0}));
    CHECK(!lode_graph_sink_result(inner, NULL));
    MUTE(lode_graph_sink_callback(NULL, &out, take_graph, NULL));
    BAD(lode_graph_sink_callback(job, NULL, take_graph, NULL), "out is NULL");
    BAD(lode_graph_sink_callback(job, &out, NULL, NULL), "function is NULL");
    MUTE(lode_graph_sink_file(NULL, &out, graphs, "/tmp/x", NULL));
    BAD(lode_graph_sink_file(job, NULL, graphs, "/tmp/x", NULL), "out is NULL");
    BAD(lode_graph_sink_file(job, &out, NULL, "/tmp/x", NULL), "data is NULL");
    BAD(lode_graph_sink_file(job, &out, graphs, NULL, NULL), "path is NULL");
    MUTE(lode_graph_sink_write(NULL, &out, graphs, take_nothing, NULL, NULL));
    BAD(lode_graph_sink_write(job, NULL, graphs, take_nothing, NULL, NULL), "out is NULL");
    BAD(lode_graph_sink_write(job, &out, NULL, take_nothing, NULL, NULL), "data is NULL");
    BAD(lode_graph_sink_write(job, &out, graphs, NULL, NULL, NULL), "write is NULL");
    MUTE(lode_graph_sink_draw(NULL, &out, graphs, "/tmp", 1, inner));
    BAD(lode_graph_sink_draw(job, NULL, graphs, "/tmp", 1, inner), "out is NULL");
    BAD(lode_graph_sink_draw(job, &out, NULL, "/tmp", 1, inner), "data is NULL");
    BAD(lode_graph_sink_draw(job, &out, graphs, NULL, 1, inner), "folder is NULL");
    BAD(lode_graph_sink_draw(job, &out, graphs, "/tmp", 1, NULL), "inner is NULL");
    BAD(lode_graph_sink_draw(job, &out, graphs, "/tmp", 0, inner), "no pattern");
    CHECK(!out);
    lode_graph_options o = {.size = sizeof o, .min_support = {1, 0}};
    MUTE(lode_graphs_mine(NULL, graphs, &o, inner));
    BAD(lode_graphs_mine(job, NULL, &o, inner), "data is NULL");
    BAD(lode_graphs_mine(job, graphs, NULL, inner), "options is NULL");
    BAD(lode_graphs_mine(job, graphs, &o, NULL), "sink is NULL");
    CHECK_EQUAL(lode_graphs_mine(job, graphs, &o, inner), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(inner), 1);
    lode_sink_free(inner);
}

static int take_advice(void *user, const lode_advice *advice) {
    (void)user;
    (void)advice;
    return 0;
}

static void null_store(void) {
    lode_store *out = NULL;
    lode_store_row row = LODE_INIT(lode_store_row);
    lode_histogram h = LODE_INIT(lode_histogram);
    lode_histogram_options x = {.size = sizeof x, .x = "both"};
    uint64_t n = 7, rows[4];
    uint32_t item = 7;
    size_t found = 7;
    double value;
    MUTE(lode_store_open(NULL, &out, rules.path));
    BAD(lode_store_open(job, NULL, rules.path), "out is NULL");
    BAD(lode_store_open(job, &out, NULL), "path is NULL");
    CHECK_EQUAL(lode_store_open(job, &out, "/nowhere/x.arrow"), LODE_NOTFOUND);
    lode_store_free(NULL);
    CHECK(!out && !lode_store_about(NULL, NULL) && !lode_store_column(NULL, 0, NULL));
    CHECK(!lode_store_column_find(NULL, "both", &item) && item == 7);
    CHECK(!lode_store_column_find(store, NULL, &item) &&
          !lode_store_column_find(store, "both", NULL));
    MUTE(lode_store_items(NULL, &item));
    BAD(lode_store_items(store, NULL), "n is NULL");
    CHECK(lode_store_item_name(NULL, 0, NULL)[0] == 0);
    CHECK(lode_store_item_name(store, UINT32_MAX, &found)[0] == 0 && found == 0);
    MUTE(lode_store_item_find(NULL, "milk", 4, &item));
    BAD(lode_store_item_find(store, NULL, 4, &item), "name is NULL");
    BAD(lode_store_item_find(store, "milk", 4, NULL), "item is NULL");
    MUTE(lode_store_row_at(NULL, 0, &row));
    BAD(lode_store_row_at(store, 0, NULL), "out is NULL");
    MUTE(lode_store_value(NULL, 0, 2, &value));
    BAD(lode_store_value(store, 0, 2, NULL), "out is NULL");
    BAD(lode_store_value(store, 0, UINT32_MAX, &value), "column");
    MUTE(lode_store_count(NULL, NULL, &n));
    BAD(lode_store_count(store, NULL, NULL), "n is NULL");
    MUTE(lode_store_rows(NULL, NULL, 0, rows, 4, &found));
    BAD(lode_store_rows(store, NULL, 0, NULL, 4, &found), "rows is NULL");
    BAD(lode_store_rows(store, NULL, 0, rows, 4, NULL), "n is NULL");
    MUTE(lode_store_histogram(NULL, NULL, &x, &h));
    BAD(lode_store_histogram(store, NULL, NULL, &h), "options is NULL");
    BAD(lode_store_histogram(store, NULL, &x, NULL), "out is NULL");
    MUTE(lode_store_write(NULL, NULL, "/dev/null", NULL, &n));
    BAD(lode_store_write(store, NULL, NULL, NULL, &n), "path is NULL");
    CHECK_EQUAL(lode_store_write(store, NULL, "/dev/null", NULL, NULL), LODE_OK);
}

static void null_store_uses(void) {
    const uint64_t offsets[] = {0, 1};
    const uint32_t items[] = {0};
    uint64_t n = 0;
    MUTE(lode_store_supports(NULL, 1, offsets, items, &n, NULL));
    BAD(lode_store_supports(store, 1, NULL, items, &n, NULL), "offsets is NULL");
    BAD(lode_store_supports(store, 1, offsets, NULL, &n, NULL), "items is NULL");
    BAD(lode_store_supports(store, 1, offsets, items, NULL, NULL), "supports is NULL");
    BAD(lode_store_supports(store, 1, offsets, items, &n, NULL), "rules");
    MUTE(lode_store_apply(NULL, data, NULL, take_advice, NULL));
    BAD(lode_store_apply(store, NULL, NULL, take_advice, NULL), "data is NULL");
    BAD(lode_store_apply(store, data, NULL, NULL, NULL), "function is NULL");
    CHECK_EQUAL(lode_store_apply(store, data, NULL, take_advice, NULL), LODE_OK);
    MUTE(lode_store_apply_file(NULL, data, NULL, "/dev/null", NULL));
    BAD(lode_store_apply_file(store, NULL, NULL, "/dev/null", NULL), "data is NULL");
    BAD(lode_store_apply_file(store, data, NULL, NULL, NULL), "path is NULL");
    CHECK_EQUAL(lode_store_apply_file(store, data, NULL, "/dev/null", NULL), LODE_OK);
}

/* ---- ranges --------------------------------------------------------------------------------- */

/* Each function makes a call with one enum, a field of `o`, set to something. */
static lode_status use_read(const void *o) {
    lode_dataset *out = NULL;
    lode_status status = lode_dataset_parse(job, &out, "a 1\n", 4, "x", o);
    lode_dataset_free(out);
    return status;
}

static lode_status use_mine(const void *o) {
    lode_sink *sink = NULL;
    if (lode_sink_count(job, &sink) != LODE_OK) exit(2);
    lode_status status = lode_mine(job, data, o, sink);
    lode_sink_free(sink);
    return status;
}

static lode_status use_write(const void *o) {
    lode_sink *sink = NULL;
    lode_status status = lode_sink_file(job, &sink, data, "/dev/null", o);
    lode_sink_free(sink);
    return status;
}

static lode_status use_graph(const void *o) {
    lode_sink *sink = NULL;
    if (lode_sink_count(job, &sink) != LODE_OK) exit(2);
    lode_status status = lode_graphs_mine(job, graphs, o, sink);
    lode_sink_free(sink);
    return status;
}

static lode_status use_prepare(const void *o) {
    return lode_dataset_prepare(job, data, o);
}

static lode_status use_graph_prepare(const void *o) {
    return lode_graphs_prepare(job, graphs, o);
}

static lode_status use_graph_write(const void *o) {
    lode_sink *sink = NULL;
    lode_status status = lode_graph_sink_file(job, &sink, graphs, "/dev/null", o);
    lode_sink_free(sink);
    return status;
}

static lode_status use_rule_write(const void *o) {
    lode_sink *sink = NULL;
    lode_status status = lode_rule_sink_file(job, &sink, data, "/dev/null", o);
    lode_sink_free(sink);
    return status;
}

static lode_status use_query_write(const void *o) {
    return lode_store_write(store, NULL, "/dev/null", o, NULL);
}

static lode_status use_apply(const void *o) {
    return lode_store_apply_file(store, data, o, "/dev/null", NULL);
}

/* Everything but 0 … last of one enum is refused by name; 0 … last is understood. */
static void check_enum(void *options, void *field, int last, const char *name,
                       lode_status (*use)(const void *)) {
    const int wrong[] = {last + 1, 99, 31, 32, 33, 64, -1, -99, INT_MAX, INT_MIN};
    for (int i = 0; i <= last; i++) {
        memcpy(field, &i, sizeof i);
        CHECK(use(options) != LODE_INVALID || !strstr(lode_job_error(job), "expected 0 to"));
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memcpy(field, &wrong[i], sizeof wrong[i]);
        BAD(use(options), name);
        BAD(use(options), "expected 0 to");
    }
    memset(field, 0, sizeof(int));
}

static lode_status use_rule(const void *o) {
    lode_sink *sink = NULL;
    if (lode_sink_count(job, &sink) != LODE_OK) exit(2);
    lode_status status = lode_rules_mine(job, data, o, sink);
    lode_sink_free(sink);
    return status;
}

static void null_rules(void) {
    lode_rule_options o = {.size = sizeof o, .min_support = {1, 0}};
    lode_sink *sink = NULL;
    CHECK(!lode_options_rule(NULL));
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    MUTE(lode_rules_mine(NULL, data, &o, sink));
    BAD(lode_rules_mine(job, NULL, &o, sink), "data is NULL");
    BAD(lode_rules_mine(job, data, NULL, sink), "options is NULL");
    BAD(lode_rules_mine(job, data, &o, NULL), "sink is NULL");
    CHECK_EQUAL(lode_rules_mine(job, data, &o, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), 4);
    lode_sink_free(sink);
}

static void null_measures(void) {
    size_t i = 9;
    double low = 0, high = 0;
    lode_counts counts = {1, 2, 2, 4};
    lode_measure m = {.size = sizeof m, .name = "x"};
    CHECK(!lode_measure_at(0, NULL) && !lode_measure_at(SIZE_MAX, &m) && !m.name);
    CHECK(!lode_measure_find(NULL, &i) && !lode_measure_find("", &i) && i == 9);
    CHECK(lode_measure_find("lift", NULL));
    CHECK(isnan(lode_measure_value(0, NULL)));
    CHECK(isnan(lode_measure_value(SIZE_MAX, &(lode_rule){.size = sizeof(lode_rule)})));
    CHECK(!lode_measure_interval(LODE_INTERVAL_LIFT, NULL, 0.9, &low, &high) && isnan(low));
    CHECK(!lode_measure_interval((lode_interval_of)9, &counts, 0.9, NULL, &high) && isnan(high));
    CHECK(lode_measure_interval(LODE_INTERVAL_LIFT, &counts, 0.9, NULL, NULL));
}

static void enums(void) {
    all_options o = all_defaults();
    o.mine.min_support.numerator = o.graph.min_support.numerator = 1;
    o.mine.top_k = o.graph.top_k = 3;
    check_enum(&o.read, &o.read.format, LODE_FORMAT_JSON, "format", use_read);
    check_enum(&o.mine, &o.mine.target, LODE_TARGET_GENERATORS, "target", use_mine);
    check_enum(&o.mine, &o.mine.product, LODE_PRODUCT_WGMMA, "product", use_mine);
    check_enum(&o.write, &o.write.format, LODE_WRITE_ARROW, "format", use_write);
    check_enum(&o.write, &o.write.csv_items, LODE_CSV_COLUMNS, "csv_items", use_write);
    check_enum(&o.graph, &o.graph.target, LODE_TARGET_GENERATORS, "target", use_graph);
    check_enum(&o.graph_write, &o.graph_write.format, LODE_GRAPH_WRITE_ARROW, "format",
               use_graph_write);
    check_enum(&o.rule_write, &o.rule_write.format, LODE_RULE_WRITE_ARROW, "format",
               use_rule_write);
    o.rule.min_support.numerator = 1;
    check_enum(&o.rule, &o.rule.adjust, LODE_ADJUST_BY, "adjust", use_rule);
    check_enum(&o.query_write, &o.query_write.format, LODE_STORE_JSONL, "format", use_query_write);
    check_enum(&o.apply, &o.apply.format, LODE_STORE_JSONL, "format", use_apply);
    o.mine.papers = o.graph.papers = &o.paper;
    check_enum(&o.mine, &o.paper.popcount, LODE_POPCOUNT_CONSTANT16, "popcount", use_mine);
    check_enum(&o.mine, &o.paper.reduce, LODE_REDUCE_POW2, "reduce", use_mine);
    check_enum(&o.mine, &o.paper.grid, LODE_GRID_SQUARE, "grid", use_mine);
    check_enum(&o.graph, &o.paper.records, LODE_GRAPH_RECORDS_COLUMNS, "records", use_graph);
    check_enum(&o.graph, &o.paper.loads, LODE_GRAPH_LOADS_PLAIN, "loads", use_graph);
    check_enum(&o.graph, &o.paper.grid, LODE_GRID_SQUARE, "grid", use_graph);
    check_enum(&o.mine, &o.paper.grid, LODE_GRID_SQUARE, "grid", use_prepare);
    check_enum(&o.graph, &o.paper.loads, LODE_GRAPH_LOADS_PLAIN, "loads", use_graph_prepare);
}

static void basket_enums(void) {
    struct {
        lode_basket_write_options basket_write;
    } o = {LODE_INIT(lode_basket_write_options)};
    check_enum(&o.basket_write, &o.basket_write.format, LODE_BASKET_CSV, "format",
               use_basket_write);
}

static void sizes(void) {
    all_options o = all_defaults();
    lode_sink *sink = NULL;
    lode_sink *graph_sink = NULL;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_sink_count(job, &graph_sink), LODE_OK);
    o.mine.min_support.numerator = o.graph.min_support.numerator = 1;
    o.read.size = o.mine.size = o.write.size = 0;
    o.graph.size = o.graph_read.size = o.graph_write.size = SIZE_MAX;
    BAD(use_read(&o.read), "size");
    BAD(use_mine(&o.mine), "size");
    BAD(use_write(&o.write), "size");
    BAD(use_graph(&o.graph), "size");
    BAD(use_graph_write(&o.graph_write), "size");
    BAD(use_rule_write(&(lode_rule_write_options){0}), "size");
    o.rule.size = 0;
    BAD(use_rule(&o.rule), "size");
    BAD(lode_dataset_prepare(job, data, &o.mine), "size");
    BAD(lode_graphs_prepare(job, graphs, &o.graph), "size");
    lode_graphs *out = NULL;
    BAD(lode_graphs_from_arrays(job, &out, &(lode_graph_arrays){0}), "size");
    BAD(lode_graphs_parse(job, &out, "t", 1, "x", &o.graph_read), "size");
    BAD(lode_generate_quest(job, "/tmp/x", &(lode_quest_options){0}), "size");
    BAD(lode_generate_mutate(job, data, "/tmp/x", &(lode_mutate_options){0}), "size");
    BAD(lode_generate_graphs(job, "/tmp/x", &(lode_graphgen_options){0}), "size");
    lode_sink_free(sink);
    lode_sink_free(graph_sink);
}

static void numbers(void) {
    const double wrong[] = {-1, -INFINITY, NAN};
    lode_mine_options m = {.size = sizeof m, .min_support = {1, 0}};
    lode_graph_options g = {.size = sizeof g, .min_support = {1, 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        m.limit_seconds = g.limit_seconds = wrong[i];
        BAD(use_mine(&m), "time limit");
        BAD(use_graph(&g), "time limit");
    }
    m.limit_seconds = g.limit_seconds = INFINITY;
    CHECK_EQUAL(use_mine(&m), LODE_OK);
    CHECK_EQUAL(use_graph(&g), LODE_OK);
    m.min_support = g.min_support = (lode_threshold){3, 2};
    BAD(use_mine(&m), "above 100%");
    BAD(use_graph(&g), "above 100%");
    m.min_support = g.min_support = (lode_threshold){0, 7};
    BAD(use_mine(&m), "missing");
    BAD(use_graph(&g), "missing");
    lode_job *other = NULL;
    lode_job_options c = {.size = sizeof c, .threads = 1025};
    MUTE(lode_job_create(&other, NULL, &c));
    c.threads = UINT_MAX;
    MUTE(lode_job_create(&other, NULL, &c));
    lode_read_options part = {.size = sizeof part, .part = 1};
    BAD(use_read(&part), "part 1");
    CHECK(!other);
}

/* ---- what does not go together -------------------------------------------------------------- */

static void wrong_arrays(void) {
    lode_dataset *out = NULL;
    const uint64_t falling[] = {0, 3, 1}, later[] = {2, 3};
    const uint32_t items[] = {7, 8, 9}, weights[] = {0};
    BAD(lode_dataset_from_arrays(job, &out, 2, falling, items, NULL), "offsets[2]");
    CHECK_EQUAL(lode_dataset_from_arrays(job, &out, UINT64_MAX, falling, items, NULL),
                LODE_UNSUPPORTED);
    CHECK(!out);
    CHECK_EQUAL(lode_dataset_from_arrays(job, &out, 1, later, items, weights), LODE_OK);
    CHECK_EQUAL(lode_dataset_item_support(out, 9), 0); /* of weight 0: as if it were not there */
    lode_mine_options o = {.size = sizeof o, .min_support = {1, 2}};
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_mine(job, out, &o, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), 0);
    lode_sink_free(sink);
    lode_dataset_free(out);
}

static void wrong_patterns(void) {
    lode_graph good = graph_at(graphs, 0), p = good;
    const uint32_t far[] = {2}, label[] = {0, 99};
    uint64_t support = 7;
    p.n_vertices = 0;
    BAD(lode_graphs_support(job, graphs, graphs, &p, false, &support), "no vertex");
    p = good;
    p.to = far;
    BAD(lode_graphs_support(job, graphs, graphs, &p, false, &support), "leads to no vertex");
    p = good;
    p.from = far;
    BAD(lode_graphs_support(job, graphs, graphs, &p, false, &support), "leads to no vertex");
    p = good;
    p.vertex_labels = label;
    BAD(lode_graphs_support(job, graphs, graphs, &p, false, &support), "label");
    p = good;
    p.edge_labels = label + 1;
    BAD(lode_graphs_support(job, graphs, graphs, &p, false, &support), "label");
    p = good;
    p.edge_labels = NULL;
    BAD(lode_graphs_support(job, graphs, graphs, &p, false, &support), "is NULL");
    p = good;
    p.vertex_labels = NULL;
    BAD(lode_graphs_support(job, graphs, graphs, &p, false, &support), "is NULL");
    CHECK_EQUAL(support, 7);
    CHECK_EQUAL(lode_graphs_support(job, graphs, graphs, &good, false, &support), LODE_OK);
    CHECK_EQUAL(support, 1);
}

/* A sink of another job, of another data set, or that has been finished. */
static void wrong_sinks(void) {
    lode_mine_options o = {.size = sizeof o, .min_support = {1, 0}};
    lode_job *other = NULL;
    lode_sink *foreign = NULL, *hash = NULL, *file = NULL;
    lode_dataset *longer = NULL;
    CHECK_EQUAL(lode_job_create(&other, NULL, NULL), LODE_OK);
    CHECK_EQUAL(lode_sink_count(other, &foreign), LODE_OK);
    BAD(lode_mine(job, data, &o, foreign), "another job");
    CHECK_EQUAL(lode_dataset_parse(job, &longer, "1 2 3 4 5 99999\n", 16, "x", NULL), LODE_OK);
    CHECK_EQUAL(lode_sink_hash(job, &hash, data), LODE_OK);
    BAD(lode_mine(job, longer, &o, hash), "another data set");
    CHECK_EQUAL(lode_sink_file(job, &file, data, "/dev/null", NULL), LODE_OK);
    BAD(lode_mine(job, longer, &o, file), "another data set");
    CHECK_EQUAL(lode_mine(job, data, &o, file), LODE_OK);
    CHECK_EQUAL(lode_sink_finish(file, false), LODE_OK);
    BAD(lode_sink_finish(file, false), "finished before");
    BAD(lode_mine(job, data, &o, file), "finished before");
    lode_sink_free(file);
    lode_sink_free(hash);
    lode_sink_free(foreign);
    lode_dataset_free(longer);
    lode_job_free(other);
}

static void wrong_graph_sinks(void) {
    lode_graph_options o = {.size = sizeof o, .min_support = {1, 0}};
    lode_sink *file = NULL, *draw = NULL;
    lode_graphs *more = NULL;
    const char text[] = "t # 1\nv 0 A\nv 1 B\nv 2 Z\ne 0 1 x\ne 1 2 y\n";
    CHECK_EQUAL(lode_graphs_parse(job, &more, text, sizeof text - 1, "x", NULL), LODE_OK);
    CHECK_EQUAL(lode_graph_sink_file(job, &file, graphs, "/dev/null", NULL), LODE_OK);
    BAD(lode_graphs_mine(job, more, &o, file), "another data set");
    BAD(lode_graph_sink_draw(job, &draw, more, "/tmp", 1, file), "another data set");
    CHECK_EQUAL(lode_graphs_mine(job, graphs, &o, file), LODE_OK);
    CHECK_EQUAL(lode_sink_finish(file, false), LODE_OK);
    BAD(lode_sink_finish(file, false), "finished before");
    BAD(lode_graphs_mine(job, graphs, &o, file), "finished before");
    CHECK(!draw);
    lode_sink_free(file);
    lode_graphs_free(more);
}

/* Sinks take patterns of their kind only, but for those that count. */
static void sinks_of_the_other_kind(void) {
    lode_mine_options o = {.size = sizeof o, .min_support = {1, 0}};
    lode_graph_options g = {.size = sizeof g, .min_support = {1, 0}};
    lode_sink *items = NULL, *subgraphs = NULL, *draw = NULL, *count = NULL;
    lode_result r = {.size = sizeof r};
    lode_graph_result gr = {.size = sizeof gr};
    uint64_t support;
    const uint32_t item = 1;
    CHECK_EQUAL(lode_sink_memory(job, &items), LODE_OK);
    CHECK_EQUAL(lode_graph_sink_memory(job, &subgraphs), LODE_OK);
    BAD(lode_mine(job, data, &o, subgraphs), "the sink is not made for itemsets");
    BAD(lode_graphs_mine(job, graphs, &g, items), "the sink is not made for graphs");
    BAD(lode_graph_sink_draw(job, &draw, graphs, "/tmp", 1, items), "not made for graphs");
    CHECK(!draw && !lode_sink_result(subgraphs, &r) && !lode_graph_sink_result(items, &gr));
    BAD(lode_result_support(subgraphs, &item, 1, &support, NULL), "this sink keeps none");
    lode_sink_free(items);
    lode_sink_free(subgraphs);
    CHECK_EQUAL(lode_graph_sink_file(job, &subgraphs, graphs, "/dev/null", NULL), LODE_OK);
    BAD(lode_mine(job, data, &o, subgraphs), "the sink is not made for itemsets");
    lode_sink_free(subgraphs);
    subgraphs = NULL;

    CHECK_EQUAL(lode_graph_sink_hash(job, &subgraphs, graphs), LODE_OK);
    CHECK_EQUAL(lode_graph_sink_draw(job, &draw, graphs, "build/kinds.svg", 1, subgraphs), LODE_OK);
    CHECK_EQUAL(lode_graphs_mine(job, graphs, &g, draw), LODE_OK);
    CHECK(lode_sink_hash_value(draw) !=
          0); /* what it answers is of the sink that it passes on to */
    CHECK_EQUAL(lode_sink_hash_value(draw), lode_sink_hash_value(subgraphs));
    lode_sink_free(draw);

    CHECK_EQUAL(lode_sink_count(job, &count), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &o, count), LODE_OK);
    uint64_t n = lode_sink_patterns(count);
    CHECK_EQUAL(lode_graphs_mine(job, graphs, &g, count), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(count), n + 1);
    lode_sink_free(count);
}

int main(void) {
    open_all();
    open_store();
    CHECK_RUN(null_options);
    CHECK_RUN(null_context);
    CHECK_RUN(null_data);
    CHECK_RUN(null_data_getters);
    CHECK_RUN(null_names);
    CHECK_RUN(null_suggest);
    CHECK_RUN(null_sinks);
    CHECK_RUN(null_arrow);
    CHECK_RUN(null_supports);
    CHECK_RUN(null_mining);
    CHECK_RUN(null_reports);
    CHECK_RUN(null_generators);
    CHECK_RUN(null_graphs);
    CHECK_RUN(null_graph_getters);
    CHECK_RUN(null_rule_sinks);
    CHECK_RUN(null_graph_sinks);
    CHECK_RUN(null_measures);
    CHECK_RUN(null_rules);
    CHECK_RUN(null_cleaning);
    CHECK_RUN(null_store);
    CHECK_RUN(null_store_uses);
    CHECK_RUN(enums);
    CHECK_RUN(basket_enums);
    CHECK_RUN(sizes);
    CHECK_RUN(numbers);
    CHECK_RUN(wrong_arrays);
    CHECK_RUN(wrong_patterns);
    CHECK_RUN(wrong_sinks);
    CHECK_RUN(wrong_graph_sinks);
    CHECK_RUN(sinks_of_the_other_kind);
    close_all();
    return check_result();
}
