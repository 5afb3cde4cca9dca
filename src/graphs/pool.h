/* pool.h - allocates device memory in blocks, freed in any order
 *
 * What:  blocks are cut from slabs, first fit; free neighbours are merged. Slabs are allocated on
 *        the device on demand, each larger than the last, and kept: the search allocates and frees
 *        blocks for every batch, but the device allocates only a few times.
 * Load:  10 .. 1000 blocks at a time, of 1 KiB .. 1 GiB.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_POOL_H
#define LODE_GRAPHS_POOL_H

#include "device/api/graph_ops.h"

typedef struct pool_extent {
    size_t at, bytes;
} pool_extent;

typedef struct pool_slab {
    char *base; /* on the device */
    size_t bytes;
    pool_extent *holes;  /* the free parts, ascending; no two of them touch */
    size_t n_holes, cap; /* room for n_blocks + 1 holes, so that freeing a block needs no memory */
    size_t n_blocks;     /* blocks in use */
} pool_slab;

typedef struct pool {
    mem *mem;
    const backend_graph_ops *ops;
    backend_graph_device *device;
    pool_slab *slabs;
    size_t n_slabs, cap;
    size_t next_slab; /* bytes of the next slab */
    size_t in_use;    /* bytes of all blocks */
} pool;

void pool_init(pool *p, mem *m, const backend_graph_ops *ops, backend_graph_device *device);
void pool_free(pool *p);

/* Allocates a block. Errors: NOMEM; BUDGET (without a message) if there is no room. */
LODE_NODISCARD lode_status pool_take(pool *p, size_t bytes, void **out);
/* Frees a block. `bytes` must be the size that it was allocated with; NULL is fine. */
void pool_give(pool *p, void *block, size_t bytes);
/* Returns the number of free bytes, on the device and in the slabs. They may be in many pieces. */
size_t pool_left(const pool *p);

#endif
