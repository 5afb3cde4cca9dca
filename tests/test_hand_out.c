/* test_hand_out.c - searches that another thread asks for tasks all the time
 *
 * test_tasks asks now and then, on small data. Here the data are dense, so that nodes are deep and
 * have perfect extensions, and a thread asks again and again. For every target, the receiver of a
 * task must search exactly the sets that the search has given away. The whole result comes from one
 * plain run of `adaptive` on the CPU. `tensor` and others give tasks away between two runs of the
 * engine (src/pipeline/partitions); LODE_TEST_DEVICES names the devices on which these run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mining.h"
#include "task_queue.h"

#define ROWS  600
#define ITEMS BY_BUILD(26, 23, 21)
#define GOAL  40
#define MOST                                                                                       \
    BY_BUILD(400, 200,                                                                             \
             60) /* handed out: a slow machine would divide everything into single nodes */

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

static uint64_t whole_hash(uint64_t seed, const lode_mine_options *of) {
    lode_job *job = NULL;
    lode_sink *sink = NULL;
    lode_job_options c = {.size = sizeof c, .device = "cpu"};
    lode_mine_options o = *of;
    o.algorithm = "adaptive";
    if (lode_job_create(&job, NULL, &c) != LODE_OK) exit(2);
    lode_dataset *data = dense_data(job, seed);
    if (lode_sink_hash(job, &sink, data) != LODE_OK) exit(2);
    if (lode_mine(job, data, &o, sink) != LODE_OK) exit(2);
    uint64_t hash = lode_sink_hash_value(sink);
    lode_sink_free(sink);
    lode_dataset_free(data);
    lode_job_free(job);
    return hash;
}

typedef struct asked_search {
    const char *algorithm;
    lode_target target;
    unsigned goal; /* tasks at the start */
} asked_search;

/* Returns how many tasks were handed out. */
static uint64_t check_asked(uint64_t seed, const asked_search *of, unsigned threads,
                            const char *device) {
    lode_job *job = NULL;
    lode_job_options c = {.size = sizeof c, .device = device, .threads = threads};
    if (lode_job_create(&job, NULL, &c) != LODE_OK) exit(2);
    lode_dataset *data = dense_data(job, seed);
    lode_mine_options o = {.size = sizeof o,
                           .algorithm = of->algorithm,
                           .target = of->target,
                           .min_support = {ROWS / 3, 0}};
    uint64_t expected = whole_hash(seed, &o);
    queue q = {.job = job, .random = rng_make(seed, 5)};
    lode_tasks *tasks = NULL;
    lode_sink *sink = NULL;
    lode_task t = LODE_INIT(lode_task);
    if (lode_tasks_create(job, &tasks, data, &o, of->goal) != LODE_OK) exit(2);
    if (lode_sink_hash(job, &sink, data) != LODE_OK) exit(2);
    for (size_t i = 0; lode_tasks_at(tasks, i, &t); i++) queue_put(&q, &t);
    CHECK_EQUAL(search_asked(&q, data, &o, sink), LODE_OK);
    if (!CHECK(lode_sink_hash_value(sink) == expected)) {
        fprintf(stderr, "  %s, seed %llu, target %d, %u threads, %llu tasks handed out\n",
                of->algorithm, (unsigned long long)seed, (int)of->target, threads,
                (unsigned long long)q.n_given);
    }
    uint64_t given = q.n_given;
    queue_free(&q);
    lode_sink_free(sink);
    lode_tasks_free(tasks);
    lode_dataset_free(data);
    lode_job_free(job);
    return given;
}

static void test_adaptive(void) {
    static const asked_search searches[] = {{"adaptive", LODE_TARGET_ALL, GOAL},
                                            {"adaptive", LODE_TARGET_CLOSED, GOAL},
                                            {"adaptive", LODE_TARGET_MAXIMAL, GOAL},
                                            {"adaptive", LODE_TARGET_GENERATORS, GOAL}};
    uint64_t given = 0;
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        for (unsigned threads = BY_BUILD(1, 1, 2); threads <= 2; threads++) {
            given += check_asked(i + 10, &searches[i], threads, "cpu");
        }
    }
    CHECK(given > 20);
}

/* Few tasks at the start: they are searched in several runs, and single roots are looked below. */
static void test_partitions(void) {
    static const asked_search searches[] = {{"tensor", LODE_TARGET_ALL, 1},
                                            {"tensor", LODE_TARGET_CLOSED, 3},
                                            {"tensor", LODE_TARGET_MAXIMAL, 2},
                                            {"frontier", LODE_TARGET_ALL, 2}};
    static const char *const devices[] = {"cpu", "cpu*2"};
    const size_t n = sizeof searches / sizeof *searches;
    uint64_t given = 0;
    /* A search asks when it gets a processor, so on a busy machine further rounds are needed. */
    for (size_t i = 0; i < n || (given <= 4 && i < 10 * n); i++) {
        const asked_search *of = &searches[i % n];
        uint64_t here = check_asked(i + 20, of, 2, mining_device(devices, 2, i));
        printf("    %s, target %d: %llu tasks handed out\n", of->algorithm, (int)of->target,
               (unsigned long long)here);
        given += here;
    }
    CHECK(given > 4);
}

int main(void) {
    CHECK_RUN(test_adaptive);
    CHECK_RUN(test_partitions);
    return check_result();
}
