/* test_tasks.c - tasks and shares: however they are divided, the union is the whole result
 *
 * The data sets are those of all miner tests, with every target; goals, divisions and the number of
 * threads are random. test_partitions.c tests engines that do not support tasks themselves.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>

#include "runtime/job.h"
#include "task_trials.h"

#define STEP BY_BUILD(2, 7, 7) /* of the data sets, only each STEP-th */

static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL,
                                      LODE_TARGET_GENERATORS};
#define N_TARGETS (sizeof targets / sizeof *targets)

static bool check_target(const table *t, const uint32_t *weights, uint64_t support, size_t way) {
    bool fine = true;
    for (size_t i = BY_BUILD(0, 0, way % 2); i < N_TARGETS && fine; i += BY_BUILD(1, 1, 2)) {
        trial x = {
            .t = t, .weights = weights, .device = "cpu", .random = rng_make(support + way, 7 + i)};
        x.o = mining_options("adaptive", support);
        x.o.target = targets[i];
        x.o.max_size = targets[i] == LODE_TARGET_ALL && way % 5 == 4 ? 1 + (uint32_t)(way % 3) : 0;
        mined whole = mine_constrained(&x, way + i);
        x.whole = &whole.result;
        fine = CHECK_EQUAL(whole.status, LODE_OK) && check_shares(&x, 1 + (uint32_t)(way % 7)) &&
               check_tasks(&x) && check_batches(&x, 1 + (uint32_t)(way % 3));
        mined_free(&whole);
    }
    return fine;
}

static void test_families(void) {
    size_t way = 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        for (uint64_t seed = 0; seed < families[i].n && seed < 6; seed += STEP) {
            if (families[i].max_size) continue;
            table t = families[i].make(seed);
            uint64_t support = families[i].lowest;
            bool fine = true;
            for (unsigned step = 0; step < BY_BUILD(3, 3, 1) && support <= t.n && fine;
                 step++, way++) {
                fine = check_target(&t, NULL, support, way);
                support = next_threshold(support, t.n);
            }
            if (!fine) {
                fprintf(stderr, "  data set '%s', seed %llu\n", families[i].name,
                        (unsigned long long)seed);
            }
            table_free(&t);
        }
    }
    printf("    %zu data sets and thresholds, %llu tasks handed out\n", way,
           (unsigned long long)tasks_given);
    printf("    %llu batches, %llu tasks divided in them\n", (unsigned long long)batches_told,
           (unsigned long long)batches_given);
    CHECK(tasks_given > 100 && batches_told > 100 && batches_given > 20);
}

/* Databases of every shape: words and lattices, rows, lists, strips. */
static void test_shapes(void) {
    table deep = table_random(3, 300, 24, 20, 70), sparse = table_random(5, 900, 400, 0, 1);
    table wide = table_random(7, 150, 90, 10, 60), few = table_random(11, 40, 70, 20, 50);
    for (unsigned i = 0; i < 7; i += BY_BUILD(1, 3, 5)) {
        check_target(&deep, NULL, 70 + 10 * i, i);
        check_target(&sparse, NULL, 1 + i, i);
        check_target(&wide, NULL, 38 + 2 * i, i);
        check_target(&few, NULL, 9 + i, i);
    }
    table_free(&deep);
    table_free(&sparse);
    table_free(&wide);
    table_free(&few);
}

static void test_weights(void) {
    table t = table_random(9, 60, 14, 20, 70);
    uint32_t weights[60];
    for (uint32_t i = 0; i < 60; i++) weights[i] = 1 + i % 4;
    for (unsigned i = 0; i < 7; i += BY_BUILD(1, 1, 4)) check_target(&t, weights, 30 + 7 * i, i);
    table_free(&t);
}

/* ---- threads -------------------------------------------------------------------------------- */

static unsigned count_threads(void) {
    unsigned n = 0;
    DIR *listed = opendir("/proc/self/task");
    while (listed && readdir(listed)) n++;
    if (listed) closedir(listed);
    return n;
}

static unsigned most_threads;

static void note_threads(void *user) {
    unsigned n = count_threads();
    (void)user;
    if (n > most_threads) most_threads = n;
}

/* A search in batches has the threads that it was given, and none to watch over the time. */
static void test_threads(void) {
    table t = table_random(3, 300, 24, 20, 70);
    lode_mine_options o = mining_options("adaptive", 70);
    mined m = open_parts(&t, NULL, 1);
    lode_tasks *tasks = NULL;
    lode_task *kept = NULL;
    const lode_task **list = NULL;
    told seen = {0};
    CHECK_EQUAL(lode_tasks_create(m.job, &tasks, m.data, &o, 5), LODE_OK);
    lode_task_search search = told_search(tasks, &seen, false, &kept, &list);
    search.done_seconds = 60;
    o.limit_seconds = 1e6; /* so that polls are seen */
    m.job->on_poll = note_threads;
    unsigned before = count_threads();
    CHECK_EQUAL(lode_mine_tasks(m.job, m.data, &o, &search, m.sink), LODE_OK);
    CHECK_EQUAL(most_threads, before);
    lode_tasks_free(tasks);
    free(kept);
    free(list);
    end_parts(&m);
    mined_free(&m);
    table_free(&t);
}

/* ---- a threshold that rises ------------------------------------------------------------------ */

/* What reaches the raised threshold is all there, whatever was found before it rose. */
static void check_raised(const table *t, lode_target target, uint64_t low, uint64_t high) {
    lode_mine_options o = mining_options("adaptive", low);
    o.target = target;
    mined m = open_parts(t, NULL, 2);
    lode_tasks *tasks = NULL;
    queue q = {.job = m.job, .random = rng_make(low, 3), .raise = high};
    CHECK_EQUAL(lode_tasks_create(m.job, &tasks, m.data, &o, 20), LODE_OK);
    put_all(&q, tasks);
    CHECK_EQUAL(search_tasks(&q, &m, &o), LODE_OK);
    CHECK(q.n_given > 0);
    end_parts(&m);
    mined low_run = mine_on(t, NULL, &o, "cpu", 1);
    o.min_support.numerator = high;
    mined whole = mine_on(t, NULL, &o, "cpu", 1);
    CHECK(m.result.n < low_run.result.n); /* it has risen in the middle */
    CHECK_EQUAL(result_count(&m.result, high, 0, UINT32_MAX), whole.result.n);
    CHECK(result_within(&whole.result, &m.result));
    CHECK(result_within(&m.result, &low_run.result));
    queue_free(&q);
    lode_tasks_free(tasks);
    mined_free(&m);
    mined_free(&whole);
    mined_free(&low_run);
}

static void test_raised(void) {
    table deep = table_random(3, 300, 30, 20, 70), wide = table_random(7, 150, 90, 10, 60);
    check_raised(&deep, LODE_TARGET_ALL, 55, 90);
    check_raised(&deep, LODE_TARGET_CLOSED, 55, 90);
    check_raised(&wide, LODE_TARGET_ALL, 32, 50);
    check_raised(&wide, LODE_TARGET_CLOSED, 32, 50);
    table_free(&deep);
    table_free(&wide);
}

/* The best K of all shares have the best K of all. */
static void test_top(void) {
    table t = table_random(33, 300, 16, 15, 65);
    lode_mine_options o = mining_options("adaptive", 30);
    o.target = LODE_TARGET_TOP;
    o.top_k = 17;
    mined whole = mine_on(&t, NULL, &o, "cpu", 1), m = open_parts(&t, NULL, 2);
    o.n_shares = 4;
    for (o.share = 1; o.share <= 4; o.share++) {
        CHECK_EQUAL(lode_mine(m.job, m.data, &o, m.sink), LODE_OK);
    }
    end_parts(&m);
    CHECK(whole.result.n >= 17 && whole.result.n < m.result.n);
    CHECK(result_within(&whole.result, &m.result));
    mined_free(&m);
    mined_free(&whole);
    table_free(&t);
}

/* ---- the same everywhere, and what is refused ------------------------------------------------ */

static void test_alike(void) {
    table t = table_random(3, 300, 24, 20, 70);
    lode_mine_options o = mining_options("adaptive", 70);
    uint64_t hash = 0;
    for (unsigned threads = 1; threads <= 4; threads++) {
        mined m = open_parts(&t, NULL, threads);
        lode_tasks *tasks = NULL;
        CHECK_EQUAL(lode_tasks_create(m.job, &tasks, m.data, &o, 40), LODE_OK);
        CHECK(lode_tasks_count(tasks) >= 40);
        if (threads == 1) hash = lode_tasks_hash(tasks);
        CHECK_EQUAL(lode_tasks_hash(tasks), hash);
        lode_tasks_free(tasks);
        CHECK_EQUAL(lode_tasks_create(m.job, &tasks, m.data, &o, 90), LODE_OK);
        CHECK(lode_tasks_hash(tasks) != hash);
        lode_tasks_free(tasks);
        end_parts(&m);
        mined_free(&m);
    }
    table_free(&t);
}

static void check_refused(const mined *m, const lode_mine_options *o, lode_status status,
                          const char *what) {
    CHECK_EQUAL(lode_mine(m->job, m->data, o, m->sink), status);
    if (!CHECK(strstr(lode_job_error(m->job), what) != NULL)) {
        fprintf(stderr, "  %s\n", lode_job_error(m->job));
    }
}

static void check_bad_task(const mined *m, const lode_task *t, const char *what) {
    lode_mine_options o = mining_options("adaptive", 5);
    lode_task_search search = {.size = sizeof search, .tasks = &t, .n_tasks = 1};
    CHECK_EQUAL(lode_mine_tasks(m->job, m->data, &o, &search, m->sink), LODE_INVALID);
    if (!CHECK(strstr(lode_job_error(m->job), what) != NULL)) {
        fprintf(stderr, "  %s\n", lode_job_error(m->job));
    }
}

static void test_refused(void) {
    table t = table_random(32, 60, 10, 30, 70);
    mined m = open_parts(&t, NULL, 1);
    lode_mine_options o = mining_options("adaptive", 5);
    o.share = 3;
    o.n_shares = 2;
    check_refused(&m, &o, LODE_INVALID, "share 3 of 2: expected 1 to 2");
    o.share = 0;
    check_refused(&m, &o, LODE_INVALID, "share 0 of 2");
    o.share = 1;
    o.root_first = 1;
    check_refused(&m, &o, LODE_INVALID, "cannot be combined with root_first, root_end or reduce");
    o.root_first = 0;
    o.target = LODE_TARGET_TOP;
    o.top_k = 3;
    o.min_support.numerator = 0;
    check_refused(&m, &o, LODE_INVALID, "require a minimum support");
    uint32_t no_item = 77;
    lode_task bad = {.size = sizeof bad, .prefix = &no_item, .n_prefix = 1, .end = 4};
    check_bad_task(&m, &bad, "an item that is not in the data");
    bad = (lode_task){.size = sizeof bad, .first = 5, .end = 4};
    check_bad_task(&m, &bad, "the range ends before it begins");
    bad = (lode_task){.size = sizeof bad, .n_prefix = 2, .end = 4};
    check_bad_task(&m, &bad, "the prefix is NULL");
    check_bad_task(&m, NULL, "the task is NULL");
    lode_sink_finish(m.sink, false) == LODE_OK ? (void)0 : exit(2);
    mined_free(&m);
    table_free(&t);
}

int main(void) {
    CHECK_RUN(test_families);
    CHECK_RUN(test_shapes);
    CHECK_RUN(test_weights);
    CHECK_RUN(test_threads);
    CHECK_RUN(test_raised);
    CHECK_RUN(test_top);
    CHECK_RUN(test_alike);
    CHECK_RUN(test_refused);
    return check_result();
}
