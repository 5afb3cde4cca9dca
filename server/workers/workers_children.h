/* workers_children.h - the processes that the server has started, and how it learns that they ended
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_WORKERS_CHILDREN_H
#define LODE_SERVER_WORKERS_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct event;
struct event_base;

/* One process; lies within whoever started it. */
typedef struct worker_child {
    pid_t pid;
    void (*ended)(void *user, int status); /* on the loop, once; the child is off the list then */
    void *user;
    struct worker_child *next;
} worker_child;

typedef struct worker_children {
    struct event *signal;
    worker_child *first;
} worker_children;

bool children_start(worker_children *c, struct event_base *base);
void children_watch(worker_children *c, worker_child *child);
/* Ends all that are left and waits for them; their `ended` is called. For the end of the server. */
void children_end(worker_children *c);

/* How a process ended, in words such as "was killed by signal 9 (Killed)". */
void children_describe(int status, char *words, size_t room);

#endif
