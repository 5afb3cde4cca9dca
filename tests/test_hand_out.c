/* test_hand_out.c - searches that are asked for tasks all the time, from another thread
 *
 * test_tasks asks now and then, on small data. Here the data are dense, so that nodes lie deep and
 * have perfect extensions, and a thread asks again and again: what is handed out must be searched
 * by who gets it, whatever the target, and nothing else. The whole result comes from one plain run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "task_queue.h"

#define ROWS  600
#define ITEMS 26
#define GOAL  40
#define MOST  400 /* handed out: a slow machine would divide everything into single nodes */

static atomic_bool asks;

static void *ask(void *job) {
    struct timespec pause = {0, 20000};
    while (asks) {
        lode_job_ask_task(job);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static int keep_task(void *user, const lode_task *t) {
    queue *q = user;
    queue_put(q, t);
    q->n_given++;
    if (q->n_given >= MOST) asks = false;
    return 0;
}

/* Rows of three kinds: items that come together make perfect extensions at every depth. */
static lode_dataset *dense_data(lode_job *job, uint64_t seed) {
    static uint64_t offsets[ROWS + 1];
    static uint32_t items[ROWS * ITEMS];
    rng random = rng_make(seed, 3);
    lode_dataset *data = NULL;
    uint64_t n = 0;
    for (size_t row = 0; row < ROWS; row++) {
        uint64_t kind = rng_below(&random, 3);
        for (uint32_t item = 0; item < ITEMS; item++) {
            uint64_t share = (item + kind) % 3 == 0 ? 95 : 60 + item;
            bool twin = item % 5 == 4 && n > offsets[row] && items[n - 1] == item - 1;
            if (twin || rng_below(&random, 100) < share) items[n++] = item;
        }
        offsets[row + 1] = n;
    }
    if (lode_dataset_from_arrays(job, &data, ROWS, offsets, items, NULL) != LODE_OK) exit(2);
    return data;
}

/* Does everything in the queue, in small pieces, while another thread asks. */
static lode_status search_asked(queue *q, const lode_dataset *data, const lode_mine_options *o,
                                lode_sink *sink) {
    lode_status status = LODE_OK;
    pthread_t asker;
    asks = true;
    if (pthread_create(&asker, NULL, ask, q->job) != 0) exit(2);
    while (q->n > 0 && status == LODE_OK) {
        lode_task task = queue_take(q);
        const lode_task *list = &task;
        lode_task_search search = {
            .size = sizeof search, .tasks = &list, .n_tasks = 1, .give = keep_task, .give_user = q};
        status = lode_mine_tasks(q->job, data, o, &search, sink);
        free((void *)(uintptr_t)task.prefix);
    }
    asks = false;
    pthread_join(asker, NULL);
    return status;
}

static uint64_t whole_hash(lode_job *job, const lode_dataset *data, const lode_mine_options *o) {
    lode_sink *sink = NULL;
    if (lode_sink_hash(job, &sink, data) != LODE_OK) exit(2);
    if (lode_mine(job, data, o, sink) != LODE_OK) exit(2);
    uint64_t hash = lode_sink_hash_value(sink);
    lode_sink_free(sink);
    return hash;
}

/* Returns how many tasks were handed out. */
static uint64_t check_asked(uint64_t seed, lode_target target, unsigned threads) {
    lode_job *job = NULL;
    lode_job_options c = {.size = sizeof c, .device = "cpu", .threads = threads};
    if (lode_job_create(&job, NULL, &c) != LODE_OK) exit(2);
    lode_dataset *data = dense_data(job, seed);
    lode_mine_options o = {
        .size = sizeof o, .algorithm = "adaptive", .target = target, .min_support = {ROWS / 3, 0}};
    uint64_t expected = whole_hash(job, data, &o);
    queue q = {.job = job, .random = rng_make(seed, 5)};
    lode_tasks *tasks = NULL;
    lode_sink *sink = NULL;
    lode_task t = LODE_INIT(lode_task);
    if (lode_tasks_create(job, &tasks, data, &o, GOAL) != LODE_OK) exit(2);
    if (lode_sink_hash(job, &sink, data) != LODE_OK) exit(2);
    for (size_t i = 0; lode_tasks_at(tasks, i, &t); i++) queue_put(&q, &t);
    CHECK_EQUAL(search_asked(&q, data, &o, sink), LODE_OK);
    if (!CHECK(lode_sink_hash_value(sink) == expected)) {
        fprintf(stderr, "  seed %llu, target %d, %u threads, %llu tasks handed out\n",
                (unsigned long long)seed, (int)target, threads, (unsigned long long)q.n_given);
    }
    uint64_t given = q.n_given;
    queue_free(&q);
    lode_sink_free(sink);
    lode_tasks_free(tasks);
    lode_dataset_free(data);
    lode_job_free(job);
    return given;
}

int main(void) {
    static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL,
                                          LODE_TARGET_GENERATORS};
    uint64_t given = 0;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        for (unsigned threads = 1; threads <= 2; threads++) {
            given += check_asked(i + 10, targets[i], threads);
        }
    }
    CHECK(given > 100);
    return check_result();
}
