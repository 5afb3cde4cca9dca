/* mem.h - the allocator: every byte is counted, and a budget is never exceeded
 *
 * What:  accounting objects, one inside the other: a job counts in its context, and so does what
 *        outlives the job that made it, such as a data set. A budget may be set at any of them. All
 *        memory of the library passes through one.
 * Why:   callers know the size of what they hold, so the budget is exact without headers.
 * Rules: blocks are aligned to 64 bytes; freeing needs the size; size 0 is the NULL pointer. A size
 *        is a constant, or it is stored beside the pointer when the block is made: what would have
 *        to be computed again from something that may have changed is kept in a mem_kept instead.
 * Debug: each block carries its size in a line before it, and a call that names another size, or
 *        something that is no block, ends the program with a message. Under AddressSanitizer that
 *        line and the bytes behind the block are poisoned, pages or not.
 * Load:  few, large blocks (10^2 .. 10^5 a job). Nothing allocates in an inner loop, so the atomics
 *        cost nothing that can be measured.
 * From 256 KiB on, blocks are pages of their own: growing them moves no data, and freeing them
 * gives the memory back at once, so that the resident size follows the budget.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_MEM_H
#define LODE_BASE_MEM_H

#include <stdatomic.h>

#include "base/status.h"

#define MEM_ALIGN 64

typedef struct mem mem;

/* Whom an outermost one asks when it is short, on whatever thread that happens. */
typedef struct mem_lender {
    /* Frees what nobody needs at the moment; false if there was nothing. Must not take memory. */
    bool (*reclaim)(void *user, size_t bytes);
    void *user;
} mem_lender;

struct mem {
    mem *outer;        /* where this counts, too; NULL = nowhere */
    mem_lender lender; /* of an outermost one */
    lode_resize_fn resize;
    void *user;
    size_t budget; /* of its own; SIZE_MAX = none */
    _Atomic size_t used;
    _Atomic size_t peak;
    _Atomic size_t
        refused; /* bytes that would have been in use had the last refusal been granted */
};

/* An outermost one; resize NULL = the system's memory, budget 0 = none. */
void mem_init(mem *m, lode_resize_fn resize, void *user, uint64_t budget_bytes);
/* One that counts within `outer`, and takes its memory from there. */
void mem_init_inner(mem *m, mem *outer, uint64_t budget_bytes);
/* Counts in the outermost from now on, and no more in those between. While no thread uses it. */
void mem_move_out(mem *m);

/* Makes *pointer hold new_bytes; contents up to the smaller size are kept. On failure *pointer is
 * unchanged. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status mem_resize(mem *m, void **pointer, size_t old_bytes, size_t new_bytes);

/* As mem_resize from nothing; the memory is zeroed. */
LODE_NODISCARD lode_status mem_zalloc(mem *m, void **pointer, size_t bytes);

void mem_free(mem *m, void *pointer, size_t bytes);

/* As mem_zalloc and mem_free, but not counted: for what holds a counter. */
LODE_NODISCARD lode_status mem_zalloc_uncounted(const mem *like, void **pointer, size_t bytes);
void mem_free_uncounted(const mem *like, void *pointer, size_t bytes);

/* Blocks that belong together and know their sizes: all zero is none. Each takes a line more. */
typedef struct mem_kept {
    struct mem_kept_block *last;
} mem_kept;

/* As mem_resize from nothing and mem_zalloc; the block belongs to `kept`. */
LODE_NODISCARD lode_status mem_keep(mem *m, mem_kept *kept, void **pointer, size_t bytes);
LODE_NODISCARD lode_status mem_keep_zero(mem *m, mem_kept *kept, void **pointer, size_t bytes);
/* Frees them all. */
void mem_drop(mem *m, mem_kept *kept);

/* Counts memory that comes from elsewhere (device rows, a library's own buffers) in the budget. */
LODE_NODISCARD lode_status mem_charge(mem *m, size_t bytes);
void mem_discharge(mem *m, size_t bytes);

/* What can still be had, here and in all that this counts in; SIZE_MAX without a budget. */
size_t mem_left(const mem *m);
/* The least budget of these; SIZE_MAX = none. */
size_t mem_budget(const mem *m);
/* The one of these that has the least left: whose budget will be hit. */
const mem *mem_tightest(const mem *m);

static inline size_t mem_used(const mem *m) {
    return atomic_load_explicit(&m->used, memory_order_relaxed);
}
static inline size_t mem_refused(const mem *m) {
    return atomic_load_explicit(&m->refused, memory_order_relaxed);
}

#endif
