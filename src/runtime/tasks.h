/* tasks.h - the bounded FIFO queue between a producer and its consumers
 *
 * What:  a queue of tasks with a fixed capacity. The producer blocks when it is full; consumers
 *        block when it is empty. A consumer may add tasks (parts of its own work) when others wait.
 * End:   the producer has closed the queue, it is empty, and no consumer still works on a task (it
 *        could add new ones).
 * Load:  10^2 .. 10^5 tasks of micro- to milliseconds; one lock is far from contended.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_TASKS_H
#define LODE_RUNTIME_TASKS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/status.h"

#define TASKS_CAPACITY 256

/* The miner defines the meaning of a task. */
typedef struct tasks_item {
    uint32_t root;
    void *record;
} tasks_item;

typedef struct tasks {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    tasks_item ring[TASKS_CAPACITY];
    unsigned head, n;
    unsigned working;   /* consumers that took a task and have not finished it */
    unsigned gathering; /* those of them that wait for one more */
    bool closed, aborted;
    _Atomic unsigned waiting; /* consumers that wait for a task */
} tasks;

void tasks_init(tasks *q);
void tasks_clear(tasks *q);

/* Counts n consumers as working from the start, as if each had taken a task: their first
 * tasks_take() has `again`. */
void tasks_begin(tasks *q, unsigned n_consumers);

/* Adds a task; waits up to a tenth of a second for room. False if there was none, or the queue was
 * aborted: the caller checks for a stop and tries again. */
bool tasks_put(tasks *q, tasks_item item);
/* Adds a task if there is room now. */
bool tasks_offer(tasks *q, tasks_item item);
/* The producer has no more tasks. */
void tasks_close(tasks *q);
/* Waits up to a tenth of a second for the end. True: all is done, or the queue was aborted. */
bool tasks_wait_end(tasks *q);
/* Makes all threads stop soon; queued tasks stay for tasks_drain(). */
void tasks_abort(tasks *q);
bool tasks_is_aborted(tasks *q);
/* Takes the next task; `again`: the caller has just finished one. False: the queue has ended. */
bool tasks_take(tasks *q, bool again, tasks_item *out);
/* The caller has finished a task and will take no other. */
void tasks_leave(tasks *q);
/* Takes one more task for a caller that already works on one, if another task remains for each
 * consumer that waits; otherwise waits for the producer, until it has closed the queue. False if
 * there is none, or if it has a record. */
bool tasks_take_more(tasks *q, tasks_item *out);
/* Takes a task that an abort left in the queue; false if there is none. */
bool tasks_drain(tasks *q, tasks_item *out);

/* Whether a consumer waits for work. Cheap; may be slightly out of date. */
static inline bool tasks_is_hungry(tasks *q) {
    return atomic_load_explicit(&q->waiting, memory_order_relaxed) > 0;
}

#endif
