/* jobs.c - see jobs.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/jobs.h"

#include <time.h>

#include "base/check.h"

void jobs_init(jobs *q) {
    *q = (jobs){0};
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->not_empty, NULL);
    pthread_cond_init(&q->not_full, NULL);
}

void jobs_clear(jobs *q) {
    LODE_DEBUG_CHECK(q->n == 0 && atomic_load(&q->waiting) == 0, "%u jobs are left behind", q->n);
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->not_empty);
    pthread_cond_destroy(&q->not_full);
}

static void jobs_wait_briefly(jobs *q) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100 * 1000 * 1000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&q->not_full, &q->lock, &until);
}

static bool jobs_append(jobs *q, jobs_item item) {
    if (q->aborted || q->n == JOBS_CAPACITY) return false;
    q->ring[(q->head + q->n++) % JOBS_CAPACITY] = item;
    pthread_cond_signal(&q->not_empty);
    return true;
}

static bool jobs_pop(jobs *q, jobs_item *out) {
    if (q->n == 0) return false;
    *out = q->ring[q->head];
    q->head = (q->head + 1) % JOBS_CAPACITY;
    q->n--;
    return true;
}

static bool jobs_all_done(const jobs *q) {
    return q->aborted || (q->closed && q->n == 0 && q->working == 0);
}

void jobs_begin(jobs *q, unsigned n_consumers) {
    pthread_mutex_lock(&q->lock);
    q->working += n_consumers;
    pthread_mutex_unlock(&q->lock);
}

bool jobs_put(jobs *q, jobs_item item) {
    pthread_mutex_lock(&q->lock);
    if (q->n == JOBS_CAPACITY && !q->aborted) jobs_wait_briefly(q);
    bool ok = jobs_append(q, item);
    pthread_mutex_unlock(&q->lock);
    return ok;
}

bool jobs_offer(jobs *q, jobs_item item) {
    pthread_mutex_lock(&q->lock);
    bool ok = jobs_append(q, item);
    pthread_mutex_unlock(&q->lock);
    return ok;
}

void jobs_close(jobs *q) {
    pthread_mutex_lock(&q->lock);
    q->closed = true;
    pthread_cond_broadcast(&q->not_empty);
    pthread_mutex_unlock(&q->lock);
}

bool jobs_wait_end(jobs *q) {
    pthread_mutex_lock(&q->lock);
    if (!jobs_all_done(q)) jobs_wait_briefly(q);
    bool done = jobs_all_done(q);
    pthread_mutex_unlock(&q->lock);
    return done;
}

void jobs_abort(jobs *q) {
    pthread_mutex_lock(&q->lock);
    q->aborted = true;
    pthread_cond_broadcast(&q->not_empty);
    pthread_cond_broadcast(&q->not_full);
    pthread_mutex_unlock(&q->lock);
}

bool jobs_is_aborted(jobs *q) {
    pthread_mutex_lock(&q->lock);
    bool aborted = q->aborted;
    pthread_mutex_unlock(&q->lock);
    return aborted;
}

bool jobs_take(jobs *q, bool again, jobs_item *out) {
    pthread_mutex_lock(&q->lock);
    LODE_DEBUG_CHECK(!again || q->working > 0, "a job ends that nobody works on");
    if (again) q->working--;
    bool got = false;
    while (!jobs_all_done(q) && !(got = jobs_pop(q, out))) {
        atomic_fetch_add_explicit(&q->waiting, 1, memory_order_relaxed);
        pthread_cond_wait(&q->not_empty, &q->lock);
        atomic_fetch_sub_explicit(&q->waiting, 1, memory_order_relaxed);
    }
    if (got) {
        q->working++;
    } else {
        pthread_cond_broadcast(&q->not_empty); /* the others may go too */
    }
    pthread_cond_signal(&q->not_full); /* room for a job, or the end the producer waits for */
    pthread_mutex_unlock(&q->lock);
    return got;
}

bool jobs_take_more(jobs *q, jobs_item *out) {
    pthread_mutex_lock(&q->lock);
    bool root = q->n > 0 && !q->ring[q->head].record && !q->aborted;
    bool got = root && !jobs_is_hungry(q) && jobs_pop(q, out);
    if (got) pthread_cond_signal(&q->not_full);
    pthread_mutex_unlock(&q->lock);
    return got;
}

bool jobs_drain(jobs *q, jobs_item *out) {
    pthread_mutex_lock(&q->lock);
    bool got = jobs_pop(q, out);
    pthread_mutex_unlock(&q->lock);
    return got;
}
