/* workers_room.c - decides which workers have a process: starts, opens, makes room; see
 * workers_pool.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storage/discard.h"
#include "workers/workers_pool.h"

/* Whether no call is running in the process. Waiting calls of a worker that yields go to its next
 * process. */
static bool room_is_idle(const worker *w) {
    if (w->state != WORKER_READY) return false;
    for (const worker_call *call = w->calls; call; call = call->next) {
        if (call->sent || !w->yields) return false;
    }
    return true;
}

/* ---- what a process says --------------------------------------------------------------------- */

static void room_take_facts(worker *w, const char *json, size_t bytes) {
    json_t *reply = json_loadb(json, bytes, 0, NULL);
    const json_t *profile = json_object_get(reply, "profile");
    const json_t *total = json_object_get(profile, "weight");
    const char *fingerprint = json_string_value(json_object_get(reply, "fingerprint"));
    if (!total) total = json_object_get(profile, "graphs");
    json_int_t n = json_integer_value(total);
    w->total = n > 0 ? (uint64_t)n : 0;
    snprintf(w->fingerprint, sizeof w->fingerprint, "%s", fingerprint ? fingerprint : "");
    json_decref(reply);
}

static void room_opened(worker *w, const worker_frame *frame) {
    if (frame->kind == FRAME_DONE) {
        w->state = WORKER_READY;
        room_take_facts(w, frame->json, frame->bytes);
        calls_send(w);
    } else if (frame->kind == FRAME_FAILED) {
        while (w->calls) call_fail_json(w->calls, frame->json, frame->bytes);
        worker_end(w);
    }
}

static void room_frame(void *user, const worker_frame *frame) {
    worker *w = user;
    w->silent = 0;
    if (w->state == WORKER_OPENING && frame->id == w->open_id) {
        room_opened(w, frame);
        return;
    }
    worker_call *call = call_find(w, frame->id);
    if (!call) return;
    if (frame->kind == FRAME_EVENT) {
        if (call->reply.event) call->reply.event(call->reply.user, frame->json, frame->bytes);
        return;
    }
    worker_pool *p = w->pool;
    call_answer(call, frame);
    if (room_is_idle(w)) workers_pump(p); /* another worker may need its slot */
}

static void room_remove(worker *w) {
    worker **at = &w->pool->workers;
    while (*at != w) at = &(*at)->next;
    *at = w->next;
    worker_free(w);
}

/* Its process has made room for another data set: its unsent calls wait in the queue. */
static void room_wait_again(worker *w) {
    *w = (worker){.pool = w->pool,
                  .source = w->source,
                  .calls = w->calls,
                  .next_id = w->next_id,
                  .used = ++w->pool->clock,
                  .next = w->next};
    for (worker_call *call = w->calls; call; call = call->next) call->sent = false;
}

static void room_ended(void *user, const char *how) {
    worker *w = user;
    worker_pool *p = w->pool;
    char message[256], hung[64];
    if (w->cut) workers_sweep(p->server, worker_process_pid(w->process));
    if (w->yields && w->calls && !w->hung && !p->server->closing) {
        room_wait_again(w);
        workers_pump(p);
        return;
    }
    snprintf(hung, sizeof hung, "did not answer for %u seconds", p->server->config->max_wait);
    snprintf(message, sizeof message,
             "the worker process of this data set %s, so this request is lost; the next request "
             "starts a new worker",
             w->hung ? hung : how);
    calls_fail(w, "lost", message);
    room_remove(w);
    workers_pump(p);
}

/* ---- starting -------------------------------------------------------------------------------- */

static bool room_open(worker *w, const char **why) {
    text payload = TEXT_INIT;
    worker_request *open = worker_open_request(w->pool->server, &w->source, why);
    if (!open) return false;
    *why = "the server is out of memory";
    w->open_id = w->next_id++;
    bool sent = worker_request_payload(open, w->open_id, &payload) &&
                worker_process_send(w->process, payload.data, payload.length);
    text_free(&payload);
    worker_request_free(open);
    return sent;
}

static void room_start(worker *w) {
    worker_pool *p = w->pool;
    const worker_listener to = {room_frame, room_ended, w};
    const char *why = NULL;
    char message[256];
    char data[FOLDER_PATH_BYTES];
    worker_data_path(p->server, w->source.dataset, data);
    w->process = worker_process_start(p->server, &p->children, data, to);
    if (!w->process) {
        snprintf(message, sizeof message, "cannot start a worker process: %s", strerror(errno));
        calls_fail(w, "internal", message);
        room_remove(w);
        return;
    }
    w->state = WORKER_OPENING;
    if (room_open(w, &why)) return;
    calls_fail(w, "notfound", why);
    worker_end(w);
}

void worker_end(worker *w) {
    w->state = WORKER_ENDING;
    if (w->process) worker_process_quit(w->process);
}

/* ---- making room ----------------------------------------------------------------------------- */

/* Whether all calls of a worker can wait. */
static bool room_can_wait(const worker *w) {
    bool low_priority = true;
    for (const worker_call *call = w->calls; call; call = call->next) {
        low_priority = low_priority && (call->low_priority || call->about);
    }
    return low_priority;
}

/* Whether everything that a worker does can wait. */
static bool room_is_low_priority(const worker *w) {
    return w->state == WORKER_READY && w->calls && room_can_wait(w);
}

static worker *room_longest(worker_pool *p, bool (*is)(const worker *)) {
    worker *found = NULL;
    for (worker *w = p->workers; w; w = w->next) {
        if (is(w) && (!found || w->used < found->used)) found = w;
    }
    return found;
}

/* Whether it only answers short requests and was not asked to yield yet. */
static bool room_may_yield(const worker *w) {
    return w->state == WORKER_READY && !w->yields && !calls_mine(w);
}

/* Whether it has been reading its data longer than a request may wait, and no job mines them. */
static bool room_opens_long(const worker *w) {
    bool wanted = w->calls != NULL;
    unsigned most = wanted ? w->pool->server->config->max_wait : 0;
    return w->state == WORKER_OPENING && !calls_mine(w) && w->opening > most;
}

/* A worker that reads its data cannot be asked to end. */
static void room_stop_opening(worker *w) {
    w->yields = true;
    w->state = WORKER_ENDING;
    worker_process_kill(w->process);
}

static void room_make(worker_pool *p) {
    worker *idle = room_longest(p, room_is_idle);
    worker *low_priority = idle ? NULL : room_longest(p, room_is_low_priority);
    worker *opens = idle || low_priority ? NULL : room_longest(p, room_opens_long);
    worker *yields = idle || low_priority || opens ? NULL : room_longest(p, room_may_yield);
    if (idle) worker_end(idle);
    if (opens) room_stop_opening(opens);
    if (yields) yields->yields = true;
    for (worker_call *call = low_priority ? low_priority->calls : NULL; call; call = call->next) {
        if (call->low_priority && !call->cancelled) {
            call_cancel(call); /* when that is done, the worker is idle */
            return;
        }
    }
}

/* The client whose turn a worker takes. */
static uint64_t room_client(const worker *w) {
    return w->calls ? w->calls->reply.client : 0;
}

static bool room_is_before(const worker *a, const worker *b) {
    if (room_can_wait(a) != room_can_wait(b)) return room_can_wait(b);
    uint64_t turn_a = turns_last(&a->pool->turns, room_client(a));
    uint64_t turn_b = turns_last(&b->pool->turns, room_client(b));
    return turn_a != turn_b ? turn_a < turn_b : a->used < b->used;
}

/* The next worker to start: clients take turns, those with only low-priority calls last; for one
 * client, the data set that has waited longest. NULL: none waits. */
static worker *room_next(worker_pool *p) {
    worker *found = NULL;
    for (worker *w = p->workers; w; w = w->next) {
        if (w->state == WORKER_WAITING && (!found || room_is_before(w, found))) found = w;
    }
    return found;
}

/* No worker waits any more: those that were asked to yield continue. */
static void room_go_on(worker_pool *p) {
    for (worker *w = p->workers; w; w = w->next) {
        if (!w->yields || w->state != WORKER_READY) continue;
        w->yields = false;
        calls_send(w);
    }
}

#ifndef NDEBUG
/* Processes are no more than there is room for; calls belong to the worker that has them. */
static void workers_validate(const worker_pool *p) {
    size_t processes = 0;
    for (const worker *w = p->workers; w; w = w->next) {
        assert(w->pool == p && (w->state != WORKER_WAITING || !w->process));
        assert(w->state != WORKER_READY || w->process);
        processes += w->process != NULL;
        for (const worker_call *call = w->calls; call; call = call->next) {
            assert(call->worker == w && (!call->sent || w->process));
        }
    }
    assert(processes <= p->server->config->workers + 1);
}
#endif

void workers_pump(worker_pool *p) {
    worker *w;
#ifndef NDEBUG
    workers_validate(p);
#endif
    if (!room_next(p)) room_go_on(p);
    while ((w = room_next(p)) != NULL && !p->server->closing) {
        size_t processes = 0, ending = 0;
        for (const worker *each = p->workers; each; each = each->next) {
            processes += each->process != NULL;
            ending += each->state == WORKER_ENDING;
        }
        if (processes > p->server->config->workers) { /* there is room for one more than that */
            if (ending == 0) room_make(p);
            return;
        }
        turns_take(&p->turns, room_client(w));
        room_start(w);
    }
}

/* ---- incomplete files of a killed worker
 * ------------------------------------------------------ */

/* The library writes FILE.tmp.PID and renames it; a worker that ends by itself removes it. Files
 * with other process ids stay, because their workers may still be writing. */

static void sweep_folder(const server *s, const char *path, const char *ending) {
    DIR *folder = opendir(path);
    struct dirent *entry;
    size_t n = strlen(ending);
    while (folder && (entry = readdir(folder)) != NULL) {
        size_t length = strlen(entry->d_name);
        if (length > n && strcmp(entry->d_name + length - n, ending) == 0) {
            discard_in(s, dirfd(folder), entry->d_name);
        }
    }
    if (folder) closedir(folder);
}

void workers_sweep(const server *s, pid_t pid) {
    char ending[32];
    snprintf(ending, sizeof ending, ".tmp.%ld", (long)pid);
    sweep_folder(s, s->config->results_dir, ending);
    sweep_folder(s, s->config->tmp_dir, ending);
}
