/* test_frontier_epsilon.c - epsilon from depth first to breadth first
 *
 * On one consumer with enough lists, a larger epsilon must lead to fewer batches and more lists in
 * use at a time; if epsilon is at least the size of the largest level, there must be exactly one
 * batch per level. Several consumers, lists that run out and top K must not change the result.
 * (test_frontier_live.c tests cancelling within a batch.)
 *
 * The number of candidates of level k does not depend on batches. It is the number for sets of up
 * to k items, minus the number for sets of up to k - 1 items.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mining.h"

#define MOST_LEVELS 16

/* One consumer; with LODE_TEST_DEVICES=cuda, a GPU. */
static const char *one_consumer(void) {
    static const char *const cpu = "cpu*1";
    return mining_device(&cpu, 1, 0);
}

typedef struct level_sizes {
    unsigned n;
    uint64_t of[MOST_LEVELS], largest;
} level_sizes;

static mined run_epsilon(const table *t, lode_mine_options o, uint64_t epsilon,
                         const char *device) {
    o.epsilon = epsilon;
    mined m = mine_table(t, &o, device);
    CHECK_EQUAL(m.status, LODE_OK);
    return m;
}

static level_sizes count_levels(const table *t, lode_mine_options o) {
    level_sizes l = {0};
    uint64_t before = 0;
    for (uint32_t size = 2; l.n < MOST_LEVELS; size++) {
        o.max_size = size;
        mined m = run_epsilon(t, o, 1, one_consumer());
        uint64_t counted = m.report->engine.candidates_counted, n = counted - before;
        mined_free(&m);
        if (n == 0) return l;
        before = counted;
        l.of[l.n++] = n;
        if (n > l.largest) l.largest = n;
    }
    return l;
}

/* ---- one consumer -------------------------------------------------------------------------- */

typedef struct ladder {
    uint64_t epsilon, batches, lists;
} ladder;

static ladder climb(const table *t, lode_mine_options o, uint64_t epsilon, const mined *want) {
    mined m = run_epsilon(t, o, epsilon, one_consumer());
    ladder step = {epsilon, m.report->engine.batches, m.report->engine.lists_peak};
    CHECK(result_equal(&m.result, &want->result));
    CHECK_EQUAL(m.report->engine.lists_rebuilt, 0);
    mined_free(&m);
    return step;
}

/* Twice the epsilon, or more: fewer batches, until there is one per level, which is the least: what
 * is joined must have been counted. (From one epsilon to the next, a batch that ends elsewhere may
 * leave a rest for one more.) */
static void check_step(const level_sizes *l, ladder before, ladder step) {
    bool fine = CHECK(step.batches >= l->n) & CHECK(step.lists >= before.lists);
    if (step.epsilon >= l->largest) fine &= CHECK_EQUAL(step.batches, l->n);
    fine &= CHECK(step.batches < before.batches || before.batches == l->n);
    if (fine) return;
    fprintf(stderr,
            "  epsilon %llu, %llu: batches %llu, %llu, lists %llu, %llu; %u levels to %llu\n",
            (unsigned long long)before.epsilon, (unsigned long long)step.epsilon,
            (unsigned long long)before.batches, (unsigned long long)step.batches,
            (unsigned long long)before.lists, (unsigned long long)step.lists, l->n,
            (unsigned long long)l->largest);
}

/* Every epsilon from 1 to beyond the largest level, against half of it. */
static void check_every(const table *t, uint64_t support) {
    lode_mine_options o = mining_options("frontier", support);
    mined want = mine_brute(t, support);
    level_sizes l = count_levels(t, o);
    ladder steps[512];
    CHECK(l.n >= 3 && l.largest > 50 && l.largest < 500);
    for (uint64_t epsilon = 1; epsilon <= l.largest + 2; epsilon++) {
        steps[epsilon] = climb(t, o, epsilon, &want);
        if (epsilon > 1) check_step(&l, steps[epsilon / 2], steps[epsilon]);
    }
    check_step(&l, steps[l.largest - 1], climb(t, o, UINT64_MAX, &want));
    mined_free(&want);
}

static void test_every(void) {
    for (uint64_t seed = 0; seed < 4; seed++) {
        table t = table_random(seed + 800, 120, 12 + (uint32_t)seed, 30, 70);
        check_every(&t, 25);
        table_free(&t);
    }
}

static void test_doubling(void) {
    for (uint64_t seed = 0; seed < 12; seed++) {
        table t = table_random(seed + 700, 200 + 40 * seed, 12 + (uint32_t)seed, 20, 80);
        lode_mine_options o = mining_options("frontier", 40 + 8 * seed);
        mined want = mine_brute(&t, 40 + 8 * seed);
        level_sizes l = count_levels(&t, o);
        ladder before = climb(&t, o, 1, &want);
        for (uint64_t epsilon = 2; epsilon < 4 * l.largest; epsilon *= 2) {
            ladder step = climb(&t, o, epsilon, &want);
            check_step(&l, before, step);
            before = step;
        }
        check_step(&l, before, climb(&t, o, UINT64_MAX, &want));
        mined_free(&want);
        table_free(&t);
    }
}

/* Levels are cut off by a largest size, and root classes by a range. */
static void test_cut_off(void) {
    table t = table_random(900, 400, 16, 30, 80);
    lode_mine_options o = mining_options("frontier", 60);
    level_sizes l = count_levels(&t, o);
    for (uint32_t size = 1; size <= l.n + 1; size++) {
        o.max_size = size;
        mined m = run_epsilon(&t, o, UINT64_MAX, one_consumer());
        CHECK_EQUAL(m.report->engine.batches, size - 1);
        mined_free(&m);
    }
    o.max_size = 0;
    o.root_first = 3;
    o.root_end = 9;
    mined depth = run_epsilon(&t, o, 1, one_consumer()),
          all = run_epsilon(&t, o, UINT64_MAX, one_consumer());
    CHECK(result_equal(&depth.result, &all.result));
    CHECK(all.report->engine.batches <= l.n && all.report->engine.batches >= 3);
    mined_free(&depth);
    mined_free(&all);
    table_free(&t);
}

/* ---- lists run out ------------------------------------------------------------------------- */

/* A few lists never make more batches than none at all. */
static void test_few_lists(void) {
    static const uint64_t epsilons[] = {0, 1, 100, UINT64_MAX};
    table t = table_random(910, 500, 22, 25, 80);
    lode_mine_options o = mining_options("frontier", 70);
    mined want = mine_brute(&t, 70);
    CHECK(want.result.n > 1000);
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        uint64_t most = 0;
        for (uint64_t lists = 1; lists < 3000; lists += lists < 20 ? 1 : lists / 3) {
            o.max_lists = lists;
            mined m = run_epsilon(&t, o, epsilons[i], "cpu*1");
            uint64_t batches = m.report->engine.batches;
            CHECK(result_equal(&m.result, &want.result));
            CHECK(m.report->engine.lists_peak <= lists);
            if (lists == 1) most = batches;
            if (!CHECK(batches <= most))
                fprintf(stderr, "  %llu lists: %llu batches, one list: %llu\n",
                        (unsigned long long)lists, (unsigned long long)batches,
                        (unsigned long long)most);
            mined_free(&m);
        }
    }
    mined_free(&want);
    table_free(&t);
}

/* ---- several consumers --------------------------------------------------------------------- */

/* Who takes which class is a matter of chance, so the bounds are wide. */
static void test_consumers(void) {
    static const char *const devices[] = {"cpu*2", "cpu*3", "cpu*8"};
    table t = table_random(920, 600, 24, 25, 75);
    lode_mine_options o = mining_options("frontier", 80);
    mined want = mine_brute(&t, 80);
    CHECK(want.result.n > 1000);
    for (size_t i = 0; i < 3; i++) {
        uint64_t batches[3];
        static const uint64_t epsilons[] = {1, 50, UINT64_MAX};
        for (size_t e = 0; e < 3; e++) {
            mined m = run_epsilon(&t, o, epsilons[e], devices[i]);
            CHECK(result_equal(&m.result, &want.result));
            batches[e] = m.report->engine.batches;
            mined_free(&m);
        }
        printf("    %s: %llu, %llu, %llu batches\n", devices[i], (unsigned long long)batches[0],
               (unsigned long long)batches[1], (unsigned long long)batches[2]);
        CHECK(batches[1] < batches[0] / 2 && batches[2] < batches[0] / 2);
    }
    mined_free(&want);
    table_free(&t);
}

/* More root classes than the queue holds at a time. */
static void test_many_roots(void) {
    table t = table_random(930, 60, 700, 4, 12);
    lode_mine_options o = mining_options("frontier", 4);
    o.max_size = 3;
    mined want = run_epsilon(&t, o, 1, "cpu*1");
    mined alone = run_epsilon(&t, o, UINT64_MAX, "cpu*1");
    CHECK(want.report->engine.frequent_items > 300);
    CHECK(result_equal(&alone.result, &want.result));
    CHECK_EQUAL(alone.report->engine.batches, 2);
    for (unsigned i = 0; i < 4; i++) {
        mined m = run_epsilon(&t, o, i % 2 ? 5000 : UINT64_MAX, i < 2 ? "cpu*2" : "cpu*5");
        CHECK(result_equal(&m.result, &want.result));
        CHECK(m.report->engine.batches < want.report->engine.batches / 4);
        mined_free(&m);
    }
    mined_free(&want);
    mined_free(&alone);
    table_free(&t);
}

/* ---- what may change on the way ------------------------------------------------------------ */

static void test_top_k(void) {
    static const uint64_t epsilons[] = {1, 10, 200, UINT64_MAX};
    table t = table_random(940, 250, 16, 30, 80);
    lode_mine_options o = mining_options("brute", 20);
    o.target = LODE_TARGET_TOP;
    o.top_k = 150;
    mined want = mine_table(&t, &o, "cpu*1");
    o.algorithm = "frontier";
    for (unsigned i = 0; i < 8; i++) {
        mined m = run_epsilon(&t, o, epsilons[i % 4], i < 4 ? "cpu*1" : "cpu*3");
        CHECK(result_equal(&m.result, &want.result));
        mined_free(&m);
    }
    mined_free(&want);
    table_free(&t);
}

int main(void) {
    CHECK_RUN(test_every);
    CHECK_RUN(test_doubling);
    CHECK_RUN(test_cut_off);
    CHECK_RUN(test_few_lists);
    CHECK_RUN(test_consumers);
    CHECK_RUN(test_many_roots);
    CHECK_RUN(test_top_k);
    return check_result();
}
