/* emit.h - from the search to the sink
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_EMIT_H
#define LODE_ITEMSETS_ADAPTIVE_EMIT_H

#include "itemsets/adaptive/adaptive.h"

/* Items to report together: they share the prefix and the perfect extensions. */
typedef struct pending {
    uint32_t *ids;
    uint64_t *supports;
    uint32_t n;
} pending;

LODE_NODISCARD lode_status pending_take(adaptive *a, uint32_t room, pending *out);

static inline void pending_add(pending *p, uint32_t id, uint32_t support) {
    p->ids[p->n] = id;
    p->supports[p->n++] = support;
}

LODE_NODISCARD lode_status pending_emit(adaptive *a, pending *p);

/* Reports prefix + id, with all perfect extensions. */
LODE_NODISCARD lode_status adaptive_emit_one(adaptive *a, uint32_t id, uint32_t support);

#endif
