/* stored_task.c - see stored_task.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "stored_task.h"

#include <stdlib.h>
#include <string.h>

#define TASK_HEAD 6 /* words before the prefix: id (2), n_prefix, first, end, own */

stored_task *task_copy(const lode_task *task, uint64_t id) {
    size_t bytes = task->n_prefix * sizeof(uint32_t);
    stored_task *t = malloc(sizeof *t + bytes);
    if (!t) return NULL;
    t->task = *task;
    t->task.size = sizeof t->task;
    t->id = id;
    if (bytes > 0) memcpy(t->prefix, task->prefix, bytes);
    t->task.prefix = t->prefix;
    return t;
}

size_t task_words(const stored_task *t) {
    return TASK_HEAD + (size_t)t->task.n_prefix;
}

void task_pack(const stored_task *t, uint32_t *words) {
    words[0] = (uint32_t)t->id;
    words[1] = (uint32_t)(t->id >> 32);
    words[2] = t->task.n_prefix;
    words[3] = t->task.first;
    words[4] = t->task.end;
    words[5] = t->task.own;
    memcpy(words + TASK_HEAD, t->prefix, t->task.n_prefix * sizeof *words);
}

stored_task *task_unpack(const uint32_t *words, size_t n, size_t *at) {
    const uint32_t *w = words + *at;
    size_t left = n - *at;
    if (*at > n || left < TASK_HEAD || left - TASK_HEAD < w[2]) return NULL;
    lode_task task = {.size = sizeof task,
                      .prefix = w + TASK_HEAD,
                      .n_prefix = w[2],
                      .first = w[3],
                      .end = w[4],
                      .own = w[5] != 0};
    *at += TASK_HEAD + (size_t)w[2];
    return task_copy(&task, (uint64_t)w[1] << 32 | w[0]);
}

int task_by_prefix(const void *a, const void *b) {
    const lode_task *x = &(*(stored_task *const *)a)->task, *y = &(*(stored_task *const *)b)->task;
    uint32_t n = x->n_prefix < y->n_prefix ? x->n_prefix : y->n_prefix;
    for (uint32_t i = 0; i < n; i++) {
        if (x->prefix[i] != y->prefix[i]) return x->prefix[i] < y->prefix[i] ? -1 : 1;
    }
    if (x->n_prefix != y->n_prefix) return x->n_prefix < y->n_prefix ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}
