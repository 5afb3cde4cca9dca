/* test_limits.c - limits on time and on patterns: every engine keeps them, and the result so far is
 * right
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/os.h"
#include "base/rng.h"
#include "check.h"
#include "reports.h"
#include "structs.h"
#include "write/itemsets/item_sink.h"

#define MAX_ITEMS 64

static lode_job *new_job(const char *device) {
    lode_job *job = NULL;
    lode_job_options options = {.size = sizeof options, .threads = 2, .device = device};
    if (lode_job_create(&job, NULL, &options) != LODE_OK) exit(2);
    return job;
}

static void free_job(lode_job *job) {
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

/* Transactions that hold each of n_items items with the given probability. */
static lode_dataset *new_data(lode_job *job, uint64_t n, uint32_t n_items, double probability) {
    lode_dataset *data = NULL;
    rng random = rng_make(7, 1);
    uint64_t *offsets = calloc(n + 1, sizeof *offsets);
    uint32_t *items = calloc(n * n_items, sizeof *items);
    if (!offsets || !items) exit(2);
    for (uint64_t t = 0; t < n; t++) {
        offsets[t + 1] = offsets[t];
        for (uint32_t i = 0; i < n_items; i++) {
            if (rng_unit(&random) < probability) items[offsets[t + 1]++] = i;
        }
    }
    if (lode_dataset_from_arrays(job, &data, n, offsets, items, NULL) != LODE_OK) exit(2);
    free(offsets);
    free(items);
    return data;
}

#define MAX_ROWS 128

/* The transactions as bits of their items, which are fewer than 64. */
static uint64_t read_rows(const lode_dataset *data, uint64_t rows[MAX_ROWS]) {
    uint64_t n = profile_of(data).n_transactions;
    if (!CHECK(n <= MAX_ROWS)) exit(1);
    for (uint64_t t = 0; t < n; t++) {
        uint32_t held[MAX_ITEMS];
        uint32_t length = lode_dataset_transaction(data, t, held, MAX_ITEMS);
        if (!CHECK(length <= MAX_ITEMS)) exit(1);
        rows[t] = 0;
        for (uint32_t i = 0; i < length; i++) rows[t] |= (uint64_t)1 << held[i];
    }
    return n;
}

static uint64_t support_of(const uint64_t *rows, uint64_t n_rows, const uint32_t *items, size_t n) {
    uint64_t support = 0, wanted = 0;
    for (size_t k = 0; k < n; k++) wanted |= (uint64_t)1 << items[k];
    for (uint64_t t = 0; t < n_rows; t++) support += (rows[t] & wanted) == wanted;
    return support;
}

/* Every pattern is there once and has its true support. */
static void check_result_is_true(const lode_dataset *data, lode_sink *sink, uint64_t min_count) {
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    lode_result r = result_of(sink);
    uint64_t rows[MAX_ROWS], n_rows = read_rows(data, rows), wrong = 0, twice = 0;
    for (uint64_t i = 0; i < r.n; i++) {
        const uint32_t *items = r.items + r.offsets[i];
        size_t n = (size_t)(r.offsets[i + 1] - r.offsets[i]);
        wrong += support_of(rows, n_rows, items, n) != r.supports[i] || r.supports[i] < min_count;
        if (i == 0 || r.offsets[i] - r.offsets[i - 1] != n) continue;
        twice += memcmp(r.items + r.offsets[i - 1], items, n * sizeof *items) == 0;
    }
    CHECK_EQUAL(r.n, lode_sink_patterns(sink));
    CHECK_EQUAL(wrong, 0);
    CHECK_EQUAL(twice, 0);
}

/* ---- a number of patterns ------------------------------------------------------------------ */

#define MIN_COUNT 24

static lode_mine_options options_for(const char *algorithm) {
    return (lode_mine_options){
        .size = sizeof(lode_mine_options), .min_support = {MIN_COUNT, 0}, .algorithm = algorithm};
}

static uint64_t count_all(lode_job *job, const lode_dataset *data, const char *algorithm) {
    lode_sink *sink = NULL;
    lode_mine_options o = options_for(algorithm);
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
    uint64_t n = lode_sink_patterns(sink);
    lode_sink_free(sink);
    return n;
}

static void check_exactly(lode_job *job, const lode_dataset *data, const char *algorithm,
                          uint64_t limit, uint64_t all) {
    lode_sink *sink = NULL;
    lode_mine_options o = options_for(algorithm);
    o.limit_patterns = limit;
    CHECK_EQUAL(lode_sink_memory(job, &sink), LODE_OK);
    lode_status status = lode_mine(job, data, &o, sink);
    bool cut = limit < all;
    CHECK_EQUAL(status, cut ? LODE_STOPPED : LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), cut ? limit : all);
    CHECK_EQUAL(report_number(job, "patterns.total"), cut ? limit : all);
    CHECK_TEXT(report_words(job, "stopped_by"), cut ? "limit-patterns" : "");
    CHECK(!cut || strstr(lode_job_error(job), "patterns: the result is partial"));
    check_result_is_true(data, sink, MIN_COUNT);
    lode_sink_free(sink);
}

/* One thread has no races, and the loops are the same. */
#define ALONE BY_BUILD(true, true, false)

static void check_patterns(const char *device) {
    lode_job *job = new_job(device);
    lode_dataset *data = new_data(job, 48, 16, 0.85);
    lode_algorithm a = LODE_INIT(lode_algorithm);
    for (size_t i = 0; lode_algorithm_at(LODE_ITEMSETS, i, &a); i++) {
        uint64_t all = count_all(job, data, a.name);
        CHECK(all > 1000);
        const uint64_t limits[] = {1, 2, 100, all - 1, all, all + 1};
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
            check_exactly(job, data, a.name, limits[k], all);
        }
        CHECK_EQUAL(count_all(job, data, a.name), all); /* nothing of it stays */
    }
    lode_dataset_free(data);
    free_job(job);
}

static void test_patterns(void) {
    if (ALONE) check_patterns("cpu*1");
    check_patterns("cpu*3");
}

/* ---- batches with perfect extensions, of which the limit cuts any part --------------------- */

static void check_cut(lode_job *job, uint64_t limit, uint32_t min_size, uint32_t max_size) {
    static const uint32_t prefix[] = {9}, items[] = {1, 2, 3}, perfect[] = {4, 5, 6};
    static const uint64_t supports[] = {7, 8, 7};
    lode_batch batch = {0, prefix, 1, items, supports, 3, perfect, 3};
    lode_sink *sink = NULL;
    sink_worker *worker = NULL;
    uint64_t all = 0;
    for (uint32_t j = 0; j <= 3; j++) {
        static const uint64_t choose[] = {3, 9, 9, 3}; /* 3 * C(3, j) */
        if (j + 2 >= min_size && j + 2 <= max_size) all += choose[j];
    }
    CHECK_EQUAL(lode_sink_memory(job, &sink), LODE_OK);
    sink_limit(sink, min_size, max_size);
    sink_limit_patterns(sink, limit);
    CHECK_EQUAL(sink_open_worker(sink, &worker), LODE_OK);
    CHECK_EQUAL(sink_emit(worker, &batch), limit < all ? LODE_STOPPED : LODE_OK);
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), limit < all ? limit : all);
    lode_result r = result_of(sink);
    CHECK_EQUAL(r.n, limit < all ? limit : all);
    for (uint64_t i = 0; i < r.n; i++) { /* the least item is the one that has the support */
        CHECK_EQUAL(r.supports[i], supports[r.items[r.offsets[i]] - 1]);
    }
    lode_sink_free(sink);
    lode_job_reset(job);
}

static void test_perfect_extensions(void) {
    lode_job *job = new_job("cpu*1");
    for (uint64_t limit = 0; limit <= 25; limit++) {
        check_cut(job, limit, 1, UINT32_MAX);
        check_cut(job, limit, 3, 4);
        check_cut(job, limit, 5, UINT32_MAX);
        check_cut(job, limit, 1, 2);
    }
    free_job(job);
}

/* More than 2^64 patterns in a single batch are no reason to fail, if only some are wanted. */
static void test_enormous_batch(void) {
    lode_job *job = new_job("cpu*1");
    uint32_t perfect[MAX_ITEMS + 6];
    const uint32_t item = 0;
    const uint64_t support = 5;
    for (uint32_t i = 0; i < MAX_ITEMS + 6; i++) perfect[i] = i + 1;
    lode_batch batch = {0, NULL, 0, &item, &support, 1, perfect, MAX_ITEMS + 6};
    lode_sink *sink = NULL;
    sink_worker *worker = NULL;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    sink_limit_patterns(sink, 1000);
    CHECK_EQUAL(sink_open_worker(sink, &worker), LODE_OK);
    CHECK_EQUAL(sink_emit(worker, &batch), LODE_STOPPED);
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), 1000);
    lode_sink_free(sink);
    free_job(job);
}

/* ---- time ---------------------------------------------------------------------------------- */

#define LIMIT_SECONDS 0.1 /* the first that is tried */
#define LAST_LIMIT    60  /* and the last: a machine that is busy finds nothing in less */

/* Processor time after which it is too late: the job would run for hours. A machine that is busy
 * gives less of it. */
#define MOST_SECONDS BY_BUILD(2, 10, 20)

/* Returns how many patterns were found. */
static uint64_t check_limit(lode_job *job, const lode_dataset *data, const char *algorithm,
                            lode_target target, double seconds) {
    char message[128];
    lode_sink *sink = NULL;
    lode_mine_options o = {.size = sizeof o,
                           .min_support = {1, 0},
                           .algorithm = algorithm,
                           .target = target,
                           .top_k = 1000000000,
                           .limit_seconds = seconds};
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    double start = os_seconds();
    clock_t begin = clock();
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_STOPPED);
    double cpu = (double)(clock() - begin) / CLOCKS_PER_SEC;
    CHECK(os_seconds() - start >= seconds);
    if (!CHECK(target == LODE_TARGET_TOP || seconds > LIMIT_SECONDS || cpu < MOST_SECONDS)) {
        fprintf(stderr, "  %s took %.3f s of the processors\n", algorithm ? algorithm : "top", cpu);
    }
    CHECK_TEXT(report_words(job, "stopped_by"), "limit-time");
    snprintf(message, sizeof message, "stopped after %g s, the time limit: the result is partial",
             seconds);
    CHECK_TEXT(lode_job_error(job), message);
    uint64_t found = lode_sink_patterns(sink);
    lode_sink_free(sink);
    return found;
}

static void check_time(lode_job *job, const lode_dataset *data, const char *algorithm,
                       lode_target target) {
    double seconds = LIMIT_SECONDS;
    while (check_limit(job, data, algorithm, target, seconds) == 0) {
        if (!CHECK((seconds *= 2) < LAST_LIMIT)) break;
    }
}

/* The limit was for the job before. */
static void check_reading(lode_job *job) {
    lode_dataset *data = NULL;
    CHECK_EQUAL(lode_dataset_parse(job, &data, "1 2\n", 4, "text", NULL), LODE_OK);
    lode_dataset_free(data);
}

static void check_times(const char *device) {
    lode_job *job = new_job(device);
    lode_dataset *data = new_data(job, 128, MAX_ITEMS, 0.9);
    lode_algorithm a = LODE_INIT(lode_algorithm);
    for (size_t i = 0; lode_algorithm_at(LODE_ITEMSETS, i, &a); i++) {
        check_time(job, data, a.name, LODE_TARGET_ALL);
        check_reading(job);
    }
    check_time(job, data, NULL, LODE_TARGET_TOP);
    lode_dataset_free(data);
    free_job(job);
}

static void test_time(void) {
    if (ALONE) check_times("cpu*1");
    check_times("cpu*3");
}

static void test_partial_result_is_true(void) {
    lode_job *job = new_job("cpu*3");
    lode_dataset *data = new_data(job, 48, MAX_ITEMS, 0.9);
    lode_sink *sink = NULL;
    lode_mine_options o = {.size = sizeof o, .min_support = {1, 0}, .limit_seconds = 0.002};
    CHECK_EQUAL(lode_sink_memory(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_STOPPED);
    check_result_is_true(data, sink, 1);
    lode_sink_free(sink);
    lode_dataset_free(data);
    free_job(job);
}

/* ---- the rest ------------------------------------------------------------------------------ */

static int stop_at_once(void *user, const lode_batch *batch) {
    (void)batch;
    ++*(int *)user;
    return 1;
}

static void test_sink_stops(void) {
    lode_job *job = new_job("cpu*3");
    lode_dataset *data = new_data(job, 48, 16, 0.85);
    lode_sink *sink = NULL;
    lode_mine_options o = options_for(NULL);
    int calls = 0;
    CHECK_EQUAL(lode_sink_callback(job, &sink, stop_at_once, &calls), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_STOPPED);
    CHECK(calls >= 1 && calls <= 3);
    CHECK_TEXT(report_words(job, "stopped_by"), "");
    CHECK_TEXT(lode_job_error(job), "stopped by the callback of the sink: the result is partial");
    lode_sink_free(sink);
    CHECK(count_all(job, data, NULL) > 1000);
    lode_dataset_free(data);
    free_job(job);
}

static void test_cancel_comes_first(void) {
    lode_job *job = new_job("cpu*1");
    lode_dataset *data = new_data(job, 48, 16, 0.85);
    lode_sink *sink = NULL;
    lode_mine_options o = options_for(NULL);
    o.limit_seconds = 1e-9;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    lode_job_cancel(job);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_CANCELLED);
    lode_job_reset(job);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_STOPPED);
    o.limit_seconds = -1;
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_INVALID);
    o.limit_seconds = NAN;
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_INVALID);
    lode_sink_free(sink);
    lode_dataset_free(data);
    free_job(job);
}

/* ---- a result in the order of a measure ---------------------------------------------------- */

static int count_lines(void *user, const char *text, size_t bytes) {
    uint64_t *lines = user;
    for (size_t i = 0; i < bytes; i++) *lines += text[i] == '\n';
    return 0;
}

/* Every pattern is counted once, and the last phase is that of writing. */
static uint64_t check_ranked(lode_job *job, const lode_dataset *data, uint64_t limit, bool cancel) {
    lode_sink *sink = NULL;
    uint64_t lines = 0;
    lode_write_options w = {.size = sizeof w, .sort_by = "lift"};
    lode_mine_options o = options_for(NULL);
    lode_progress at = LODE_INIT(lode_progress);
    o.limit_patterns = limit;
    CHECK_EQUAL(lode_sink_write(job, &sink, data, count_lines, &lines, &w), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_STOPPED);
    CHECK_EQUAL(lines, 0);
    if (cancel) lode_job_cancel(job);
    CHECK_EQUAL(lode_sink_finish(sink, cancel), LODE_OK);
    CHECK(lode_job_progress(job, &at));
    CHECK_TEXT(at.phase, "write");
    CHECK(at.share == 1 && at.rate == 0);
    CHECK_EQUAL(at.patterns, limit);
    CHECK_EQUAL(lode_sink_patterns(sink), limit);
    lode_sink_free(sink);
    lode_job_reset(job);
    return lines;
}

static void test_ranked(void) {
    lode_job *job = new_job(NULL);
    lode_dataset *data = new_data(job, MAX_ROWS, 17, 0.9);
    CHECK_EQUAL(check_ranked(job, data, 100000, false), 100000);
    CHECK_EQUAL(check_ranked(job, data, 2000, false), 2000);
    CHECK_EQUAL(check_ranked(job, data, 2000, true), 2000); /* few are always written */
    uint64_t lines = check_ranked(job, data, 100000, true);
    CHECK(lines > 4000 && lines <= 100000);
    lode_dataset_free(data);
    free_job(job);
}

static void test_texts(void) {
    static const struct {
        const char *text;
        double seconds; /* 0: refused */
    } cases[] = {{"60", 60}, {"0.5", 0.5}, {"30s", 30}, {"10m", 600}, {"1.5h", 5400}, {"2.", 2},
                 {"0", 0},   {"0.0", 0},   {"", 0},     {"-1", 0},    {"10 m", 0},    {"5x", 0},
                 {"5ms", 0}, {".5", 0},    {"1e3", 0},  {"inf", 0},   {"nan", 0},     {"1,5", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lode_options *o = NULL;
        CHECK_EQUAL(lode_options_create(&o), LODE_OK);
        lode_status status = lode_options_set(o, "limit-time", cases[i].text, NULL, 0);
        CHECK_EQUAL(status, cases[i].seconds > 0 ? LODE_OK : LODE_INVALID);
        double seconds = lode_options_mine(o)->limit_seconds;
        if (!CHECK(fabs(seconds - cases[i].seconds) < 1e-9)) puts(cases[i].text);
        lode_options_free(o);
    }
}

int main(void) {
    CHECK_RUN(test_patterns);
    CHECK_RUN(test_perfect_extensions);
    CHECK_RUN(test_enormous_batch);
    CHECK_RUN(test_time);
    CHECK_RUN(test_partial_result_is_true);
    CHECK_RUN(test_sink_stops);
    CHECK_RUN(test_cancel_comes_first);
    CHECK_RUN(test_ranked);
    CHECK_RUN(test_texts);
    return check_result();
}
