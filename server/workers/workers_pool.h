/* workers_pool.h - inside the pool: workers and the calls that they have; see workers.h
 *
 * A worker is WAITING until there is room for its process, OPENING while it reads the data, READY
 * from then on, and ENDING when it is no longer asked. Its calls wait in one line; those that were
 * sent stay there until they are answered.
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
    worker_source source; /* without a fingerprint; calls have theirs */
    worker_state state;
    worker_process *process; /* NULL: not started */
    worker_call *calls;      /* in the order in which they came */
    uint64_t next_id, open_id;
    uint64_t used;         /* by the pool's clock of asks: the least is idle longest */
    uint64_t total;        /* transactions by weight, or graphs; 0 until it is open */
    char fingerprint[17];  /* of its data; empty until it is open */
    bool cut;              /* something that it did was cut off: it may leave half a file */
    bool hung;             /* it did not answer, and was killed */
    bool yields;           /* another data set waits: send it no further questions */
    unsigned opening;      /* seconds since it began to read its data */
    unsigned silent, slow; /* seconds since it was heard; of the short question that it has */
    struct worker *next;
} worker;

struct worker_call {
    worker *worker;
    uint64_t id;
    worker_request *request;
    worker_reply reply;       /* `done` is NULL for controls but raise */
    char fingerprint[17];     /* that the data must have; empty: any */
    const worker_call *about; /* of a control: the call that it is for, as long as that is there */
    bool sent, low_priority, cancelled;
    bool soon;       /* a question: somebody waits for the answer */
    unsigned waited; /* seconds for which it has */
    bool late;       /* a question that was cancelled because it takes too long */
    char *failure;   /* what `done` will be told */
    worker_call *next;
};

struct worker_pool {
    server *server;
    worker_children children;
    worker *workers;
    worker_call *failed; /* whose `done` is to be called from the loop */
    struct event *tell, *watch;
    uint64_t clock;
    turns turns; /* of clients, with places for processes */
};

/* workers_calls.c */
worker_call *call_new(worker *w, worker_request *steals, worker_reply reply);
/* Takes the call off its worker and tells `done`, now. */
void call_finish(worker_call *call, bool ok, const char *json, size_t bytes);
/* The same, with a failure, and a little later: from the loop. */
void call_fail(worker_call *call, const char *status, const char *message);
void call_fail_json(worker_call *call, const char *json, size_t bytes);
void calls_fail(worker *w, const char *status, const char *message);
void calls_send(worker *w);
/* Sends "cancel" for a call, once; one that was not sent yet fails at once. */
void call_cancel(worker_call *call);
void calls_tell(worker_pool *p);
/* The last frame of a call has come. */
void call_answer(worker_call *call, const worker_frame *frame);
/* Writes the message for a question that was not answered within `seconds`. */
void call_say_late(char *message, size_t room, unsigned seconds);
worker_call *call_find(const worker *w, uint64_t id);
/* Whether a worker mines, or is to. */
bool calls_mine(const worker *w);
/* Whether a verb waits behind another one of its worker, as in the protocol. */
bool call_is_long(const worker_call *call);

/* workers_request.c: frees what is left of a worker without process and calls. */
void worker_free(worker *w);
/* The file of a data set. */
void worker_data_path(const server *s, uint64_t dataset, char path[FOLDER_PATH_BYTES]);
/* The request "open" of a source whose data set is in the database. NULL: `why` says so. */
worker_request *worker_open_request(server *s, const worker_source *of, const char **why);

/* workers_room.c: starts those that wait, as far as there is room, and makes room. */
void workers_pump(worker_pool *p);
/* Ends one; it is not asked again. */
void worker_end(worker *w);

/* workers_watch.c: looks after those that do not answer. False: no memory. */
bool workers_watch(worker_pool *p);

/* workers_room.c: removes the half files of a process that has ended. */
void workers_sweep(const server *s, pid_t pid);

#endif
