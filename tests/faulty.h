/* faulty.h - an allocator that refuses one request, and counts the bytes that it has handed out
 *
 * For lode_ctx_options.resize. Each block carries its size, so that a wrong size is found in every
 * build.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_FAULTY_H
#define LODE_TESTS_FAULTY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct faulty {
    pthread_mutex_t lock;
    uint64_t calls, fail_at; /* number of requests for more memory; which one, from 0, to refuse */
    size_t live;             /* bytes handed out and not freed yet */
    bool wrong_size;         /* a block was freed or resized with a wrong old size */
} faulty;

static inline void *faulty_take(faulty *f, size_t bytes, size_t align) {
    uint64_t number = f->calls++;
    if (number == f->fail_at) return NULL;
    size_t *block = aligned_alloc(align, (bytes + 2 * align - 1) / align * align);
    if (!block) exit(2);
    *block = bytes; /* the header takes `align` bytes before the block */
    f->live += bytes;
    return (char *)block + align;
}

static inline void faulty_drop(faulty *f, void *pointer, size_t bytes, size_t align) {
    size_t *block = (size_t *)(void *)((char *)pointer - align);
    f->wrong_size = f->wrong_size || *block != bytes;
    f->live -= bytes;
    free(block);
}

static inline void *faulty_resize(void *user, void *pointer, size_t old_bytes, size_t new_bytes,
                                  size_t align) {
    faulty *f = user;
    void *fresh = NULL;
    pthread_mutex_lock(&f->lock);
    if (new_bytes > 0) fresh = faulty_take(f, new_bytes, align);
    if (fresh && pointer) memcpy(fresh, pointer, old_bytes < new_bytes ? old_bytes : new_bytes);
    if (pointer && (fresh || new_bytes == 0)) faulty_drop(f, pointer, old_bytes, align);
    pthread_mutex_unlock(&f->lock);
    return fresh;
}

#endif
