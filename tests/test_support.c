/* test_support.c - the support of any set from a result in memory, compared with counting rows
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "mining.h"
#include "runtime/job.h"

/* Items of the tests are 0 … n - 1, times this: gaps that a table of places cannot have. */
#define WIDE 536870911u

static lode_job *job_of(unsigned threads) {
    lode_job *job = NULL;
    lode_job_options o = {.size = sizeof o, .threads = threads, .device = "cpu"};
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    return job;
}

static lode_dataset *data_of(lode_job *job, const table *t, uint32_t times) {
    lode_dataset *data = NULL;
    uint64_t *offsets = calloc(t->n + 1, sizeof *offsets);
    uint32_t *items = calloc(t->n * 64, sizeof *items);
    if (!offsets || !items) exit(2);
    for (uint64_t i = 0; i < t->n; i++) {
        size_t n;
        const uint32_t *row = table_row(t, i, &n);
        for (size_t k = 0; k < n; k++) items[offsets[i] + k] = row[k] * times;
        offsets[i + 1] = offsets[i] + n;
    }
    CHECK_EQUAL(lode_dataset_from_arrays(job, &data, t->n, offsets, items, NULL), LODE_OK);
    free(offsets);
    free(items);
    return data;
}

static uint64_t count_rows(const table *t, uint32_t mask) {
    uint64_t support = 0;
    for (uint64_t i = 0; i < t->n; i++) {
        size_t n;
        const uint32_t *row = table_row(t, i, &n);
        uint32_t has = 0;
        for (size_t k = 0; k < n; k++) has |= (uint32_t)1 << row[k];
        support += (has & mask) == mask;
    }
    return support;
}

/* What must be said of a set of that size and support. */
static lode_known expected(const lode_mine_options *o, size_t size, uint64_t support,
                           uint64_t threshold, bool found) {
    size_t least = o->min_size ? o->min_size : 1, most = o->max_size ? o->max_size : 64;
    if (found || size == 0) return LODE_KNOWN_EXACT;
    bool sets = o->target == LODE_TARGET_ALL || o->target == LODE_TARGET_TOP;
    if (o->target == LODE_TARGET_GENERATORS || size < least) return LODE_KNOWN_NOT;
    if (sets ? size > most : o->max_size > 0) return LODE_KNOWN_NOT;
    if (support < threshold) return LODE_KNOWN_BELOW;
    return o->target == LODE_TARGET_MAXIMAL ? LODE_KNOWN_AT_LEAST : LODE_KNOWN_EXACT;
}

#define N_ITEMS 9

/* By set, a bit for each item. */
static uint64_t rows_of[1 << N_ITEMS];
static bool is_there[1 << N_ITEMS];

static void note_rows(const table *t) {
    for (uint32_t mask = 0; mask < 1u << N_ITEMS; mask++) rows_of[mask] = count_rows(t, mask);
}

static void note_result(const lode_sink *sink, uint32_t times) {
    lode_result r = result_of(sink);
    memset(is_there, 0, sizeof is_there);
    for (uint64_t i = 0; i < r.n; i++) {
        uint32_t mask = 0;
        for (uint64_t k = r.offsets[i]; k < r.offsets[i + 1]; k++) {
            mask |= (uint32_t)1 << r.items[k] / times;
        }
        is_there[mask] = true;
    }
}

/* Every set of the items, and one with an item that is nowhere; in falling order, with a repeat. */
static void check_sets(const lode_sink *sink, const lode_mine_options *o, uint64_t threshold,
                       uint32_t times) {
    note_result(sink, times);
    for (uint32_t mask = 0; mask < 1u << N_ITEMS; mask++) {
        uint32_t items[N_ITEMS + 1], set[N_ITEMS];
        size_t n = 0;
        for (uint32_t i = 0; i < N_ITEMS; i++) {
            if (mask >> i & 1) set[n++] = i * times;
        }
        for (size_t i = 0; i < n; i++) items[i] = set[n - 1 - i];
        if (n > 0) items[n] = items[0];
        uint64_t real = rows_of[mask], got = 9, again = 9;
        lode_known known = LODE_KNOWN_NOT;
        lode_known want = expected(o, n, real, threshold, is_there[mask]);
        CHECK_EQUAL(lode_result_support(sink, set, n, &got, &known), LODE_OK);
        CHECK_EQUAL(known, want);
        if (want == LODE_KNOWN_EXACT) CHECK_EQUAL(got, real);
        if (want == LODE_KNOWN_AT_LEAST) CHECK(got >= threshold && got <= real);
        if (want >= LODE_KNOWN_BELOW) CHECK_EQUAL(got, 0);
        CHECK_EQUAL(lode_result_support(sink, items, n + (n > 0), &again, NULL), LODE_OK);
        CHECK_EQUAL(again, got);
    }
    uint32_t nowhere[] = {0, 4000000001u};
    lode_known known;
    uint64_t support = 9;
    CHECK_EQUAL(lode_result_support(sink, nowhere, 2, &support, &known), LODE_OK);
    CHECK(support == 0 && known >= LODE_KNOWN_BELOW);
}

static void check_job(const table *t, lode_mine_options o, uint32_t times) {
    lode_job *job = job_of(2);
    lode_dataset *data = data_of(job, t, times);
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_sink_memory(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
    if (o.min_size != 2) check_sets(sink, &o, job_threshold(job), times); /* before sorting */
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    check_sets(sink, &o, job_threshold(job), times);
    lode_sink_free(sink);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

static void test_targets(void) {
    static const uint32_t sizes[][2] = {{0, 0}, {2, 0}, {0, 3}, {2, 3}};
    for (unsigned seed = 1; seed < 3; seed++) {
        table t = table_random(seed, 40, N_ITEMS, 20, 70);
        note_rows(&t);
        for (int target = 0; target <= LODE_TARGET_GENERATORS; target++) {
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                lode_mine_options o = mining_options("adaptive", 8);
                o.target = (lode_target)target;
                o.top_k = 20;
                o.min_size = sizes[i][0];
                o.max_size = sizes[i][1];
                check_job(&t, o, i % 2 ? WIDE : 1);
                if (i == 0) check_job(&t, o, WIDE);
            }
        }
        table_free(&t);
    }
}

/* What was not searched to its end, and what comes from several jobs, says only what is there. */
static void test_parts(void) {
    table t = table_random(7, 40, N_ITEMS, 20, 70);
    lode_job *job = job_of(1);
    lode_dataset *data = data_of(job, &t, 1);
    lode_mine_options o = mining_options("adaptive", 8), limited = o;
    limited.limit_patterns = 5;
    uint32_t all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    for (int way = 0; way < 3; way++) {
        lode_sink *sink = NULL;
        uint64_t support;
        lode_known known = LODE_KNOWN_EXACT;
        CHECK_EQUAL(lode_sink_memory(job, &sink), LODE_OK);
        if (way == 0) CHECK_EQUAL(lode_mine(job, data, &limited, sink), LODE_STOPPED);
        if (way == 1) CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
        if (way == 1) CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
        CHECK_EQUAL(lode_result_support(sink, all, 9, &support, &known), LODE_OK);
        CHECK_EQUAL(known, LODE_KNOWN_NOT);
        lode_sink_free(sink);
    }
    lode_dataset_free(data);
    lode_job_free(job);
    table_free(&t);
}

/* ---- many, and by several threads ----------------------------------------------------------- */

typedef struct asker {
    const lode_sink *sink;
    const uint64_t *want;
    bool same;
} asker;

#define N_SETS ((uint64_t)1 << N_ITEMS)

static uint64_t set_offsets[N_SETS + 1];
static uint32_t set_items[N_SETS * N_ITEMS];

static void *ask(void *arg) {
    asker *a = arg;
    static _Thread_local uint64_t got[N_SETS];
    lode_known known[N_SETS];
    a->same =
        lode_result_supports(a->sink, N_SETS, set_offsets, set_items, got, known) == LODE_OK &&
        memcmp(got, a->want, sizeof got) == 0;
    return NULL;
}

static void test_threads(void) {
    table t = table_random(5, 60, N_ITEMS, 20, 70);
    static uint64_t want[N_SETS];
    for (uint32_t mask = 0; mask < N_SETS; mask++) {
        uint64_t end = set_offsets[mask];
        for (uint32_t i = 0; i < N_ITEMS; i++) {
            if (mask >> i & 1) set_items[end++] = i;
        }
        set_offsets[mask + 1] = end;
        want[mask] = count_rows(&t, mask);
        if (want[mask] < 10) want[mask] = 0;
    }
    for (int target = 0; target <= LODE_TARGET_CLOSED; target += LODE_TARGET_CLOSED) {
        lode_job *job = job_of(2);
        lode_dataset *data = data_of(job, &t, 1);
        lode_sink *sink = NULL;
        lode_mine_options o = mining_options("adaptive", 10);
        o.target = (lode_target)target;
        CHECK_EQUAL(lode_sink_memory(job, &sink), LODE_OK);
        CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
        CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
        asker askers[4];
        pthread_t threads[4];
        for (int i = 0; i < 4; i++) {
            askers[i] = (asker){sink, want, false};
            if (pthread_create(&threads[i], NULL, ask, &askers[i]) != 0) exit(2);
        }
        for (int i = 0; i < 4; i++) {
            pthread_join(threads[i], NULL);
            CHECK(askers[i].same);
        }
        lode_sink_free(sink);
        lode_dataset_free(data);
        lode_job_free(job);
    }
    table_free(&t);
}

/* Closed sets of many transactions: rows of bits and lists together, and long sets. */
static void test_larger(void) {
    table t = table_random(3, 400, 30, 2, 60);
    lode_job *job = job_of(2);
    lode_dataset *data = data_of(job, &t, 1);
    lode_sink *sinks[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        lode_mine_options o = mining_options("adaptive", 6);
        o.target = i ? LODE_TARGET_CLOSED : LODE_TARGET_ALL;
        CHECK_EQUAL(lode_sink_memory(job, &sinks[i]), LODE_OK);
        CHECK_EQUAL(lode_mine(job, data, &o, sinks[i]), LODE_OK);
    }
    lode_result r = result_of(sinks[0]);
    CHECK(r.n > 5000 && result_of(sinks[1]).n < r.n);
    uint64_t *supports = calloc(r.n, sizeof *supports);
    if (!supports) exit(2);
    CHECK_EQUAL(lode_result_supports(sinks[1], r.n, r.offsets, r.items, supports, NULL), LODE_OK);
    CHECK(memcmp(supports, r.supports, r.n * sizeof *supports) == 0);
    uint32_t backwards[200]; /* more than fits beside it */
    for (uint32_t i = 0; i < 200; i++) backwards[i] = 199 - i;
    lode_known known = LODE_KNOWN_EXACT;
    CHECK_EQUAL(lode_result_support(sinks[1], backwards, 200, supports, &known), LODE_OK);
    CHECK_EQUAL(known, LODE_KNOWN_BELOW);
    free(supports);
    lode_sink_free(sinks[0]);
    lode_sink_free(sinks[1]);
    lode_dataset_free(data);
    lode_job_free(job);
    table_free(&t);
}

int main(void) {
    CHECK_RUN(test_targets);
    CHECK_RUN(test_parts);
    CHECK_RUN(test_threads);
    CHECK_RUN(test_larger);
    return check_result();
}
