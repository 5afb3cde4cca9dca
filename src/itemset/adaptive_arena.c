/* adaptive_arena.c - see adaptive_arena.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemset/adaptive_arena.h"

#define ARENA_LEAST_BYTES ((size_t)64 << 10)

void arena_init(arena *a, mem *m) {
    *a = (arena){.mem = m};
}

void arena_clear(arena *a) {
    for (unsigned i = 0; i < a->n; i++) mem_free(a->mem, a->chunks[i].data, a->chunks[i].bytes);
    *a = (arena){.mem = a->mem};
}

/* Chunks grow with what is held, by a quarter, so that little is held for nothing. */
static size_t arena_step(const arena *a, size_t bytes) {
    size_t held = 0;
    for (unsigned i = 0; i < a->n; i++) held += a->chunks[i].bytes;
    size_t wanted = held / 4 > ARENA_LEAST_BYTES ? held / 4 : ARENA_LEAST_BYTES;
    return wanted > bytes ? wanted : bytes;
}

/* Chunks above the current one are free: one that is too small is replaced. */
lode_status arena_grow(arena *a, size_t bytes) {
    unsigned next = a->n == 0 ? 0 : a->at + 1;
    while (next < a->n && a->chunks[next].bytes < bytes) {
        a->n--;
        mem_free(a->mem, a->chunks[a->n].data, a->chunks[a->n].bytes);
    }
    if (next >= a->n) {
        if (next == ARENA_CHUNKS) return LODE_NOMEM;
        size_t wanted = arena_step(a, bytes);
        arena_chunk chunk = {NULL, wanted};
        lode_status status = mem_resize(a->mem, (void **)&chunk.data, 0, chunk.bytes);
        if (status == LODE_BUDGET && wanted > bytes) { /* tight: just what is needed */
            chunk.bytes = bytes;
            status = mem_resize(a->mem, (void **)&chunk.data, 0, chunk.bytes);
        }
        if (status != LODE_OK) return status;
        a->chunks[next] = chunk;
        a->n = next + 1;
    }
    a->at = next;
    a->used = 0;
    return LODE_OK;
}
