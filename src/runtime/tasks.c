/* tasks.c - see tasks.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/tasks.h"

#include "base/check.h"
#include "base/os.h"

#define TASKS_WAIT_SECONDS 0.1 /* for room, or for the end, before the caller looks around */

void tasks_init(tasks *q) {
    *q = (tasks){0};
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->not_empty, NULL);
    cond_init(&q->not_full);
}

#if LODE_DEBUG
static void tasks_validate(tasks *q) {
    LODE_DEBUG_CHECK(
        q->n <= TASKS_CAPACITY && q->head < TASKS_CAPACITY,
        "the queue has %u tasks, beginning at index %u; both must fit into its capacity", q->n,
        q->head);
    LODE_DEBUG_CHECK(q->gathering <= q->working,
                     "%u consumers wait for tasks, but only %u are working", q->gathering,
                     q->working);
}
#endif

void tasks_clear(tasks *q) {
    LODE_DEBUG_CHECK(q->n == 0 && atomic_load(&q->waiting) == 0, "%u tasks are left in the queue",
                     q->n);
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->not_empty);
    pthread_cond_destroy(&q->not_full);
}

static void tasks_wait_briefly(tasks *q) {
    cond_wait_for(&q->not_full, &q->lock, TASKS_WAIT_SECONDS);
}

static bool tasks_append(tasks *q, tasks_item item) {
    if (q->aborted || q->n == TASKS_CAPACITY) return false;
    q->ring[(q->head + q->n++) % TASKS_CAPACITY] = item;
    if (q->gathering > 0) {
        pthread_cond_broadcast(&q->not_empty); /* it may be for a consumer without any task */
    } else {
        pthread_cond_signal(&q->not_empty);
    }
    LODE_VALIDATE(tasks_validate(q));
    return true;
}

static bool tasks_pop(tasks *q, tasks_item *out) {
    if (q->n == 0) return false;
    *out = q->ring[q->head];
    q->head = (q->head + 1) % TASKS_CAPACITY;
    q->n--;
    LODE_VALIDATE(tasks_validate(q));
    return true;
}

static bool tasks_all_done(const tasks *q) {
    return q->aborted || (q->closed && q->n == 0 && q->working == 0);
}

void tasks_begin(tasks *q, unsigned n_consumers) {
    pthread_mutex_lock(&q->lock);
    q->working += n_consumers;
    pthread_mutex_unlock(&q->lock);
}

bool tasks_put(tasks *q, tasks_item item) {
    pthread_mutex_lock(&q->lock);
    if (q->n == TASKS_CAPACITY && !q->aborted) tasks_wait_briefly(q);
    bool ok = tasks_append(q, item);
    pthread_mutex_unlock(&q->lock);
    return ok;
}

bool tasks_offer(tasks *q, tasks_item item) {
    pthread_mutex_lock(&q->lock);
    bool ok = tasks_append(q, item);
    pthread_mutex_unlock(&q->lock);
    return ok;
}

void tasks_close(tasks *q) {
    pthread_mutex_lock(&q->lock);
    q->closed = true;
    pthread_cond_broadcast(&q->not_empty);
    pthread_mutex_unlock(&q->lock);
}

bool tasks_wait_end(tasks *q) {
    pthread_mutex_lock(&q->lock);
    if (!tasks_all_done(q)) tasks_wait_briefly(q);
    bool done = tasks_all_done(q);
    pthread_mutex_unlock(&q->lock);
    return done;
}

void tasks_abort(tasks *q) {
    pthread_mutex_lock(&q->lock);
    q->aborted = true;
    pthread_cond_broadcast(&q->not_empty);
    pthread_cond_broadcast(&q->not_full);
    pthread_mutex_unlock(&q->lock);
}

bool tasks_is_aborted(tasks *q) {
    pthread_mutex_lock(&q->lock);
    bool aborted = q->aborted;
    pthread_mutex_unlock(&q->lock);
    return aborted;
}

bool tasks_take(tasks *q, bool again, tasks_item *out) {
    pthread_mutex_lock(&q->lock);
    LODE_DEBUG_CHECK(!again || q->working > 0, "a task ends, but no thread was working on one");
    if (again) q->working--;
    bool got = false;
    while (!tasks_all_done(q) && !(got = tasks_pop(q, out))) {
        atomic_fetch_add_explicit(&q->waiting, 1, memory_order_relaxed);
        pthread_cond_wait(&q->not_empty, &q->lock);
        atomic_fetch_sub_explicit(&q->waiting, 1, memory_order_relaxed);
    }
    if (got) {
        q->working++;
    } else {
        pthread_cond_broadcast(&q->not_empty); /* the others may go too */
    }
    /* There is room for a task, or this is the end that the producer waits for. */
    pthread_cond_signal(&q->not_full);
    pthread_mutex_unlock(&q->lock);
    return got;
}

void tasks_leave(tasks *q) {
    pthread_mutex_lock(&q->lock);
    LODE_DEBUG_CHECK(q->working > 0, "a task ends, but no thread was working on one");
    q->working--;
    pthread_cond_broadcast(&q->not_empty); /* it may have been the last */
    pthread_cond_signal(&q->not_full);
    pthread_mutex_unlock(&q->lock);
}

/* Whether the queue has more tasks than the idle threads will take. */
static bool tasks_has_spare(tasks *q) {
    return q->n > atomic_load_explicit(&q->waiting, memory_order_relaxed);
}

bool tasks_take_more(tasks *q, tasks_item *out) {
    pthread_mutex_lock(&q->lock);
    q->gathering++;
    while (!tasks_has_spare(q) && !q->closed && !q->aborted) {
        pthread_cond_wait(&q->not_empty, &q->lock);
    }
    q->gathering--;
    bool root = tasks_has_spare(q) && !q->ring[q->head].record && !q->aborted;
    bool got = root && tasks_pop(q, out);
    if (got) pthread_cond_signal(&q->not_full);
    pthread_mutex_unlock(&q->lock);
    return got;
}

bool tasks_drain(tasks *q, tasks_item *out) {
    pthread_mutex_lock(&q->lock);
    bool got = tasks_pop(q, out);
    pthread_mutex_unlock(&q->lock);
    return got;
}
