/* test_partitions.c - tasks and shares of engines that do not support tasks themselves
 * (pipeline/partitions)
 *
 * Shares, tasks that are divided and given away at random, and batches are tested on the data sets
 * of all miner tests, with constraints, sizes and weights: their union must be what `adaptive`
 * finds. Deep prefixes are made by the test itself, because small data are divided into shallow
 * ones. LODE_TEST_DEVICES names devices other than the CPU, for engines that run on them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "task_trials.h"

#define STEP BY_BUILD(2, 11, 29) /* of the data sets, only each STEP-th */

/* What is tried, one after the other. */
static const struct {
    const char *algorithm;
    lode_target target;
    bool devices, weights;
} searches[] = {
    {"tensor", LODE_TARGET_ALL, true, false},      {"tensor", LODE_TARGET_CLOSED, true, false},
    {"frontier", LODE_TARGET_ALL, true, false},    {"tensor", LODE_TARGET_MAXIMAL, true, false},
    {"goethals", LODE_TARGET_ALL, false, false},   {"brute", LODE_TARGET_ALL, false, true},
    {"eqclass", LODE_TARGET_ALL, true, false},     {"tbi", LODE_TARGET_ALL, true, false},
    {"gpapriori", LODE_TARGET_ALL, true, false},   {"pbi", LODE_TARGET_ALL, true, false},
    {"gpu-apriori", LODE_TARGET_ALL, true, false}, {"eclat", LODE_TARGET_ALL, false, false},
    {"eclat-bits", LODE_TARGET_ALL, false, false}, {"fpgrowth", LODE_TARGET_ALL, false, false}};
#define N_SEARCHES (sizeof searches / sizeof *searches)

static trial trial_of(const table *t, size_t search, uint64_t support, uint64_t seed) {
    static const char *const devices[] = {"cpu", "cpu*3"};
    trial x = {.t = t, .device = "cpu", .random = rng_make(support + seed, 13 + search)};
    x.o = mining_options(searches[search].algorithm, support);
    x.o.target = searches[search].target;
    if (searches[search].devices) x.device = mining_device(devices, 2, seed);
    return x;
}

static bool check_parts(trial *x, size_t way) {
    mined whole = mine_constrained(x, way);
    x->whole = &whole.result;
    bool fine = CHECK_EQUAL(whole.status, LODE_OK) && check_shares(x, 1 + (uint32_t)(way % 7)) &&
                check_tasks(x) && check_batches(x, 1 + (uint32_t)(way % 3));
    mined_free(&whole);
    return fine;
}

static bool check_search(const table *t, size_t search, uint64_t support, size_t way) {
    trial x = trial_of(t, search, support, way);
    if (x.o.target == LODE_TARGET_ALL && way % 5 == 4) x.o.max_size = 1 + (uint32_t)(way % 3);
    if (way % 4 == 3 && x.o.max_size == 0) x.o.min_size = 2;
    return check_parts(&x, way);
}

/* On a GPU fewer data sets: a search of a few is thousands of runs, and each opens the device. */
static void test_families(void) {
    bool on_device = getenv("LODE_TEST_DEVICES") != NULL;
    unsigned steps = on_device ? 1 : BY_BUILD(3, 3, 1), seeds = on_device ? 1 : 6;
    size_t way = 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        for (uint64_t seed = 0; seed < families[i].n && seed < seeds; seed += STEP) {
            if (families[i].max_size) continue;
            table t = families[i].make(seed);
            uint64_t support = families[i].lowest;
            bool fine = true;
            for (unsigned step = 0; step < steps && support <= t.n && fine; step++) {
                for (size_t k = 0; k < BY_BUILD(3, 3, 1) && fine; k++, way++) {
                    fine = check_search(&t, way % N_SEARCHES, support, way);
                }
                support = next_threshold(support, t.n);
            }
            if (!fine) {
                fprintf(stderr, "  data set '%s', seed %llu\n", families[i].name,
                        (unsigned long long)seed);
            }
            table_free(&t);
        }
    }
    printf("    %zu searches, %llu tasks handed out, %llu divided in %llu batches\n", way,
           (unsigned long long)tasks_given, (unsigned long long)batches_given,
           (unsigned long long)batches_told);
    CHECK(on_device || (tasks_given > 50 && batches_told > 50));
}

/* Dense, sparse (lists of `tensor`) and wide data. */
static void test_shapes(void) {
    table deep = table_random(3, 300, 24, 20, 70), sparse = table_random(5, 900, 400, 0, 1);
    table wide = table_random(7, 150, 90, 10, 60);
    for (unsigned i = 0; i < 8; i += BY_BUILD(1, 3, 5)) {
        check_search(&deep, i % 4, 80 + 5 * i, i);
        check_search(&sparse, i % 4, 2 + i, i);
        check_search(&wide, i % 4, 40 + i, i);
    }
    table_free(&deep);
    table_free(&sparse);
    table_free(&wide);
}

static void test_weights(void) {
    table t = table_random(9, 60, 14, 20, 70);
    uint32_t weights[60];
    for (uint32_t i = 0; i < 60; i++) weights[i] = 1 + i % 4;
    for (size_t i = 0; i < 4 * N_SEARCHES; i++) {
        if (!searches[i % N_SEARCHES].weights) continue;
        trial x = trial_of(&t, i % N_SEARCHES, 30 + 2 * i, i);
        x.weights = weights;
        check_parts(&x, i);
    }
    table_free(&t);
}

/* ---- prefixes of any depth ------------------------------------------------------------------- */

/* Divides a task completely, and at random: its range becomes ranges, some of single ranks, of
 * which some become prefixes. `order`: the items by rank. */
static void scatter(queue *q, const lode_task *t, const uint32_t *order, unsigned depth) {
    uint32_t prefix[16];
    for (uint32_t first = t->first; first < t->end;) {
        lode_task part = *t;
        uint32_t width = 1 + (uint32_t)rng_below(&q->random, 3);
        part.first = first;
        part.end = first + width < t->end ? first + width : t->end;
        part.own = t->own && first == t->first;
        first = part.end;
        if (part.end - part.first > 1 || depth == 0 || rng_below(&q->random, 4) == 0) {
            queue_put(q, &part);
            continue;
        }
        if (t->n_prefix > 0) memcpy(prefix, t->prefix, t->n_prefix * sizeof *prefix);
        prefix[t->n_prefix] = order[part.first];
        lode_task below = part;
        if (part.own) {
            part.end = part.first;
            queue_put(q, &part);
        }
        below.prefix = prefix;
        below.n_prefix++;
        below.end = below.first;
        below.first = 0;
        below.own = true;
        if (below.end == 0) queue_put(q, &below);
        scatter(q, &below, order, depth - 1);
    }
}

/* Items of these data are below 32. */
static uint32_t rank_items(const table *t, uint64_t support, uint32_t *order) {
    uint64_t counts[32] = {0};
    uint32_t n = 0;
    for (uint64_t i = 0; i < t->offsets[t->n]; i++) counts[t->items[i]]++;
    for (uint64_t count = t->n; count >= support; count--) {
        for (uint32_t item = 32; item-- > 0;) {
            if (counts[item] == count) order[n++] = item;
        }
    }
    return n;
}

static bool check_deep(const table *t, size_t search, uint64_t support, uint64_t seed) {
    trial x = trial_of(t, search, support, seed);
    mined whole = mine_whole(&x), m = open_parts_on(t, NULL, x.device, 2);
    queue q = {.job = m.job, .random = rng_make(seed, 21)};
    uint32_t order[32];
    lode_task all = LODE_INIT(lode_task);
    all.end = rank_items(t, support, order);
    all.own = true;
    scatter(&q, &all, order, 5);
    x.whole = &whole.result;
    bool fine = CHECK_EQUAL(search_tasks(&q, &m, &x.o), LODE_OK);
    end_parts(&m);
    fine = fine && check_same(&x, &m, "prefixes");
    queue_free(&q);
    mined_free(&m);
    mined_free(&whole);
    return fine;
}

static void test_deep(void) {
    for (uint64_t seed = 0; seed < 44; seed += STEP) {
        table t = seed % 3 == 0 ? make_blocks(seed) : table_random(seed, 80 + 3 * seed, 13, 25, 75);
        uint64_t support = 2 + t.n / (4 + seed % 5);
        for (size_t i = 0; i < 3; i++) check_deep(&t, (seed + i) % N_SEARCHES, support, seed);
        table_free(&t);
    }
}

/* ---- thresholds ------------------------------------------------------------------------------ */

/* What reaches a threshold that rose in the middle is all there. */
static void check_raised(const table *t, size_t search, uint64_t low, uint64_t high) {
    trial x = trial_of(t, search, low, 1);
    mined m = open_parts_on(t, NULL, x.device, 2), low_run = mine_whole(&x);
    queue q = {.job = m.job, .random = rng_make(low, 3), .raise = high};
    lode_tasks *tasks = NULL;
    CHECK_EQUAL(lode_tasks_create(m.job, &tasks, m.data, &x.o, 20), LODE_OK);
    put_all(&q, tasks);
    CHECK_EQUAL(search_tasks(&q, &m, &x.o), LODE_OK);
    CHECK(q.n_given > 0);
    end_parts(&m);
    x.o.min_support.numerator = high;
    mined whole = mine_whole(&x);
    CHECK(m.result.n < low_run.result.n);
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
    for (size_t search = 0; search < BY_BUILD(3, 3, 1); search++) {
        check_raised(&deep, search, 60, 90);
        check_raised(&wide, search, 36, 50);
    }
    table_free(&deep);
    table_free(&wide);
}

/* The best K of all shares have the best K of all. */
static void test_top(void) {
    table t = table_random(33, 300, 16, 15, 65);
    for (size_t search = 0; search < N_SEARCHES; search++) {
        if (searches[search].target != LODE_TARGET_ALL) continue;
        trial x = trial_of(&t, search, 30, search);
        x.o.target = LODE_TARGET_TOP;
        x.o.top_k = 17;
        mined whole = mine_whole(&x), m = open_parts_on(&t, NULL, x.device, 2);
        x.o.n_shares = 4;
        for (x.o.share = 1; x.o.share <= 4; x.o.share++) {
            CHECK_EQUAL(lode_mine(m.job, m.data, &x.o, m.sink), LODE_OK);
        }
        end_parts(&m);
        CHECK(whole.result.n >= 17 && whole.result.n < m.result.n);
        CHECK(result_within(&whole.result, &m.result));
        mined_free(&m);
        mined_free(&whole);
    }
    table_free(&t);
}

/* ---- limits, and what is refused ------------------------------------------------------------- */

static void test_limits(void) {
    table t = table_random(3, 300, 24, 20, 70);
    for (size_t search = 0; search < 4; search++) {
        trial x = trial_of(&t, search, 75, search);
        mined m = open_parts_on(&t, NULL, x.device, 2);
        x.o.limit_patterns = 40;
        x.o.share = x.o.n_shares = 1;
        CHECK_EQUAL(lode_mine(m.job, m.data, &x.o, m.sink), LODE_STOPPED);
        end_parts(&m);
        CHECK_EQUAL(m.result.n, 40);
        mined_free(&m);
    }
    table_free(&t);
}

static void test_alike(void) {
    table t = table_random(3, 300, 24, 20, 70);
    lode_mine_options o = mining_options("tensor", 70);
    uint64_t hash = 0;
    for (unsigned threads = 1; threads <= 3; threads++) {
        mined m = open_parts(&t, NULL, threads);
        lode_tasks *tasks = NULL;
        CHECK_EQUAL(lode_tasks_create(m.job, &tasks, m.data, &o, 40), LODE_OK);
        CHECK(lode_tasks_count(tasks) >= 40);
        if (threads == 1) hash = lode_tasks_hash(tasks);
        CHECK_EQUAL(lode_tasks_hash(tasks), hash);
        lode_tasks_free(tasks);
        end_parts(&m);
        mined_free(&m);
    }
    table_free(&t);
}

static void test_refused(void) {
    table t = table_random(32, 60, 10, 30, 70);
    uint32_t order[32];
    CHECK(rank_items(&t, 5, order) >= 4);
    uint32_t rising[2] = {order[1], order[3]}, twice[2] = {order[2], order[2]};
    lode_task bad = {.size = sizeof bad, .prefix = rising, .n_prefix = 2, .end = 1};
    const lode_task *list = &bad;
    lode_task_search search = {.size = sizeof search, .tasks = &list, .n_tasks = 1};
    mined m = open_parts(&t, NULL, 1);
    lode_mine_options o = mining_options("tensor", 5);
    for (unsigned i = 0; i < 2; i++) {
        CHECK_EQUAL(lode_mine_tasks(m.job, m.data, &o, &search, m.sink), LODE_INVALID);
        CHECK(strstr(lode_job_error(m.job), "task 0: the items of the prefix") != NULL);
        bad.prefix = twice;
    }
    uint32_t rare = order[2];
    bad = (lode_task){.size = sizeof bad, .prefix = &rare, .n_prefix = 1, .end = 2, .own = true};
    o.min_support.numerator = t.n; /* the threshold has left nothing of it */
    CHECK_EQUAL(lode_mine_tasks(m.job, m.data, &o, &search, m.sink), LODE_OK);
    end_parts(&m);
    CHECK_EQUAL(m.result.n, 0);
    mined_free(&m);
    table_free(&t);
}

int main(void) {
    CHECK_RUN(test_families);
    CHECK_RUN(test_shapes);
    CHECK_RUN(test_weights);
    CHECK_RUN(test_deep);
    CHECK_RUN(test_raised);
    CHECK_RUN(test_top);
    CHECK_RUN(test_limits);
    CHECK_RUN(test_alike);
    CHECK_RUN(test_refused);
    return check_result();
}
