/* workers.h - the pool of worker processes, one for each data set in use and each way to read it
 *
 * Whoever wants something of a data set asks here. The pool starts a worker, has it open the data,
 * and hands the request over; a worker that is there already has the data in memory and the GPU
 * awake. If there are too many, the one that was idle longest ends. There is room for one process
 * more than jobs may run at the same time, so that a file can be looked at while all of them mine.
 *
 * A worker that dies loses its own calls and nothing else: they are done with status "lost". One
 * that hangs is killed (workers_watch.c). A short question that takes too long is done with status
 * "late".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_WORKERS_H
#define LODE_SERVER_WORKERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/request.h"
#include "server.h"
#include "workers/workers_children.h"

typedef struct worker_pool worker_pool;
typedef struct worker_request worker_request;
typedef struct worker_call worker_call;

/* What a worker has open: a data set, read and cleaned in one way. Texts are owned by whoever has
 * the structure; the functions of the pool copy what they keep. */
typedef struct worker_source {
    uint64_t dataset;
    char *read, *clean; /* JSON objects of options */
    char *fingerprint;  /* that the data must have, or questions fail as "changed"; NULL: any */
} worker_source;

/* False: no memory, and `to` is empty. */
bool worker_source_copy(worker_source *to, const worker_source *from);
void worker_source_clear(worker_source *source);

/* NULL: no memory; the functions below take that, and workers_ask then returns NULL. */
worker_request *worker_request_new(const char *verb);
/* A NULL value adds nothing. */
void worker_request_add(worker_request *q, const char *name, const char *value);
/* Adds what a JSON object of options has: texts, lists of them, numbers and switches, each under
 * `prefix` and its name. */
void worker_request_add_object(worker_request *q, const char *prefix, const json_t *options);
void worker_request_free(worker_request *q);

/* All on the loop; `event` may be NULL. `json` is lent for the call. `done` comes exactly once, and
 * never before workers_ask has returned. ok = false: a worker's failure, for reply_status(). */
typedef struct worker_reply {
    void (*event)(void *user, const char *json, size_t bytes);
    void (*done)(void *user, bool ok, const char *json, size_t bytes);
    void *user;
    request *request; /* of workers_ask_soon: who waits for the answer */
    uint64_t client;  /* whose turn it takes */
} worker_reply;

/* NULL: there is no memory, and `done` will not be called: answer 503. */
worker_call *workers_ask(worker_pool *p, const worker_source *of, worker_request *steals,
                         worker_reply reply);
/* The same for what can wait: it is cancelled (status "cancelled") as soon as somebody else needs
 * the worker or its place. */
worker_call *workers_ask_humbly(worker_pool *p, const worker_source *of, worker_request *steals,
                                worker_reply reply);
/* Whether a client may ask one more question; if not, it has been answered. */
bool workers_may_ask(worker_pool *p, request *r);
/* The same for a question that somebody waits for, although it may have to wait behind a job: it
 * fails with status "late" after --max-wait, and at once if nobody waits any more. */
worker_call *workers_ask_soon(worker_pool *p, const worker_source *of, worker_request *steals,
                              worker_reply reply);
/* cancel, keep: adds job=ID. For a call that is not done yet. */
void workers_control(worker_call *call, worker_request *steals);
/* raise: the same, and tells whether the worker has taken it. False: its data are not open yet, or
 * there is no memory, and `done` will not be called. */
bool workers_raise(worker_call *call, worker_request *steals, worker_reply reply);
/* Ends the worker of a call, which is then lost: for one that does not listen. */
void workers_kill(worker_call *call);
/* The data set was deleted: its workers end, and calls that they have are cancelled. */
void workers_forget(worker_pool *p, uint64_t dataset);

/* Ends the worker of a source if it is idle; the next request starts another, whose rules for files
 * are made anew: the folder that they named may be gone. */
void workers_renew(worker_pool *p, const worker_source *of);

/* Transactions (by weight) or graphs of a source that a worker has open; 0: none has. */
uint64_t workers_total(const worker_pool *p, const worker_source *of);
/* The fingerprint of its data, 16 hexadecimal digits; NULL: none has it open. */
const char *workers_fingerprint(const worker_pool *p, const worker_source *of);
/* The process of a source; 0: it has none. */
pid_t workers_pid(const worker_pool *p, const worker_source *of);
/* [{"dataset","pid","state","memory"}], for /status. NULL: no memory. */
json_t *workers_list(const worker_pool *p);
/* What each worker may use of memory and of each GPU's memory; 0: no limit. */
uint64_t workers_memory(const server *s);
/* What to start the server with, where a worker's failure says how much memory it needs. */
bool workers_memory_hint(const server *s, const json_t *failed, char *hint, size_t room);
uint64_t workers_device_memory(const server *s);
/* For other children of the server. */
worker_children *workers_children(worker_pool *p);

#endif
