/* task_trials.h - for tests of tasks: a search in parts, by shares, tasks and batches
 *
 * The whole result comes from one plain run of `adaptive` on the CPU. The parts are searched one
 * after the other into one memory sink, so that the tests notice a pattern that two parts have, or
 * that no part has.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_TASK_TRIALS_H
#define LODE_TESTS_TASK_TRIALS_H

#include "tables.h"
#include "targets.h"
#include "task_queue.h"

/* ---- a search in parts ---------------------------------------------------------------------- */

static inline lode_status search_tasks(queue *q, const mined *m, const lode_mine_options *o) {
    lode_status status = LODE_OK;
    while (q->n > 0 && status == LODE_OK) {
        size_t n = 1 + (size_t)rng_below(&q->random, q->n < 5 ? q->n : 5);
        lode_task some[5];
        const lode_task *list[5];
        for (size_t i = 0; i < n; i++) {
            some[i] = queue_take(q);
            list[i] = &some[i];
        }
        lode_task_search search = {
            .size = sizeof search, .tasks = list, .n_tasks = n, .give = queue_give, .give_user = q};
        for (uint64_t asks = rng_below(&q->random, 4); asks > 0; asks--) lode_job_ask_task(m->job);
        status = lode_mine_tasks(m->job, m->data, o, &search, m->sink);
        if (status != LODE_OK) fprintf(stderr, "  %s\n", lode_job_error(m->job));
        for (size_t i = 0; i < n; i++) free((void *)(uintptr_t)some[i].prefix);
    }
    return status;
}

static inline mined open_parts_on(const table *t, const uint32_t *weights, const char *device,
                                  unsigned threads) {
    mined m = {0};
    lode_job_options c = {.size = sizeof c, .device = device, .threads = threads};
    if (lode_job_create(&m.job, NULL, &c) != LODE_OK) exit(2);
    if (lode_dataset_from_arrays(m.job, &m.data, t->n, t->offsets, t->items, weights) != LODE_OK) {
        exit(2);
    }
    if (lode_sink_memory(m.job, &m.sink) != LODE_OK) exit(2);
    return m;
}

static inline mined open_parts(const table *t, const uint32_t *weights, unsigned threads) {
    return open_parts_on(t, weights, "cpu", threads);
}

static inline void end_parts(mined *m) {
    if (lode_sink_finish(m->sink, false) != LODE_OK) exit(2);
    m->result = result_of(m->sink);
}

/* ---- trials --------------------------------------------------------------------------------- */

typedef struct trial {
    const table *t;
    const uint32_t *weights;
    lode_mine_options o;
    const char *device; /* the device on which parts are searched */
    const lode_result *whole;
    rng random;
} trial;

static uint64_t tasks_given;

static inline bool check_same(const trial *x, const mined *m, const char *how) {
    if (CHECK(result_equal(&m->result, x->whole))) return true;
    fprintf(stderr, "  %s %s, support %llu, target %d, at most %u items: %llu of %llu\n",
            x->o.algorithm, how, (unsigned long long)x->o.min_support.numerator, (int)x->o.target,
            x->o.max_size, (unsigned long long)m->result.n, (unsigned long long)x->whole->n);
    return false;
}

static inline bool check_shares(trial *x, uint32_t n) {
    unsigned threads = 1 + (unsigned)rng_below(&x->random, 3);
    mined m = open_parts_on(x->t, x->weights, x->device, threads);
    lode_mine_options o = x->o;
    bool fine = true;
    o.n_shares = n;
    for (o.share = 1; o.share <= n && fine; o.share++) {
        fine = CHECK_EQUAL(lode_mine(m.job, m.data, &o, m.sink), LODE_OK);
        if (!fine) fprintf(stderr, "  %s\n", lode_job_error(m.job));
    }
    end_parts(&m);
    fine = fine && check_same(x, &m, "shares");
    mined_free(&m);
    return fine;
}

static inline void put_all(queue *q, const lode_tasks *tasks) {
    lode_task t = LODE_INIT(lode_task);
    for (size_t i = 0; i < lode_tasks_count(tasks); i++) {
        CHECK(lode_tasks_at(tasks, i, &t));
        queue_split(q, &t);
    }
    CHECK(!lode_tasks_at(tasks, lode_tasks_count(tasks), &t));
    CHECK(t.prefix == NULL && t.end == 0);
}

static inline bool check_tasks(trial *x) {
    mined m = open_parts_on(x->t, x->weights, x->device, 1 + (unsigned)rng_below(&x->random, 3));
    lode_tasks *tasks = NULL;
    queue q = {.job = m.job, .random = rng_make(rng_below(&x->random, UINT32_MAX), 9)};
    uint32_t goal = 1 + (uint32_t)rng_below(&x->random, 60);
    bool fine = CHECK_EQUAL(lode_tasks_create(m.job, &tasks, m.data, &x->o, goal), LODE_OK);
    if (fine) put_all(&q, tasks);
    fine = fine && CHECK_EQUAL(search_tasks(&q, &m, &x->o), LODE_OK);
    end_parts(&m);
    fine = fine && check_same(x, &m, "tasks");
    tasks_given += q.n_given;
    queue_free(&q);
    lode_tasks_free(tasks);
    mined_free(&m);
    return fine;
}

static uint64_t batches_given, batches_told;

/* Searches one share, a few tasks at a time. */
static inline bool check_batch_share(trial *x, const mined *m, const lode_mine_options *o) {
    lode_tasks *tasks = NULL;
    lode_task *kept = NULL;
    const lode_task **list = NULL;
    told seen = {0};
    if (!CHECK_EQUAL(lode_tasks_create(m->job, &tasks, m->data, o, 0), LODE_OK)) return false;
    lode_task_search search = told_search(tasks, &seen, rng_below(&x->random, 4) > 0, &kept, &list);
    bool fine = CHECK_EQUAL(lode_mine_tasks(m->job, m->data, o, &search, m->sink), LODE_OK);
    fine = fine && CHECK(!seen.wrong) &&
           CHECK_EQUAL(seen.next, lode_tasks_count(tasks) + seen.n_given);
    if (!fine) fprintf(stderr, "  %s\n", lode_job_error(m->job));
    batches_given += seen.n_given;
    batches_told += seen.calls;
    lode_tasks_free(tasks);
    free(kept);
    free(list);
    return fine;
}

static inline bool check_batches(trial *x, uint32_t n) {
    mined m = open_parts_on(x->t, x->weights, x->device, 1 + (unsigned)rng_below(&x->random, 3));
    lode_mine_options o = x->o;
    bool fine = true;
    o.n_shares = n;
    for (o.share = 1; o.share <= n && fine; o.share++) fine = check_batch_share(x, &m, &o);
    end_parts(&m);
    fine = fine && check_same(x, &m, "batches");
    mined_free(&m);
    return fine;
}

/* Adds constraints to some of the trials. */
static inline void constrain_trial(lode_mine_options *o, size_t way) {
    if (way % 3 != 1) return;
    switch (way / 3 % 5) {
    case 0: o->include = "2"; break;
    case 1: o->exclude = "1"; break;
    case 2: o->groups = "1-2:[024]*"; break;
    case 3: o->max_support = (lode_threshold){o->min_support.numerator + 5, 0}; break;
    default:
        o->include = "3";
        o->exclude = "0";
        break;
    }
}

static inline mined mine_whole(const trial *x) {
    lode_mine_options o = x->o;
    o.algorithm = "adaptive";
    return mine_on(x->t, x->weights, &o, "cpu", 1);
}

/* Mines the whole result, with constraints if the data have the constrained items. */
static inline mined mine_constrained(trial *x, size_t way) {
    lode_mine_options plain = x->o;
    constrain_trial(&x->o, way);
    mined whole = mine_whole(x);
    if (whole.status != LODE_INVALID) return whole;
    mined_free(&whole);
    x->o = plain;
    return mine_whole(x);
}

#endif
