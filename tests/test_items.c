/* test_items.c - an item is its number, however large, in every output
 *
 * The same random transactions are mined twice: with the items 0 … 6, and with large numbers
 * instead. Every engine and every sink must return the same patterns with these numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "data/transactions/dataset.h"
#include "structs.h"

#define N_ITEMS        7
#define N_TRANSACTIONS 60

static const uint32_t numbers[N_ITEMS] = {0, 17, 4194303, 4194304, 10000001, 10000002, UINT32_MAX};

static uint64_t offsets[N_TRANSACTIONS + 1];
static uint32_t small[N_TRANSACTIONS * N_ITEMS], large[N_TRANSACTIONS * N_ITEMS];

static void make_arrays(void) {
    rng random = rng_make(77, 0);
    for (size_t t = 0; t < N_TRANSACTIONS; t++) {
        uint64_t end = offsets[t];
        for (uint32_t i = N_ITEMS; i-- > 0;) { /* descending: order must not matter */
            if (rng_below(&random, 10) < 4) continue;
            small[end] = i;
            large[end++] = numbers[i];
        }
        offsets[t + 1] = end;
    }
}

static lode_job *context(void) {
    lode_job_options options = {.size = sizeof options, .threads = 2, .device = "cpu"};
    lode_job *job = NULL;
    if (lode_job_create(&job, NULL, &options) != LODE_OK) exit(2);
    return job;
}

static lode_dataset *data_of(lode_job *job, const uint32_t *items) {
    lode_dataset *data = NULL;
    const char *reason = NULL;
    if (lode_dataset_from_arrays(job, &data, N_TRANSACTIONS, offsets, items, NULL) != LODE_OK) {
        exit(2);
    }
    if (!CHECK(dataset_validate(data, &reason))) fprintf(stderr, "  %s\n", reason);
    return data;
}

static lode_mine_options options_of(const char *algorithm, lode_target target) {
    return (lode_mine_options){.size = sizeof(lode_mine_options),
                               .min_support = {.numerator = 12},
                               .algorithm = algorithm,
                               .target = target,
                               .top_k = 9};
}

/* ---- memory and callback -------------------------------------------------------------------- */

static lode_sink *mined(lode_job *job, const lode_dataset *data, const lode_mine_options *o) {
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_sink_memory(job, &sink), LODE_OK);
    if (!CHECK_EQUAL(lode_mine(job, data, o, sink), LODE_OK)) {
        fprintf(stderr, "  %s: %s\n", o->algorithm, lode_job_error(job));
    }
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    return sink;
}

static void same_results(lode_result a, lode_result b) {
    if (!CHECK(a.n > 3) || !CHECK_EQUAL(a.n, b.n)) return;
    CHECK(memcmp(a.offsets, b.offsets, (size_t)(a.n + 1) * sizeof *a.offsets) == 0);
    CHECK(memcmp(a.supports, b.supports, (size_t)a.n * sizeof *a.supports) == 0);
    for (uint64_t i = 0; i < a.offsets[a.n]; i++) {
        if (!CHECK_EQUAL(numbers[a.items[i]], b.items[i])) break;
    }
}

/* Sums that do not depend on the order of batches, nor on how they are cut. */
typedef struct batch_sums {
    const uint32_t *map; /* NULL: items are what they are */
    uint64_t n, hash;
} batch_sums;

static int add_batch(void *user, const lode_batch *batch) {
    batch_sums *sums = user;
    uint64_t prefix = 0;
    for (uint32_t i = 0; i < batch->n_prefix; i++) {
        uint64_t item = sums->map ? sums->map[batch->prefix[i]] : batch->prefix[i];
        prefix += (item + 1) << 20;
    }
    CHECK_EQUAL(batch->n_perfect, 0);
    for (uint32_t i = 0; i < batch->n; i++) {
        uint64_t item = sums->map ? sums->map[batch->items[i]] : batch->items[i];
        uint64_t set = prefix + ((item + 1) << 20);
        sums->hash += (set ^ batch->supports[i]) * (set + 7);
        sums->n++;
    }
    return 0;
}

static batch_sums called(lode_job *job, const lode_dataset *data, const lode_mine_options *o,
                         const uint32_t *map) {
    batch_sums sums = {.map = map};
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_sink_callback(job, &sink, add_batch, &sums), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, o, sink), LODE_OK);
    lode_sink_free(sink);
    return sums;
}

static void every_engine(void) {
    lode_job *job = context();
    lode_dataset *a = data_of(job, small), *b = data_of(job, large);
    lode_algorithm algorithm = LODE_INIT(lode_algorithm);
    for (size_t i = 0; lode_algorithm_at(LODE_ITEMSETS, i, &algorithm); i++) {
        for (int target = LODE_TARGET_ALL; target <= LODE_TARGET_GENERATORS; target++) {
            if (!(algorithm.targets >> target & 1)) continue;
            lode_mine_options o = options_of(algorithm.name, (lode_target)target);
            lode_sink *x = mined(job, a, &o), *y = mined(job, b, &o);
            same_results(result_of(x), result_of(y));
            batch_sums p = called(job, a, &o, numbers), q = called(job, b, &o, NULL);
            CHECK(p.n == q.n && p.hash == q.hash && p.n == lode_sink_patterns(x));
            lode_sink_free(x);
            lode_sink_free(y);
        }
    }
    lode_dataset_free(a);
    lode_dataset_free(b);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

/* One sink may take the patterns of several data sets; each brings its own numbers. */
static void one_sink_for_two(void) {
    lode_job *job = context();
    lode_dataset *a = data_of(job, small), *b = data_of(job, large);
    lode_mine_options o = options_of("auto", LODE_TARGET_ALL);
    lode_sink *sink = NULL;
    o.max_size = 1;
    CHECK_EQUAL(lode_sink_memory(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_mine(job, b, &o, sink), LODE_OK);
    CHECK_EQUAL(lode_mine(job, a, &o, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    static const uint32_t want[] = {0, 0,  1,       2,       3,        4,        5,
                                    6, 17, 4194303, 4194304, 10000001, 10000002, UINT32_MAX};
    lode_result r = result_of(sink);
    if (CHECK_EQUAL(r.n, 2 * N_ITEMS)) CHECK(memcmp(r.items, want, sizeof want) == 0);
    lode_sink_free(sink);
    lode_dataset_free(a);
    lode_dataset_free(b);
    lode_job_free(job);
}

/* ---- file and hash -------------------------------------------------------------------------- */

static char *file_text(lode_job *job, const lode_dataset *data, lode_write_format format) {
    static char text[65536];
    char path[] = "/tmp/lode-items-XXXXXX";
    lode_write_options write = {.size = sizeof write, .format = format, .sort = true};
    lode_mine_options o = options_of("auto", LODE_TARGET_ALL);
    lode_sink *sink = NULL;
    int fd = mkstemp(path);
    if (fd < 0) exit(2);
    CHECK_EQUAL(lode_sink_file(job, &sink, data, path, &write), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    lode_sink_free(sink);
    FILE *file = fopen(path, "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    remove(path);
    return text;
}

static uint64_t hash_of(lode_job *job, const lode_dataset *data) {
    lode_mine_options o = options_of("auto", LODE_TARGET_ALL);
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_sink_hash(job, &sink, data), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
    uint64_t value = lode_sink_hash_value(sink);
    lode_sink_free(sink);
    return value;
}

/* What is written, read as FIMI, is the same data set as the arrays. */
static void text_and_arrays(void) {
    lode_job *job = context();
    lode_dataset *b = data_of(job, large), *read = NULL;
    static char fimi[N_TRANSACTIONS * N_ITEMS * 12];
    size_t n = 0;
    for (size_t t = 0; t < N_TRANSACTIONS; t++) {
        for (uint64_t i = offsets[t]; i < offsets[t + 1]; i++) {
            n += (size_t)snprintf(fimi + n, sizeof fimi - n, "%u ", large[i]);
        }
        fimi[n++] = '\n';
    }
    CHECK_EQUAL(lode_dataset_parse(job, &read, fimi, n, "fimi", NULL), LODE_OK);
    CHECK(lode_dataset_has_numbers(read) && lode_dataset_has_numbers(b));
    CHECK_EQUAL(hash_of(job, read), hash_of(job, b));
    lode_mine_options o = options_of("auto", LODE_TARGET_ALL);
    lode_sink *x = mined(job, read, &o), *y = mined(job, b, &o);
    lode_result p = result_of(x), q = result_of(y);
    CHECK(p.n == q.n && memcmp(p.items, q.items, (size_t)p.offsets[p.n] * sizeof *p.items) == 0);
    lode_sink_free(x);
    lode_sink_free(y);
    CHECK(strncmp(file_text(job, b, LODE_WRITE_FIMI), "0 (", 3) == 0);
    CHECK(strstr(file_text(job, b, LODE_WRITE_FIMI), "\n4194304 10000001 (") != NULL);
    CHECK(strstr(file_text(job, read, LODE_WRITE_JSONL), "[10000002,4294967295]") != NULL);
    lode_dataset_free(read);
    lode_dataset_free(b);
    lode_job_free(job);
}

/* ---- looking at data sets ------------------------------------------------------------------- */

static void getters(void) {
    lode_job *job = context();
    lode_dataset *a = data_of(job, small), *b = data_of(job, large);
    CHECK_EQUAL(lode_dataset_item_bound(b), N_ITEMS);
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        char name[16] = "", want[16];
        uint32_t item = 99;
        snprintf(want, sizeof want, "%u", numbers[i]);
        CHECK_EQUAL(lode_dataset_item_at(b, i), numbers[i]);
        CHECK_EQUAL(lode_dataset_item_at(a, i), i);
        CHECK_EQUAL(lode_dataset_item_support(b, numbers[i]), lode_dataset_item_support(a, i));
        CHECK_EQUAL(lode_dataset_item_name(b, numbers[i], name, sizeof name), strlen(want));
        CHECK_TEXT(name, want);
        CHECK(lode_dataset_item_find(b, want, strlen(want), &item) && item == numbers[i]);
    }
    uint32_t item = 99;
    static const char *const absent[] = {"1", "4194305", "017", "", "x", "4294967296", "-1"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        CHECK(!lode_dataset_item_find(b, absent[i], strlen(absent[i]), &item) && item == 99);
    }
    CHECK_EQUAL(lode_dataset_item_support(b, 1), 0);
    CHECK_EQUAL(lode_dataset_item_at(b, N_ITEMS), 0);
    for (uint64_t t = 0; t < N_TRANSACTIONS; t++) {
        uint32_t x[N_ITEMS], y[N_ITEMS];
        uint32_t n = lode_dataset_transaction(a, t, x, N_ITEMS);
        CHECK_EQUAL(lode_dataset_transaction(b, t, y, N_ITEMS), n);
        for (uint32_t i = 0; i < n; i++) CHECK_EQUAL(y[i], numbers[x[i]]);
    }
    lode_dataset_free(a);
    lode_dataset_free(b);
    lode_job_free(job);
}

/* Parts that are joined keep their numbers; with a name among them, items are ids. */
static void merged(void) {
    lode_job *job = context();
    lode_dataset *a = data_of(job, small), *b = data_of(job, large), *c = NULL, *both = NULL;
    CHECK_EQUAL(lode_dataset_parse(job, &c, "milk,10000001\n", 14, "in", NULL), LODE_OK);
    CHECK(!lode_dataset_has_numbers(c));
    const lode_dataset *parts[] = {a, b, c};
    CHECK_EQUAL(lode_dataset_merge(job, &both, parts, 2), LODE_OK);
    CHECK(lode_dataset_has_numbers(both));
    CHECK_EQUAL(lode_dataset_item_support(both, 10000001), lode_dataset_item_support(b, 10000001));
    CHECK_EQUAL(lode_dataset_item_support(both, 0), 2 * lode_dataset_item_support(a, 0));
    lode_dataset_free(both);
    CHECK_EQUAL(lode_dataset_merge(job, &both, parts, 3), LODE_OK);
    uint32_t item = 0;
    char name[16] = "";
    CHECK(!lode_dataset_has_numbers(both));
    CHECK(lode_dataset_item_find(both, "10000001", 8, &item) && item < 100);
    CHECK_EQUAL(lode_dataset_item_support(both, item), lode_dataset_item_support(b, 10000001) + 1);
    CHECK_EQUAL(lode_dataset_item_name(both, item, name, sizeof name), 8);
    CHECK_TEXT(name, "10000001");
    lode_dataset_free(both);
    lode_dataset_free(a);
    lode_dataset_free(b);
    lode_dataset_free(c);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

/* What is not a number of 32 bits as it is printed makes names of all. */
static void numbers_and_names(void) {
    static const struct {
        const char *text;
        bool numbers;
    } cases[] = {{"1 2\n", true},          {"4194303\n", true},     {"4194304 5\n", true},
                 {"4294967295\n", true},   {"4294967296\n", false}, {"07 7\n", false},
                 {"99999999999\n", false}, {"5 milk\n", false},     {"\n", true}};
    lode_job *job = context();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lode_dataset *data = NULL;
        lode_read_options read = {.size = sizeof read, .format = LODE_FORMAT_BASKET};
        read.separator = ' ';
        CHECK_EQUAL(
            lode_dataset_parse(job, &data, cases[i].text, strlen(cases[i].text), "in", &read),
            LODE_OK);
        if (!CHECK_EQUAL(lode_dataset_has_numbers(data), cases[i].numbers)) {
            fprintf(stderr, "  %s", cases[i].text);
        }
        lode_dataset_free(data);
    }
    lode_job_free(job);
}

int main(void) {
    make_arrays();
    CHECK_RUN(every_engine);
    CHECK_RUN(one_sink_for_two);
    CHECK_RUN(text_and_arrays);
    CHECK_RUN(getters);
    CHECK_RUN(merged);
    CHECK_RUN(numbers_and_names);
    return check_result();
}
