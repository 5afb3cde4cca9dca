/* stored_task.h - a task as ranks store it, send it and receive it
 *
 * The scheduler identifies a task by its handle, a number made of its address. When sent, it is an
 * array of 32-bit words; all ranks must be machines of one kind.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_STORED_TASK_H
#define LODE_MPI_STORED_TASK_H

#include "lode.h"

typedef struct stored_task {
    lode_task task;
    uint64_t id;       /* the number of a root task, or of one that was given away */
    uint32_t prefix[]; /* what `task` points to */
} stored_task;

/* NULL: no memory. */
stored_task *task_copy(const lode_task *task, uint64_t id);

/* For qsort() of pointers: tasks in the order in which the tree is walked, prefixes by numbers. */
int task_by_prefix(const void *a, const void *b);

static inline uint64_t task_handle(const stored_task *t) {
    return (uint64_t)(uintptr_t)t;
}

static inline stored_task *task_of_handle(uint64_t handle) {
    return (stored_task *)(uintptr_t)handle;
}

/* Return the number of words of a task; write them; read them, and advance *at. task_unpack()
 * returns NULL if there is no memory, or if the words are not a task. */
size_t task_words(const stored_task *t);
void task_pack(const stored_task *t, uint32_t *words);
stored_task *task_unpack(const uint32_t *words, size_t n, size_t *at);

#endif
