/* tasks.h - the bounded FIFO queue between a producer and its consumers
 *
 * What:  a queue of tasks with a fixed capacity. The producer waits when the queue is full;
 *        consumers wait when the queue is empty. A consumer may add tasks (parts of its own work)
 *        when other consumers wait.
 * End: the queue ends when the producer has closed it, no task is left, and no consumer still works
  * on a task, to which it could add parts.
 * Load:  10^2 .. 10^5 tasks, each of microseconds to milliseconds. So one lock is enough.
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
    unsigned working;   /* number of consumers that work on a task */
    unsigned gathering; /* number of these that wait for one more task */
    bool closed, aborted;
    _Atomic unsigned waiting; /* number of consumers that wait for a task */
} tasks;

void tasks_init(tasks *q);
void tasks_clear(tasks *q);

/* Counts n consumers as working from the start, as if each had taken a task. So each consumer must
 * pass `again` in its first tasks_take(). */
void tasks_begin(tasks *q, unsigned n_consumers);

/* Adds a task, after waiting up to a tenth of a second for room. Returns false if there was no room
 * or the queue was aborted; the caller then checks whether it should stop, and tries again. */
bool tasks_put(tasks *q, tasks_item item);
/* Adds a task if there is room now; returns whether it was added. */
bool tasks_offer(tasks *q, tasks_item item);
/* Closes the queue: the producer has no more tasks. */
void tasks_close(tasks *q);
/* Waits up to a tenth of a second for the end. Returns true if all tasks are done or the queue was
 * aborted. */
bool tasks_wait_end(tasks *q);
/* Makes all threads stop soon; queued tasks stay for tasks_drain(). */
void tasks_abort(tasks *q);
bool tasks_is_aborted(tasks *q);
/* Takes the next task. `again`: the caller has just finished a task. Returns false if the queue has
 * ended. */
bool tasks_take(tasks *q, bool again, tasks_item *out);
/* Must be called by a consumer that has finished a task and will take no other. */
void tasks_leave(tasks *q);
/* Takes one more task for a caller that already works on one. Waits until the queue has more tasks
 * than there are waiting consumers, or until the producer has closed the queue. Returns false if
 * there is no task to spare, or if the next task has a record. */
bool tasks_take_more(tasks *q, tasks_item *out);
/* Takes a task that an abort left in the queue; returns false if there is none. */
bool tasks_drain(tasks *q, tasks_item *out);

/* Returns whether a consumer waits for work. The call is cheap; its result may be slightly out of
 * date. */
static inline bool tasks_is_hungry(tasks *q) {
    return atomic_load_explicit(&q->waiting, memory_order_relaxed) > 0;
}

#endif
