/* workers_process.h - one `lode worker`: its process, and the frames that go to it and come back
 *
 * Both directions are one socket, in the place of the worker's standard input and output; its
 * errors go where the server's go. Nothing here knows what requests mean: workers.c does.
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

/* A reply as it comes from the worker; lent for the call. */
typedef struct worker_frame {
    uint64_t id;
    enum { FRAME_EVENT, FRAME_DONE, FRAME_FAILED } kind;
    const char *json;
    size_t bytes;
} worker_frame;

typedef struct worker_listener {
    void (*frame)(void *user, const worker_frame *frame);
    /* Once, when the process is gone and all it has said was heard; it is freed after this. `how`
     * says how it ended. */
    void (*ended)(void *user, const char *how);
    void *user;
} worker_listener;

/* Starts the program as a worker that can read the file `data`, of those in the data folder. NULL:
 * `errno` says why. */
worker_process *worker_process_start(server *s, worker_children *children, const char *data,
                                     worker_listener to);
/* Sends a request: `payload` without its length. False: no memory. */
bool worker_process_send(worker_process *p, const char *payload, size_t bytes);
/* Asks it to end; one that does not within a second is killed. */
void worker_process_quit(worker_process *p);
void worker_process_kill(worker_process *p);
/* Kills it, and listens to nothing that it may still say. */
void worker_process_abandon(worker_process *p);
pid_t worker_process_pid(const worker_process *p);
/* Bytes of memory that the process holds, as the system says; 0: unknown. */
uint64_t worker_process_memory(const worker_process *p);

#endif
