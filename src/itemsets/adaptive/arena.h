/* arena.h - memory of a depth-first search, freed by depth
 *
 * What:  a stack of chunks. A node of the search takes what it needs and frees all of it at once,
 *        by returning to the mark it took before.
 * Why:   nodes come by the million; allocating is an addition, freeing an assignment.
 * Rules: blocks are aligned to 64 bytes. A block becomes invalid when the stack returns to a mark
 *        that was taken before the block. Each thread has its own arena. Chunks are kept until
 *        arena_clear(), so a deep search allocates only a few times.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_ARENA_H
#define LODE_ITEMSETS_ADAPTIVE_ARENA_H

#include "base/check.h"
#include "base/mem.h"

/* Maximum number of chunks. Normally each chunk is at least a quarter of all chunks before it
 * together, so this is more than enough. */
#define ARENA_CHUNKS 128

typedef struct arena_chunk {
    char *data;
    size_t bytes;
} arena_chunk;

typedef struct arena {
    mem *mem; /* what chunks are allocated from */
    arena_chunk chunks[ARENA_CHUNKS];
    unsigned n;  /* number of chunks */
    unsigned at; /* index of the current chunk */
    size_t used; /* bytes of the current chunk in use */
} arena;

typedef struct arena_mark {
    unsigned at;
    size_t used;
} arena_mark;

void arena_init(arena *a, mem *m);
/* Frees all chunks; the arena is empty then, and can be used again. */
void arena_clear(arena *a);

/* For arena_take(): makes a chunk with room for `bytes` bytes the current one; slow. */
LODE_NODISCARD lode_status arena_grow(arena *a, size_t bytes);

/* For arena_return(): marks the memory between a mark and the top as not addressable, for
 * AddressSanitizer. */
void arena_poison_above(const arena *a, arena_mark mark);

/* The current top, to be passed to arena_return(). */
static inline arena_mark arena_here(const arena *a) {
    return (arena_mark){a->at, a->used};
}

/* Frees everything that was taken since the mark. */
static inline void arena_return(arena *a, arena_mark mark) {
    LODE_DEBUG_CHECK(mark.at < a->at || (mark.at == a->at && mark.used <= a->used),
                     "an arena returns to a mark above its top");
#if defined(POISON_ON)
    arena_poison_above(a, mark);
#endif
    a->at = mark.at;
    a->used = mark.used;
}

/* Takes a block of `bytes` bytes, which are not initialised. Errors: NOMEM, BUDGET. */
static inline LODE_NODISCARD lode_status arena_take(arena *a, size_t bytes, void **out) {
    size_t rounded = (bytes + MEM_ALIGN - 1) / MEM_ALIGN * MEM_ALIGN;
    if (rounded < bytes) return LODE_NOMEM;
    if (a->n == 0 || a->chunks[a->at].bytes - a->used < rounded) {
        lode_status status = arena_grow(a, rounded);
        if (status != LODE_OK) return status;
    }
    *out = a->chunks[a->at].data + a->used;
    unpoison(*out, rounded);
    a->used += rounded;
    return LODE_OK;
}

/* Shortens the block that was taken last to its first `bytes` bytes. */
static inline void arena_trim(arena *a, const void *block, size_t bytes) {
    size_t rounded = (bytes + MEM_ALIGN - 1) / MEM_ALIGN * MEM_ALIGN;
    size_t used = (size_t)((const char *)block - a->chunks[a->at].data) + rounded;
    LODE_DEBUG_CHECK(used <= a->used, "an arena is trimmed to more than it uses");
    poison(a->chunks[a->at].data + used, a->used - used);
    a->used = used;
}

#endif
