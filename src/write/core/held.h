/* held.h - whether the first patterns of a text are held back, so that a short result is sorted
 *
 * Patterns are held while all workers together hold few; when there are too many (or memory is
 * short), the whole result flows: every worker writes what it holds, and nothing is held any more.
 *
 *     held_take: room?  yes → hold the patterns    no → `flows` for everybody, for good
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_HELD_H
#define LODE_WRITE_CORE_HELD_H

#include "base/mem.h"

#define HELD_PATTERNS     10000
#define HELD_BYTES        ((uint64_t)16 << 20)
#define HELD_BUDGET_SHARE 32 /* or this part of a memory budget */

typedef struct held {
    _Atomic bool flows;
    _Atomic uint64_t patterns, bytes;
    uint64_t most_bytes;
} held;

void held_init(held *h, const mem *m);

/* Takes room for this many patterns and bytes. False: there is none, and the result flows. */
bool held_take(held *h, uint64_t patterns, uint64_t bytes);

static inline bool held_flows(const held *h) {
    return atomic_load_explicit(&h->flows, memory_order_relaxed);
}

static inline void held_let_flow(held *h) {
    atomic_store_explicit(&h->flows, true, memory_order_relaxed);
}

/* Memory for holding is short: that costs the order of the result, and is no failure. */
static inline bool held_is_short(lode_status status) {
    return status == LODE_BUDGET || status == LODE_NOMEM;
}

#endif
