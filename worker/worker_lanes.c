/* worker_lanes.c - the two lanes of the worker: the order of requests, and how a request is stopped
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "worker.h"

#define WAITING_MOST 1000 /* questions of a lane */

typedef struct lane_queue {
    worker_call *first, **last, *running;
    size_t waiting;
    uint64_t added, answered; /* questions since the start */
    uint64_t opens;           /* added + 1 when the last `open` came; 0 = none has */
} lane_queue;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    lane_queue queues[2];
    bool ending;
} lanes = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- running -------------------------------------------------------------------------------- */

/* Whether the first call of a lane may begin: what it waits for is answered. */
static bool lane_may_begin(const lane_queue *q, const lane_queue *other) {
    return q->first && !lanes.ending && other->answered >= q->first->after;
}

static worker_call *lane_take(lane_queue *q, lane_queue *other) {
    pthread_mutex_lock(&lanes.lock);
    while (!lane_may_begin(q, other)) pthread_cond_wait(&lanes.changed, &lanes.lock);
    worker_call *c = q->first;
    q->first = c->next;
    if (!c->next) q->last = &q->first;
    q->waiting--;
    q->running = c;
    pthread_mutex_unlock(&lanes.lock);
    return c;
}

/* From now on nobody finds the call; false: it was answered before. */
static bool lane_close(worker_call *c) {
    pthread_mutex_lock(&lanes.lock);
    bool open = !c->answered;
    c->answered = true;
    pthread_mutex_unlock(&lanes.lock);
    return open;
}

static lode_status lane_run_call(worker_call *c, worker_text *json) {
    const worker_data *d = &worker_open_data;
    if (c->verb->needs_data && !d->data && !d->graphs) {
        return worker_refuse(c, LODE_INVALID, "%s: no data set is open", c->verb->name);
    }
    return c->verb->run(c, json);
}

static void *lane_run(void *which) {
    lane_queue *q = which, *other = q == lanes.queues ? q + 1 : q - 1;
    for (;;) {
        worker_text json = {0};
        worker_call *c = lane_take(q, other);
        lode_status status = c->answered ? LODE_CANCELLED : lane_run_call(c, &json);
        if (lane_close(c)) worker_answer(c, status, &json);
        pthread_mutex_lock(&lanes.lock);
        q->running = NULL;
        q->answered++;
        pthread_cond_broadcast(&lanes.changed);
        pthread_mutex_unlock(&lanes.lock);
        worker_text_free(&json);
        worker_call_free(c);
    }
    return NULL;
}

bool worker_lanes_start(void) {
    pthread_condattr_t clock;
    pthread_t thread;
    if (pthread_condattr_init(&clock) != 0) return false;
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    bool ready = pthread_cond_init(&lanes.changed, &clock) == 0;
    pthread_condattr_destroy(&clock);
    for (int i = 0; i < 2; i++) {
        lane_queue *q = &lanes.queues[i];
        q->last = &q->first;
        ready =
            ready && pthread_create(&thread, NULL, lane_run, q) == 0 && pthread_detach(thread) == 0;
    }
    return ready;
}

/* ---- asking and stopping -------------------------------------------------------------------- */

bool worker_lanes_add(worker_call *c) {
    lane_queue *q = &lanes.queues[c->verb->lane], *other = &lanes.queues[!c->verb->lane];
    bool opens = c->verb->run == worker_open;
    pthread_mutex_lock(&lanes.lock);
    bool room = q->waiting < WAITING_MOST;
    if (room) {
        c->after = opens ? other->added : c->verb->lane == WORKER_SHORT ? other->opens : 0;
        *q->last = c;
        q->last = &c->next;
        q->waiting++;
        q->added++;
        if (opens) q->opens = q->added;
        pthread_cond_broadcast(&lanes.changed);
    }
    pthread_mutex_unlock(&lanes.lock);
    return room;
}

void worker_lanes_publish(worker_call *c, lode_job *job) {
    pthread_mutex_lock(&lanes.lock);
    c->job = job;
    if (job && (c->cancelled || c->kept)) lode_job_cancel(job);
    pthread_mutex_unlock(&lanes.lock);
}

bool worker_lanes_cancelled(worker_call *c) {
    pthread_mutex_lock(&lanes.lock);
    bool cancelled = c->cancelled;
    pthread_mutex_unlock(&lanes.lock);
    return cancelled;
}

uint64_t worker_lanes_raised(worker_call *c) {
    pthread_mutex_lock(&lanes.lock);
    uint64_t raised = c->raised;
    c->raise_waits = false;
    pthread_mutex_unlock(&lanes.lock);
    return raised;
}

/* With the lock. */
static void lanes_raise(worker_call *c) {
    if (!c->raise_waits || !c->job) return;
    c->raise_waits = lode_job_raise_threshold(c->job, c->raised) != LODE_OK;
}

void worker_lanes_raise(worker_call *c) {
    pthread_mutex_lock(&lanes.lock);
    lanes_raise(c);
    pthread_mutex_unlock(&lanes.lock);
}

worker_ending worker_lanes_settle(worker_call *c) {
    worker_ending ending = WORKER_ENDED;
    pthread_mutex_lock(&lanes.lock);
    if (c->kept && !c->cancelled) ending = WORKER_KEPT;
    if (c->raise_waits && !c->cancelled) ending = WORKER_AGAIN;
    c->settled = ending != WORKER_AGAIN;
    if (ending == WORKER_KEPT) lode_job_reset(c->job);
    pthread_mutex_unlock(&lanes.lock);
    return ending;
}

static worker_call *lanes_find(uint64_t id) {
    for (int i = 0; i < 2; i++) {
        worker_call *c = lanes.queues[i].running;
        if (c && c->request.id == id && !c->answered) return c;
        for (c = lanes.queues[i].first; c; c = c->next) {
            if (c->request.id == id && !c->answered) return c;
        }
    }
    return NULL;
}

/* With the lock. One that waits is answered at once, and skipped when its turn comes: who waits
 * for it counts answers. */
static void lanes_apply(worker_call *c, worker_control what, uint64_t min_count) {
    if (what == WORKER_RAISE) {
        if (min_count <= c->raised) return;
        c->raised = min_count;
        c->raise_waits = true;
        lanes_raise(c);
        return;
    }
    if (what == WORKER_CANCEL) c->cancelled = true;
    if (what == WORKER_KEEP) c->kept = true;
    if (c->job && (what == WORKER_CANCEL || !c->settled)) lode_job_cancel(c->job);
    bool runs = lanes.queues[c->verb->lane].running == c;
    if (what != WORKER_CANCEL || runs || c->answered) return;
    worker_answer(c, LODE_CANCELLED, NULL);
    c->answered = true;
}

bool worker_lanes_has(uint64_t id) {
    pthread_mutex_lock(&lanes.lock);
    bool has = lanes_find(id) != NULL;
    pthread_mutex_unlock(&lanes.lock);
    return has;
}

lode_status worker_lanes_control(worker_call *by, uint64_t id, worker_control what,
                                 uint64_t min_count) {
    lode_status status = LODE_OK;
    pthread_mutex_lock(&lanes.lock);
    worker_call *c = lanes_find(id);
    if (!c) {
        status = worker_refuse(by, LODE_NOTFOUND, "request %llu is not running; it may have ended",
                               (unsigned long long)id);
    } else if (what != WORKER_CANCEL && c->verb->run != worker_mine) {
        status = worker_refuse(by, LODE_INVALID,
                               "request %llu is not a mining request; it can only be cancelled",
                               (unsigned long long)id);
    } else if (what == WORKER_RAISE && (c->settled || c->kept || c->cancelled)) {
        status = worker_refuse(by, LODE_NOTFOUND, "the search of request %llu has ended",
                               (unsigned long long)id);
    } else {
        lanes_apply(c, what, min_count);
    }
    pthread_mutex_unlock(&lanes.lock);
    return status;
}

/* Cancels what runs, and answers what waits; with the lock. */
static void lanes_cancel_all(void) {
    for (int i = 0; i < 2; i++) {
        lane_queue *q = &lanes.queues[i];
        if (q->running) lanes_apply(q->running, WORKER_CANCEL, 0);
        while (q->first) {
            worker_call *c = q->first;
            lanes_apply(c, WORKER_CANCEL, 0);
            q->first = c->next;
            worker_call_free(c);
        }
        q->last = &q->first;
        q->waiting = 0;
    }
}

static bool lanes_are_idle(void) {
    return !lanes.queues[0].running && !lanes.queues[1].running;
}

bool worker_lanes_end(double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t ns = until.tv_nsec + (int64_t)(seconds * 1e9);
    until.tv_sec += ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    int code = 0;
    pthread_mutex_lock(&lanes.lock);
    lanes.ending = true;
    lanes_cancel_all();
    while (!lanes_are_idle() && code == 0) {
        code = pthread_cond_timedwait(&lanes.changed, &lanes.lock, &until);
    }
    bool idle = lanes_are_idle();
    pthread_mutex_unlock(&lanes.lock);
    return idle;
}
