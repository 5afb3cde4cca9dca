/* item_columns.c - see item_columns.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/item_columns.h"

#include <string.h>

#include "base/check.h"
#include "base/sort.h"

void columns_free(mem *m, columns *c) {
    vec_u64_free(m, &c->offsets);
    vec_u32_free(m, &c->items);
    vec_u64_free(m, &c->supports);
}

/* Makes room first, so that nothing can fail half-way. */
static lode_status columns_reserve(mem *m, columns *c, size_t patterns, size_t items) {
    lode_status status = LODE_OK;
    LODE_TRY(vec_u64_reserve(m, &c->offsets, patterns + 1));
    LODE_TRY(vec_u32_reserve(m, &c->items, items));
    LODE_TRY(vec_u64_reserve(m, &c->supports, patterns));
    if (c->offsets.n == 0) c->offsets.data[c->offsets.n++] = 0;
done:
    return status;
}

static bool columns_ascend(const uint32_t *items, size_t n) {
    for (size_t i = 1; i < n; i++) {
        if (items[i] <= items[i - 1]) return false;
    }
    return true;
}

lode_status columns_append(mem *m, columns *c, const lode_batch *batch) {
    size_t size = (size_t)batch->n_prefix + 1;
    lode_status status = columns_reserve(m, c, batch->n, batch->n * size);
    if (status != LODE_OK) return status;
    for (uint32_t i = 0; i < batch->n; i++) {
        uint32_t *items = c->items.data + c->items.n;
        if (batch->n_prefix > 0) memcpy(items, batch->prefix, batch->n_prefix * sizeof *items);
        items[batch->n_prefix] = batch->items[i];
        sort_u32(items, size);
        LODE_DEBUG_CHECK(columns_ascend(items, size), "an itemset has an item twice");
        c->items.n += size;
        c->offsets.data[c->offsets.n++] = c->items.n;
        c->supports.data[c->supports.n++] = batch->supports[i];
    }
    return LODE_OK;
}

lode_status columns_join(mem *m, columns *c, columns *from) {
    size_t n = from->supports.n;
    if (n == 0) return LODE_OK;
    if (c->supports.n == 0) { /* nothing to copy */
        columns none = *c;
        *c = *from;
        *from = none;
        return LODE_OK;
    }
    lode_status status = columns_reserve(m, c, n, from->items.n);
    if (status != LODE_OK) return status;
    uint64_t base = c->items.n;
    for (size_t i = 1; i <= n; i++) c->offsets.data[c->offsets.n++] = base + from->offsets.data[i];
    memcpy(c->items.data + base, from->items.data, from->items.n * sizeof *from->items.data);
    memcpy(c->supports.data + c->supports.n, from->supports.data, n * sizeof *from->supports.data);
    c->items.n += from->items.n;
    c->supports.n += n;
    return LODE_OK;
}

void columns_keep(columns *c, uint64_t min_support) {
    size_t kept = 0;
    uint64_t end = 0;
    for (size_t i = 0; i < c->supports.n; i++) {
        uint64_t first = c->offsets.data[i], size = c->offsets.data[i + 1] - first;
        if (c->supports.data[i] < min_support) continue;
        memmove(c->items.data + end, c->items.data + first, size * sizeof *c->items.data);
        end += size;
        c->supports.data[kept++] = c->supports.data[i];
        c->offsets.data[kept] = end; /* kept <= i, so offsets[i + 1] is still to be read */
    }
    c->supports.n = kept;
    c->items.n = end;
    if (c->offsets.n > 0) c->offsets.n = kept + 1;
}

lode_batch columns_at(const columns *c, uint64_t i) {
    uint64_t first = c->offsets.data[i], last = c->offsets.data[i + 1] - 1;
    return (lode_batch){
        .prefix = c->items.data + first,
        .n_prefix = (uint32_t)(last - first),
        .items = c->items.data + last,
        .supports = c->supports.data + i,
        .n = 1,
    };
}

/* ---- sorting ------------------------------------------------------------------------------- */

/* A pattern where it lies; sorting moves these 24 bytes instead of the items. */
typedef struct pattern_ref {
    const uint32_t *items;
    uint64_t size;
    uint64_t support;
} pattern_ref;

static int columns_compare(const pattern_ref *a, const pattern_ref *b) {
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    for (uint64_t i = 0; i < a->size; i++) {
        if (a->items[i] != b->items[i]) return a->items[i] < b->items[i] ? -1 : 1;
    }
    return 0;
}

static bool columns_smaller_first(const pattern_ref *a, const pattern_ref *b) {
    return columns_compare(a, b) < 0;
}

#define SORT_NAME   columns_sort_by_size
#define SORT_TYPE   pattern_ref
#define SORT_BEFORE columns_smaller_first
#include "base/sort_body.h"

static bool columns_commoner_first(const pattern_ref *a, const pattern_ref *b) {
    return a->support != b->support ? a->support > b->support : columns_compare(a, b) < 0;
}

#define SORT_NAME   columns_sort_by_support
#define SORT_TYPE   pattern_ref
#define SORT_BEFORE columns_commoner_first
#include "base/sort_body.h"

/* Copies the items in the order of the references into `to`. Offsets and supports are rewritten in
 * place, because the references contain everything that is overwritten. */
static void columns_lay_out(columns *c, const pattern_ref *refs, size_t n, uint32_t *to) {
    uint64_t end = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(to + end, refs[i].items, refs[i].size * sizeof *to);
        end += refs[i].size;
        c->offsets.data[i + 1] = end;
        c->supports.data[i] = refs[i].support;
    }
}

static pattern_ref columns_ref(const columns *c, size_t i) {
    uint64_t first = c->offsets.data[i];
    return (pattern_ref){c->items.data + first, c->offsets.data[i + 1] - first,
                         c->supports.data[i]};
}

/* Brings the patterns into the order of the references. On failure they are unchanged. */
static lode_status columns_rearrange(mem *m, columns *c, const pattern_ref *refs) {
    vec_u32 items = {0};
    lode_status status = vec_u32_reserve(m, &items, c->items.n);
    if (status != LODE_OK) return status;
    columns_lay_out(c, refs, c->supports.n, items.data);
    items.n = c->items.n;
    vec_u32_free(m, &c->items);
    c->items = items;
    return LODE_OK;
}

lode_status columns_sort(mem *m, columns *c, columns_order order, const sort_stop *stop) {
    lode_status status = LODE_OK;
    size_t n = c->supports.n;
    pattern_ref *refs = NULL;
    if (n < 2) return LODE_OK;

    LODE_TRY(mem_resize(m, (void **)&refs, 0, n * sizeof *refs));
    for (size_t i = 0; i < n; i++) refs[i] = columns_ref(c, i);
    bool done = order == COLUMNS_BY_SIZE ? columns_sort_by_size(refs, n, stop)
                                         : columns_sort_by_support(refs, n, stop);
    status = done ? columns_rearrange(m, c, refs) : LODE_CANCELLED;
done:
    mem_free(m, refs, n * sizeof *refs);
    return status;
}

/* ---- sorting by values ---------------------------------------------------------------------- */

typedef struct ranked_ref {
    pattern_ref pattern;
    double value;
} ranked_ref;

static bool columns_higher_first(const ranked_ref *a, const ranked_ref *b) {
    if (a->value != b->value) return a->value > b->value;
    return columns_commoner_first(&a->pattern, &b->pattern);
}

#define SORT_NAME   columns_sort_by_value
#define SORT_TYPE   ranked_ref
#define SORT_BEFORE columns_higher_first
#include "base/sort_body.h"

lode_status columns_rank(mem *m, columns *c, const double *values, const sort_stop *stop) {
    lode_status status = LODE_OK;
    size_t n = c->supports.n;
    ranked_ref *ranked = NULL;
    pattern_ref *refs = NULL;
    if (n < 2) return LODE_OK;

    LODE_TRY(mem_resize(m, (void **)&ranked, 0, n * sizeof *ranked));
    LODE_TRY(mem_resize(m, (void **)&refs, 0, n * sizeof *refs));
    for (size_t i = 0; i < n; i++) ranked[i] = (ranked_ref){columns_ref(c, i), values[i]};
    if (!columns_sort_by_value(ranked, n, stop)) LODE_LEAVE(LODE_CANCELLED);
    for (size_t i = 0; i < n; i++) refs[i] = ranked[i].pattern;
    status = columns_rearrange(m, c, refs);
done:
    if (refs) mem_free(m, refs, n * sizeof *refs);
    if (ranked) mem_free(m, ranked, n * sizeof *ranked);
    return status;
}
