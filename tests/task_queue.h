/* task_queue.h - for tests of tasks: a queue of tasks, also of those that a search gives away
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_TASK_QUEUE_H
#define LODE_TESTS_TASK_QUEUE_H

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "lode.h"

/* Tasks that wait, as copies. */
typedef struct queue {
    lode_task *tasks;
    size_t n, cap;
    uint64_t n_given;
    lode_job *job;
    rng random;
    uint64_t raise; /* raise the threshold to this when a task is given away; 0: never raise it */
} queue;

static inline void queue_put(queue *q, const lode_task *t) {
    if (q->n == q->cap) {
        q->cap = 2 * q->cap + 16;
        q->tasks = realloc(q->tasks, q->cap * sizeof *q->tasks);
    }
    uint32_t *prefix = malloc((t->n_prefix + 1) * sizeof *prefix);
    if (!prefix || !q->tasks) exit(2);
    if (t->n_prefix > 0) memcpy(prefix, t->prefix, t->n_prefix * sizeof *prefix);
    q->tasks[q->n] = *t;
    q->tasks[q->n++].prefix = prefix;
}

/* Takes a random task out of the queue; the caller frees the prefix. */
static inline lode_task queue_take(queue *q) {
    size_t i = (size_t)rng_below(&q->random, q->n);
    lode_task t = q->tasks[i];
    q->tasks[i] = q->tasks[--q->n];
    return t;
}

static inline void queue_free(queue *q) {
    for (size_t i = 0; i < q->n; i++) free((void *)(uintptr_t)q->tasks[i].prefix);
    free(q->tasks);
}

/* A lode_task_fn. It often asks for the next task. */
static inline int queue_give(void *user, const lode_task *t) {
    queue *q = user;
    queue_put(q, t);
    q->n_given++;
    if (q->raise) lode_job_raise_threshold(q->job, q->raise);
    if (rng_below(&q->random, 3) > 0) lode_job_ask_task(q->job);
    return 0;
}

/* Splits a task in two at a random place, if it has a range. */
static inline void queue_split(queue *q, const lode_task *t) {
    lode_task a = *t, b = *t;
    uint64_t width = (uint64_t)t->end - t->first;
    if (width < 2 || width == UINT32_MAX || rng_below(&q->random, 2)) {
        queue_put(q, t);
        return;
    }
    a.end = b.first = t->first + 1 + (uint32_t)rng_below(&q->random, width - 1);
    b.own = false;
    queue_put(q, &a);
    queue_put(q, &b);
}

/* What the `done` callback of a search has reported (lode_task_done_fn). */
typedef struct told {
    size_t next;    /* number of tasks reported as done */
    size_t n_given; /* number of parts of tasks that were left for later */
    size_t calls;
    bool wrong; /* the ranges of tasks do not follow each other */
} told;

static inline int told_note(void *user, size_t first, size_t end, const lode_task *const *given,
                            size_t n_given) {
    told *t = user;
    t->wrong |= first != t->next || end < first;
    for (size_t i = 0; i < n_given; i++) t->wrong |= given[i]->size == 0;
    t->next = end;
    t->n_given += n_given;
    t->calls++;
    return 0;
}

/* Returns a search of all tasks of a list, a few at a time. `done` is called as often as possible
 * (`often`) or about once per second. */
static inline lode_task_search told_search(const lode_tasks *tasks, told *seen, bool often,
                                           lode_task **kept, const lode_task ***list) {
    size_t n = lode_tasks_count(tasks);
    *kept = calloc(n + 1, sizeof **kept);
    *list = calloc(n + 1, sizeof **list);
    if (!*kept || !*list) exit(2);
    for (size_t i = 0; i < n; i++) {
        (*kept)[i].size = sizeof **kept;
        if (!lode_tasks_at(tasks, i, &(*kept)[i])) exit(2);
        (*list)[i] = &(*kept)[i];
    }
    return (lode_task_search){.size = sizeof(lode_task_search),
                              .tasks = *list,
                              .n_tasks = n,
                              .done = told_note,
                              .done_user = seen,
                              .done_seconds = often ? 1e-7 : 0,
                              .worth = 1e-9,
                              .of = tasks};
}

#endif
