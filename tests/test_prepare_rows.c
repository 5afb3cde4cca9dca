/* test_prepare_rows.c - rows and lists shared between jobs: the same results as without sharing
 *
 * Many jobs of one context use one data set, one after the other and at once, with random
 * thresholds, engines, targets, devices and threads. Each is compared with a run on its own data.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "targets.h"

#define N_RUNS BY_BUILD(200, 40, 20)

static const char *const engines[] = {"frontier", "tensor",    "tbi",    "pbi",
                                      "eqclass",  "gpapriori", "tensor", "gpu-apriori"};

typedef struct shared_data {
    lode_ctx *ctx;
    lode_job *owner;
    lode_dataset *data;
    table t;
} shared_data;

static shared_data shared_make(table t, uint64_t memory) {
    shared_data s = {.t = t};
    lode_ctx_options c = {.size = sizeof c, .threads = 4, .memory_bytes = memory};
    lode_job_options j = {.size = sizeof j};
    if (lode_ctx_create(&s.ctx, &c) != LODE_OK) exit(2);
    if (lode_job_create(&s.owner, s.ctx, &j) != LODE_OK) exit(2);
    s.data = mining_data(s.owner, &t);
    return s;
}

static void shared_free(shared_data *s) {
    lode_dataset_free(s->data);
    lode_job_free(s->owner);
    CHECK_EQUAL(lode_ctx_memory_used(s->ctx), 0);
    lode_ctx_free(s->ctx);
    table_free(&s->t);
}

typedef struct way {
    const char *engine, *device;
    lode_target target;
    uint64_t min_count;
    unsigned threads;
} way;

static way way_random(rng *r, uint64_t least, uint64_t most) {
    static const char *const devices[] = {"cpu*1", "cpu*2", "cpu*3"};
    way w = {.engine = engines[rng_below(r, 8)],
             .device = devices[rng_below(r, 3)],
             .min_count = least + rng_below(r, most - least),
             .threads = 1 + (unsigned)rng_below(r, 3)};
    if (strcmp(w.engine, "tensor") == 0) {
        static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED,
                                              LODE_TARGET_MAXIMAL};
        w.target = targets[rng_below(r, 3)];
    }
    return w;
}

/* Runs in the shared context, and alone; true if both agree. */
static bool check_way(const shared_data *s, const way *w, char how[16]) {
    lode_job_options j = {.size = sizeof j, .device = w->device, .threads = w->threads};
    lode_mine_options o = mining_options(w->engine, w->min_count);
    o.target = w->target;
    mined want = mine_on(&s->t, NULL, &o, w->device, w->threads);
    mined got = {0};
    if (lode_job_create(&got.job, s->ctx, &j) != LODE_OK) exit(2);
    if (lode_sink_memory(got.job, &got.sink) != LODE_OK) exit(2);
    got.status = lode_mine(got.job, s->data, &o, got.sink);
    got.report = lode_job_report(got.job);
    if (lode_sink_finish(got.sink, got.status != LODE_OK) != LODE_OK) exit(2);
    got.result = result_of(got.sink);
    bool fine = got.status == want.status && result_equal(&got.result, &want.result) &&
                got.report->engine.frequent_items == want.report->engine.frequent_items;
    if (!fine) {
        fprintf(stderr, "  %s, target %d, %s, %u threads, %llu: %llu of %llu, %s\n", w->engine,
                (int)w->target, w->device, w->threads, (unsigned long long)w->min_count,
                (unsigned long long)got.result.n, (unsigned long long)want.result.n,
                got.report->engine.prepared);
    }
    memcpy(how, got.report->engine.prepared, 16);
    mined *both[] = {&got, &want}; /* got.data is NULL: that of all; no checks, on any thread */
    for (unsigned i = 0; i < 2; i++) {
        lode_sink_free(both[i]->sink);
        lode_dataset_free(both[i]->data);
        lode_job_free(both[i]->job);
    }
    return fine;
}

/* ---- one after the other ------------------------------------------------------------------- */

static void check_sequence(table t, uint64_t seed, uint64_t least, uint64_t most, uint64_t memory) {
    shared_data s = shared_make(t, memory);
    rng r = rng_make(seed, 5);
    unsigned built = 0, extended = 0, reused = 0;
    for (unsigned i = 0; i < N_RUNS / 4; i++) {
        way w = way_random(&r, least, most);
        char how[16];
        if (!CHECK(check_way(&s, &w, how))) break;
        built += strcmp(how, "built") == 0;
        extended += strcmp(how, "extended") == 0;
        reused += strcmp(how, "reused") == 0;
        if (rng_below(&r, 16) == 0) lode_dataset_forget(s.data);
    }
    CHECK(reused > built + extended);
    printf("    %u built, %u extended, %u reused\n", built, extended, reused);
    shared_free(&s);
}

static void test_sequences(void) {
    check_sequence(table_random(3, 300, 24, 20, 70), 1, 90, 160, 0);
    check_sequence(table_random(5, 900, 400, 0, 1), 2, 2, 12, 0); /* lists */
    check_sequence(table_random(6, 700, 60, 1, 30), 3, 30, 120, 0);
    check_sequence(table_random(7, 300, 24, 20, 70), 4, 90, 160, (uint64_t)64 << 20);
}

/* A higher threshold is served by what is there, a lower one extends it. */
static void test_how(void) {
    shared_data s = shared_make(table_random(3, 300, 24, 20, 70), 0);
    const uint64_t thresholds[] = {150, 180, 90, 100, 150};
    const char *const rows[] = {"built", "reused", "extended", "reused", "reused"};
    char how[16];
    for (unsigned i = 0; i < 5; i++) {
        way w = {.engine = i % 2 ? "frontier" : "tensor", .device = "cpu*1", .threads = 1};
        w.min_count = thresholds[i];
        CHECK(check_way(&s, &w, how));
        if (!CHECK(strcmp(how, rows[i]) == 0)) fprintf(stderr, "  %u: %s\n", i, how);
    }
    shared_free(&s);
    shared_data sparse = shared_make(table_random(5, 900, 400, 0, 1), 0);
    const char *const lists[] = {"built", "reused", "reused"};
    for (unsigned i = 0; i < 3; i++) {
        way w = {.engine = "tensor", .device = "cpu*2", .threads = 2, .min_count = 3 + i};
        CHECK(check_way(&sparse, &w, how));
        if (!CHECK(strcmp(how, lists[i]) == 0)) fprintf(stderr, "  lists %u: %s\n", i, how);
    }
    shared_free(&sparse);
}

/* Everything a search may need is there beforehand. */
static void test_beforehand(void) {
    for (unsigned i = 0; i < 8; i++) {
        table t = i % 2 ? table_random(5, 900, 400, 0, 1) : table_random(6, 700, 60, 1, 30);
        shared_data s = shared_make(t, 0);
        lode_mine_options o = mining_options(engines[i], i % 2 ? 3 : 40);
        CHECK_EQUAL(lode_dataset_prepare(s.owner, s.data, &o), LODE_OK);
        for (uint64_t more = 0; more < 5; more++) {
            way w = {.engine = engines[i], .device = "cpu*2", .threads = 2};
            w.min_count = o.min_support.numerator * (1 + more);
            char how[16];
            CHECK(check_way(&s, &w, how));
            if (!CHECK(strcmp(how, "reused") == 0)) {
                fprintf(stderr, "  %s, %llu: %s\n", w.engine, (unsigned long long)w.min_count, how);
            }
        }
        shared_free(&s);
    }
}

/* ---- at once ------------------------------------------------------------------------------- */

typedef struct worker {
    const shared_data *s;
    uint64_t seed;
    bool fine;
} worker;

static void *work(void *arg) {
    worker *w = arg;
    rng r = rng_make(w->seed, 9);
    w->fine = true;
    for (unsigned i = 0; i < N_RUNS / 10 && w->fine; i++) {
        way x = way_random(&r, 90, 160);
        char how[16];
        w->fine = check_way(w->s, &x, how);
        if (rng_below(&r, 8) == 0) lode_dataset_forget(w->s->data);
    }
    return NULL;
}

static void test_at_once(void) {
    shared_data s = shared_make(table_random(3, 300, 24, 20, 70), 0);
    pthread_t threads[4];
    worker workers[4];
    for (unsigned i = 0; i < 4; i++) {
        workers[i] = (worker){.s = &s, .seed = i};
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0) exit(2);
    }
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        CHECK(workers[i].fine);
    }
    shared_free(&s);
}

int main(void) {
    CHECK_RUN(test_how);
    CHECK_RUN(test_sequences);
    CHECK_RUN(test_beforehand);
    CHECK_RUN(test_at_once);
    return check_result();
}
