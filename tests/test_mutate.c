/* test_mutate.c - mutated copies of a data set: golden bytes, share of replaced items, names
 * SPDX-License-Identifier: Apache-2.0 */
#include "generated.h"

#define MUTATE(...)                                                                                \
    { .size = sizeof(lode_mutate_options), __VA_ARGS__ }

/* Numbers with gaps, an empty transaction, and enough transactions for several blocks. */
static lode_dataset *numbers_create(lode_job *job) {
    enum { N = 10000 };
    static uint64_t offsets[N + 1];
    static uint32_t items[N * 16];
    uint64_t at = 0;
    for (uint32_t t = 0; t < N; t++) {
        for (uint32_t i = 0; i < t % 16; i++)
            items[at++] = 7 + 13 * ((t / 16 + i * (1 + t % 5)) % 100);
        offsets[t + 1] = at;
    }
    lode_dataset *data = NULL;
    if (lode_dataset_from_arrays(job, &data, N, offsets, items, NULL) != LODE_OK) exit(2);
    return data;
}

static lode_dataset *text_create(lode_job *job, const char *text, lode_format format) {
    lode_dataset *data = NULL;
    lode_read_options options = {.size = sizeof options, .format = format};
    if (lode_dataset_parse(job, &data, text, strlen(text), "text", &options) != LODE_OK) exit(2);
    return data;
}

static uint64_t mutated_hash(unsigned threads, lode_mutate_options options) {
    lode_job *job = generated_job(threads);
    lode_dataset *data = numbers_create(job);
    CHECK_EQUAL(lode_generate_mutate(job, data, generated_path, &options), LODE_OK);
    uint64_t hash = generated_hash();
    lode_dataset_free(data);
    generated_done(job);
    return hash;
}

static void check_golden(lode_mutate_options options, uint64_t hash) {
    for (unsigned threads = 1; threads <= 4; threads *= 2) {
        CHECK_EQUAL(mutated_hash(threads, options), hash);
    }
}

static void test_golden(void) {
    check_golden((lode_mutate_options)MUTATE(.times = 3), 0xafa8b51560145365u);
    check_golden((lode_mutate_options)MUTATE(.rate = 1, .seed = 9), 0x18e96d784f23fc43u);
    check_golden((lode_mutate_options)MUTATE(.times = 1, .rate = -1), 0x4ac2a8681b68bd2du);
}

/* Writes a data set once without mutation. */
static char *copy_of(const char *text, lode_format format) {
    lode_job *job = generated_job(2);
    lode_dataset *data = text_create(job, text, format);
    lode_mutate_options options = MUTATE(.times = 1, .rate = -1);
    CHECK_EQUAL(lode_generate_mutate(job, data, generated_path, &options), LODE_OK);
    lode_dataset_free(data);
    generated_done(job);
    return generated_take(NULL);
}

static void check_copy(const char *text, lode_format format) {
    char *copy = copy_of(text, format);
    CHECK_TEXT(copy, text);
    free(copy);
}

static void test_copies(void) {
    check_copy("1 2 3\n\n5\n2 4294967295000\n", LODE_FORMAT_FIMI);
    check_copy("7 007 8\n", LODE_FORMAT_FIMI);
    check_copy("bread,whole milk\n\nbread\n", LODE_FORMAT_BASKET);
    check_copy("\" lead\",\"a \"\"b\"\"\",\"c,d\",plain\n", LODE_FORMAT_BASKET);
    check_copy("", LODE_FORMAT_FIMI);
}

/* Numbers of items of the given line that are above 50. */
static uint32_t count_strangers(const char **line) {
    uint32_t n = 0;
    for (const char *at = *line;; at++) {
        char *end;
        n += strtol(at, &end, 10) > 50;
        at = end;
        if (*at == '\n') {
            *line = at + 1;
            return n;
        }
    }
}

/* One transaction of the items 1 … 50, and one of 51 … 100: every other replacement of the first
 * brings a stranger. 50 items, rate 0.2, 2,000 copies: 10,000 are expected, less a few repeated. */
static void test_rate(void) {
    lode_job *job = generated_job(2);
    char text[512] = "";
    for (int i = 1; i <= 100; i++) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%d%c", i, i % 50 ? ' ' : '\n');
    }
    lode_dataset *data = text_create(job, text, LODE_FORMAT_FIMI);
    lode_mutate_options options = MUTATE(.times = 2000, .rate = 0.2);
    CHECK_EQUAL(lode_generate_mutate(job, data, generated_path, &options), LODE_OK);
    char *lines = generated_take(NULL);
    const char *at = lines;
    uint32_t strangers = 0;
    for (int i = 0; i < 2000; i++) {
        strangers += count_strangers(&at);
        count_strangers(&at);
    }
    CHECK_EQUAL(*at, 0);
    CHECK(strangers > 9200 && strangers < 10000);
    free(lines);
    lode_dataset_free(data);
    generated_done(job);
}

static void test_refused(void) {
    const uint64_t offsets[] = {0, 2};
    const uint32_t items[] = {1, 2}, weights[] = {3};
    lode_mutate_options options = MUTATE(.rate = 1.25);
    lode_dataset *data = NULL;
    lode_job *job = generated_job(1);
    CHECK_EQUAL(lode_dataset_from_arrays(job, &data, 1, offsets, items, NULL), LODE_OK);
    CHECK_EQUAL(lode_generate_mutate(job, data, generated_path, &options), LODE_INVALID);
    CHECK_TEXT(lode_job_error(job), "the mutation rate is 1.25; it must be between 0 and 1");
    options = (lode_mutate_options){0};
    CHECK_EQUAL(lode_generate_mutate(job, data, generated_path, &options), LODE_INVALID);
    CHECK_EQUAL(lode_generate_mutate(job, data, "/dev/full", NULL), LODE_IO);
    CHECK_TEXT(lode_job_error(job), "cannot write '/dev/full': No space left on device");
    lode_job_cancel(job);
    CHECK_EQUAL(lode_generate_mutate(job, data, generated_path, NULL), LODE_CANCELLED);
    lode_job_reset(job);
    lode_dataset_free(data);

    CHECK_EQUAL(lode_dataset_from_arrays(job, &data, 1, offsets, items, weights), LODE_OK);
    CHECK_EQUAL(lode_generate_mutate(job, data, generated_path, NULL), LODE_UNSUPPORTED);
    lode_dataset_free(data);
    CHECK(generated_take(NULL) == NULL);
    generated_done(job);
}

int main(void) {
    generated_setup();
    CHECK_RUN(test_golden);
    CHECK_RUN(test_copies);
    CHECK_RUN(test_rate);
    CHECK_RUN(test_refused);
    generated_teardown();
    return check_result();
}
