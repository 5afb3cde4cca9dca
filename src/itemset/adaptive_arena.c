/* adaptive_arena.c - see adaptive_arena.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemset/adaptive_arena.h"

#define ARENA_FIRST_BYTES ((size_t)64 << 10)

void arena_init(arena *a, mem *m) {
    *a = (arena){.mem = m};
}

void arena_clear(arena *a) {
    for (unsigned i = 0; i < a->n; i++) mem_free(a->mem, a->chunks[i].data, a->chunks[i].bytes);
    *a = (arena){.mem = a->mem};
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
        size_t wanted = next == 0 ? ARENA_FIRST_BYTES : 2 * a->chunks[next - 1].bytes;
        if (wanted < bytes) wanted = bytes;
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
