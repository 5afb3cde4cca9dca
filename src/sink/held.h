/* held.h - the first patterns of a result, held back so that a short result can be sorted
 *
 * Workers keep a log of what they are given while all of them together hold few; when they hold too
 * many (or memory is short), the whole result flows: everybody writes what his log has, and from
 * then on nothing is held. A log holds batches and families as they came, so that writing them late
 * takes no longer than writing them at once. What closed workers have left is written at the end.
 *
 *     held_take: room?  yes → the worker's log   no → `flows` for everybody, for good
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SINK_HELD_H
#define LODE_SINK_HELD_H

#include "sink/columns.h"
#include "sink/sink.h"

#define HELD_PATTERNS     10000
#define HELD_BYTES        ((uint64_t)16 << 20)
#define HELD_BUDGET_SHARE 32 /* or this part of a memory budget */

typedef struct held {
    _Atomic bool flows;
    _Atomic uint64_t patterns, bytes;
    uint64_t most_bytes;
    vec_u32 kept; /* logs of closed workers; under the lock of the sink */
} held;

void held_init(held *h, const mem *m);
void held_free(held *h, mem *m);

/* Takes room for so many patterns and bytes. False: there is none, and the result flows. */
bool held_take(held *h, uint64_t patterns, uint64_t bytes);

static inline bool held_flows(held *h) {
    return atomic_load_explicit(&h->flows, memory_order_relaxed);
}

static inline void held_let_flow(held *h) {
    atomic_store_explicit(&h->flows, true, memory_order_relaxed);
}

/* Appends to a worker's log, if there is room; if not, the result flows. */
LODE_NODISCARD lode_status held_add_batch(held *h, mem *m, vec_u32 *log, const lode_batch *batch,
                                          bool *is_held);
/* The same for a family of so many patterns. */
LODE_NODISCARD lode_status held_add_family(held *h, mem *m, vec_u32 *log,
                                           const sink_lattice *family, uint64_t patterns,
                                           bool *is_held);
/* Keeps the log of a worker that closes; not held if memory is short. Under the lock. */
LODE_NODISCARD lode_status held_keep(held *h, mem *m, const vec_u32 *log, bool *is_held);

/* An entry of a log: a batch, or a family. */
typedef struct held_entry {
    bool is_family;
    lode_batch batch;
    sink_lattice family;
} held_entry;

/* Lends the entry at *at, and moves on; false at the end. */
bool held_next(const vec_u32 *log, size_t *at, held_entry *out);

/* Everything that is kept, by support from the highest, then by size and items. */
LODE_NODISCARD lode_status held_sort(const held *h, mem *m, columns *out);

#endif
