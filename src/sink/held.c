/* held.c - see held.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "sink/held.h"

void held_init(held *h, const mem *m) {
    *h = (held){.most_bytes = HELD_BYTES};
    if (m->budget / HELD_BUDGET_SHARE < h->most_bytes) {
        h->most_bytes = m->budget / HELD_BUDGET_SHARE;
    }
}

void held_free(held *h, mem *m) {
    columns_free(m, &h->kept);
}

bool held_take(held *h, uint64_t n, uint64_t size) {
    if (held_flows(h)) return false;
    if (n <= HELD_PATTERNS && size <= HELD_BYTES) { /* no sum or product overflows */
        uint64_t bytes = n * size * sizeof(uint32_t);
        uint64_t patterns = atomic_fetch_add_explicit(&h->patterns, n, memory_order_relaxed);
        uint64_t before = atomic_fetch_add_explicit(&h->bytes, bytes, memory_order_relaxed);
        if (patterns + n <= HELD_PATTERNS && before + bytes <= h->most_bytes) return true;
    }
    held_let_flow(h);
    return false;
}

static bool is_short_of_memory(lode_status status) {
    return status == LODE_BUDGET || status == LODE_NOMEM;
}

lode_status held_append(held *h, mem *m, columns *found, const lode_batch *batch, bool *is_held) {
    *is_held = false;
    if (!held_take(h, batch->n, (uint64_t)batch->n_prefix + 1)) return LODE_OK;
    lode_status status = columns_append(m, found, batch);
    *is_held = status == LODE_OK;
    if (!is_short_of_memory(status)) return status;
    held_let_flow(h);
    return LODE_OK;
}

lode_status held_sort(held *h, mem *m) {
    if (held_flows(h)) return LODE_OK;
    lode_status status = columns_sort(m, &h->kept, COLUMNS_BY_SUPPORT, NULL);
    return is_short_of_memory(status) ? LODE_OK : status;
}
