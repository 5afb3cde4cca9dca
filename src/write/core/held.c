/* held.c - see held.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/held.h"

void held_init(held *h, const mem *m) {
    *h = (held){.most_bytes = HELD_BYTES};
    uint64_t share = mem_budget(m) / HELD_BUDGET_SHARE;
    if (share < h->most_bytes) h->most_bytes = share;
}

bool held_take(held *h, uint64_t patterns, uint64_t bytes) {
    if (held_flows(h)) return false;
    if (patterns <= HELD_PATTERNS && bytes <= HELD_BYTES) { /* so no sum overflows */
        uint64_t n = atomic_fetch_add_explicit(&h->patterns, patterns, memory_order_relaxed);
        uint64_t before = atomic_fetch_add_explicit(&h->bytes, bytes, memory_order_relaxed);
        if (n + patterns <= HELD_PATTERNS && before + bytes <= h->most_bytes) return true;
    }
    held_let_flow(h);
    return false;
}
