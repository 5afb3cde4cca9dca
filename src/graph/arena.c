/* arena.c - see arena.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/arena.h"

#include "base/os.h"
#include "base/poison.h"

#define ARENA_LEAST ((size_t)64 << 20)

/* What could be needed at most: the budget, or else twice the memory that is free. */
static size_t arena_wish(const mem *m) {
    size_t left = mem_left(m);
    if (left != SIZE_MAX) return left + ARENA_STEP;
    uint64_t available = os_memory_free();
    return available ? (size_t)(2 * available) + ARENA_LEAST : (size_t)64 << 30;
}

/* Poisons the step behind what may be used; all of it would take longer than a search. */
static void arena_fence(arena *a) {
    size_t left = a->reserved - a->charged;
    poison(a->space + a->charged, left < ARENA_STEP ? left : ARENA_STEP);
}

lode_status arena_create(arena *a, mem *m) {
    *a = (arena){.mem = m};
    size_t bytes = (arena_wish(m) + ARENA_STEP - 1) / ARENA_STEP * ARENA_STEP;
    for (; !a->space && bytes >= ARENA_STEP; bytes /= 2) {
        a->space = os_space_reserve(bytes);
        a->reserved = a->space ? bytes : 0;
    }
    if (!a->space) return LODE_NOMEM;
    arena_fence(a);
    return LODE_OK;
}

void arena_free(arena *a) {
    if (!a->space) return;
    size_t fenced = a->reserved - a->charged;
    unpoison(a->space + a->charged, fenced < ARENA_STEP ? fenced : ARENA_STEP);
    os_pages_free(a->space, a->reserved);
    mem_discharge(a->mem, a->charged);
    *a = (arena){0};
}

lode_status arena_charge(arena *a, size_t top) {
    size_t more = (top - a->charged + ARENA_STEP - 1) / ARENA_STEP * ARENA_STEP;
    if (top > a->reserved) return LODE_NOMEM;
    if (more > a->reserved - a->charged) more = a->reserved - a->charged;
    lode_status status = mem_charge(a->mem, more);
    if (status != LODE_OK) return status;
    unpoison(a->space + a->charged, more);
    a->charged += more;
    arena_fence(a);
    return LODE_OK;
}
