/* prefix.c - see prefix.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "sink/prefix.h"

#include "sink/columns.h"

/* With room to overshoot; an odd number of cache lines, so that levels do not compete for sets. */
#define PREFIX_LEVEL_BYTES (PREFIX_LEVEL_TEXT + 3 * LINES_PAD)

void prefix_free(prefix *p, mem *m) {
    vec_u32_free(m, &p->items);
    vec_u32_free(m, &p->lengths);
    vec_u64_free(m, &p->ends);
    vec_char_free(m, &p->levels);
    vec_char_free(m, &p->joined);
    *p = (prefix){0};
}

static char *prefix_level(const prefix *p, size_t d) {
    return p->levels.data + d * PREFIX_LEVEL_BYTES;
}

static lode_status prefix_grow(prefix *p, mem *m, size_t n) {
    lode_status status = LODE_OK;
    size_t levels = n < PREFIX_LEVEL_TEXT ? n + 1 : PREFIX_LEVEL_TEXT; /* an item has a byte */
    LODE_TRY(vec_u32_reserve(m, &p->items, n + PREFIX_STEP));
    LODE_TRY(vec_u32_reserve(m, &p->lengths, n + PREFIX_STEP));
    LODE_TRY(vec_u64_reserve(m, &p->ends, n + 1));
    LODE_TRY(vec_char_reserve(m, &p->levels, levels * PREFIX_LEVEL_BYTES));
    p->ends.data[0] = 0;
    p->room = n;
done:
    return status;
}

static void prefix_end_lengths(prefix *p) {
    memset(p->lengths.data + p->n, 0, PREFIX_STEP * sizeof *p->lengths.data);
}

/* Goes back to the last level that this batch shares with the one before. */
static void prefix_back(prefix *p, const lode_batch *batch) {
    size_t most = p->n_levels < batch->n_prefix ? p->n_levels : batch->n_prefix, n = 0;
    while (n < most && p->items.data[n] == batch->prefix[n]) n++;
    p->n = n;
    prefix_end_lengths(p);
}

static void prefix_push(prefix *p, const lines *l, uint32_t item) {
    size_t n = p->n, bytes = p->ends.data[n];
    uint32_t length = l->items[item].length;
    prefix_insert(prefix_level(p, n + 1), prefix_level(p, n), bytes, prefix_place(p, item), l,
                  item);
    p->items.data[n] = item;
    p->lengths.data[n] = length;
    p->lengths.data[n + PREFIX_STEP] = 0;
    p->ends.data[n + 1] = bytes + length;
    p->n = n + 1;
}

static lode_status prefix_join(prefix *p, const lines *l, const lode_batch *batch) {
    lode_status status = LODE_OK;
    uint64_t bytes = 0;
    p->n = batch->n_prefix;
    p->n_levels = 0; /* the items are about to be sorted */
    for (size_t i = 0; i < p->n; i++) bytes += l->items[batch->prefix[i]].length;
    if (bytes > UINT32_MAX) return LODE_UNSUPPORTED;
    LODE_TRY(vec_char_reserve(l->mem, &p->joined, bytes + LINES_PAD));
    memcpy(p->items.data, batch->prefix, p->n * sizeof *batch->prefix);
    columns_sort_items(p->items.data, p->n);
    prefix_end_lengths(p);
    char *end = p->joined.data;
    for (size_t i = 0; i < p->n; i++) {
        line_item piece = l->items[p->items.data[i]];
        p->lengths.data[i] = piece.length;
        end = lines_copy(end, l->text.data + piece.at, piece.length);
    }
    p->text = p->joined.data;
    p->text_bytes = bytes;
done:
    return status;
}

lode_status prefix_set(prefix *p, const lines *l, const lode_batch *batch) {
    size_t n = batch->n_prefix;
    if (n >= p->room) {
        lode_status status = prefix_grow(p, l->mem, 2 * n + PREFIX_STEP);
        if (status != LODE_OK) return status;
    }
    prefix_back(p, batch);
    while (p->n < n) {
        uint32_t item = batch->prefix[p->n];
        bool fits = p->ends.data[p->n] + l->items[item].length <= PREFIX_LEVEL_TEXT;
        if (!fits) return prefix_join(p, l, batch);
        prefix_push(p, l, item);
    }
    p->n_levels = n;
    p->text = prefix_level(p, n);
    p->text_bytes = p->ends.data[n];
    return LODE_OK;
}
