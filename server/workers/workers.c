/* workers.c - see workers.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "workers/workers.h"

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workers/workers_pool.h"

#define QUESTIONS_CLIENT 32  /* maximum waiting requests of one client */
#define QUESTIONS_ALL    512 /* of all clients */

/* ---- the pool -------------------------------------------------------------------------------- */

static bool source_is(const worker_source *a, const worker_source *b) {
    return a->dataset == b->dataset && strcmp(a->read, b->read ? b->read : "{}") == 0 &&
           strcmp(a->clean, b->clean ? b->clean : "{}") == 0;
}

static bool worker_is_used(const worker *w) {
    return w->state != WORKER_ENDING || w->yields;
}

static worker *workers_find(const worker_pool *p, const worker_source *of) {
    worker *w = p->workers;
    while (w && (!source_is(&w->source, of) || !worker_is_used(w))) w = w->next;
    return w;
}

static worker *worker_new(worker_pool *p, const worker_source *of) {
    worker *w = calloc(1, sizeof *w);
    if (!w || !worker_source_copy(&w->source, of)) {
        free(w);
        return NULL;
    }
    w->pool = p;
    w->next_id = 1;
    w->next = p->workers;
    p->workers = w;
    return w;
}

static worker *workers_get(worker_pool *p, const worker_source *of) {
    worker *w = workers_find(p, of);
    if (!w) w = worker_new(p, of);
    if (w && (w->state != WORKER_WAITING || w->used == 0)) w->used = ++p->clock;
    return w; /* a waiting one keeps its place in the queue */
}

static worker_call *workers_ask_as(worker_pool *p, const worker_source *of, worker_request *steals,
                                   worker_reply reply, bool low_priority) {
    worker *w = p->server->closing ? NULL : workers_get(p, of);
    if (!w) {
        worker_request_free(steals);
        return NULL;
    }
    worker_call *call = call_new(w, steals, reply);
    if (!call) return NULL;
    call->low_priority = low_priority;
    snprintf(call->fingerprint, sizeof call->fingerprint, "%s",
             of->fingerprint ? of->fingerprint : "");
    if (w->state == WORKER_READY) calls_send(w);
    if (w->state == WORKER_WAITING || w->yields) workers_pump(p);
    return call;
}

worker_call *workers_ask(worker_pool *p, const worker_source *of, worker_request *steals,
                         worker_reply reply) {
    return workers_ask_as(p, of, steals, reply, false);
}

worker_call *workers_ask_low_priority(worker_pool *p, const worker_source *of,
                                      worker_request *steals, worker_reply reply) {
    return workers_ask_as(p, of, steals, reply, true);
}

bool workers_may_ask(worker_pool *p, request *r) {
    size_t all = 0, own = 0;
    for (const worker *w = p->workers; w; w = w->next) {
        for (const worker_call *call = w->calls; call; call = call->next) {
            all += call->soon;
            own += call->soon && call->reply.client == request_client(r);
        }
    }
    if (own < QUESTIONS_CLIENT && all < QUESTIONS_ALL) return true;
    reply_error(r, 429, "toomany", "%zu %s are waiting for an answer; try again in a moment.",
                own < QUESTIONS_CLIENT ? all : own,
                own < QUESTIONS_CLIENT ? "requests" : "of your requests");
    return false;
}

worker_call *workers_ask_soon(worker_pool *p, const worker_source *of, worker_request *steals,
                              worker_reply reply) {
    worker_call *call = workers_ask_as(p, of, steals, reply, false);
    if (call) call->soon = true;
    return call;
}

void workers_kill(worker_call *call) {
    worker *w = call->worker;
    if (w && w->process) worker_process_kill(w->process);
}

/* Cancels the calls of a worker and ends it. The worker may be freed by this. */
static void worker_forget(worker *w) {
    calls_fail(w, "cancelled", "the data set was deleted in the meantime");
    w->yields = false;
    if (w->process) {
        worker_end(w);
        if (w->cut) worker_process_kill(w->process); /* so that no half-written result appears */
        return;
    }
    worker **at = &w->pool->workers;
    while (*at != w) at = &(*at)->next;
    *at = w->next;
    worker_free(w);
}

void workers_forget(worker_pool *p, uint64_t dataset) {
    for (worker *w = p->workers, *next; w; w = next) {
        next = w->next;
        if (w->source.dataset == dataset && worker_is_used(w)) worker_forget(w);
    }
}

void workers_renew(worker_pool *p, const worker_source *of) {
    worker *w = workers_find(p, of);
    if (w && w->state == WORKER_READY && !w->calls) {
        w->yields = false;
        worker_end(w);
    }
}

uint64_t workers_total(const worker_pool *p, const worker_source *of) {
    const worker *w = workers_find(p, of);
    return w ? w->total : 0;
}

const char *workers_fingerprint(const worker_pool *p, const worker_source *of) {
    const worker *w = workers_find(p, of);
    return w && w->fingerprint[0] ? w->fingerprint : NULL;
}

pid_t workers_pid(const worker_pool *p, const worker_source *of) {
    const worker *w = workers_find(p, of);
    return w && w->process ? worker_process_pid(w->process) : 0;
}

worker_children *workers_children(worker_pool *p) {
    return &p->children;
}

static const char *workers_state(const worker *w) {
    static const char *const names[] = {"waiting", "opening", "ready", "ending"};
    return w->state == WORKER_READY && w->calls ? "busy" : names[w->state];
}

json_t *workers_list(const worker_pool *p) {
    json_t *list = json_array();
    for (const worker *w = p->workers; list && w; w = w->next) {
        json_int_t pid = w->process ? worker_process_pid(w->process) : 0;
        json_int_t memory = w->process ? (json_int_t)worker_process_memory(w->process) : 0;
        json_t *row = json_pack("{s:I,s:I,s:s,s:I}", "dataset", (json_int_t)w->source.dataset,
                                "pid", pid, "state", workers_state(w), "memory", memory);
        if (row && json_array_append_new(list, row) == 0) continue;
        json_decref(list);
        return NULL;
    }
    return list;
}

/* ---- the part -------------------------------------------------------------------------------- */

static void workers_tell(evutil_socket_t fd, short what, void *user) {
    (void)fd, (void)what;
    calls_tell(user);
}

static bool workers_start(server *s, char *why, size_t room) {
    worker_pool *p = calloc(1, sizeof *p);
    s->workers = p;
    if (p) {
        p->server = s;
        p->tell = event_new(s->base, -1, 0, workers_tell, p);
    }
    if (p && p->tell && workers_watch(p) && children_start(&p->children, s->base)) return true;
    snprintf(why, room, "out of memory for the worker pool");
    return false;
}

/* Running jobs are interrupted; jobs.c has marked them as lost. Waiting requests are answered now,
 * while all parts of the server still exist. */
static void workers_close(server *s) {
    for (worker *w = s->workers->workers; w; w = w->next) {
        calls_fail(w, "cancelled", "the server is shutting down");
        worker_end(w);
    }
    calls_tell(s->workers);
}

static void workers_stop(server *s) {
    worker_pool *p = s->workers;
    if (!p) return;
    s->closing = true; /* no new worker is started for those that end */
    for (worker *w = p->workers, *next; w; w = next) {
        next = w->next;
        if (w->process) worker_process_abandon(w->process);
    }
    children_end(&p->children); /* which frees the workers with a process */
    for (worker *w = p->workers, *next; w; w = next) {
        next = w->next;
        worker_free(w);
    }
    if (p->tell) event_free(p->tell);
    if (p->watch) event_free(p->watch);
    free(p);
    s->workers = NULL;
}

const server_part workers_part = {"workers", workers_start, workers_close, workers_stop};
