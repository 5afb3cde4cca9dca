/* jobs.h - the bounded FIFO between the producer and the consumers
 *
 * What:  a queue of jobs with a fixed capacity. The producer blocks when it is full; consumers
 *        block when it is empty. A consumer may put jobs back in (a part of its own work) when
 *        others wait.
 * End:   all done = the producer has closed it, nothing is queued, and nobody works on a job that
 *        could still put new ones in.
 * Load:  10^2 .. 10^5 jobs of micro- to milliseconds; one lock is far from contended.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_JOBS_H
#define LODE_RUNTIME_JOBS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/status.h"

#define TASKS_CAPACITY 256

/* What a job is, is the business of the miner. */
typedef struct tasks_item {
    uint32_t root;
    void *record;
} tasks_item;

typedef struct tasks {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    tasks_item ring[TASKS_CAPACITY];
    unsigned head, n;
    unsigned working; /* consumers between tasks_take and the next tasks_take */
    bool closed, aborted;
    _Atomic unsigned waiting; /* consumers that have nothing to do */
} tasks;

void tasks_init(tasks *q);
void tasks_clear(tasks *q);

/* Counts so many consumers as working from the start: each has something to do before its first
 * tasks_take(), which it calls with `again`. */
void tasks_begin(tasks *q, unsigned n_consumers);

/* Puts a job in; waits up to a tenth of a second for room. False if there was none, or the queue
 * was aborted: the caller looks around and tries again. */
bool tasks_put(tasks *q, tasks_item item);
/* Puts a job in if there is room at once. */
bool tasks_offer(tasks *q, tasks_item item);
/* No more jobs from the producer. */
void tasks_close(tasks *q);
/* Waits up to a tenth of a second for the end. True when all is done or aborted. */
bool tasks_wait_end(tasks *q);
/* Everybody stops soon; queued jobs stay for tasks_drain. */
void tasks_abort(tasks *q);
bool tasks_is_aborted(tasks *q);
/* The next job; `again` says whether the caller has just finished one. False: the end. */
bool tasks_take(tasks *q, bool again, tasks_item *out);
/* Ends a job, and takes no other. */
void tasks_leave(tasks *q);
/* One more job without a record, for a caller that works on one already and has room; false if the
 * next is not such a job, or somebody waits for it. */
bool tasks_take_more(tasks *q, tasks_item *out);
/* Takes what an abort left behind; false when empty. */
bool tasks_drain(tasks *q, tasks_item *out);

/* Whether a consumer waits for work. Cheap; may be a little out of date. */
static inline bool tasks_is_hungry(tasks *q) {
    return atomic_load_explicit(&q->waiting, memory_order_relaxed) > 0;
}

#endif
