/* test_hash.c - the hash of a result depends only on the result, not on how it was found
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "write/itemsets/item_sink.h"

#define N_ROWS    200
#define N_NAMES   12
#define ROW_BYTES (N_NAMES * 8)

static lode_job *new_job(const char *device) {
    lode_job *job = NULL;
    lode_job_options options = {.size = sizeof options, .device = device};
    if (lode_job_create(&job, NULL, &options) != LODE_OK) exit(2);
    return job;
}

static void free_job(lode_job *job) {
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

/* Baskets of names, row `start` first. With `other` = row, that row has one item more. */
static lode_dataset *new_data(lode_job *job, unsigned start, unsigned other, char prefix) {
    static char text[N_ROWS * ROW_BYTES];
    lode_dataset *data = NULL;
    lode_read_options options = {
        .size = sizeof options, .format = LODE_FORMAT_BASKET, .separator = ','};
    size_t n = 0;
    for (unsigned i = 0; i < N_ROWS; i++) {
        unsigned row = (start + i) % N_ROWS;
        rng random = rng_make(3, row);
        const char *comma = "";
        for (unsigned k = 0; k < N_NAMES; k++) {
            if (rng_unit(&random) > 0.5 && !(row == other && k == 0)) continue;
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%citem%u", comma, prefix, k);
            comma = ",";
        }
        text[n++] = '\n';
    }
    if (lode_dataset_parse(job, &data, text, n, "text", &options) != LODE_OK) exit(2);
    return data;
}

static uint64_t hash_of(lode_job *job, const lode_dataset *data, const char *algorithm) {
    lode_sink *sink = NULL;
    lode_mine_options o = {.size = sizeof o, .min_support = {5, 0}, .algorithm = algorithm};
    CHECK_EQUAL(lode_sink_hash(job, &sink, data), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
    CHECK(lode_sink_patterns(sink) > 100);
    uint64_t hash = lode_sink_hash_value(sink);
    lode_sink_free(sink);
    return hash;
}

/* The hash on the given device of data made in the given way. */
static uint64_t hash_with(const char *device, const char *algorithm, unsigned start, unsigned other,
                          char prefix) {
    lode_job *job = new_job(device);
    lode_dataset *data = new_data(job, start, other, prefix);
    uint64_t hash = hash_of(job, data, algorithm);
    lode_dataset_free(data);
    free_job(job);
    return hash;
}

static void test_same(void) {
    uint64_t expected = hash_with("cpu*1", "frontier", 0, N_ROWS, 'a');
    lode_algorithm a = LODE_INIT(lode_algorithm);
    for (size_t i = 0; lode_algorithm_at(LODE_ITEMSETS, i, &a); i++) {
        CHECK_EQUAL(hash_with("cpu*1", a.name, 0, N_ROWS, 'a'), expected);
        CHECK_EQUAL(hash_with("cpu*2", a.name, 0, N_ROWS, 'a'), expected);
        CHECK_EQUAL(hash_with("cpu*1", a.name, 77, N_ROWS, 'a'), expected);
    }
}

static void test_different(void) {
    uint64_t expected = hash_with("cpu*1", "brute", 0, N_ROWS, 'a');
    unsigned differ = 0;
    for (unsigned row = 0; row < 20; row++) {
        differ += hash_with("cpu*1", "brute", 0, row, 'a') != expected;
    }
    CHECK(differ >= 5 && differ < 20); /* rows that hold the item already change nothing */
    CHECK(hash_with("cpu*1", "brute", 0, N_ROWS, 'b') != expected);
}

static uint64_t hash_of_batch(lode_job *job, const lode_dataset *data, lode_batch batch) {
    lode_sink *sink = NULL;
    sink_worker *worker = NULL;
    CHECK_EQUAL(lode_sink_hash(job, &sink, data), LODE_OK);
    CHECK_EQUAL(sink_open_worker(sink, &worker), LODE_OK);
    CHECK_EQUAL(sink_emit(worker, &batch), LODE_OK);
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
    uint64_t hash = lode_sink_hash_value(sink);
    lode_sink_free(sink);
    return hash;
}

/* What the hash must and must not see in single patterns. */
static void test_patterns(void) {
    lode_job *job = new_job("cpu*1");
    lode_dataset *data = new_data(job, 0, N_ROWS, 'a');
    static const uint32_t ab[] = {1, 2}, ba[] = {2, 1}, ad[] = {1, 4}, c[] = {3};
    static const uint32_t cd[] = {3, 4}, dc[] = {4, 3};
    static const uint64_t s9[] = {9, 9}, s8[] = {8, 8}, s89[] = {8, 9}, s98[] = {9, 8};
    uint64_t abc = hash_of_batch(job, data, (lode_batch){0, ab, 2, c, s9, 1, NULL, 0});
    CHECK_EQUAL(hash_of_batch(job, data, (lode_batch){0, ba, 2, c, s9, 1, NULL, 0}), abc);
    CHECK(hash_of_batch(job, data, (lode_batch){0, ad, 2, c, s9, 1, NULL, 0}) != abc);
    CHECK(hash_of_batch(job, data, (lode_batch){0, ab, 2, c, s8, 1, NULL, 0}) != abc);
    CHECK(hash_of_batch(job, data, (lode_batch){0, ab, 1, c, s9, 1, NULL, 0}) != abc);
    uint64_t two = hash_of_batch(job, data, (lode_batch){0, ab, 2, cd, s89, 2, NULL, 0});
    CHECK_EQUAL(hash_of_batch(job, data, (lode_batch){0, ab, 2, dc, s98, 2, NULL, 0}), two);
    CHECK(hash_of_batch(job, data, (lode_batch){0, ab, 2, cd, s98, 2, NULL, 0}) != two);
    /* {1,2} and {1,2,4} both at 9: as a perfect extension, and one by one it is the same sum */
    uint64_t plain = hash_of_batch(job, data, (lode_batch){0, ab, 1, ab + 1, s9, 1, ad + 1, 1});
    uint64_t other = hash_of_batch(job, data, (lode_batch){0, ba, 1, ba + 1, s9, 1, ad + 1, 1});
    CHECK_EQUAL(plain, other);
    CHECK(plain != hash_of_batch(job, data, (lode_batch){0, ab, 1, ab + 1, s9, 1, NULL, 0}));
    lode_dataset_free(data);
    free_job(job);
}

/* Numbers that must never change: results of different machines and versions are compared. */
static void test_golden(void) {
    static const char text[] = "1 2 3\n1 2\n1 3\n2 3\n1 2 3\n";
    lode_job *job = new_job("cpu*1");
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;
    lode_mine_options o = {.size = sizeof o, .min_support = {2, 0}};
    CHECK_EQUAL(lode_dataset_parse(job, &data, text, sizeof text - 1, "text", NULL), LODE_OK);
    CHECK_EQUAL(lode_sink_hash(job, &sink, data), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), 7);
    CHECK_EQUAL(lode_sink_hash_value(sink), 0x10d0ff7238df8480u);
    lode_sink_free(sink);
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_sink_hash_value(sink), 0); /* not a hash sink */
    lode_sink_free(sink);
    lode_dataset_free(data);
    free_job(job);
}

int main(void) {
    CHECK_RUN(test_same);
    CHECK_RUN(test_different);
    CHECK_RUN(test_patterns);
    CHECK_RUN(test_golden);
    return check_result();
}
