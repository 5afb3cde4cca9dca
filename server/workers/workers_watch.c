/* workers_watch.c - kills workers that do not respond
 *
 * A timer checks all busy workers once per second. A worker that has been silent for a while gets
 * the request `hello`, which it answers whatever else it does; if there is no answer, it hangs and
 * is killed. A short request that takes too long is cancelled, so that the next ones get their
 * turn; a worker that does not react to the cancel is killed, too. Seconds are counted by the
 * timer, so time during which the server itself was stopped does not count.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <event2/event.h>
#include <stdio.h>
#include <string.h>

#include "workers/workers_pool.h"

#define WATCH_GRACE 5 /* seconds that a worker has to react to a cancel */

static void watch_greet(worker *w) {
    text payload = TEXT_INIT;
    worker_request *hello = worker_request_new("hello");
    if (hello && worker_request_payload(hello, w->next_id++, &payload)) {
        (void)worker_process_send(w->process, payload.data, payload.length);
    }
    text_free(&payload);
    worker_request_free(hello);
}

/* The short request that is being answered; NULL: none. */
static worker_call *watch_question(const worker *w) {
    worker_call *call = w->calls;
    while (call && (!call->sent || call->about || call_is_long(call))) call = call->next;
    return call;
}

static void watch_kill(worker *w) {
    w->hung = true;
    worker_process_kill(w->process);
}

/* Checks requests that clients wait for, also while their data are being opened. They fail at once,
 * because the worker answers a cancel only when their turn comes. */
static void watch_soon(worker *w, unsigned most) {
    char message[128];
    for (worker_call *call = w->calls, *next; call; call = next) {
        next = call->next;
        bool gone = call->soon && request_gone(call->reply.request);
        if (!call->soon || (++call->waited <= most && !gone)) continue;
        if (w->state == WORKER_WAITING) {
            snprintf(message, sizeof message,
                     "all workers are busy with other data sets; this request has to wait");
        } else if (calls_mine(w)) {
            snprintf(message, sizeof message,
                     "a job of this data set is running; this request has to wait for it");
        } else {
            call_say_late(message, sizeof message, most);
        }
        if (call->sent) {
            call_cancel(call);
            w->slow = 0; /* the next request has its own time limit */
        }
        call_fail(call, "late", message);
        next = w->calls; /* other calls may be gone, too */
    }
}

/* Checks a process; false: it was killed. */
static bool watch_process(worker *w, unsigned most) {
    bool busy = w->state == WORKER_OPENING || (w->state == WORKER_READY && w->calls);
    w->silent = busy ? w->silent + 1 : 0;
    worker_call *question = watch_question(w);
    w->slow = question && busy ? w->slow + 1 : 0;
    if (w->silent > most || w->slow > most + WATCH_GRACE) {
        watch_kill(w);
        return false;
    }
    if (w->silent == (most + 1) / 2) watch_greet(w);
    if (w->slow > most && !question->late) {
        question->late = true;
        call_cancel(question);
    }
    return true;
}

static void watch_one(worker *w, unsigned most) {
    w->opening = w->state == WORKER_OPENING ? w->opening + 1 : 0;
    if (w->hung || (w->process && !watch_process(w, most))) return;
    watch_soon(w, most);
}

static void watch_all(evutil_socket_t fd, short what, void *user) {
    worker_pool *p = user;
    (void)fd, (void)what;
    for (worker *w = p->workers, *next; w; w = next) {
        next = w->next;
        watch_one(w, p->server->config->max_wait);
    }
    workers_pump(p); /* a worker may have to give up its slot now */
}

bool workers_watch(worker_pool *p) {
    const struct timeval second = {.tv_sec = 1};
    p->watch = event_new(p->server->base, -1, EV_PERSIST, watch_all, p);
    return p->watch && event_add(p->watch, &second) == 0;
}
