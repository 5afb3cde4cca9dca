/* test_generate.c - generated baskets: golden bytes, shape, errors
 *
 * If a golden hash changes, everybody's generated data change, so it must not change in a patch
 * release.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/generate/itemtext.h"
#include "generated.h"
#include "jobs.h"

/* ---- golden bytes --------------------------------------------------------------------------- */

typedef struct golden {
    uint64_t hash;
    lode_quest_options options;
} golden;

#define QUEST(...)                                                                                 \
    { .size = sizeof(lode_quest_options), __VA_ARGS__ }

static const golden goldens[] = {
    {0x7635d47325676bb7u, QUEST(.n_transactions = 20000)},
    {0x36499a97320d101fu, QUEST(.n_transactions = 9000, .mean_length = 40, .mean_pattern = 10,
                                .n_items = 300, .correlation = 0.25, .corruption = -1, .seed = 7)},
    {0x3d8671ce684e2bf9u,
     QUEST(.n_transactions = 9000, .n_items = 5000, .mean_length = 12.5, .seed = 3, .names = true)},
    {0xf6e3d48006ad0949u,
     QUEST(.like = LODE_QUEST_LIKE_IBM, .n_transactions = 20000, .n_items = 1000)},
    {0xf72130193e56ffd4u, QUEST(.n_transactions = 50, .n_items = 20000, .mean_length = 9000,
                                .mean_pattern = 80, .n_patterns = 500, .correlation = -1)},
};

static void test_golden(void) {
    const unsigned threads[] = {1, 2, 4};
    for (size_t i = 0; i < sizeof goldens / sizeof goldens[0]; i++) {
        for (size_t k = BY_BUILD(0, 1, 2); k < sizeof threads / sizeof threads[0]; k++) {
            lode_job *job = generated_job(threads[k]);
            CHECK_EQUAL(lode_generate_quest(job, generated_path, &goldens[i].options), LODE_OK);
            CHECK_EQUAL(generated_hash(), goldens[i].hash);
            generated_done(job);
        }
    }
}

/* NULL is the same as all defaults written out; another seed is not. */
static void test_defaults(void) {
    lode_quest_options options =
        QUEST(.n_transactions = 10000, .mean_length = 10, .mean_pattern = 4, .n_items = 1000,
              .n_patterns = 2000, .correlation = 0.5, .corruption = 0.5, .seed = 1);
    lode_job *job = generated_job(2);
    CHECK_EQUAL(lode_generate_quest(job, generated_path, NULL), LODE_OK);
    uint64_t hash = generated_hash();
    CHECK_EQUAL(lode_generate_quest(job, generated_path, &options), LODE_OK);
    CHECK_EQUAL(generated_hash(), hash);
    options.seed = 2;
    CHECK_EQUAL(lode_generate_quest(job, generated_path, &options), LODE_OK);
    CHECK(generated_hash() != hash);
    generated_done(job);
}

/* IBM's defaults are the same as all of them written out, but for the deviation of the damage;
 * options that are given count. */
static void test_like_ibm(void) {
    lode_quest_options few = QUEST(.like = LODE_QUEST_LIKE_IBM, .n_transactions = 3000);
    lode_quest_options all =
        QUEST(.n_transactions = 3000, .mean_length = 10, .mean_pattern = 4, .n_items = 100000,
              .n_patterns = 10000, .correlation = 0.25, .corruption = 0.25, .seed = 1);
    lode_job *job = generated_job(2);
    CHECK_EQUAL(lode_generate_quest(job, generated_path, &few), LODE_OK);
    uint64_t hash = generated_hash();
    CHECK_EQUAL(lode_generate_quest(job, generated_path, &all), LODE_OK);
    CHECK(generated_hash() != hash);
    all.like = LODE_QUEST_LIKE_IBM;
    CHECK_EQUAL(lode_generate_quest(job, generated_path, &all), LODE_OK);
    CHECK_EQUAL(generated_hash(), hash);
    few.n_patterns = 2000;
    CHECK_EQUAL(lode_generate_quest(job, generated_path, &few), LODE_OK);
    CHECK(generated_hash() != hash);
    generated_done(job);
}

/* ---- shape ---------------------------------------------------------------------------------- */

typedef struct shape {
    uint64_t n_lines, n_items, n_distinct, largest;
} shape;

/* Reads lines of numbers, which must be ascending and from 1 to 1,000. */
static shape shape_of(const char *text) {
    shape s = {0};
    uint64_t seen[1001] = {0};
    bool ascending = true;
    while (*text) {
        long last = 0;
        for (; *text != '\n'; text += *text == ' ') {
            char *end;
            long item = strtol(text, &end, 10);
            ascending = ascending && item > last && item <= 1000 && end > text;
            if (!ascending) break;
            seen[last = item]++;
            s.n_items++;
            text = end;
        }
        if (!CHECK(ascending && last > 0)) return s;
        s.n_lines++;
        text++;
    }
    for (int i = 1; i <= 1000; i++) {
        s.n_distinct += seen[i] > 0;
        if (seen[i] > s.largest) s.largest = seen[i];
    }
    return s;
}

static shape shape_generate(const lode_quest_options *options) {
    lode_job *job = generated_job(0);
    CHECK_EQUAL(lode_generate_quest(job, generated_path, options), LODE_OK);
    char *text = generated_take(NULL);
    shape s = shape_of(text);
    free(text);
    generated_done(job);
    return s;
}

static void test_shape(void) {
    const double means[] = {5, 10, 40};
    for (int i = 0; i < 3; i++) {
        lode_quest_options options =
            QUEST(.n_transactions = 30000, .mean_length = means[i], .mean_pattern = means[i] / 4);
        shape s = shape_generate(&options);
        double mean = (double)s.n_items / (double)s.n_lines;
        CHECK_EQUAL(s.n_lines, 30000);
        CHECK(mean > 0.95 * means[i] && mean < 1.05 * means[i]);
        CHECK(s.n_distinct > 500 && s.n_distinct <= 1000);
        CHECK((double)s.largest > 3 * 30.0 * means[i]); /* weights are exponential, not equal */
    }
}

/* Parameters at their ends: every basket has an item, and the generator comes to an end. */
static void test_ends(void) {
    const lode_quest_options ends[] = {
        QUEST(.n_transactions = 1),
        QUEST(.n_transactions = 500, .n_items = 1, .mean_length = 1, .mean_pattern = 1,
              .n_patterns = 1),
        QUEST(.n_transactions = 500, .n_items = 30, .mean_length = 30, .mean_pattern = 30,
              .n_patterns = 3),
        QUEST(.n_transactions = 500, .n_items = 1000, .mean_length = 200, .mean_pattern = 2,
              .n_patterns = 2, .corruption = 1),
        QUEST(.n_transactions = 4096, .correlation = 1, .corruption = -1),
        QUEST(.n_transactions = 4097, .correlation = -1, .corruption = 1),
    };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        CHECK_EQUAL(shape_generate(&ends[i]).n_lines, ends[i].n_transactions);
    }
}

static int compare_names(const void *a, const void *b) {
    return strcmp(a, b);
}

static void test_names(void) {
    enum { N = 50000 };
    char(*names)[PRODUCT_NAME_BYTES] = malloc(N * sizeof *names);
    uint32_t with_space = 0, repeated = 0, special = 0;
    for (uint32_t i = 0; i < N; i++) {
        size_t n = product_name(i, names[i]);
        CHECK_EQUAL(n, strlen(names[i]));
        if (i < 100) with_space += strchr(names[i], ' ') != NULL;
        special += strpbrk(names[i], ",\"\n") != NULL;
    }
    qsort(names, N, sizeof *names, compare_names);
    for (uint32_t i = 1; i < N; i++) repeated += strcmp(names[i - 1], names[i]) == 0;
    CHECK_EQUAL(repeated, 0);
    CHECK_EQUAL(special, 0);
    CHECK(with_space > 10);
    CHECK(product_name(UINT32_MAX, names[0]) < PRODUCT_NAME_BYTES);
    free(names);
}

/* ---- errors --------------------------------------------------------------------------------- */

static void check_refused(lode_quest_options options, const char *message) {
    lode_job *job = generated_job(1);
    CHECK_EQUAL(lode_generate_quest(job, generated_path, &options), LODE_INVALID);
    CHECK_TEXT(lode_job_error(job), message);
    CHECK(generated_take(NULL) == NULL);
    generated_done(job);
}

static void test_refused(void) {
    check_refused((lode_quest_options){0}, "the size of a lode_quest_options is not set; "
                                           "initialise it with LODE_INIT(lode_quest_options)");
    check_refused((lode_quest_options)QUEST(.mean_length = -3),
                  "the mean transaction length is -3; it must be at least 1");
    check_refused((lode_quest_options)QUEST(.mean_length = 20, .n_items = 10),
                  "the mean transaction length is 20, more than the number of items, 10");
    check_refused((lode_quest_options)QUEST(.mean_pattern = 2000),
                  "the mean pattern length is 2000, more than the number of items, 1000");
    check_refused((lode_quest_options)QUEST(.correlation = 1.5),
                  "the correlation is 1.5; it must be between 0 and 1");
    check_refused((lode_quest_options)QUEST(.corruption = 2),
                  "the corruption is 2; it must be between 0 and 1");
}

static void check_unwritable(const char *path, const char *message) {
    for (unsigned threads = 1; threads <= 4; threads *= 4) {
        lode_job *job = generated_job(threads);
        CHECK_EQUAL(lode_generate_quest(job, path, NULL), LODE_IO);
        CHECK_TEXT(lode_job_error(job), message);
        generated_done(job);
    }
}

static void test_unwritable(void) {
    char message[160];
    check_unwritable("/dev/full", "cannot write '/dev/full': No space left on device");
    check_unwritable(
        "/nowhere/out",
        "cannot write '/nowhere/out': No such file or directory; the folder must exist");
    snprintf(message, sizeof message,
             "cannot write '%s': Is a directory; name a file, not a folder", generated_directory);
    check_unwritable(generated_directory, message);
}

static void test_cancel(void) {
    for (unsigned threads = 1; threads <= 4; threads *= 2) {
        lode_job *job = generated_job(threads);
        lode_job_cancel(job);
        CHECK_EQUAL(lode_generate_quest(job, generated_path, NULL), LODE_CANCELLED);
        CHECK(generated_take(NULL) == NULL);
        generated_done(job);
    }
}

static int stop_at_once(void *user, const lode_progress *progress) {
    *(uint64_t *)user += progress->seconds > 0;
    return strcmp(progress->phase, "generate") == 0;
}

static void test_progress(void) {
    uint64_t calls = 0;
    lode_job *job = NULL;
    lode_job_options options = {
        .size = sizeof options, .threads = 2, .progress = stop_at_once, .progress_user = &calls};
    lode_quest_options quest = QUEST(.n_transactions = (uint64_t)4096 * 1000000);
    CHECK_EQUAL(lode_job_create(&job, NULL, &options), LODE_OK);
    CHECK_EQUAL(lode_generate_quest(job, generated_path, &quest), LODE_CANCELLED);
    CHECK_EQUAL(calls, 1);
    CHECK(generated_take(NULL) == NULL);
    generated_done(job);
}

static void test_budget(void) {
    lode_quest_options quest = QUEST(.n_transactions = 20000);
    bool done = false;
    for (uint64_t budget = 1000; !done; budget += budget / 4) {
        lode_job *job = NULL;
        lode_job_options options = {.size = sizeof options, .threads = 2, .memory_bytes = budget};
        CHECK_EQUAL(lode_job_create(&job, NULL, &options), LODE_OK);
        lode_status status = lode_generate_quest(job, generated_path, &quest);
        done = status == LODE_OK;
        CHECK(done || status == LODE_BUDGET);
        CHECK(done || strstr(lode_job_error(job), "memory budget") != NULL);
        CHECK_EQUAL(generated_hash(), done ? goldens[0].hash : 0);
        generated_done(job);
    }
}

/* Memory that fails once, at the `left`-th time that more is wanted. */
typedef struct failing {
    long left;
    size_t bytes;
} failing;

static void *failing_resize(void *user, void *old, size_t old_bytes, size_t new_bytes,
                            size_t align) {
    failing *f = user;
    void *fresh = NULL;
    if (new_bytes > 0) {
        if (--f->left == 0) return NULL;
        fresh = aligned_alloc(align, (new_bytes + align - 1) / align * align);
        if (!fresh) exit(2);
        if (old) memcpy(fresh, old, old_bytes < new_bytes ? old_bytes : new_bytes);
    }
    free(old);
    f->bytes += new_bytes;
    f->bytes -= old_bytes;
    return fresh;
}

static void test_memory(void) {
    lode_quest_options quest = QUEST(.n_transactions = 20000);
    bool done = false;
    for (long k = 3; !done; k++) { /* the first two are the job and the job */
        failing f = {.left = k};
        lode_job *job = NULL;
        lode_job_options options = {.size = sizeof options, .threads = 1};
        CHECK_EQUAL(job_with_memory(&job, &options, failing_resize, &f), LODE_OK);
        lode_status status = lode_generate_quest(job, generated_path, &quest);
        done = f.left > 0;
        CHECK_EQUAL(status, done ? LODE_OK : LODE_NOMEM);
        CHECK_EQUAL(generated_hash(), done ? goldens[0].hash : 0);
        generated_done(job);
        CHECK_EQUAL(f.bytes, 0);
    }
}

int main(void) {
    generated_setup();
    CHECK_RUN(test_golden);
    CHECK_RUN(test_defaults);
    CHECK_RUN(test_like_ibm);
    CHECK_RUN(test_shape);
    CHECK_RUN(test_ends);
    CHECK_RUN(test_names);
    CHECK_RUN(test_refused);
    CHECK_RUN(test_unwritable);
    CHECK_RUN(test_cancel);
    CHECK_RUN(test_progress);
    CHECK_RUN(test_budget);
    CHECK_RUN(test_memory);
    generated_teardown();
    return check_result();
}
