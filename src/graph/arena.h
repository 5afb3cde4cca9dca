/* arena.h - memory of a depth-first search: a stack, in one piece
 *
 * What:  takes go on top; going back up the search lowers the top to where it was. Lists whose
 *        length is not known beforehand grow on top, and never move.
 * How:   address space is reserved once, as much as the machine could ever back; it is charged to
 *        the memory budget in steps as the top first gets there, and stays charged to the end.
 * Threads: each worker has its own; others may read what lies in it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPH_ARENA_H
#define LODE_GRAPH_ARENA_H

#include "base/mem.h"

#define ARENA_STEP ((size_t)256 << 10)

typedef struct arena {
    mem *mem;
    char *space;
    size_t top;
    size_t charged; /* bytes that may be used */
    size_t reserved;
} arena;

/* Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status arena_create(arena *a, mem *m);
void arena_free(arena *a);

/* Makes sure that the top can rise to `top`. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status arena_charge(arena *a, size_t top);

static inline LODE_NODISCARD lode_status arena_reach(arena *a, size_t top) {
    return top <= a->charged ? LODE_OK : arena_charge(a, top);
}

/* Takes bytes, aligned to 16. */
static inline LODE_NODISCARD lode_status arena_take(arena *a, size_t bytes, void **out) {
    size_t end = a->top + (bytes + 15) / 16 * 16;
    lode_status status = arena_reach(a, end);
    if (status != LODE_OK) return status;
    *out = a->space + a->top;
    a->top = end;
    return LODE_OK;
}

#endif
