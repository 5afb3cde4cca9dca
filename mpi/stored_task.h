/* stored_task.h - a task as ranks store it, send it and receive it
 *
 * The scheduler identifies a task by its handle, a number made from its address. A task is sent as
 * an array of 32-bit words, so all ranks must run on machines of the same kind.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_STORED_TASK_H
#define LODE_MPI_STORED_TASK_H

#include "lode.h"

typedef struct stored_task {
    lode_task task;
    uint64_t id;       /* the number of a root task, or the id of a task that was given away */
    uint32_t prefix[]; /* the numbers that task.prefix points to */
} stored_task;

/* Copies a task. Returns NULL if memory runs out. */
stored_task *task_copy(const lode_task *task, uint64_t id);

/* For qsort() of pointers: orders tasks as a walk of the search tree meets them, with prefixes
 * compared by their numbers. */
int task_by_prefix(const void *a, const void *b);

static inline uint64_t task_handle(const stored_task *t) {
    return (uint64_t)(uintptr_t)t;
}

static inline stored_task *task_of_handle(uint64_t handle) {
    return (stored_task *)(uintptr_t)handle;
}

/* task_words() returns the number of words of a task, and task_pack() writes these words.
 * task_unpack() makes a task from the words at *at, and advances *at; it returns NULL if memory
 * runs out or the words are not a task. */
size_t task_words(const stored_task *t);
void task_pack(const stored_task *t, uint32_t *words);
stored_task *task_unpack(const uint32_t *words, size_t n, size_t *at);

#endif
