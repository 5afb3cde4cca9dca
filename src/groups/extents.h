/* extents.h - a set of sets of rows, to count patterns that occur in the same rows once
 *
 * Each set of rows is stored as a hash of 128 bits. Among 10^12 different sets, two have the same
 * hash with a probability below 10^-14. Any thread may add sets at any time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GROUPS_EXTENTS_H
#define LODE_GROUPS_EXTENTS_H

#include <pthread.h>

#include "base/mem.h"

#define EXTENT_SHARDS 64 /* each with a lock of its own */

typedef struct extent_hash {
    uint64_t word[2];
} extent_hash;

typedef struct extents {
    mem *mem;
    struct extent_shard {
        pthread_mutex_t lock;
        extent_hash *table; /* open addressing; the hash 0, 0 is an empty place */
        size_t n, places;   /* places: a power of two, or 0 */
    } shards[EXTENT_SHARDS];
} extents;

void extents_init(extents *e, mem *m);
void extents_free(extents *e);

/* Adds the set of these rows, which are ascending. Sets *added to whether it is new. */
LODE_NODISCARD lode_status extents_add(extents *e, const uint32_t *rows, uint64_t n, bool *added);

#endif
