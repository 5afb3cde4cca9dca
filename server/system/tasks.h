/* tasks.h - threads for work that would block the loop
 *
 * The queue is bounded. Clients take turns (tasks_add_for), so a client with many tasks delays only
 * itself.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_TASKS_H
#define LODE_SERVER_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_base;
typedef struct task_pool task_pool;

/* NULL: out of memory or threads. */
task_pool *tasks_new(struct event_base *base, unsigned threads, size_t room);
/* Waits for running tasks, and calls `done` of all tasks on this thread. */
void tasks_free(task_pool *p);

/* Calls `work` on a thread, then `done` on the loop, each once. False: the queue is full, answer
 * 503. */
bool tasks_add(task_pool *p, void (*work)(void *), void (*done)(void *), void *arg);
/* The same, in the queue of a client (request_client). */
bool tasks_add_for(task_pool *p, uint64_t client, void (*work)(void *), void (*done)(void *),
                   void *arg);

#endif
