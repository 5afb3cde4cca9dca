/* arena.c - see arena.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/arena.h"

#define ARENA_LEAST_BYTES ((size_t)64 << 10)

void arena_init(arena *a, mem *m) {
    *a = (arena){.mem = m};
}

void arena_clear(arena *a) {
    for (unsigned i = 0; i < a->n; i++) mem_free(a->mem, a->chunks[i].data, a->chunks[i].bytes);
    *a = (arena){.mem = a->mem};
}

void arena_poison_above(const arena *a, arena_mark mark) {
    for (unsigned i = mark.at; i <= a->at && i < a->n; i++) {
        size_t from = i == mark.at ? mark.used : 0;
        size_t end = i == a->at ? a->used : a->chunks[i].bytes;
        poison(a->chunks[i].data + from, end - from);
    }
}

/* Chunks grow by a quarter of what is already held, so that little of it is unused. */
static size_t arena_step(const arena *a, size_t bytes) {
    size_t held = 0;
    for (unsigned i = 0; i < a->n; i++) held += a->chunks[i].bytes;
    size_t wanted = held / 4 > ARENA_LEAST_BYTES ? held / 4 : ARENA_LEAST_BYTES;
    return wanted > bytes ? wanted : bytes;
}

/* Takes a chunk of `wanted` bytes. If memory is tight, tries half of that, then a quarter, and so
 * on, down to `needed`. */
static lode_status chunk_make(mem *m, size_t wanted, size_t needed, arena_chunk *out) {
    for (;;) {
        *out = (arena_chunk){NULL, wanted};
        lode_status status = mem_resize(m, (void **)&out->data, 0, wanted);
        if (status != LODE_BUDGET || wanted == needed) return status;
        wanted = wanted / 2 > needed ? wanted / 2 : needed;
    }
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
        arena_chunk chunk;
        /* The last one must last: if it may not be of full size, memory is too tight. */
        size_t wanted = arena_step(a, bytes), least = next + 1 == ARENA_CHUNKS ? wanted : bytes;
        lode_status status = chunk_make(a->mem, wanted, least, &chunk);
        if (status != LODE_OK) return status;
        poison(chunk.data, chunk.bytes);
        a->chunks[next] = chunk;
        a->n = next + 1;
    }
    a->at = next;
    a->used = 0;
    return LODE_OK;
}
