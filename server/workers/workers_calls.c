/* workers_calls.c - the calls of a worker: sending, answering, failing; see workers_pool.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <event2/event.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workers/workers_pool.h"

worker_call *call_new(worker *w, worker_request *steals, worker_reply reply) {
    worker_call *call = steals ? calloc(1, sizeof *call) : NULL;
    if (!call) {
        worker_request_free(steals);
        return NULL;
    }
    *call = (worker_call){.worker = w, .id = w->next_id++, .request = steals, .reply = reply};
    worker_call **end = &w->calls;
    while (*end) end = &(*end)->next;
    *end = call;
    return call;
}

static void call_free(worker_call *call) {
    worker_request_free(call->request);
    free(call->failure);
    free(call);
}

worker_call *call_find(const worker *w, uint64_t id) {
    worker_call *call = w->calls;
    while (call && (call->id != id || !call->sent)) call = call->next;
    return call;
}

/* Removes a call from the queue, together with its controls that were not sent. */
static void call_unlink(worker_call *call) {
    for (worker_call **at = &call->worker->calls; *at;) {
        worker_call *it = *at;
        if (it != call && it->about != call) {
            at = &it->next;
        } else if (it == call || !it->sent) {
            *at = it->next;
            if (it != call) call_free(it);
        } else {
            it->about = NULL;
            at = &it->next;
        }
    }
    call->next = NULL;
}

/* Removes the call from its worker and calls `done`, now. */
static void call_finish(worker_call *call, bool ok, const char *json, size_t bytes) {
    call_unlink(call);
    if (call->reply.done) call->reply.done(call->reply.user, ok, json, bytes);
    call_free(call);
}

/* ---- failing -------------------------------------------------------------------------------- */

static const char no_memory[] =
    "{\"status\":\"nomem\",\"exit\":1,\"message\":\"the server is out of memory\"}";

void call_fail_json(worker_call *call, const char *json, size_t bytes) {
    worker_pool *p = call->worker->pool;
    call->worker->cut = call->worker->cut || call->sent;
    call_unlink(call);
    call->worker = NULL; /* the worker may be freed before this is reported */
    call->failure = malloc(bytes + 1);
    if (call->failure) {
        memcpy(call->failure, json, bytes);
        call->failure[bytes] = 0;
    }
    worker_call **end = &p->failed;
    while (*end) end = &(*end)->next;
    *end = call;
    event_active(p->tell, EV_TIMEOUT, 1);
}

void call_fail(worker_call *call, const char *status, const char *message) {
    text json = TEXT_INIT;
    text_put(&json, "{\"status\":");
    text_json_string(&json, status);
    text_put(&json, ",\"exit\":1,\"message\":");
    text_json_string(&json, message);
    text_put(&json, "}");
    if (json.failed) {
        call_fail_json(call, no_memory, sizeof no_memory - 1);
    } else {
        call_fail_json(call, json.data, json.length);
    }
    text_free(&json);
}

/* Controls are dropped together with their calls. */
void calls_fail(worker *w, const char *status, const char *message) {
    while (w->calls) call_fail(w->calls, status, message);
}

void calls_tell(worker_pool *p) {
    while (p->failed) {
        worker_call *call = p->failed;
        const char *json = call->failure ? call->failure : no_memory;
        p->failed = call->next;
        if (call->reply.done) call->reply.done(call->reply.user, false, json, strlen(json));
        call_free(call);
    }
}

void call_say_late(char *message, size_t room, unsigned most) {
    snprintf(message, room, "this request takes longer than %u seconds on these data", most);
}

void call_answer(worker_call *call, const worker_frame *frame) {
    char message[128];
    if (!call_is_long(call)) call->worker->slow = 0;
    if (frame->kind == FRAME_DONE || !call->late) {
        call_finish(call, frame->kind == FRAME_DONE, frame->json, frame->bytes);
        return;
    }
    call_say_late(message, sizeof message, call->worker->pool->server->config->max_wait);
    call_fail(call, "late", message);
}

/* ---- sending -------------------------------------------------------------------------------- */

static bool call_send(worker_call *call) {
    text payload = TEXT_INIT;
    bool sent = worker_request_payload(call->request, call->id, &payload) &&
                worker_process_send(call->worker->process, payload.data, payload.length);
    text_free(&payload);
    call->sent = sent;
    return sent;
}

bool call_is_long(const worker_call *call) {
    static const char *const verbs[] = {"mine", "suggest", "clean", "write"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(call->request->verb, verbs[i]) == 0) return true;
    }
    return false;
}

bool calls_mine(const worker *w) {
    const worker_call *call = w->calls;
    while (call && strcmp(call->request->verb, "mine") != 0) call = call->next;
    return call != NULL;
}

static worker_call *calls_low_priority(const worker *w) {
    worker_call *call = w->calls;
    while (call && (!call->low_priority || call->cancelled)) call = call->next;
    return call;
}

/* Whether the data are those of a call. If one of them has no fingerprint, they are accepted. */
static bool call_fits(const worker_call *call) {
    const char *has = call->worker->fingerprint;
    return !call->fingerprint[0] || !has[0] || strcmp(call->fingerprint, has) == 0;
}

void calls_send(worker *w) {
    for (worker_call *call = w->calls, *next; call; call = next) {
        next = call->next;
        if (call->sent || (w->yields && !call->about)) continue;
        if (!call_fits(call)) {
            call_fail(call, "changed",
                      "the data have changed since this result was mined; mine again");
        } else if (!call_send(call)) {
            call_fail(call, "nomem", "the request is too long, or the server is out of memory");
        } else {
            continue;
        }
        next = w->calls; /* other calls may be gone, too */
    }
    /* Cancels low-priority calls if there are other long calls. */
    worker_call *low_priority;
    bool others = false;
    for (const worker_call *call = w->calls; call; call = call->next) {
        others = others || (!call->low_priority && call_is_long(call));
    }
    while (others && (low_priority = calls_low_priority(w)) != NULL) call_cancel(low_priority);
}

static void control_name(const worker_call *call, worker_request *control) {
    char id[24];
    snprintf(id, sizeof id, "%" PRIu64, call->id);
    worker_request_add(control, "job", id);
}

static void call_control(worker_call *call, worker_request *steals) {
    control_name(call, steals);
    for (worker_call *it = call->worker->calls; steals && it; it = it->next) {
        if (it->about != call || it->sent || strcmp(it->request->verb, steals->verb) != 0) continue;
        worker_request_free(it->request); /* the last control counts */
        it->request = steals;
        return;
    }
    worker_call *control = call_new(call->worker, steals, (worker_reply){0});
    if (!control) return;
    control->about = call;
    if (control->worker->state == WORKER_READY) calls_send(control->worker);
}

void call_cancel(worker_call *call) {
    if (!call->sent) {
        call_fail(call, "cancelled", "the request was cancelled before it started");
    } else if (!call->cancelled) {
        call->cancelled = true;
        call_control(call, worker_request_new("cancel"));
    }
}

bool workers_raise(worker_call *call, worker_request *steals, worker_reply reply) {
    bool ready = call->sent && call->worker && call->worker->state == WORKER_READY;
    if (!ready) worker_request_free(steals);
    if (!ready) return false;
    control_name(call, steals);
    worker_call *control = call_new(call->worker, steals, reply);
    if (!control) return false;
    control->about = call;
    calls_send(control->worker);
    return true;
}

void workers_control(worker_call *call, worker_request *steals) {
    bool cancels = steals && strcmp(steals->verb, "cancel") == 0;
    if (call->worker && !cancels) {
        call_control(call, steals);
        return;
    }
    worker_request_free(steals);
    if (call->worker) call_cancel(call); /* otherwise it has already failed */
}
