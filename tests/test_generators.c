/* test_generators.c - generators, detected in all ways: by the tree, by rows, and by words of rows
 *
 * Which way adaptive uses depends on the number of threads, the memory budget and the root range.
 * So each data set is mined with variations of all three, and compared with the generators among
 * all frequent sets, by definition. With a range, subsets of a branch are not in the tree, so every
 * test is made in the data. Budgets leave room for fewer and fewer rows, and finally for no tree.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tables.h"
#include "targets.h"

#define SHRINK BY_BUILD(1.25, 2, 3) /* a budget is the one before divided by this */

#define MOST_WEIGHT 3

typedef struct scene {
    table t;
    uint32_t *weights; /* NULL: none */
    mined all;
    marks m;
    lode_mine_options o;
} scene;

static uint64_t scene_weight(const scene *s) {
    uint64_t total = 0;
    for (uint64_t i = 0; i < s->t.n; i++) total += s->weights ? s->weights[i] : 1;
    return total;
}

static scene scene_make(table t, uint64_t support, bool weighted, uint64_t seed) {
    scene s = {.t = t, .o = mining_options("brute", support)};
    rng r = rng_make(seed, 9);
    if (weighted) {
        s.weights = malloc((size_t)(t.n + 1) * sizeof *s.weights);
        if (!s.weights) exit(2);
        for (uint64_t i = 0; i < t.n; i++) s.weights[i] = (uint32_t)rng_below(&r, MOST_WEIGHT + 1);
    }
    s.all = mine_on(&s.t, s.weights, &s.o, "cpu", 1);
    CHECK_EQUAL(s.all.status, LODE_OK);
    CHECK(s.all.result.n > 500 && s.all.result.n < 10 * MAX_PATTERNS);
    s.m = marks_make(&s.all.result, scene_weight(&s));
    s.o.algorithm = "adaptive";
    s.o.target = LODE_TARGET_GENERATORS;
    return s;
}

static void scene_free(scene *s) {
    marks_free(&s->m);
    mined_free(&s->all);
    table_free(&s->t);
    free(s->weights);
}

/* ---- threads and ranges ---------------------------------------------------------------------- */

static uint64_t count_generators(const scene *s) {
    uint64_t n = 0;
    for (uint64_t i = 0; i < s->all.result.n; i++) n += s->m.generator[i];
    return n;
}

static void check_whole(const scene *s) {
    for (unsigned threads = BY_BUILD(1, 1, 2); threads <= 4; threads += BY_BUILD(1, 1, 2)) {
        mined got = mine_on(&s->t, s->weights, &s->o, "cpu", threads);
        CHECK_EQUAL(got.status, LODE_OK);
        CHECK(is_right(&got.result, &s->all.result, &s->m, &s->o));
        mined_free(&got);
    }
}

/* Every pattern of a range must be a generator, and all ranges together must have them all. */
static void check_ranges(const scene *s, uint64_t width) {
    uint64_t total = 0, n_items = result_count(&s->all.result, 0, 1, 1);
    for (uint64_t first = 0; first < n_items; first += width) {
        lode_mine_options o = s->o;
        o.root_first = (uint32_t)first;
        o.root_end = (uint32_t)(first + width);
        mined got = mine_on(&s->t, s->weights, &o, "cpu", 1 + (unsigned)(first / width) % 2);
        CHECK_EQUAL(got.status, LODE_OK);
        CHECK(result_within(&got.result, &s->all.result));
        for (uint64_t i = 0; i < got.result.n; i++) {
            size_t n;
            const uint32_t *items = result_items(&got.result, i, &n);
            uint64_t at = 0;
            CHECK(result_index(&s->all.result, items, n, &at) && s->m.generator[at]);
        }
        total += got.result.n;
        mined_free(&got);
    }
    CHECK_EQUAL(total, count_generators(s));
}

/* ---- budgets --------------------------------------------------------------------------------- */

/* How many patterns a job within a budget counts; data and result are in it as well. */
static lode_status count_within(const scene *s, uint64_t budget, unsigned threads, uint64_t *n) {
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;
    lode_job_options c = {
        .size = sizeof c, .device = "cpu", .threads = threads, .memory_bytes = budget};
    if (lode_job_create(&job, NULL, &c) != LODE_OK) exit(2);
    lode_status status =
        lode_dataset_from_arrays(job, &data, s->t.n, s->t.offsets, s->t.items, s->weights);
    if (status == LODE_OK) status = lode_sink_count(job, &sink);
    if (status == LODE_OK) status = lode_mine(job, data, &s->o, sink);
    *n = status == LODE_OK ? lode_sink_patterns(sink) : 0;
    lode_sink_free(sink);
    lode_dataset_free(data);
    lode_job_free(job);
    return status;
}

static void check_budgets(const scene *s) {
    uint64_t n, wanted = count_generators(s);
    unsigned fine = 0;
    for (unsigned threads = BY_BUILD(1, 1, 2); threads <= 2; threads++) {
        for (double budget = 64 << 20; budget > 1000; budget /= SHRINK) {
            lode_status status = count_within(s, (uint64_t)budget, threads, &n);
            if (status == LODE_BUDGET) break;
            CHECK_EQUAL(status, LODE_OK);
            CHECK_EQUAL(n, wanted);
            fine++;
        }
    }
    CHECK(fine >= BY_BUILD(5, 5, 1));
}

/* ---- data ------------------------------------------------------------------------------------ */

static void check_scene(table t, uint64_t support, bool weighted, uint64_t seed) {
    scene s = scene_make(t, support, weighted, seed);
    check_whole(&s);
    check_ranges(&s, 1 + seed % 7 * 9);
    check_budgets(&s);
    scene_free(&s);
}

/* Lists: many items, few in a transaction. */
static void test_lists(void) {
    for (uint64_t seed = 0; seed < BY_BUILD(4, 4, 1); seed++) {
        check_scene(table_patterns(seed, 500, 150 + 90 * (uint32_t)seed, 6), 9, seed % 2, seed);
    }
}

/* Transactions of far more columns than a line, in which most items have few. */
static void test_many_columns(void) {
    for (uint64_t seed = BY_BUILD(0, 0, 1); seed < 2; seed++) {
        check_scene(table_patterns(seed + 9, 6000, 900, 5), seed ? 90 : 60, seed % 2, seed + 3);
    }
}

/* Rows: more than 64 items, dense. With weights, these are lists. */
static void test_rows(void) {
    for (uint64_t seed = 0; seed < 2; seed++) {
        check_scene(table_random(seed + 3, 300, 90, 42, 58), seed ? 90 : 54, seed % 2, seed + 5);
    }
}

/* Words: few items, some of which follow from others. */
static void test_words(void) {
    for (uint64_t seed = 0; seed < BY_BUILD(4, 4, 2); seed++) {
        check_scene(make_blocks(seed), seed % 2 ? 40 : 16, seed % 2, seed);
    }
}

int main(void) {
    CHECK_RUN(test_lists);
    CHECK_RUN(test_many_columns);
    CHECK_RUN(test_rows);
    CHECK_RUN(test_words);
    return check_result();
}
