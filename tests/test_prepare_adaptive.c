/* test_prepare_adaptive.c - the data that adaptive prepares are shared: same results, prepared only
 * once
 *
 * One data set is mined again and again, with random thresholds, targets, numbers of threads and
 * budgets, by one job after the other and by several at once. Each result must be the same as with
 * a data set of the job's own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "tables.h"
#include "targets.h"

#define STEPS BY_BUILD(150, 40, 40)

typedef struct shape {
    const char *name;
    table t;
    uint32_t *weights;
    uint64_t least, most; /* thresholds */
} shape;

/* 1100 items that are in the same transactions, and a few others. */
static table make_twins(void) {
    table t = {0};
    uint32_t row[1110];
    for (uint32_t i = 0; i < 24; i++) {
        size_t n = 0;
        for (uint32_t item = 0; item < 1110; item++) {
            bool there = item < 1100 ? i % 3 > 0 : (item + i) % (item % 5 + 2) > 0;
            if (there) row[n++] = item;
        }
        table_add(&t, row, n);
    }
    return t;
}

#define N_SHAPES 5
static shape shapes[N_SHAPES];
static const char *const shape_names[N_SHAPES] = {"words", "rows", "lists", "weights", "twins"};

static void make_shapes(void) {
    shapes[0] = (shape){.t = table_random(1, 400, 30, 5, 60), .least = 80, .most = 200};
    shapes[1] = (shape){.t = table_random(2, 700, 110, 2, 30), .least = 60, .most = 150};
    shapes[2] = (shape){.t = table_random(3, 900, 300, 0, 4), .least = 3, .most = 20};
    shapes[3] = (shape){.t = table_random(4, 300, 90, 2, 20), .least = 60, .most = 200};
    shapes[4] = (shape){.t = make_twins(), .least = 9, .most = 16};
    shapes[3].weights = malloc(300 * sizeof *shapes[3].weights);
    if (!shapes[3].weights) exit(2);
    for (uint32_t i = 0; i < 300; i++) shapes[3].weights[i] = i % 5;
    for (size_t i = 0; i < N_SHAPES; i++) shapes[i].name = shape_names[i];
}

static void free_shapes(void) {
    for (size_t i = 0; i < N_SHAPES; i++) table_free(&shapes[i].t);
    free(shapes[3].weights);
}

/* ---- one run on shared data ---------------------------------------------------------------- */

static lode_dataset *make_data(lode_job *job, const shape *s) {
    lode_dataset *data = NULL;
    const table *t = &s->t;
    if (lode_dataset_from_arrays(job, &data, t->n, t->offsets, t->items, s->weights) != LODE_OK) {
        exit(2);
    }
    return data;
}

static lode_ctx *make_ctx(uint64_t memory) {
    lode_ctx *ctx = NULL;
    lode_ctx_options o = {.size = sizeof o, .memory_bytes = memory, .threads = 3};
    if (lode_ctx_create(&ctx, &o) != LODE_OK) exit(2);
    return ctx;
}

static lode_job *make_job(lode_ctx *ctx, unsigned threads, uint64_t memory) {
    lode_job *job = NULL;
    lode_job_options o = {.size = sizeof o, .threads = threads, .memory_bytes = memory};
    if (lode_job_create(&job, ctx, &o) != LODE_OK) exit(2);
    return job;
}

/* A job of its own in the context, on data that are there. */
static mined mine_shared(lode_ctx *ctx, const lode_dataset *data, const lode_mine_options *o,
                         unsigned threads, uint64_t memory) {
    mined m = {.job = make_job(ctx, threads, memory)};
    if (lode_sink_memory(m.job, &m.sink) != LODE_OK) exit(2);
    m.status = lode_mine(m.job, data, o, m.sink);
    m.report = lode_job_report(m.job);
    if (m.status == LODE_OK && lode_sink_finish(m.sink, false) != LODE_OK) exit(2);
    if (m.status == LODE_OK) m.result = result_of(m.sink);
    return m;
}

static void shared_free(mined *m) {
    lode_sink_free(m->sink);
    lode_job_free(m->job);
}

static lode_mine_options any_options(const shape *s, rng *r) {
    static const lode_target targets[] = {
        LODE_TARGET_ALL,     LODE_TARGET_ALL,        LODE_TARGET_CLOSED, LODE_TARGET_CLOSED,
        LODE_TARGET_MAXIMAL, LODE_TARGET_GENERATORS, LODE_TARGET_TOP};
    lode_mine_options o =
        mining_options("adaptive", s->least + rng_below(r, s->most - s->least + 1));
    o.target = targets[rng_below(r, sizeof targets / sizeof *targets)];
    if (o.target == LODE_TARGET_TOP) o.top_k = 1 + rng_below(r, 60);
    if (o.target == LODE_TARGET_TOP && rng_below(r, 2)) o.min_support.numerator = 0;
    if (rng_below(r, 6) == 0) o.max_size = 1 + (uint32_t)rng_below(r, 3);
    /* A thousand twins have more sets than anybody counts. */
    bool all = o.target == LODE_TARGET_ALL || o.target == LODE_TARGET_TOP;
    if (all && strcmp(s->name, "twins") == 0) o.max_size = 1;
    if (rng_below(r, 5) == 0 && o.min_support.numerator > 0) {
        o.root_first = (uint32_t)rng_below(r, 10);
        o.root_end = o.root_first + 1 + (uint32_t)rng_below(r, 10);
    }
    return o;
}

static bool is_same(const shape *s, const mined *got, const lode_mine_options *o) {
    mined fresh = mine_on(&s->t, s->weights, o, "cpu*1", 1);
    bool same = got->status == LODE_OK && fresh.status == LODE_OK &&
                result_equal(&got->result, &fresh.result);
    if (!same) {
        fprintf(stderr, "  %s, support %llu, target %d, status %d %d, %llu of %llu\n", s->name,
                (unsigned long long)o->min_support.numerator, (int)o->target, (int)got->status,
                (int)fresh.status, (unsigned long long)got->result.n,
                (unsigned long long)fresh.result.n);
    }
    mined_free(&fresh);
    return same;
}

/* ---- tests --------------------------------------------------------------------------------- */

/* One after the other; sometimes with a budget, sometimes prepared by name, sometimes forgotten. */
static void test_sequences(void) {
    for (size_t i = 0; i < N_SHAPES; i++) {
        const shape *s = &shapes[i];
        rng r = rng_make(11, i);
        lode_ctx *ctx = make_ctx(0);
        lode_job *reader = make_job(ctx, 1, 0);
        lode_dataset *data = make_data(reader, s);
        for (int step = 0; step < STEPS; step++) {
            lode_mine_options o = any_options(s, &r);
            unsigned threads = 1 + (unsigned)rng_below(&r, 3);
            uint64_t memory = rng_below(&r, 4) == 0 ? (uint64_t)9 << 20 : 0;
            if (rng_below(&r, 8) == 0) lode_dataset_forget(data);
            if (rng_below(&r, 8) == 0) {
                CHECK_EQUAL(lode_dataset_prepare(reader, data, &o), LODE_OK);
            }
            mined got = mine_shared(ctx, data, &o, threads, memory);
            CHECK(is_same(s, &got, &o));
            shared_free(&got);
        }
        CHECK_EQUAL(lode_job_memory_used(reader), 0);
        lode_dataset_free(data);
        lode_job_free(reader);
        CHECK_EQUAL(lode_ctx_memory_used(ctx), 0);
        lode_ctx_free(ctx);
    }
}

/* The second threshold does not prepare; a lower one does. */
static void test_second(void) {
    for (size_t i = 0; i < N_SHAPES; i++) {
        const shape *s = &shapes[i];
        lode_ctx *ctx = make_ctx(0);
        lode_job *reader = make_job(ctx, 1, 0);
        lode_dataset *data = make_data(reader, s);
        lode_mine_options o = mining_options("adaptive", s->least + 2);
        o.target = LODE_TARGET_CLOSED;
        static const char *const wanted[] = {"built", "reused", "reused", "built", "reused"};
        static const int change[] = {0, 0, 1, -3, 2};
        for (size_t k = 0; k < 5; k++) {
            if (s->least < 4 && k == 3) lode_dataset_forget(data);
            o.min_support.numerator += (uint64_t)(int64_t)change[k];
            mined got = mine_shared(ctx, data, &o, 2, 0);
            /* Where jobs share a context, lists and rows may be there for lower ones, too. */
            bool deeper = k == 3 && strcmp(got.report->engine.prepared, "reused") == 0;
            if (!deeper) CHECK_TEXT(got.report->engine.prepared, wanted[k]);
            shared_free(&got);
        }
        lode_dataset_free(data);
        lode_job_free(reader);
        lode_ctx_free(ctx);
    }
}

/* Prepared for a threshold, all higher ones start at once, whatever shape is best for them. */
static void test_prepare(void) {
    static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL};
    table t = table_random(8, 2000, 300, 0, 4);
    shape s = {.name = "all shapes", .t = t, .least = 10, .most = 75};
    for (size_t k = 0; k < 3; k++) {
        lode_ctx *ctx = make_ctx(0);
        lode_job *reader = make_job(ctx, 1, 0);
        lode_dataset *data = make_data(reader, &s);
        lode_mine_options o = mining_options("adaptive", s.least);
        o.target = targets[k];
        uint64_t bytes = lode_ctx_memory_used(ctx);
        CHECK_EQUAL(lode_dataset_prepare(reader, data, &o), LODE_OK);
        CHECK(lode_ctx_memory_used(ctx) > bytes);
        bool rows = false, lists = false, words = false;
        for (; o.min_support.numerator <= s.most; o.min_support.numerator += 13) {
            mined got = mine_shared(ctx, data, &o, 1, 0);
            CHECK_TEXT(got.report->engine.prepared, "reused");
            rows = rows || strstr(got.report->engine.why, "bit rows");
            lists = lists || strstr(got.report->engine.why, "lists");
            words = words || strstr(got.report->engine.why, "words");
            CHECK(is_same(&s, &got, &o));
            shared_free(&got);
        }
        CHECK(rows && lists && words);
        lode_dataset_forget(data);
        CHECK_EQUAL(lode_ctx_memory_used(ctx), bytes);
        lode_dataset_free(data);
        lode_job_free(reader);
        lode_ctx_free(ctx);
    }
    table_free(&t);
}

/* What is kept does not stand in the way of a job that has not much memory. */
static void test_budget(void) {
    const shape *s = &shapes[2];
    lode_ctx *ctx = make_ctx((uint64_t)2 << 20);
    lode_job *reader = make_job(ctx, 1, 0);
    lode_dataset *data = make_data(reader, s), *other = make_data(reader, s);
    for (uint64_t support = s->most; support >= s->least; support -= 3) {
        lode_mine_options o = mining_options("adaptive", support);
        o.target = LODE_TARGET_MAXIMAL;
        mined got = mine_shared(ctx, support % 2 ? data : other, &o, 2, 0);
        CHECK(is_same(s, &got, &o));
        shared_free(&got);
        CHECK(lode_ctx_memory_peak(ctx) <= (uint64_t)2 << 20);
    }
    lode_dataset_free(data);
    lode_dataset_free(other);
    lode_job_free(reader);
    lode_ctx_free(ctx);
}

/* Lists that are made slice by slice, whole and by ranges. */
static void test_slices(void) {
    table t = table_random(5, 3000, 700, 0, 2);
    shape s = {.name = "slices", .t = t};
    unsigned n_done = 0, n_refused = 0;
    for (uint64_t memory = 100 << 10; memory < 1000 << 10; memory += 60 << 10) {
        lode_job *job = make_job(NULL, 1, 0);
        lode_dataset *data = make_data(job, &s);
        lode_mine_options o = mining_options("adaptive", 12);
        o.root_first = (uint32_t)(memory >> 10) % 3 * 40;
        o.root_end = o.root_first > 0 ? 300 : 0;
        o.target = memory % (120 << 10) ? LODE_TARGET_CLOSED : LODE_TARGET_GENERATORS;
        mined got = mine_shared(lode_job_ctx(job), data, &o, 1, memory);
        if (got.status == LODE_OK) CHECK(is_same(&s, &got, &o));
        n_done += got.status == LODE_OK;
        n_refused += got.status == LODE_BUDGET;
        shared_free(&got);
        lode_dataset_free(data);
        lode_job_free(job);
    }
    if (!CHECK(n_done > 3 && n_refused > 1))
        fprintf(stderr, "  %u done, %u refused\n", n_done, n_refused);
    table_free(&t);
}

/* ---- at once ------------------------------------------------------------------------------- */

typedef struct crowd {
    const shape *s;
    lode_ctx *ctx;
    const lode_dataset *data;
    unsigned number;
    lode_mine_options options[3];
    mined got[3];
} crowd;

static void *crowd_main(void *arg) {
    crowd *c = arg;
    for (unsigned i = 0; i < 3; i++) {
        c->got[i] = mine_shared(c->ctx, c->data, &c->options[i], 1 + (c->number + i) % 2, 0);
    }
    return NULL;
}

static void test_at_once(void) {
    for (size_t i = 0; i < N_SHAPES; i++) {
        crowd crowds[4];
        pthread_t threads[4];
        lode_ctx *ctx = make_ctx(0);
        lode_job *reader = make_job(ctx, 1, 0);
        lode_dataset *data = make_data(reader, &shapes[i]);
        rng r = rng_make(17, i);
        for (unsigned k = 0; k < 4; k++) {
            crowds[k] = (crowd){.s = &shapes[i], .ctx = ctx, .data = data, .number = k};
            for (unsigned x = 0; x < 3; x++) crowds[k].options[x] = any_options(&shapes[i], &r);
            pthread_create(&threads[k], NULL, crowd_main, &crowds[k]);
        }
        for (unsigned k = 0; k < 4; k++) pthread_join(threads[k], NULL);
        for (unsigned k = 0; k < 4; k++) {
            for (unsigned x = 0; x < 3; x++) {
                CHECK(is_same(&shapes[i], &crowds[k].got[x], &crowds[k].options[x]));
                shared_free(&crowds[k].got[x]);
            }
        }
        lode_dataset_free(data);
        lode_job_free(reader);
        CHECK_EQUAL(lode_ctx_memory_used(ctx), 0);
        lode_ctx_free(ctx);
    }
}

int main(void) {
    setenv("LODE_CROSSWISE", "never", 1); /* the search by rows shares nothing between jobs */
    make_shapes();
    CHECK_RUN(test_sequences);
    CHECK_RUN(test_second);
    CHECK_RUN(test_prepare);
    CHECK_RUN(test_budget);
    CHECK_RUN(test_slices);
    CHECK_RUN(test_at_once);
    free_shapes();
    return check_result();
}
