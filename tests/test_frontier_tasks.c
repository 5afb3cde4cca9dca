/* test_frontier_tasks.c - one job on several devices, and one job shared among processes
 *
 * Devices: a data set with nearly all of its work in one root class, so that other devices can only
 * help if classes are passed on. Processes: threads, each with its own job, which add up their
 * counts in a reduce function; and the same job divided into ranges of root classes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "mining.h"

/* ---- handing over -------------------------------------------------------------------------- */

/* Rare item 0 always comes with 14 others, which are otherwise hardly ever together: the class of
 * item 0 holds 2^14 patterns, and the other classes next to none. */
static table make_skewed(void) {
    table t = {0};
    rng r = rng_make(5, 5);
    for (unsigned i = 0; i < 400; i++) {
        uint32_t row[16];
        size_t n = 0;
        bool together = i % 8 == 0;
        if (together) row[n++] = 0;
        for (uint32_t item = 1; item < 14; item++) {
            if (together ? rng_below(&r, 100) < 97 : rng_below(&r, 100) < 9) row[n++] = item;
        }
        table_add(&t, row, n);
    }
    return t;
}

static void test_skewed(void) {
    table t = make_skewed();
    lode_mine_options o = mining_options("frontier", 30);
    o.epsilon = 16; /* many small batches: many chances to hand over */
    mined one = mine_table(&t, &o, "cpu*1"), oracle = mine_brute(&t, 30);
    CHECK(one.result.n > 2000 && result_equal(&one.result, &oracle.result));
    double best = 0;
    for (unsigned i = 0; i < 20; i++) {
        o.max_lists = i % 3 == 2 ? 5 : 0;
        mined four = mine_table(&t, &o, "cpu*4");
        CHECK_EQUAL(four.status, LODE_OK);
        CHECK(result_equal(&one.result, &four.result));
        CHECK_EQUAL(four.report->engine.candidates_counted, one.report->engine.candidates_counted);
        if (four.report->engine.utilisation > best) best = four.report->engine.utilisation;
        mined_free(&four);
    }
    printf("    best utilisation of four devices: %.2f\n", best);
    mined_free(&one);
    mined_free(&oracle);
    table_free(&t);
}

/* More root classes than the queue holds, so that the producer has to wait. */
static void test_many_classes(void) {
    table t = table_random(6, 120, 700, 3, 9);
    lode_mine_options o = mining_options("frontier", 6);
    mined one = mine_table(&t, &o, "cpu*1");
    CHECK(one.report->engine.frequent_items > 300);
    for (unsigned i = 0; i < 3; i++) {
        mined many = mine_table(&t, &o, i ? "cpu*3" : "cpu*16");
        CHECK(result_equal(&one.result, &many.result));
        mined_free(&many);
    }
    mined_free(&one);
    table_free(&t);
}

/* ---- shared among processes ---------------------------------------------------------------- */

#define N_PARTS 3

typedef struct shared {
    pthread_barrier_t barrier;
    uint64_t *counts[N_PARTS];
    size_t n[N_PARTS];
} shared;

typedef struct part {
    shared *all;
    unsigned index;
    table t;
    lode_mine_options options;
    mined m;
    uint64_t calls;
} part;

/* Everybody shows its counts, everybody adds them up, and nobody writes before all have read. */
static lode_status reduce_parts(void *user, uint64_t *counts, size_t n) {
    part *p = user;
    shared *all = p->all;
    p->calls++;
    all->counts[p->index] = counts;
    all->n[p->index] = n;
    pthread_barrier_wait(&all->barrier);
    uint64_t *sums = calloc(n + 1, sizeof *sums);
    if (!sums) exit(2);
    bool same = true;
    for (unsigned k = 0; k < N_PARTS; k++) {
        same = same && all->n[k] == n;
        for (size_t i = 0; same && i < n; i++) sums[i] += all->counts[k][i];
    }
    pthread_barrier_wait(&all->barrier);
    memcpy(counts, sums, n * sizeof *sums);
    free(sums);
    return same ? LODE_OK : LODE_INTERNAL;
}

static void *part_main(void *arg) {
    part *p = arg;
    p->m = mine_table(&p->t, &p->options, "cpu*1");
    return NULL;
}

static void check_shared(const table *t, const lode_mine_options *o, const mined *want) {
    shared all = {.n = {0}};
    part parts[N_PARTS];
    pthread_t threads[N_PARTS];
    pthread_barrier_init(&all.barrier, NULL, N_PARTS);
    for (unsigned k = 0; k < N_PARTS; k++) {
        parts[k] = (part){.all = &all, .index = k, .options = *o};
        table_add_rows(&parts[k].t, t, k, N_PARTS);
        parts[k].options.reduce = reduce_parts;
        parts[k].options.reduce_user = &parts[k];
        parts[k].options.n_transactions_total = t->n;
        if (pthread_create(&threads[k], NULL, part_main, &parts[k]) != 0) exit(2);
    }
    for (unsigned k = 0; k < N_PARTS; k++) pthread_join(threads[k], NULL);
    for (unsigned k = 0; k < N_PARTS; k++) {
        CHECK_EQUAL(parts[k].m.status, LODE_OK);
        CHECK(result_equal(&parts[k].m.result, &want->result));
        CHECK_EQUAL(parts[k].m.report->engine.min_count, want->report->engine.min_count);
        CHECK_EQUAL(parts[k].calls, parts[0].calls);
        mined_free(&parts[k].m);
        table_free(&parts[k].t);
    }
    pthread_barrier_destroy(&all.barrier);
}

/* Parts that differ: some items are frequent as a whole and in no part by themselves. The last
 * item is in every row, so that all parts have the same bound of ids. */
static void test_reduce(void) {
    table t = table_random(31, 500, 15, 5, 60), ends = {0};
    for (uint64_t i = 0; i < t.n; i++) {
        uint32_t row[17];
        size_t n;
        const uint32_t *from = table_row(&t, i, &n);
        if (n > 0) memcpy(row, from, n * sizeof *row);
        row[n++] = 15;
        table_add(&ends, row, n);
    }
    static const char *const thresholds[] = {"12%", "60", "3%"};
    static const uint64_t pools[] = {0, 1, 4};
    for (size_t i = 0; i < 9; i++) {
        lode_mine_options o = mining_options("frontier", 0);
        CHECK(lode_threshold_parse(thresholds[i % 3], &o.min_support, NULL, 0) == LODE_OK);
        o.max_lists = pools[i / 3];
        o.epsilon = i % 2 ? 16 : 0;
        mined want = mine_table(&ends, &o, "cpu*1");
        CHECK(want.result.n > 20);
        check_shared(&ends, &o, &want);
        mined_free(&want);
    }
    table_free(&t);
    table_free(&ends);
}

static lode_status reduce_fails(void *user, uint64_t *counts, size_t n) {
    unsigned *left = user;
    (void)counts;
    (void)n;
    return (*left)-- == 0 ? LODE_IO : LODE_OK;
}

static void test_reduce_errors(void) {
    table t = table_random(32, 60, 10, 30, 70);
    lode_mine_options o = mining_options("frontier", 10);
    o.reduce = reduce_fails;
    o.n_transactions_total = t.n;
    for (unsigned k = 0; k < 3; k++) {
        unsigned left = k;
        o.reduce_user = &left;
        mined m = mine_table(&t, &o, "cpu*1");
        CHECK_EQUAL(m.status, LODE_IO);
        mined_free(&m);
    }
    mined two = mine_table(&t, &o, "cpu*2");
    CHECK_EQUAL(two.status, LODE_UNSUPPORTED);
    mined_free(&two);
    o.algorithm = "brute";
    mined brute = mine_table(&t, &o, "cpu*1");
    CHECK_EQUAL(brute.status, LODE_UNSUPPORTED);
    mined_free(&brute);
    table_free(&t);
}

/* No algorithm adds up supports over parts with weighted transactions: `auto` says so. */
static void test_reduce_weighted(void) {
    static const uint64_t offsets[] = {0, 2, 3};
    static const uint32_t items[] = {1, 2, 2}, weights[] = {3, 1};
    lode_job *job = mining_job("cpu*1");
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;
    lode_mine_options o = mining_options(NULL, 1);
    unsigned left = 1;
    o.reduce = reduce_fails;
    o.reduce_user = &left;
    o.n_transactions_total = 4;
    CHECK(lode_dataset_from_arrays(job, &data, 2, offsets, items, weights) == LODE_OK);
    CHECK(lode_sink_count(job, &sink) == LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_UNSUPPORTED);
    CHECK(strstr(lode_job_error(job), "weighted transactions") != NULL);
    lode_sink_free(sink);
    lode_dataset_free(data);
    lode_job_free(job);
}

/* ---- ranges of root classes ---------------------------------------------------------------- */

static void check_ranges(const table *t, const uint32_t *cuts, size_t n_ranges, const mined *want) {
    uint64_t total = 0;
    for (size_t i = 0; i < n_ranges; i++) {
        lode_mine_options o = mining_options("frontier", want->report->engine.min_count);
        o.root_first = cuts[i];
        o.root_end = i + 1 < n_ranges ? cuts[i + 1] : 0;
        mined m = mine_table(t, &o, i % 2 ? "cpu*3" : "cpu*1");
        CHECK_EQUAL(m.status, LODE_OK);
        CHECK(result_within(&m.result, &want->result));
        total += m.result.n;
        mined_free(&m);
    }
    CHECK_EQUAL(total, want->result.n); /* together all, and nothing twice */
}

/* Nothing is in two ranges: the parts of a cut are compared with each other, too. */
static void check_disjoint(const table *t, uint32_t cut, const mined *want) {
    lode_mine_options o = mining_options("frontier", want->report->engine.min_count);
    o.root_end = cut;
    mined low = mine_table(t, &o, "cpu*1");
    o.root_first = cut;
    o.root_end = 0;
    mined high = mine_table(t, &o, "cpu*1");
    for (uint64_t i = 0; i < low.result.n; i++) {
        size_t n;
        const uint32_t *items = result_items(&low.result, i, &n);
        CHECK_EQUAL(result_find(&high.result, items, n), 0);
    }
    CHECK_EQUAL(low.result.n + high.result.n, want->result.n);
    mined_free(&low);
    mined_free(&high);
}

static void test_root_ranges(void) {
    static const uint32_t three[] = {0, 3, 8}, five[] = {0, 1, 2, 13, 15}, past[] = {0, 400};
    table t = table_random(33, 300, 16, 15, 65);
    lode_mine_options o = mining_options("frontier", 30);
    mined want = mine_table(&t, &o, "cpu*2");
    CHECK_EQUAL(want.report->engine.frequent_items, 16);
    check_ranges(&t, three, 3, &want);
    check_ranges(&t, five, 5, &want);
    check_ranges(&t, past, 2, &want);
    check_disjoint(&t, 5, &want);
    o.root_first = 9;
    o.root_end = 4; /* nothing lies between */
    mined none = mine_table(&t, &o, "cpu*2");
    CHECK_EQUAL(none.status, LODE_OK);
    CHECK_EQUAL(none.result.n, 0);
    mined_free(&none);
    mined_free(&want);
    table_free(&t);
}

int main(void) {
    CHECK_RUN(test_skewed);
    CHECK_RUN(test_many_classes);
    CHECK_RUN(test_reduce);
    CHECK_RUN(test_reduce_errors);
    CHECK_RUN(test_reduce_weighted);
    CHECK_RUN(test_root_ranges);
    return check_result();
}
