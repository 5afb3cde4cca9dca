/* tasks.h - threads for what would hold up the loop
 *
 * The queue is bounded. Clients take turns: somebody who asks for much waits for his own tasks, not
 * everybody for his (tasks_add_for).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_TASKS_H
#define LODE_SERVER_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_base;
typedef struct task_pool task_pool;

/* NULL: no memory or no threads. */
task_pool *tasks_new(struct event_base *base, unsigned threads, size_t room);
/* Waits for the tasks that run; `done` of all that were added is called, on this thread. */
void tasks_free(task_pool *p);

/* `work` on a thread, then `done` on the loop, each once. False: the queue is full, answer 503. */
bool tasks_add(task_pool *p, void (*work)(void *), void (*done)(void *), void *arg);
/* The same in the line of a client (request_client). */
bool tasks_add_for(task_pool *p, uint64_t client, void (*work)(void *), void (*done)(void *),
                   void *arg);
size_t tasks_waiting(task_pool *p);

#endif
