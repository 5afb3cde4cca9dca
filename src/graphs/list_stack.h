/* list_stack.h - memory of a depth-first search: one contiguous stack
 *
 * What:  lists are taken from the top. When the search leaves a node, it resets the top to its
 *        former position. A list of unknown length grows on top. Lists never move.
 * How:   address space is reserved once: as much as the machine could ever back with memory, but
 *        only a fraction of the address space of the process, because hundreds of stacks could
 *        otherwise use all of it up. When the top first rises into a part of the space, that part
 *        is charged to the memory budget, and stays charged.
 * Threads: each worker has its own stacks; other workers may read the lists.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_LIST_STACK_H
#define LODE_GRAPHS_LIST_STACK_H

#include "base/check.h"
#include "base/mem.h"

#define LIST_STACK_STEP ((size_t)256 << 10)

/* Address space of all stacks of a process together. A process has 128 TiB or more, but the shadow
 * memory of ThreadSanitizer must fit into it as well. */
#if defined(__SANITIZE_THREAD__)
#define LIST_STACK_SPACE ((size_t)64 << 30)
#else
#define LIST_STACK_SPACE ((size_t)32 << 40)
#endif

typedef struct list_stack {
    mem *mem;
    char *space;
    size_t top;      /* bytes in use */
    size_t charged;  /* bytes that may be used without asking for more memory */
    size_t reserved; /* bytes of address space */
} list_stack;

/* Reserves at most `most` bytes of address space, which may be limited (ulimit -v). Errors: NOMEM,
 * BUDGET. */
LODE_NODISCARD lode_status list_stack_create(list_stack *a, mem *m, size_t most);
void list_stack_free(list_stack *a);

/* Charges memory so that the top can rise to `top`. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status list_stack_charge(list_stack *a, size_t top);

/* Ensures that the top can rise to `top`; the caller may then write there. Errors: NOMEM,
 * BUDGET. */
static inline LODE_NODISCARD lode_status list_stack_reach(list_stack *a, size_t top) {
    return top <= a->charged ? LODE_OK : list_stack_charge(a, top);
}

/* Takes a list of `bytes` bytes, aligned to 16. Errors: NOMEM, BUDGET. */
static inline LODE_NODISCARD lode_status list_stack_take(list_stack *a, size_t bytes, void **out) {
    size_t end = a->top + (bytes + 15) / 16 * 16;
    lode_status status = list_stack_reach(a, end);
    if (status != LODE_OK) return status;
    LODE_DEBUG_CHECK(a->top <= end && end <= a->charged,
                     "the stack has room for %zu bytes, but %zu are in use", a->charged, end);
    *out = a->space + a->top;
    a->top = end;
    return LODE_OK;
}

#endif
