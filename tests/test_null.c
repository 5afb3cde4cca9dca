/* test_null.c - every public function with NULL in every place
 *
 * tests/test_public.py checks that no function of lode.h is missing here or in test_valid.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "public_calls.h"

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
    CHECK(!lode_options_classes(NULL));
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
    CHECK(!lode_option_at(SIZE_MAX) && !lode_option_find(0, NULL));
    CHECK(!lode_option_word(NULL, 0) && !lode_option_word(&(lode_option){.name = "sort"}, 0));
    CHECK(!lode_option_word(lode_option_at(0), SIZE_MAX));
    CHECK(!lode_algorithm_at(LODE_ITEMSETS, 0, NULL) &&
          !lode_algorithm_at(LODE_ITEMSETS, SIZE_MAX, NULL));
    CHECK(!lode_algorithm_at(LODE_GRAPHS, 0, NULL) && !lode_device_at(0, NULL));
    lode_device_wake(NULL);
    CHECK(lode_status_text((lode_status)INT_MAX)[0] && lode_version()[0]);
    (void)lode_reads_xlsx(NULL);
    (void)lode_writes_xlsx(); /* it depends on the build; tests/test_xlsx.py needs it */
    CHECK(!lode_build_info(NULL) && !lode_nearest(NULL, NULL, 3));
    CHECK_EQUAL(lode_options_get(NULL, "sort", message, sizeof message), 0);
    CHECK_TEXT(message, "");
    CHECK_EQUAL(lode_options_get(o, NULL, message, sizeof message), 0);
    CHECK_EQUAL(lode_options_get_in(o, UINT_MAX, "sort", NULL, 5), strlen("false"));
    lode_options_free(o);
    lode_outputs_discard(); /* there are none */
    lode_outputs_unfinished(NULL, NULL);
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
    CHECK(!lode_resources_get(NULL));
    CHECK_EQUAL(lode_printable(NULL, NULL, 1), 0);
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
    MUTE(lode_columns_json(NULL, "x", NULL, take_nothing, NULL));
    BAD(lode_columns_json(job, NULL, NULL, take_nothing, NULL), "path is NULL");
    BAD(lode_columns_json(job, "x", NULL, NULL, NULL), "write is NULL");
    BAD(lode_dataset_open(job, NULL, "x", NULL), "out is NULL");
    BAD(lode_dataset_open(job, &out, NULL, NULL), "path is NULL");
    CHECK(lode_dataset_open(job, &out, "", NULL) != LODE_OK && lode_job_error(job)[0]);
    MUTE(lode_dataset_open_files(NULL, &out, paths, 1, NULL));
    BAD(lode_dataset_open_files(job, NULL, paths, 1, NULL), "out is NULL");
    BAD(lode_dataset_open_files(job, &out, NULL, 1, NULL), "paths is NULL");
    BAD(lode_dataset_open_files(job, &out, paths, 2, NULL), "paths[1] is NULL");
    BAD(lode_dataset_open_files(job, &out, paths, 0, NULL), "no file");
    lode_peers peers = {.size = sizeof peers, .n = 1};
    MUTE(lode_dataset_open_together(NULL, &out, paths, 1, NULL, &peers));
    BAD(lode_dataset_open_together(job, NULL, paths, 1, NULL, &peers), "out is NULL");
    BAD(lode_dataset_open_together(job, &out, NULL, 1, NULL, &peers), "paths is NULL");
    BAD(lode_dataset_open_together(job, &out, paths, 1, NULL, NULL), "peers is NULL");
    BAD(lode_dataset_open_together(job, &out, paths, 1, NULL, &peers), "gather is NULL");
    MUTE(lode_dataset_parse(NULL, &out, "1", 1, "x", NULL));
    BAD(lode_dataset_parse(job, NULL, "1", 1, "x", NULL), "out is NULL");
    BAD(lode_dataset_parse(job, &out, NULL, 1, "x", NULL), "text is NULL");
    CHECK_EQUAL(lode_dataset_parse(job, &out, "\"", 1, NULL, NULL), LODE_PARSE);
    MUTE(lode_dataset_from_arrays(NULL, &out, 1, offsets, items, NULL));
    BAD(lode_dataset_from_arrays(job, NULL, 1, offsets, items, NULL), "out is NULL");
    BAD(lode_dataset_from_arrays(job, &out, 1, NULL, items, NULL), "offsets is NULL");
    BAD(lode_dataset_from_arrays(job, &out, 1, offsets, NULL, NULL), "items is NULL");
    MUTE(lode_dataset_from_bits(NULL, &out, 1, 1, offsets, NULL));
    BAD(lode_dataset_from_bits(job, NULL, 1, 1, offsets, NULL), "out is NULL");
    BAD(lode_dataset_from_bits(job, &out, 1, 1, NULL, NULL), "bits is NULL");
    struct ArrowArrayStream stream = {.release = NULL};
    MUTE(lode_dataset_from_arrow(NULL, &out, &stream, NULL));
    BAD(lode_dataset_from_arrow(job, NULL, &stream, NULL), "out is NULL");
    BAD(lode_dataset_from_arrow(job, &out, NULL, NULL), "stream is NULL");
    BAD(lode_dataset_from_arrow(job, &out, &stream, NULL), "was released");
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

static void null_tasks(void) {
    lode_mine_options o = {.size = sizeof o, .min_support = {1, 0}};
    lode_graph_options g = {.size = sizeof g, .min_support = {1, 0}};
    lode_task_search search = {.size = sizeof search, .n_tasks = 1};
    lode_task task = {.size = sizeof task, .end = 7};
    lode_tasks *tasks = NULL;
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    MUTE(lode_tasks_create(NULL, &tasks, data, &o, 1));
    BAD(lode_tasks_create(job, NULL, data, &o, 1), "out is NULL");
    BAD(lode_tasks_create(job, &tasks, NULL, &o, 1), "data is NULL");
    BAD(lode_tasks_create(job, &tasks, data, NULL, 1), "options is NULL");
    BAD(lode_tasks_create(job, &tasks, data, &o, 0), "number of tasks is 0");
    MUTE(lode_graph_tasks_create(NULL, &tasks, graphs, &g, 1));
    BAD(lode_graph_tasks_create(job, NULL, graphs, &g, 1), "out is NULL");
    BAD(lode_graph_tasks_create(job, &tasks, NULL, &g, 1), "data is NULL");
    BAD(lode_graph_tasks_create(job, &tasks, graphs, NULL, 1), "options is NULL");
    MUTE(lode_mine_tasks(NULL, data, &o, &search, sink));
    BAD(lode_mine_tasks(job, NULL, &o, &search, sink), "data is NULL");
    BAD(lode_mine_tasks(job, data, NULL, &search, sink), "options is NULL");
    BAD(lode_mine_tasks(job, data, &o, NULL, sink), "search is NULL");
    BAD(lode_mine_tasks(job, data, &o, &search, NULL), "sink is NULL");
    BAD(lode_mine_tasks(job, data, &o, &search, sink), "search->tasks is NULL");
    MUTE(lode_graphs_mine_tasks(NULL, graphs, &g, &search, sink));
    BAD(lode_graphs_mine_tasks(job, NULL, &g, &search, sink), "data is NULL");
    BAD(lode_graphs_mine_tasks(job, graphs, NULL, &search, sink), "options is NULL");
    BAD(lode_graphs_mine_tasks(job, graphs, &g, NULL, sink), "search is NULL");
    BAD(lode_graphs_mine_tasks(job, graphs, &g, &search, NULL), "sink is NULL");
    lode_job_ask_task(NULL);
    lode_tasks_free(NULL);
    CHECK(lode_tasks_count(NULL) == 0 && lode_tasks_hash(NULL) == 0);
    CHECK(!lode_tasks_at(NULL, 0, &task) && task.end == 0);
    CHECK(!lode_tasks_at(NULL, 0, NULL));
    CHECK(lode_dataset_fingerprint(NULL) == 0 && lode_graphs_fingerprint(NULL) == 0);
    CHECK(lode_hash_join(LODE_GRAPHS, NULL, 3) == 0);
    CHECK(lode_hash_without(LODE_ITEMSETS, 5, 5) == 0);
    lode_sink_free(sink);
}

static void null_journals(void) {
    lode_journal_search search = {.size = sizeof search};
    const char *path = "/nowhere/x.journal";
    const char *none = NULL;
    lode_journal *journal = NULL;
    lode_journals *journals = NULL;
    lode_task task = {.size = sizeof task, .end = 7};
    uint64_t id = 7;
    MUTE(lode_journal_create(NULL, &journal, path, &search));
    BAD(lode_journal_create(job, NULL, path, &search), "out is NULL");
    BAD(lode_journal_create(job, &journal, NULL, &search), "path is NULL");
    BAD(lode_journal_create(job, &journal, path, NULL), "search is NULL");
    MUTE(lode_journal_open(NULL, &journal, path, &search));
    BAD(lode_journal_open(job, NULL, path, &search), "out is NULL");
    BAD(lode_journal_open(job, &journal, NULL, &search), "path is NULL");
    BAD(lode_journal_open(job, &journal, path, NULL), "search is NULL");
    MUTE(lode_journal_append(NULL, NULL));
    CHECK_EQUAL(lode_journal_id(NULL), 0);
    lode_journal_free(NULL);
    MUTE(lode_journals_read(NULL, &journals, &path, 1, &search, 1));
    BAD(lode_journals_read(job, NULL, &path, 1, &search, 1), "out is NULL");
    BAD(lode_journals_read(job, &journals, NULL, 1, &search, 1), "paths is NULL");
    BAD(lode_journals_read(job, &journals, &none, 1, &search, 1), "paths[0] is NULL");
    MUTE(lode_journals_each(NULL, NULL, NULL));
    CHECK(!lode_journals_left_at(NULL, 0, &id, &task) && id == 0 && task.end == 0);
    CHECK(!lode_journals_left_at(NULL, 0, NULL, NULL));
    CHECK(lode_journals_left(NULL) == 0 && lode_journals_torn(NULL) == 0);
    lode_journals_free(NULL);
}

static void null_files(void) {
    lode_file *file = NULL;
    MUTE(lode_file_create(NULL, "x", true));
    CHECK_TEXT(lode_job_error(NULL), "out is NULL");
    MUTE(lode_file_create(&file, NULL, true));
    CHECK_TEXT(lode_job_error(NULL), "path is NULL");
    MUTE(lode_file_keep(&file, "x", NULL));
    CHECK_TEXT(lode_job_error(NULL), "suffix is NULL");
    MUTE(lode_file_resume(&file, NULL, ".partial"));
    MUTE(lode_file_check(NULL));
    MUTE(lode_file_write(NULL, "x", 1));
    MUTE(lode_file_commit(NULL, false));
    CHECK_TEXT(lode_job_error(NULL), "file is NULL");
    CHECK(lode_file_descriptor(NULL) == -1 && !lode_file_path(NULL)[0] && !file);
    lode_file_free(NULL);
    lode_files_limit(NULL, NULL);
}

static void null_text(void) {
    char text[LODE_JSON_BYTES(0)];
    CHECK(lode_text_is_utf8(NULL, 0) && lode_json_number(NULL, 1) == 0);
    CHECK(lode_json_string(NULL, "a", 1, false) == 0);
    CHECK(lode_json_string(text, NULL, 0, false) == 2 && memcmp(text, "\"\"", 2) == 0);
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
    o = (lode_suggest_options){.size = sizeof o, .min_size = 3};
    BAD(lode_suggest(job, data, &o, &s), "min_size");
    o = (lode_suggest_options){
        .size = sizeof o, .min_size = 2, .targets = 1u << LODE_SUGGEST_CLOSED};
    BAD(lode_suggest(job, data, &o, &s), "min_size");
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
    CHECK(!lode_sink_is_over_budget(NULL));
    CHECK(lode_sink_patterns(NULL) == 0 && lode_sink_patterns_of_size(NULL, 1) == 0);
    CHECK(lode_sink_largest(NULL) == 0 && lode_sink_hash_value(NULL) == 0);
    CHECK(lode_sink_bytes(NULL) == 0 && result_of(NULL).n == 0);
    CHECK(!lode_sink_result(NULL, NULL));
    CHECK(!lode_sink_class_column(NULL, 0, NULL));
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
    BAD(lode_result_support(count, &item, 1, &support, &known),
        "this sink keeps no result in memory");
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
    lode_report_head rhs = {.size = sizeof rhs};
    size_t bytes = 0;
    CHECK(lode_job_report(NULL) == NULL && report != NULL);
    lode_report_fail(NULL, LODE_IO, "");
    CHECK_EQUAL(lode_job_fail(NULL, LODE_IO, NULL), LODE_IO);
    CHECK(!lode_report_get_head(NULL, &rhs) && !lode_report_get_head(report, NULL));
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

static void null_graphs(void) {
    lode_graphs *out = NULL;
    bool is_graphs;
    unsigned sure;
    uint64_t support = 9;
    lode_graph g = graph_at(graphs, 0);
    MUTE(lode_graphs_open(NULL, &out, "x", NULL));
    BAD(lode_graphs_open(job, NULL, "x", NULL), "out is NULL");
    BAD(lode_graphs_open(job, &out, NULL, NULL), "path is NULL");
    lode_peers peers = {.size = sizeof peers};
    MUTE(lode_graphs_open_together(NULL, &out, "x", NULL, &peers));
    BAD(lode_graphs_open_together(job, NULL, "x", NULL, &peers), "out is NULL");
    BAD(lode_graphs_open_together(job, &out, NULL, NULL, &peers), "path is NULL");
    BAD(lode_graphs_open_together(job, &out, "x", NULL, NULL), "peers is NULL");
    BAD(lode_graphs_open_together(job, &out, "x", NULL, &peers), "at least one");
    MUTE(lode_graphs_parse(NULL, &out, "t", 1, "x", NULL));
    BAD(lode_graphs_parse(job, NULL, "t", 1, "x", NULL), "out is NULL");
    BAD(lode_graphs_parse(job, &out, NULL, 1, "x", NULL), "text is NULL");
    CHECK_EQUAL(lode_graphs_parse(job, &out, "e", 1, NULL, NULL), LODE_PARSE);
    MUTE(lode_graphs_open_pipe(NULL, &out, 0, "x", NULL));
    BAD(lode_graphs_open_pipe(job, NULL, 0, "x", NULL), "out is NULL");
    BAD(lode_graphs_open_pipe(job, &out, -1, "x", NULL), "fd");
    MUTE(lode_molecules_sniff(NULL, "x", &sure));
    BAD(lode_molecules_sniff(job, NULL, &sure), "path is NULL");
    BAD(lode_molecules_sniff(job, "-", NULL), "sure is NULL");
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
    struct ArrowArrayStream stream = {.release = NULL};
    MUTE(lode_graphs_from_arrow(NULL, &out, &stream, NULL));
    BAD(lode_graphs_from_arrow(job, NULL, &stream, NULL), "out is NULL");
    BAD(lode_graphs_from_arrow(job, &out, NULL, NULL), "stream is NULL");
    BAD(lode_graphs_from_arrow(job, &out, &stream, NULL), "was released");
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
    BAD(lode_graph_sink_draw(job, &out, graphs, "/tmp", 0, inner),
        "the number of patterns to draw is 0");
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
    CHECK(strcmp(lode_store_tested(NULL), "") == 0);
    MUTE(lode_store_open(NULL, &out, rules.path));
    BAD(lode_store_open(job, NULL, rules.path), "out is NULL");
    BAD(lode_store_open(job, &out, NULL), "path is NULL");
    CHECK_EQUAL(lode_store_open(job, &out, "/nowhere/x.arrow"), LODE_NOTFOUND);
    lode_save_columns c = LODE_INIT(lode_save_columns);
    MUTE(lode_store_save(NULL, "/dev/null", &c));
    BAD(lode_store_save(job, NULL, &c), "path is NULL");
    BAD(lode_store_save(job, "/dev/null", NULL), "columns is NULL");
    BAD(lode_store_save(job, "/dev/null", &c), "offsets is NULL");
    lode_store_free(NULL);
    lode_store_guard();
    MUTE(lode_store_check(NULL));
    CHECK_EQUAL(lode_store_check(store), LODE_OK);
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
    lode_page page = LODE_INIT(lode_page);
    MUTE(lode_store_page(NULL, NULL, 0, rows, 4, &page));
    BAD(lode_store_page(store, NULL, 0, NULL, 4, &page), "rows is NULL");
    BAD(lode_store_page(store, NULL, 0, rows, 4, NULL), "out is NULL");
    MUTE(lode_store_write_call(NULL, NULL, take_nothing, NULL, NULL, &n));
    BAD(lode_store_write_call(store, NULL, NULL, NULL, NULL, &n), "write is NULL");
    CHECK_EQUAL(lode_store_write_call(store, NULL, take_nothing, NULL, NULL, NULL), LODE_OK);
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
    MUTE(lode_store_pair(NULL, store, &n, NULL));
    BAD(lode_store_pair(store, NULL, &n, NULL), "other is NULL");
    BAD(lode_store_pair(store, store, NULL, NULL), "partners is NULL");
    MUTE(lode_store_apply(NULL, data, NULL, take_advice, NULL));
    BAD(lode_store_apply(store, NULL, NULL, take_advice, NULL), "data is NULL");
    BAD(lode_store_apply(store, data, NULL, NULL, NULL), "function is NULL");
    CHECK_EQUAL(lode_store_apply(store, data, NULL, take_advice, NULL), LODE_OK);
    MUTE(lode_store_apply_file(NULL, data, NULL, "/dev/null", NULL));
    BAD(lode_store_apply_file(store, NULL, NULL, "/dev/null", NULL), "data is NULL");
    BAD(lode_store_apply_file(store, data, NULL, NULL, NULL), "path is NULL");
    CHECK_EQUAL(lode_store_apply_file(store, data, NULL, "/dev/null", NULL), LODE_OK);
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
    CHECK(!lode_itemset_measure_at(0, NULL) && !lode_itemset_measure_at(SIZE_MAX, &m) && !m.name);
    CHECK(!lode_itemset_measure_find(NULL, &i) && !lode_itemset_measure_find("", &i) && i == 9);
    CHECK(isnan(lode_itemset_measure_value(0, NULL, 1, 1, 1)));
    CHECK(isnan(lode_itemset_measure_value(0, &(uint64_t){2}, 1, 3, 4)));
    CHECK(isnan(lode_itemset_measure_value(0, &(uint64_t){2}, 1, 1, 1)));
    CHECK(isnan(lode_itemset_measure_value(SIZE_MAX, &(uint64_t){2}, 1, 1, 4)));
    CHECK(isnan(lode_measure_value(SIZE_MAX, &(lode_rule){.size = sizeof(lode_rule)})));
    CHECK(!lode_measure_interval(LODE_INTERVAL_LIFT, NULL, 0.9, &low, &high) && isnan(low));
    CHECK(!lode_measure_interval((lode_interval_of)9, &counts, 0.9, NULL, &high) && isnan(high));
    CHECK(lode_measure_interval(LODE_INTERVAL_LIFT, &counts, 0.9, NULL, NULL));
}

int main(void) {
    open_all();
    open_store();
    CHECK_RUN(null_options);
    CHECK_RUN(null_context);
    CHECK_RUN(null_data);
    CHECK_RUN(null_data_getters);
    CHECK_RUN(null_names);
    CHECK_RUN(null_tasks);
    CHECK_RUN(null_journals);
    CHECK_RUN(null_files);
    CHECK_RUN(null_text);
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
    close_all();
    return check_result();
}
