/* test_bits.c - data sets from rows of bits must be the same as from arrays, stored as bits or not
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "base/bits.h"
#include "base/rng.h"
#include "data/transactions/dense.h"
#include "read_util.h"

/* The same random table as bits and as arrays. */
typedef struct bit_table {
    uint64_t n, *bits, *offsets;
    uint32_t n_items, *items;
    size_t words;
} bit_table;

static bit_table table_draw(uint64_t seed, uint64_t n, uint32_t n_items, unsigned percent) {
    bit_table t = {.n = n, .n_items = n_items, .words = ((size_t)n_items + 63) / 64};
    rng r = rng_make(seed, 0);
    t.bits = calloc(n * t.words + 1, sizeof *t.bits);
    t.offsets = calloc(n + 1, sizeof *t.offsets);
    t.items = calloc(n * n_items + 1, sizeof *t.items);
    for (uint64_t row = 0; row < n; row++) {
        uint64_t at = t.offsets[row];
        for (uint32_t i = 0; i < n_items; i++) {
            if (rng_below(&r, 100) >= percent) continue;
            t.bits[row * t.words + i / 64] |= (uint64_t)1 << i % 64;
            t.items[at++] = i;
        }
        t.offsets[row + 1] = at;
    }
    return t;
}

static void table_clear(bit_table *t) {
    free(t->bits);
    free(t->offsets);
    free(t->items);
}

static void check_transactions(const lode_dataset *a, const lode_dataset *b, const bit_table *t) {
    uint32_t x[600], y[600];
    for (uint64_t row = 0; row <= t->n; row++) {
        uint32_t n = lode_dataset_transaction(a, row, x, 600);
        if (!CHECK_EQUAL(n, lode_dataset_transaction(b, row, y, 600))) return;
        for (uint32_t i = 0; i < n; i++) CHECK_EQUAL(x[i], y[i]);
        y[0] = 77;
        CHECK_EQUAL(lode_dataset_transaction(a, row, y, 0), n); /* no room: nothing is written */
        CHECK_EQUAL(y[0], 77);
    }
}

static void check_figures(const lode_dataset *a, const lode_dataset *b) {
    lode_profile p = profile_of(a), q = profile_of(b);
    CHECK_EQUAL(p.n_transactions, q.n_transactions);
    CHECK_EQUAL(p.n_empty, q.n_empty);
    CHECK_EQUAL(p.n_items, q.n_items);
    CHECK_EQUAL(p.n_occurrences, q.n_occurrences);
    CHECK_EQUAL(p.longest, q.longest);
    CHECK_EQUAL(a->total_weight, b->total_weight);
    CHECK_EQUAL(a->item_bound, b->item_bound);
    CHECK(a->numeric == b->numeric && lode_dataset_has_numbers(a));
    for (uint32_t i = 0; i < a->item_bound && i < b->item_bound; i++) {
        CHECK_EQUAL(a->item_supports[i], b->item_supports[i]);
    }
}

static uint64_t mine_hash(lode_job *job, const lode_dataset *data, lode_target target,
                          const char *algorithm) {
    lode_sink *sink = NULL;
    lode_mine_options o = {.size = sizeof o, .target = target, .max_size = 4};
    o.algorithm = algorithm;
    o.min_support = (lode_threshold){1, 6};
    CHECK_EQUAL(lode_sink_hash(job, &sink, data), LODE_OK);
    lode_status status = lode_mine(job, data, &o, sink);
    if (!CHECK_EQUAL(status, LODE_OK)) fprintf(stderr, "  %s\n", lode_job_error(job));
    uint64_t hash = lode_sink_hash_value(sink);
    lode_sink_free(sink);
    return hash;
}

static void check_mined(lode_job *job, const lode_dataset *a, const lode_dataset *b) {
    static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL};
    static const char *const algorithms[] = {"frontier", "tbi"};
    for (size_t i = 0; i < 3; i++) {
        CHECK_EQUAL(mine_hash(job, a, targets[i], NULL), mine_hash(job, b, targets[i], NULL));
    }
    for (size_t k = 0; k < 2; k++) {
        CHECK_EQUAL(mine_hash(job, a, LODE_TARGET_ALL, algorithms[k]),
                    mine_hash(job, b, LODE_TARGET_ALL, algorithms[k]));
    }
}

/* A random table, made in both ways by so many threads. */
static void check_table(const bit_table *t, unsigned threads, bool weighted, uint64_t budget) {
    lode_job *job = read_context(threads, budget);
    lode_dataset *a = NULL, *b = NULL, *both = NULL;
    const char *reason = "";
    uint32_t *weights = calloc(t->n + 1, sizeof *weights);
    for (uint64_t i = 0; i < t->n; i++) weights[i] = (uint32_t)(i % 3) + 1;
    const uint32_t *given = weighted ? weights : NULL;
    CHECK_EQUAL(lode_dataset_from_bits(job, &a, t->n, t->n_items, t->bits, given), LODE_OK);
    CHECK_EQUAL(lode_dataset_from_arrays(job, &b, t->n, t->offsets, t->items, given), LODE_OK);
    bool dense = t->offsets[t->n] * 4 > t->n * t->words * 8;
    CHECK((a->dense != NULL) == (dense && !weighted && budget == 0));
    check_figures(a, b);
    check_transactions(a, b, t);
    CHECK(!a->dense || !a->blocks);
    if (a->item_bound > 0 && t->n > 0 && !weighted) check_mined(job, a, b);
    CHECK_EQUAL(dataset_in_memory(job, a), LODE_OK);
    if (!CHECK(dataset_validate(a, &reason))) fprintf(stderr, "  %s\n", reason);
    check_transactions(a, b, t);
    CHECK_EQUAL(lode_dataset_fingerprint(a), lode_dataset_fingerprint(b));
    const lode_dataset *parts[] = {a, b};
    CHECK_EQUAL(lode_dataset_merge(job, &both, parts, 2), LODE_OK);
    CHECK_EQUAL(profile_of(both).n_occurrences, 2 * t->offsets[t->n]);
    lode_dataset_free(both);
    lode_dataset_free(a);
    lode_dataset_free(b);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    free(weights);
}

static void random_tables(void) {
    static const uint32_t widths[] = {0, 1, 63, 64, 65, 130, 513};
    static const uint64_t heights[] = {0, 1, 63, 64, 65, 600, 9000};
    static const unsigned percents[] = {0, 1, 4, 30, 100};
    for (uint64_t i = 0; i < 60; i++) {
        rng r = rng_make(7, i);
        unsigned percent = percents[rng_below(&r, 5)];
        uint64_t n = heights[rng_below(&r, 7)];
        uint32_t width = percent == 100 && n > 64 ? 65 : widths[rng_below(&r, n > 600 ? 6 : 7)];
        bit_table t = table_draw(i, n, percent == 100 ? width % 14 : width, percent);
        check_table(&t, 1 + (unsigned)(i % 3), i % 5 == 0, i % 4 == 1 ? (uint64_t)64 << 20 : 0);
        table_clear(&t);
    }
}

/* More columns than integers that stand for themselves while they are read. */
static void wide(void) {
    uint32_t n_items = ((uint32_t)1 << 22) + 100, row[3] = {0};
    size_t words = ((size_t)n_items + 63) / 64;
    uint64_t *bits = calloc(words, sizeof *bits);
    lode_job *job = read_context(1, 0);
    lode_dataset *data = NULL;
    bits[0] = 2;
    bits[words - 1] = (uint64_t)1 << (n_items - 1) % 64;
    CHECK_EQUAL(lode_dataset_from_bits(job, &data, 1, n_items, bits, NULL), LODE_OK);
    CHECK_EQUAL(lode_dataset_transaction(data, 0, row, 3), 2);
    CHECK(row[0] == 1 && row[1] == n_items - 1);
    lode_dataset_free(data);
    lode_job_free(job);
    free(bits);
}

static void wrong_bits(void) {
    const uint64_t bits[] = {1, 8, 1};
    lode_job *job = read_context(1, 0);
    lode_dataset *data = NULL;
    CHECK_EQUAL(lode_dataset_from_bits(job, &data, 3, 3, bits, NULL), LODE_INVALID);
    CHECK_TEXT(lode_job_error(job),
               "row 1 has a bit set after the last item; expected zeros there");
    CHECK(data == NULL);
    CHECK_EQUAL(lode_dataset_from_bits(job, &data, 3, 4, bits, NULL), LODE_OK);
    lode_dataset_free(data);
    lode_job_free(job);
}

/* ---- Several jobs want the lists at once ---- */

typedef struct lists_race {
    lode_ctx *ctx;
    const lode_dataset *data;
    uint64_t hash;
} lists_race;

static void *race_one(void *arg) {
    lists_race *race = arg;
    lode_job *job = NULL;
    if (lode_job_create(&job, race->ctx, NULL) != LODE_OK) abort();
    race->hash = mine_hash(job, race->data, LODE_TARGET_CLOSED, NULL);
    lode_job_free(job);
    return NULL;
}

static void lists_at_once(void) {
    enum { THREADS = 4 };
    bit_table t = table_draw(3, 3000, 40, 30);
    lode_ctx *ctx = NULL;
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    pthread_t threads[THREADS];
    lists_race races[THREADS];
    CHECK_EQUAL(lode_ctx_create(&ctx, NULL), LODE_OK);
    CHECK_EQUAL(lode_job_create(&job, ctx, NULL), LODE_OK);
    CHECK_EQUAL(lode_dataset_from_bits(job, &data, t.n, t.n_items, t.bits, NULL), LODE_OK);
    lode_job_free(job); /* the data set is the context's */
    CHECK(lode_ctx_memory_used(ctx) >= t.n * t.words * sizeof *t.bits);
    for (int i = 0; i < THREADS; i++) {
        races[i] = (lists_race){ctx, data, 0};
        if (pthread_create(&threads[i], NULL, race_one, &races[i]) != 0) abort();
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 1; i < THREADS; i++) CHECK_EQUAL(races[i].hash, races[0].hash);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(ctx), 0);
    lode_ctx_free(ctx);
    table_clear(&t);
}

/* A job that is cancelled while it makes lists leaves none, and the next one makes them. */
static void cancelled(void) {
    bit_table t = table_draw(4, 500, 40, 50);
    lode_job *job = read_context(1, 0);
    lode_dataset *data = NULL;
    CHECK_EQUAL(lode_dataset_from_bits(job, &data, t.n, t.n_items, t.bits, NULL), LODE_OK);
    size_t before = lode_ctx_memory_used(lode_job_ctx(job));
    lode_job_cancel(job);
    CHECK_EQUAL(dataset_in_memory(job, data), LODE_CANCELLED);
    CHECK(!data->blocks && lode_ctx_memory_used(lode_job_ctx(job)) == before);
    lode_job_reset(job);
    CHECK_EQUAL(dataset_in_memory(job, data), LODE_OK);
    CHECK(data->blocks != NULL);
    CHECK(lode_ctx_memory_used(lode_job_ctx(job)) >= before + t.offsets[t.n] * 4);
    lode_dataset_free(data);
    lode_job_free(job);
    table_clear(&t);
}

int main(void) {
    CHECK_RUN(random_tables);
    CHECK_RUN(wide);
    CHECK_RUN(wrong_bits);
    CHECK_RUN(lists_at_once);
    CHECK_RUN(cancelled);
    return check_result();
}
