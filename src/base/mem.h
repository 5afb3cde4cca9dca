/* mem.h - the allocator: every byte is counted, and a budget is never exceeded
 *
 * What:  nested accounting objects: what a job allocates also counts in its context, and so does
 *        what outlives the job, such as a data set. Each may have a budget. All memory of the
 *        library passes through one of them.
 * Why:   callers know the size of what they hold, so the budget is exact, and blocks need no
 *        headers.
 * Rules: blocks are aligned to 64 bytes; freeing needs the size; size 0 is the NULL pointer. A size
 *        is a constant, or is stored next to the pointer when the block is made; never recompute it
 *        from values that may have changed. For blocks of unknown size there is mem_kept.
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

/* What an outermost object calls when memory is short, on any thread. */
typedef struct mem_lender {
    /* Frees what nobody needs now; false if there was nothing. Must not allocate. */
    bool (*reclaim)(void *user, size_t bytes);
    /* Bytes reserved for others than `inner` and not in use yet. */
    size_t (*promised)(void *user, const mem *inner);
    void *user;
} mem_lender;

struct mem {
    mem *outer;              /* allocations also count there; NULL = outermost object */
    mem_lender lender;       /* outermost object only */
    _Atomic size_t promises; /* outermost object only: an upper bound of all reservations */
    lode_resize_fn resize;
    void *user;
    size_t budget; /* of this object; SIZE_MAX = none */
    _Atomic size_t used;
    _Atomic size_t peak;
    _Atomic size_t refused; /* value that `used` would have had after the last refused request */
};

/* Makes an outermost object; resize NULL = the system's memory, budget 0 = none. */
void mem_init(mem *m, lode_resize_fn resize, void *user, uint64_t budget_bytes);
/* Makes an object that counts within `outer`, and takes its memory from there. */
void mem_init_inner(mem *m, mem *outer, uint64_t budget_bytes);
/* From now on it counts only in the outermost object, not in those between. No other thread may use
 * it meanwhile. */
void mem_move_out(mem *m);

/* Moves blocks of this total size from m->outer to `m`, which frees them from now on. */
void mem_adopt(mem *m, size_t bytes);

/* Resizes *pointer to new_bytes; contents up to the smaller size are kept. On failure *pointer is
 * unchanged. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status mem_resize(mem *m, void **pointer, size_t old_bytes, size_t new_bytes);

/* As mem_resize from nothing; the memory is zeroed. */
LODE_NODISCARD lode_status mem_zalloc(mem *m, void **pointer, size_t bytes);

void mem_free(mem *m, void *pointer, size_t bytes);

/* As mem_zalloc and mem_free, but uncounted: for structs that contain the accounting object. */
LODE_NODISCARD lode_status mem_zalloc_uncounted(const mem *like, void **pointer, size_t bytes);
void mem_free_uncounted(const mem *like, void *pointer, size_t bytes);

/* A set of blocks that remember their sizes, at 64 extra bytes each, and are freed together. All
 * zero is an empty set. */
typedef struct mem_kept {
    struct mem_kept_block *last;
} mem_kept;

/* As mem_resize from nothing, and as mem_zalloc; the block is added to `kept`. */
LODE_NODISCARD lode_status mem_keep(mem *m, mem_kept *kept, void **pointer, size_t bytes);
LODE_NODISCARD lode_status mem_keep_zero(mem *m, mem_kept *kept, void **pointer, size_t bytes);
/* Frees all blocks of the set. */
void mem_drop(mem *m, mem_kept *kept);

/* Counts memory allocated elsewhere, such as buffers of a library, in the budget. */
LODE_NODISCARD lode_status mem_charge(mem *m, size_t bytes);
void mem_discharge(mem *m, size_t bytes);

/* Bytes that can still be allocated, here and in all outer objects; SIZE_MAX without a budget. */
size_t mem_left(const mem *m);
/* Whether `bytes` are small compared to what is left, so that they may be spent to save time.
 * Always true without a budget. */
static inline bool mem_is_ample(const mem *m, size_t bytes) {
    return bytes <= mem_left(m) / 16;
}
/* The smallest budget of this and all outer objects; SIZE_MAX = none. */
size_t mem_budget(const mem *m);
/* Of these objects, the one with the least left: its budget will be exceeded first. */
const mem *mem_tightest(const mem *m);

static inline size_t mem_used(const mem *m) {
    return atomic_load_explicit(&m->used, memory_order_relaxed);
}
static inline size_t mem_refused(const mem *m) {
    return atomic_load_explicit(&m->refused, memory_order_relaxed);
}

/* ---- marks bytes for AddressSanitizer -------------------------------------------------------- */

/* The sanitizer only knows blocks of malloc. Code that hands out pieces of larger blocks (pages,
 * slabs) marks the unused rest, so that overruns are found there, too. In other builds these
 * functions do nothing. */

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
