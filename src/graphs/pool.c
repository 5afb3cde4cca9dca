/* pool.c - see pool.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/pool.h"

#include <string.h>

#include "base/check.h"
#include "base/vec.h"

#define BLOCK_UNIT ((size_t)256)
#define SLAB_LEAST ((size_t)256 << 10)
#define SLAB_FIRST ((size_t)128 << 20) /* the first slab, at most */
#define SLAB_MOST  ((size_t)1 << 30)
#define SLAB_SHARE 64 /* the first slab takes this part of the free memory */

static size_t pool_round_up(size_t bytes) {
    return (bytes + BLOCK_UNIT - 1) / BLOCK_UNIT * BLOCK_UNIT;
}

void pool_init(pool *p, mem *m, const backend_graph_ops *ops, backend_graph_device *device) {
    *p = (pool){.mem = m, .ops = ops, .device = device};
    size_t first = ops->left(device) / SLAB_SHARE;
    size_t most = ops->on_host ? 4 * SLAB_LEAST : SLAB_FIRST; /* larger ones gain nothing there */
    p->next_slab = pool_round_up(first < SLAB_LEAST ? SLAB_LEAST : first < most ? first : most);
}

#if LODE_DEBUG
/* Holes are in order, within their slab and apart; the rest is in use. */
static void pool_validate(const pool *p) {
    size_t in_use = 0;
    for (size_t i = 0; i < p->n_slabs; i++) {
        const pool_slab *s = &p->slabs[i];
        size_t end = 0, free = 0;
        for (size_t k = 0; k < s->n_holes; k++) {
            const pool_extent *hole = &s->holes[k];
            LODE_DEBUG_CHECK(
                hole->bytes > 0 && (k == 0 || hole->at > end),
                "a hole of %zu bytes at %zu does not lie after the hole that ends at %zu",
                hole->bytes, hole->at, end);
            end = hole->at + hole->bytes;
            free += hole->bytes;
        }
        LODE_DEBUG_CHECK(end <= s->bytes && (s->n_blocks > 0) == (free < s->bytes),
                         "%zu of %zu bytes are free, but the slab has %zu blocks", free, s->bytes,
                         s->n_blocks);
        in_use += s->bytes - free;
    }
    LODE_DEBUG_CHECK(in_use == p->in_use, "%zu bytes are in use, but the pool has counted %zu",
                     in_use, p->in_use);
}
#endif

static void pool_drop_slab(pool *p, size_t i) {
    pool_slab *s = &p->slabs[i];
    p->ops->free(p->device, s->base, s->bytes);
    mem_free(p->mem, s->holes, s->cap * sizeof *s->holes);
    memmove(s, s + 1, (p->n_slabs - i - 1) * sizeof *s);
    p->n_slabs--;
}

void pool_free(pool *p) {
    while (p->n_slabs > 0) pool_drop_slab(p, p->n_slabs - 1);
    mem_free(p->mem, p->slabs, p->cap * sizeof *p->slabs);
    *p = (pool){0};
}

static lode_status pool_add_slab(pool *p, size_t bytes) {
    lode_status status = LODE_OK;
    void *base = NULL;
    if (p->n_slabs == p->cap) {
        LODE_TRY(vec_grow(p->mem, (void **)&p->slabs, p->n_slabs, &p->cap, 1, sizeof *p->slabs));
    }
    pool_slab s = {.bytes = bytes};
    LODE_TRY(vec_grow(p->mem, (void **)&s.holes, 0, &s.cap, 1, sizeof *s.holes));
    status = p->ops->alloc(p->device, bytes, &base);
    if (status != LODE_OK) {
        mem_free(p->mem, s.holes, s.cap * sizeof *s.holes);
        goto done;
    }
    s.base = base;
    s.holes[s.n_holes++] = (pool_extent){0, bytes};
    p->slabs[p->n_slabs++] = s;
    if (p->next_slab < SLAB_MOST) p->next_slab *= 2;
done:
    return status;
}

static void *slab_take(pool_slab *s, size_t bytes) {
    for (size_t i = 0; i < s->n_holes; i++) {
        pool_extent *hole = &s->holes[i];
        if (hole->bytes < bytes) continue;
        char *block = s->base + hole->at;
        s->n_blocks++;
        hole->at += bytes;
        hole->bytes -= bytes;
        if (hole->bytes == 0) {
            memmove(hole, hole + 1, (s->n_holes - i - 1) * sizeof *hole);
            s->n_holes--;
        }
        return block;
    }
    return NULL;
}

/* Gives slabs that hold nothing back to the device. */
static bool pool_drop_empty(pool *p) {
    bool dropped = false;
    for (size_t i = p->n_slabs; i > 0; i--) {
        const pool_slab *s = &p->slabs[i - 1];
        if (s->n_holes != 1 || s->holes[0].bytes != s->bytes) continue;
        pool_drop_slab(p, i - 1);
        dropped = true;
    }
    return dropped;
}

/* Adds a slab that has room for a block: with room to spare, or else just enough. */
static lode_status pool_make_room(pool *p, size_t bytes) {
    lode_status status = pool_add_slab(p, bytes > p->next_slab ? bytes : p->next_slab);
    if (status != LODE_OK && bytes < p->next_slab) status = pool_add_slab(p, bytes);
    if (status != LODE_OK && pool_drop_empty(p)) status = pool_add_slab(p, bytes);
    return status;
}

lode_status pool_take(pool *p, size_t bytes, void **out) {
    *out = NULL;
    bytes = pool_round_up(bytes);
    if (bytes == 0) return LODE_OK;
    for (size_t i = 0; i < p->n_slabs && !*out; i++) {
        pool_slab *s = &p->slabs[i];
        if (s->n_blocks + 2 > s->cap) { /* there is at most one hole more than blocks */
            lode_status status =
                vec_grow(p->mem, (void **)&s->holes, s->n_holes, &s->cap, s->cap, sizeof *s->holes);
            if (status != LODE_OK) return status;
        }
        *out = slab_take(s, bytes);
    }
    if (!*out) {
        lode_status status = pool_make_room(p, bytes);
        if (status != LODE_OK) return status;
        *out = slab_take(&p->slabs[p->n_slabs - 1], bytes);
    }
    p->in_use += bytes;
    LODE_VALIDATE(pool_validate(p));
    return LODE_OK;
}

static pool_slab *pool_slab_of(const pool *p, const void *block) {
    for (size_t i = 0; i < p->n_slabs; i++) {
        pool_slab *s = &p->slabs[i];
        uintptr_t at = (uintptr_t)block, base = (uintptr_t)s->base;
        if (at >= base && at < base + s->bytes) return s;
    }
    return NULL;
}

void pool_give(pool *p, void *block, size_t bytes) {
    if (!block) return;
    bytes = pool_round_up(bytes);
    pool_slab *s = pool_slab_of(p, block);
    size_t at = (size_t)((uintptr_t)block - (uintptr_t)s->base), i = 0;
    while (i < s->n_holes && s->holes[i].at < at) i++;
    bool before = i > 0 && s->holes[i - 1].at + s->holes[i - 1].bytes == at;
    bool behind = i < s->n_holes && at + bytes == s->holes[i].at;
    p->in_use -= bytes;
    s->n_blocks--;
    if (before && behind) {
        s->holes[i - 1].bytes += bytes + s->holes[i].bytes;
        memmove(&s->holes[i], &s->holes[i + 1], (s->n_holes - i - 1) * sizeof *s->holes);
        s->n_holes--;
    } else if (before) {
        s->holes[i - 1].bytes += bytes;
    } else if (behind) {
        s->holes[i].at = at;
        s->holes[i].bytes += bytes;
    } else {
        memmove(&s->holes[i + 1], &s->holes[i], (s->n_holes - i) * sizeof *s->holes);
        s->holes[i] = (pool_extent){at, bytes};
        s->n_holes++;
    }
    LODE_VALIDATE(pool_validate(p));
}

size_t pool_left(const pool *p) {
    size_t left = p->ops->left(p->device);
    for (size_t i = 0; i < p->n_slabs; i++) {
        for (size_t k = 0; k < p->slabs[i].n_holes; k++) {
            size_t bytes = p->slabs[i].holes[k].bytes;
            left = left > SIZE_MAX - bytes ? SIZE_MAX : left + bytes;
        }
    }
    return left;
}
