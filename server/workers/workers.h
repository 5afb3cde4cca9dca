/* workers.h - the pool of worker processes, one for each data set in use with its options
 *
 * All requests about the content of a data set go through the pool. It starts a worker, makes it
 * open the data, and sends it the request; a running worker already has the data in memory and the
 * GPU initialized. If there are too many workers, the one that has been idle longest ends. The pool
 * has one process more than jobs may run at the same time, so that a file can be previewed while
 * all jobs mine.
 *
 * If a worker dies, only its own calls fail, with status "lost". A worker that hangs is killed
 * (workers_watch.c). A short request that takes too long fails with status "late".
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

/* What a worker has open: a data set with its read and clean options. The owner of the structure
 * owns the strings; the pool copies what it keeps. */
typedef struct worker_source {
    uint64_t dataset;
    char *read, *clean; /* JSON objects of options */
    char *fingerprint;  /* required of the data, otherwise calls fail as "changed"; NULL: any */
} worker_source;

/* False: out of memory, and `to` is empty. */
bool worker_source_copy(worker_source *to, const worker_source *from);
void worker_source_clear(worker_source *source);

/* NULL: out of memory; the functions below accept NULL, and workers_ask then returns NULL. */
worker_request *worker_request_new(const char *verb);
/* A NULL value adds nothing. */
void worker_request_add(worker_request *q, const char *name, const char *value);
/* Adds all options of a JSON object (strings, lists of strings, numbers, booleans). The name of
 * each is `prefix` followed by its name in the object. */
void worker_request_add_object(worker_request *q, const char *prefix, const json_t *options);
void worker_request_free(worker_request *q);

/* Callbacks on the loop; `event` may be NULL. `json` is valid during the callback. `done` is called
 * exactly once, and never before workers_ask has returned. ok = false: the error of a worker, for
 * reply_status(). */
typedef struct worker_reply {
    void (*event)(void *user, const char *json, size_t bytes);
    void (*done)(void *user, bool ok, const char *json, size_t bytes);
    void *user;
    request *request; /* for workers_ask_soon: the request that waits for the answer */
    uint64_t client;  /* hash of the client whose turn it takes */
} worker_reply;

/* NULL: out of memory, and `done` will not be called; answer 503. */
worker_call *workers_ask(worker_pool *p, const worker_source *of, worker_request *steals,
                         worker_reply reply);
/* The same with low priority: the call is cancelled (status "cancelled") as soon as another call
 * needs the worker or its process slot. */
worker_call *workers_ask_low_priority(worker_pool *p, const worker_source *of,
                                      worker_request *steals, worker_reply reply);
/* Whether a client may send one more request to workers; if not, the request has been answered. */
bool workers_may_ask(worker_pool *p, request *r);
/* The same for a request whose client waits for the answer: it fails with status "late" after
 * --max-wait, even if it only waited for a job, and at once if the client disconnects. */
worker_call *workers_ask_soon(worker_pool *p, const worker_source *of, worker_request *steals,
                              worker_reply reply);
/* Sends cancel or keep for a call that is not done yet; adds job=ID. */
void workers_control(worker_call *call, worker_request *steals);
/* The same for raise; `done` tells whether the worker accepted it. False: the data are not open
 * yet, or out of memory; `done` will not be called. */
bool workers_raise(worker_call *call, worker_request *steals, worker_reply reply);
/* Kills the worker of a call that does not respond; the call is lost. */
void workers_kill(worker_call *call);
/* The data set was deleted: ends its workers and cancels their calls. */
void workers_forget(worker_pool *p, uint64_t dataset);

/* Ends the worker of a source if it is idle. The next request starts a new worker with new file
 * rules (sandbox.h), because a folder that the old rules name may have been replaced. */
void workers_renew(worker_pool *p, const worker_source *of);

/* Weighted number of transactions, or number of graphs, of a source that a worker has open; 0: none
 * has. */
uint64_t workers_total(const worker_pool *p, const worker_source *of);
/* The fingerprint of its data, 16 hexadecimal digits; NULL: none has it open. */
const char *workers_fingerprint(const worker_pool *p, const worker_source *of);
/* The process id of the worker of a source; 0: none. */
pid_t workers_pid(const worker_pool *p, const worker_source *of);
/* [{"dataset","pid","state","memory"}], for /status. NULL: out of memory. */
json_t *workers_list(const worker_pool *p);
/* Bytes of memory that each worker may use (workers_device_memory: of GPU memory); 0: no limit. */
uint64_t workers_memory(const server *s);
/* Writes a hint with the --memory that the server needs, if the error of a worker says how much it
 * needs. */
bool workers_memory_hint(const server *s, const json_t *failed, char *hint, size_t room);
uint64_t workers_device_memory(const server *s);
/* The list in which the server registers other child processes. */
worker_children *workers_children(worker_pool *p);

#endif
