/* mem.h - the allocator: every byte is counted, and a budget is never exceeded
 *
 * What:  accounting objects are nested. What a job allocates counts both in the job and in its
 *        context; so does an object that outlives the job, such as a data set. Each accounting
 *        object may have a budget. All memory of the library is allocated through an accounting
 *        object.
 * Why:   callers know the sizes of their blocks, so the budget is exact, and blocks need no
 *        headers.
 * Rules: blocks are aligned to 64 bytes; freeing needs the size; a block of size 0 is the NULL
 *        pointer. A size is a constant, or is stored next to the pointer when the block is made;
 *        never recompute it from values that may have changed. Use mem_kept for blocks whose size
 *        the caller cannot know.
 * Debug: in Debug builds 64 bytes before each block hold its size, and a call with another size, or
 *        with a pointer that is not a block, ends the program with a message. AddressSanitizer
 *        reports accesses to these bytes and to the bytes after the block.
 * Load:  blocks are few (10^2 .. 10^5 per job) and large. No inner loop allocates, so the cost of
 *        the atomic counters is too small to measure.
 * Pages: a block of 256 KiB or more has its own pages. Growing it moves no data, and freeing it
 *        returns the memory to the system at once, so that the resident size follows the budget.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_MEM_H
#define LODE_BASE_MEM_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/status.h"

#define MEM_ALIGN 64

typedef struct mem mem;

/* Functions that an outermost object calls, on any thread, when memory is short. */
typedef struct mem_lender {
    /* Frees memory that is not in use; returns false if there was none. Must not allocate. */
    bool (*reclaim)(void *user, size_t bytes);
    /* Returns how many bytes are reserved for objects other than `inner` and not yet in use. */
    size_t (*promised)(void *user, const mem *inner);
    void *user;
} mem_lender;

struct mem {
    /* the object in which allocations count in addition; NULL = this is the outermost object */
    mem *outer;
    mem_lender lender;       /* outermost object only */
    _Atomic size_t promises; /* used in outermost objects: an upper bound of all reservations */
    lode_resize_fn resize;
    void *user;
    size_t budget; /* the budget of this object; SIZE_MAX = none */
    _Atomic size_t used;
    _Atomic size_t peak;
    _Atomic size_t refused; /* value that `used` would have had after the last refused request */
};

/* Initialises an outermost object. `resize` NULL: the memory comes from the system. budget_bytes 0:
 * there is no budget. */
void mem_init(mem *m, lode_resize_fn resize, void *user, uint64_t budget_bytes);
/* Initialises an object whose memory comes from `outer` and counts there, too. */
void mem_init_inner(mem *m, mem *outer, uint64_t budget_bytes);
/* Moves the object out of all objects between it and the outermost one: from now on its memory
 * counts only in the outermost object. No other thread may use the object during the call. */
void mem_move_out(mem *m);

/* Moves blocks of this total size from m->outer to `m`. The blocks must then be freed through
 * `m`. */
void mem_adopt(mem *m, size_t bytes);

/* Resizes *pointer to new_bytes; contents up to the smaller size are kept. On failure *pointer is
 * unchanged. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status mem_resize(mem *m, void **pointer, size_t old_bytes, size_t new_bytes);

/* Allocates zeroed memory. Errors: as mem_resize(). */
LODE_NODISCARD lode_status mem_zalloc(mem *m, void **pointer, size_t bytes);

void mem_free(mem *m, void *pointer, size_t bytes);

/* Like mem_zalloc(), but the memory is not counted. For structs that contain the accounting object
 * itself. */
LODE_NODISCARD lode_status mem_zalloc_uncounted(const mem *like, void **pointer, size_t bytes);
/* Frees memory from mem_zalloc_uncounted(). */
void mem_free_uncounted(const mem *like, void *pointer, size_t bytes);

/* A set of blocks that are freed together. Each block remembers its size, which costs 64 extra
 * bytes. A set that is all zero is empty. */
typedef struct mem_kept {
    struct mem_kept_block *last;
} mem_kept;

/* Allocates a block, as mem_resize() does for an empty one, and adds the block to `kept`. */
LODE_NODISCARD lode_status mem_keep(mem *m, mem_kept *kept, void **pointer, size_t bytes);
/* Allocates a zeroed block, as mem_zalloc() does, and adds the block to `kept`. */
LODE_NODISCARD lode_status mem_keep_zero(mem *m, mem_kept *kept, void **pointer, size_t bytes);
/* Frees all blocks of the set. */
void mem_drop(mem *m, mem_kept *kept);

/* Counts memory that was allocated elsewhere, such as a library's buffers, in the budget. */
LODE_NODISCARD lode_status mem_charge(mem *m, size_t bytes);
/* Undoes mem_charge(). */
void mem_discharge(mem *m, size_t bytes);

/* Returns how many bytes this and all outer objects still allow to allocate; SIZE_MAX without a
 * budget. */
size_t mem_left(const mem *m);
/* Returns whether `bytes` are at most a sixteenth of mem_left(), so that they may be spent to save
 * time. Without a budget, the result is always true. */
static inline bool mem_is_ample(const mem *m, size_t bytes) {
    return bytes <= mem_left(m) / 16;
}
/* Returns the smallest budget of this and all outer objects; SIZE_MAX = there is none. */
size_t mem_budget(const mem *m);
/* Returns the object, among this and all outer ones, with the least memory left: its budget will be
 * exceeded first. */
const mem *mem_tightest(const mem *m);

static inline size_t mem_used(const mem *m) {
    return atomic_load_explicit(&m->used, memory_order_relaxed);
}
static inline size_t mem_refused(const mem *m) {
    return atomic_load_explicit(&m->refused, memory_order_relaxed);
}

/* ---- marking bytes for AddressSanitizer ------------------------------------------------------ */

/* The sanitizer knows only blocks from malloc(). Code that divides larger blocks (pages, slabs)
 * into pieces marks the unused bytes, so that the sanitizer finds overruns into them, too. In
 * builds without AddressSanitizer these functions do nothing. */

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISON_ON 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define POISON_ON 1
#endif

#if defined(POISON_ON)
void __asan_poison_memory_region(const volatile void *start, size_t bytes);
void __asan_unpoison_memory_region(const volatile void *start, size_t bytes);

static inline void poison(const void *start, size_t bytes) {
    if (bytes > 0) __asan_poison_memory_region(start, bytes);
}
static inline void unpoison(const void *start, size_t bytes) {
    if (bytes > 0) __asan_unpoison_memory_region(start, bytes);
}
#else
static inline void poison(const void *start, size_t bytes) {
    (void)start;
    (void)bytes;
}
static inline void unpoison(const void *start, size_t bytes) {
    (void)start;
    (void)bytes;
}
#endif

#endif
