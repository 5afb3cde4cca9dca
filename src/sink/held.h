/* held.h - the first patterns of a result, held back so that a short result can be sorted
 *
 * Workers collect columns of their own while all of them together hold few; when they hold too many
 * (or memory is short), the whole result flows: everybody lets go of what he holds, and from then
 * on nothing is held. What closed workers have left is written at the end.
 *
 *     held_take: room?  yes → columns of the worker   no → `flows` for everybody, for good
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SINK_HELD_H
#define LODE_SINK_HELD_H

#include "sink/columns.h"

#define HELD_PATTERNS     10000
#define HELD_BYTES        ((uint64_t)16 << 20) /* of items */
#define HELD_BUDGET_SHARE 32                   /* or this part of a memory budget */

typedef struct held {
    _Atomic bool flows;
    _Atomic uint64_t patterns, bytes;
    uint64_t most_bytes;
    columns kept; /* of closed workers; under the lock of the sink */
} held;

void held_init(held *h, const mem *m);
void held_free(held *h, mem *m);

/* Takes room for n more patterns of `size` items. False: there is none, and the result flows. */
bool held_take(held *h, uint64_t n, uint64_t size);

static inline bool held_flows(held *h) {
    return atomic_load_explicit(&h->flows, memory_order_relaxed);
}

static inline void held_let_flow(held *h) {
    atomic_store_explicit(&h->flows, true, memory_order_relaxed);
}

/* Appends a batch to what a worker holds, if there is room for it; if not, the result flows. */
LODE_NODISCARD lode_status held_append(held *h, mem *m, columns *found, const lode_batch *batch,
                                       bool *is_held);

/* Puts what is kept into order, if it is the whole result and memory allows. */
LODE_NODISCARD lode_status held_sort(held *h, mem *m);

#endif
