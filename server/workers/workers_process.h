/* workers_process.h - one `lode worker` process, and the frames it exchanges with the server
 *
 * One socket replaces the worker's standard input and output; its standard error is that of the
 * server. This file does not know what requests mean; workers.c does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_WORKERS_PROCESS_H
#define LODE_SERVER_WORKERS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "server.h"
#include "workers/workers_children.h"

typedef struct worker_process worker_process;

/* A frame from the worker; valid during the callback. */
typedef struct worker_frame {
    uint64_t id;
    enum { FRAME_EVENT, FRAME_DONE, FRAME_FAILED } kind;
    const char *json;
    size_t bytes;
} worker_frame;

typedef struct worker_listener {
    void (*frame)(void *user, const worker_frame *frame);
    /* Called once, after the process has ended and all its frames were delivered. After this call,
     * the worker_process is freed. `how` describes how it ended. */
    void (*ended)(void *user, const char *how);
    void *user;
} worker_listener;

/* Starts a worker that can read only the file `data` in the data folder. NULL: see errno. */
worker_process *worker_process_start(server *s, worker_children *children, const char *data,
                                     worker_listener to);
/* Sends a request: `payload` without its length. False: no memory. */
bool worker_process_send(worker_process *p, const char *payload, size_t bytes);
/* Asks the worker to end, and kills it after a second. */
void worker_process_quit(worker_process *p);
void worker_process_kill(worker_process *p);
/* Kills the worker and ignores its remaining frames. */
void worker_process_abandon(worker_process *p);
pid_t worker_process_pid(const worker_process *p);
/* Bytes of memory of the process (resident); 0: unknown. */
uint64_t worker_process_memory(const worker_process *p);

#endif
