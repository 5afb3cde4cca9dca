/* search_thread.h - the searching thread of a rank
 *
 * Searches run on this thread, with as many further threads as --threads allows. The communicating
 * thread, which creates this thread, starts searches. It waits with search_wait(), and learns from
 * search_take() which tasks a search has handed out and when it has ended. Only the communicating
 * thread calls MPI.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_SEARCH_THREAD_H
#define LODE_MPI_SEARCH_THREAD_H

#include "stored_task.h"

typedef struct search_thread search_thread;

/* Searches these tasks, which the caller still owns. Called on the searching thread. The function
 * must pass tasks that are given away to search_give(). */
typedef lode_status (*search_fn)(void *user, stored_task *const *tasks, size_t n);

/* Returns NULL if memory runs out or no thread can be started. */
search_thread *search_thread_create(search_fn function, void *user);
/* Ends the thread; no search may be running. */
void search_thread_free(search_thread *t);

/* Begins a search of the tasks with these handles. The thread owns the tasks until search_take()
 * reports that the search has ended, and then frees them. Returns false if memory runs out. */
bool search_start(search_thread *t, const uint64_t *handles, size_t n);
/* A lode_task_fn; `user` is the search_thread. The task has id 0 until it gets an id. */
int search_give(void *user, const lode_task *task);

/* Returns the next event: a task was given away (*given, which the caller then owns), or the search
 * has ended (*ended has its status). */
typedef enum search_event { SEARCH_NOTHING = 0, SEARCH_GAVE, SEARCH_ENDED } search_event;
search_event search_take(search_thread *t, stored_task **given, lode_status *ended);

/* Waits for an event, for at most this many seconds. */
void search_wait(search_thread *t, double seconds);

/* CPU seconds and wall seconds of all searches so far. */
double search_cpu(const search_thread *t);
double search_wall(const search_thread *t);

#endif
