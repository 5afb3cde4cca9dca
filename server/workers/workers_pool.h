/* workers_pool.h - internals of the pool: workers and their calls; see workers.h
 *
 * A worker is WAITING until there is room for its process, OPENING while it reads the data, READY
 * afterwards, and ENDING when it gets no more calls. Its calls are in one queue; a call stays there
 * after it was sent, until it is answered.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_WORKERS_POOL_H
#define LODE_SERVER_WORKERS_POOL_H

#include "jobs/turns.h"
#include "workers/workers.h"
#include "workers/workers_process.h"
#include "workers/workers_request.h"

typedef enum worker_state {
    WORKER_WAITING,
    WORKER_OPENING,
    WORKER_READY,
    WORKER_ENDING
} worker_state;

typedef struct worker {
    worker_pool *pool;
    worker_source source; /* without a fingerprint; calls have their own */
    worker_state state;
    worker_process *process; /* NULL: not started */
    worker_call *calls;      /* in the order in which they came */
    uint64_t next_id, open_id;
    uint64_t used;  /* clock of the pool at the last call; the smallest has been idle longest */
    uint64_t total; /* weighted number of transactions, or of graphs; 0 until the data are open */
    char fingerprint[17];  /* of its data; empty until they are open */
    bool cut;              /* it was interrupted and may leave an incomplete file */
    bool hung;             /* it did not respond and was killed */
    bool yields;           /* another data set waits: send it no more calls */
    unsigned opening;      /* seconds since it started to read its data */
    unsigned silent, slow; /* seconds since its last message; seconds of its short request */
    struct worker *next;
} worker;

struct worker_call {
    worker *worker;
    uint64_t id;
    worker_request *request;
    worker_reply reply;       /* `done` is NULL for controls other than raise */
    char fingerprint[17];     /* fingerprint that the data must have; empty: any */
    const worker_call *about; /* of a control: the call that it is for; NULL once that has ended */
    bool sent, low_priority, cancelled;
    bool soon;       /* a client waits for the answer */
    unsigned waited; /* seconds that it has waited */
    bool late;       /* cancelled because it takes too long */
    char *failure;   /* the error for `done` */
    worker_call *next;
};

struct worker_pool {
    server *server;
    worker_children children;
    worker *workers;
    worker_call *failed; /* calls whose `done` the loop must call with an error */
    struct event *tell, *watch;
    uint64_t clock;
    turns turns; /* turns of clients for process slots */
};

/* workers_calls.c */
worker_call *call_new(worker *w, worker_request *steals, worker_reply reply);
/* Ends a call with an error. Its `done` is called later, from the loop. */
void call_fail(worker_call *call, const char *status, const char *message);
void call_fail_json(worker_call *call, const char *json, size_t bytes);
void calls_fail(worker *w, const char *status, const char *message);
void calls_send(worker *w);
/* Sends "cancel" for a call, once; a call that was not sent yet fails at once. */
void call_cancel(worker_call *call);
void calls_tell(worker_pool *p);
/* The last frame of a call has arrived. */
void call_answer(worker_call *call, const worker_frame *frame);
/* Writes the error for a request that was not answered within `seconds`. */
void call_say_late(char *message, size_t room, unsigned seconds);
worker_call *call_find(const worker *w, uint64_t id);
/* Whether a worker has a mining call, running or waiting. */
bool calls_mine(const worker *w);
/* Whether a call is long: the worker runs only one long call at a time. */
bool call_is_long(const worker_call *call);

/* workers_request.c: frees a worker that has no process and no calls. */
void worker_free(worker *w);
/* The file of a data set. */
void worker_data_path(const server *s, uint64_t dataset, char path[FOLDER_PATH_BYTES]);
/* The request "open" for a source. NULL: `why` has the reason. */
worker_request *worker_open_request(server *s, const worker_source *of, const char **why);

/* workers_room.c: starts waiting workers as far as there is room, and ends idle ones to make
 * room. */
void workers_pump(worker_pool *p);
/* Ends a worker; it gets no more calls. */
void worker_end(worker *w);

/* workers_watch.c: kills workers that do not respond. False: out of memory. */
bool workers_watch(worker_pool *p);

/* workers_room.c: removes incomplete files of a process that has ended. */
void workers_sweep(const server *s, pid_t pid);

#endif
