/* workers_children.h - the child processes of the server, and how they end
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_WORKERS_CHILDREN_H
#define LODE_SERVER_WORKERS_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct event;
struct event_base;

/* One process; embedded in the structure of its owner. */
typedef struct worker_child {
    pid_t pid;
    void (*ended)(
        void *user,
        int status); /* called once, on the loop, after the child was removed from the list */
    void *user;
    struct worker_child *next;
} worker_child;

typedef struct worker_children {
    struct event *signal;
    worker_child *first;
} worker_children;

bool children_start(worker_children *c, struct event_base *base);
void children_watch(worker_children *c, worker_child *child);
/* Kills all children, waits for them and calls their `ended`. For the shutdown of the server. */
void children_end(worker_children *c);

/* Describes how a process ended, such as "was killed by signal 9 (Killed)". */
void children_describe(int status, char *words, size_t room);

#endif
