/* mem.h - the allocator: every byte is counted, and a budget is never exceeded
 *
 * What:  accounting objects, one inside the other: what a job takes counts in its context as well,
 *        and so does what outlives the job, such as a data set. Each may have a budget. All memory
 *        of the library passes through one of them.
 * Why:   callers know the size of what they hold, so the budget is exact, and blocks need no
 *        headers.
 * Rules: blocks are aligned to 64 bytes; freeing needs the size; size 0 is the NULL pointer. A size
 *        is a constant, or stored next to the pointer when the block is made. It is never computed
 *        again from values that may have changed: for such blocks there is mem_kept.
 * Debug: in Debug builds 64 bytes before each block hold its size, and a call with another size, or
 *        with a pointer that is not a block, ends the program with a message. AddressSanitizer
 *        reports accesses to these bytes and to those after the block.
 * Load:  few, large blocks (10^2 .. 10^5 per job). Nothing allocates in an inner loop, so the cost
 *        of the atomics cannot be measured.
 * Pages: blocks of 256 KiB and more are pages of their own: growing them moves no data, and freeing
 *        them returns the memory at once, so that the resident size follows the budget.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_MEM_H
#define LODE_BASE_MEM_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/status.h"

#define MEM_ALIGN 64

typedef struct mem mem;

/* What an outermost object asks when memory is short; called on any thread. */
typedef struct mem_lender {
    /* Frees what nobody needs at the moment; false if there was nothing. Must not take memory. */
    bool (*reclaim)(void *user, size_t bytes);
    /* Bytes that are reserved for others than `inner` and not in use yet. */
    size_t (*promised)(void *user, const mem *inner);
    void *user;
} mem_lender;

struct mem {
    mem *outer;              /* counts there as well; NULL = this is an outermost object */
    mem_lender lender;       /* of an outermost object */
    _Atomic size_t promises; /* likewise: an upper bound of all that is reserved */
    lode_resize_fn resize;
    void *user;
    size_t budget; /* of its own; SIZE_MAX = none */
    _Atomic size_t used;
    _Atomic size_t peak;
    _Atomic size_t refused; /* what `used` would have been after the last request refused */
};

/* Makes an outermost object; resize NULL = the system's memory, budget 0 = none. */
void mem_init(mem *m, lode_resize_fn resize, void *user, uint64_t budget_bytes);
/* Makes an object that counts within `outer`, and takes its memory from there. */
void mem_init_inner(mem *m, mem *outer, uint64_t budget_bytes);
/* From now on counts only in the outermost object, no more in those between. No other thread may
 * use it meanwhile. */
void mem_move_out(mem *m);

/* Blocks of this many bytes, taken from m->outer, belong to `m` from now on, which frees
 * them. */
void mem_adopt(mem *m, size_t bytes);

/* Makes *pointer hold new_bytes; contents up to the smaller size are kept. On failure *pointer is
 * unchanged. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status mem_resize(mem *m, void **pointer, size_t old_bytes, size_t new_bytes);

/* As mem_resize from nothing; the memory is zeroed. */
LODE_NODISCARD lode_status mem_zalloc(mem *m, void **pointer, size_t bytes);

void mem_free(mem *m, void *pointer, size_t bytes);

/* As mem_zalloc and mem_free, but not counted: for structs that contain the accounting object. */
LODE_NODISCARD lode_status mem_zalloc_uncounted(const mem *like, void **pointer, size_t bytes);
void mem_free_uncounted(const mem *like, void *pointer, size_t bytes);

/* A set of blocks that keep their sizes, for 64 bytes more each, and are freed together. All zero
 * is an empty set. */
typedef struct mem_kept {
    struct mem_kept_block *last;
} mem_kept;

/* As mem_resize from nothing, and as mem_zalloc; the block is added to `kept`. */
LODE_NODISCARD lode_status mem_keep(mem *m, mem_kept *kept, void **pointer, size_t bytes);
LODE_NODISCARD lode_status mem_keep_zero(mem *m, mem_kept *kept, void **pointer, size_t bytes);
/* Frees all blocks of the set. */
void mem_drop(mem *m, mem_kept *kept);

/* Counts memory that comes from elsewhere, such as buffers of a library, in the budget. */
LODE_NODISCARD lode_status mem_charge(mem *m, size_t bytes);
void mem_discharge(mem *m, size_t bytes);

/* Bytes that can still be taken, here and in all outer objects; SIZE_MAX without a budget. */
size_t mem_left(const mem *m);
/* Whether `bytes` more are little beside what is left: then they may be spent to save time. Always
 * so without a budget. */
static inline bool mem_is_ample(const mem *m, size_t bytes) {
    return bytes <= mem_left(m) / 16;
}
/* The smallest budget of this and all outer objects; SIZE_MAX = none. */
size_t mem_budget(const mem *m);
/* The one of these that has the least left: its budget will be exceeded first. */
const mem *mem_tightest(const mem *m);

static inline size_t mem_used(const mem *m) {
    return atomic_load_explicit(&m->used, memory_order_relaxed);
}
static inline size_t mem_refused(const mem *m) {
    return atomic_load_explicit(&m->refused, memory_order_relaxed);
}

/* ---- tells AddressSanitizer which bytes of a block nobody may touch -------------------------- */

/* The sanitizer only knows the blocks of malloc. Code that hands out pieces of something larger
 * (pages, blocks, slabs) marks the rest, so that overruns are found there as well. In other builds
 * these functions do nothing. */

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
