/* search_thread.h - the searching thread of a rank, besides the communicating one
 *
 * The search runs here, with as many threads as --threads asks for. The communicating thread, which
 * creates this one, starts searches, and learns from search_wait() which tasks they have handed out
 * and when they end. Only that thread calls MPI.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_SEARCH_THREAD_H
#define LODE_MPI_SEARCH_THREAD_H

#include "stored_task.h"

typedef struct search_thread search_thread;

/* Searches these tasks, which stay owned by the caller; called by the searching thread. Tasks that
 * are given away go to search_give(). */
typedef lode_status (*search_fn)(void *user, stored_task *const *tasks, size_t n);

/* NULL: no memory, or no thread. */
search_thread *search_thread_create(search_fn function, void *user);
/* Ends the thread; no search may be running. */
void search_thread_free(search_thread *t);

/* Begins a search. The thread owns the tasks until search_take() reports that the search has ended,
 * and frees them. Returns false if there is no memory. */
bool search_start(search_thread *t, const uint64_t *handles, size_t n);
/* A lode_task_fn; `user` is the thread. The id of the task is 0 until it is assigned one. */
int search_give(void *user, const lode_task *task);

/* The event since the last call: a task was given away, or the search has ended. */
typedef enum search_event { SEARCH_NOTHING = 0, SEARCH_GAVE, SEARCH_ENDED } search_event;
search_event search_take(search_thread *t, stored_task **given, lode_status *ended);

/* Waits until something has happened, at most this many seconds. */
void search_wait(search_thread *t, double seconds);

/* CPU seconds and wall seconds that searches have taken. */
double search_cpu(const search_thread *t);
double search_wall(const search_thread *t);

#endif
