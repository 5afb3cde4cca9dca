/* list_pool.h - allocates the scratch rows of a device
 *
 * What:  a vertical list (the transactions of an itemset) takes one row of a device's memory, and
 *        rows are numbered. A pool is a stack of the numbers of free rows. When the pool is empty,
 *        the search has to use fewer lists.
 * Why:   millions of lists are taken and returned, so taking a list must be as cheap as popping a
 *        number.
 * Order: the row returned last is taken first, so that few rows are in use and stay in the cache. A
 *        fresh row is taken only if no returned row is left, so that memory is touched only when
 *        needed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_LIST_POOL_H
#define LODE_RUNTIME_LIST_POOL_H

#include "base/check.h"
#include "base/vec.h"

typedef struct list_pool {
    mem *mem;
    vec_u32 returned;
    uint32_t first; /* row number of list 0 */
    uint32_t fresh; /* number of lists used at least once */
    uint32_t limit; /* number of lists */
    uint32_t in_use;
    uint32_t peak;
} list_pool;

static inline void list_pool_init(list_pool *pool, mem *m, uint32_t first, uint32_t limit) {
    *pool = (list_pool){.mem = m, .first = first, .limit = limit};
}

#if LODE_DEBUG
static inline void list_pool_validate(const list_pool *pool) {
    LODE_DEBUG_CHECK(
        pool->in_use + pool->returned.n == pool->fresh && pool->fresh <= pool->limit,
        "%u lists are in use and %zu were returned; expected %u together, and at most %u",
        pool->in_use, pool->returned.n, pool->fresh, pool->limit);
    /* The peak may be above `fresh`: the algorithm pbi counts the rows that a device keeps by
     * itself. */
    LODE_DEBUG_CHECK(pool->in_use <= pool->peak,
                     "%u lists are in use, but their recorded peak is %u", pool->in_use,
                     pool->peak);
}
#endif

static inline void list_pool_clear(list_pool *pool) {
    LODE_VALIDATE(list_pool_validate(pool));
    vec_u32_free(pool->mem, &pool->returned);
}

/* Returns whether a returned list is free. Returned lists are already backed by memory. */
static inline bool list_pool_has_returned(const list_pool *pool) {
    return pool->returned.n > 0;
}

static inline bool list_pool_is_empty(const list_pool *pool) {
    return pool->returned.n == 0 && pool->fresh == pool->limit;
}

static inline uint32_t list_pool_taken(list_pool *pool, uint32_t row) {
    pool->in_use++;
    if (pool->in_use > pool->peak) pool->peak = pool->in_use;
    return row;
}

/* Takes a list. The pool must not be empty. If the list is fresh, the device must have backed it
 * with memory, and list_pool_prepare() must have made room for returning it. */
static inline uint32_t list_pool_take(list_pool *pool) {
    LODE_DEBUG_CHECK(!list_pool_is_empty(pool), "a list is taken from an empty pool");
    LODE_VALIDATE(list_pool_validate(pool));
    uint32_t row = pool->returned.n > 0 ? pool->returned.data[--pool->returned.n]
                                        : pool->first + pool->fresh++;
    return list_pool_taken(pool, row);
}

/* Ensures that returning a list cannot fail. Must be called before a fresh list is taken. */
static inline LODE_NODISCARD lode_status list_pool_prepare(list_pool *pool) {
    if (pool->returned.cap > pool->fresh) return LODE_OK;
    size_t extra = (size_t)pool->fresh + 1 - pool->returned.n;
    return vec_u32_reserve(pool->mem, &pool->returned, extra);
}

/* Returns a row to the pool. Ignores rows that do not belong to the pool. */
static inline void list_pool_give(list_pool *pool, uint32_t row) {
    if (row < pool->first || row - pool->first >= pool->fresh) return;
    LODE_DEBUG_CHECK(pool->in_use > 0 && pool->returned.n < pool->returned.cap,
                     "list %u is returned twice, or there is no room for it", row);
    pool->returned.data[pool->returned.n++] = row;
    pool->in_use--;
}

#endif
