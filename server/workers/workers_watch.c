/* workers_watch.c - workers that do not answer
 *
 * Once a second, all workers that have something to do are looked at. One that has said nothing for
 * a while is asked `hello`, which it answers whatever else it does; if nothing comes, it hangs, and
 * is killed. A short question that takes too long is cancelled, so that the ones behind it have
 * their turn; a worker that does not even hear that is killed as well. Seconds are counted by the
 * timer: a server that was stopped itself has waited for nobody in that time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <event2/event.h>
#include <stdio.h>
#include <string.h>

#include "workers/workers_pool.h"

#define WATCH_GRACE 5 /* seconds to hear that a question is cancelled */

static void watch_greet(worker *w) {
    text payload = TEXT_INIT;
    worker_request *hello = worker_request_new("hello");
    if (hello && worker_request_payload(hello, w->next_id++, &payload)) {
        (void)worker_process_send(w->process, payload.data, payload.length);
    }
    text_free(&payload);
    worker_request_free(hello);
}

/* The short question that is being answered; NULL: none is. */
static worker_call *watch_question(const worker *w) {
    worker_call *call = w->calls;
    while (call && (!call->sent || call->about || call_is_long(call))) call = call->next;
    return call;
}

static void watch_kill(worker *w) {
    w->hung = true;
    worker_process_kill(w->process);
}

/* Questions that somebody waits for, also while their data are opened. They are given up at once:
 * the worker answers a cancel only when their turn comes. */
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
            w->slow = 0; /* the next question has its own time */
        }
        call_fail(call, "late", message);
        next = w->calls; /* others may have gone with it */
    }
}

/* Looks after a process; false: it was killed. */
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
    workers_pump(p); /* a worker may have to give up its place now */
}

bool workers_watch(worker_pool *p) {
    const struct timeval second = {.tv_sec = 1};
    p->watch = event_new(p->server->base, -1, EV_PERSIST, watch_all, p);
    return p->watch && event_add(p->watch, &second) == 0;
}
