/* emit.c - see emit.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/emit.h"

#include "itemsets/adaptive/twins.h"

static lode_status emit_items(adaptive *a, const uint32_t *ids, const uint64_t *supports,
                              uint32_t n) {
    if (a->mute) return LODE_OK;
    if (a->twins) return twins_emit(a, ids, supports, n);
    lode_batch batch = {.prefix = a->prefix,
                        .n_prefix = a->n_prefix,
                        .items = ids,
                        .supports = supports,
                        .n = n,
                        .perfect = a->perfect,
                        .n_perfect = a->n_perfect};
    return sink_emit(a->out, &batch);
}

lode_status adaptive_emit_one(adaptive *a, uint32_t id, uint32_t support) {
    uint64_t wide = support;
    return emit_items(a, &id, &wide, 1);
}

lode_status pending_take(adaptive *a, uint32_t room, pending *out) {
    lode_status status = LODE_OK;
    out->n = 0;
    LODE_TRY(arena_take(&a->arena, room * sizeof *out->ids, (void **)&out->ids));
    LODE_TRY(arena_take(&a->arena, room * sizeof *out->supports, (void **)&out->supports));
done:
    return status;
}

lode_status pending_emit(adaptive *a, pending *p) {
    uint32_t n = p->n;
    p->n = 0;
    return n > 0 ? emit_items(a, p->ids, p->supports, n) : LODE_OK;
}
