/* prefix.c - see prefix.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/prefix.h"

#include "base/sort.h"

/* With room to overshoot; an odd number of cache lines, so that levels do not compete for sets. */
#define PREFIX_LEVEL_BYTES (PREFIX_LEVEL_TEXT + 3 * LABEL_PAD)

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

/* Puts the end of the items after the first n. */
static void prefix_cut(prefix *p, size_t n) {
    p->n = n;
    memset(p->lengths.data + n, 0, PREFIX_STEP * sizeof *p->lengths.data);
}

/* Goes back to the last level that is also one of this batch. */
static void prefix_back(prefix *p, const uint32_t *items, size_t n) {
    size_t most = p->n_levels < n ? p->n_levels : n, same = 0;
    while (same < most && p->items.data[same] == items[same]) same++;
    if (same != p->n || same == 0) prefix_cut(p, same);
    p->n_levels = same;
}

static void prefix_push(prefix *p, const lines *l, uint32_t item) {
    size_t n = p->n, bytes = p->ends.data[n], place = prefix_place(p, item);
    uint32_t length = l->labels.items[item].length;
    const char *from = prefix_level(p, n);
    char *to = label_copy_text(prefix_level(p, n + 1), from, place);
    label_copy_text(label_copy(&l->labels, to, item), from + place, bytes - place);
    p->items.data[n] = item;
    p->lengths.data[n] = length;
    p->lengths.data[n + PREFIX_STEP] = 0;
    p->ends.data[n + 1] = bytes + length;
    p->n = n + 1;
}

static lode_status prefix_join(prefix *p, const lines *l, const uint32_t *items, size_t n) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < n; i++) bytes += l->labels.items[items[i]].length;
    if (bytes > UINT32_MAX) return LODE_UNSUPPORTED;
    lode_status status = vec_char_reserve(l->labels.mem, &p->joined, bytes + LABEL_PAD);
    if (status != LODE_OK) return status;
    memcpy(p->items.data, items, n * sizeof *items);
    sort_u32(p->items.data, n);
    prefix_cut(p, n);
    char *end = p->joined.data;
    for (size_t i = 0; i < n; i++) {
        p->lengths.data[i] = l->labels.items[p->items.data[i]].length;
        end = label_copy(&l->labels, end, p->items.data[i]);
    }
    p->text = p->joined.data;
    p->text_bytes = bytes;
    p->n_levels = 0; /* the items of the levels are gone */
    return LODE_OK;
}

/* Brings the text up to the first n items of a batch. */
static lode_status prefix_advance(prefix *p, const lines *l, const uint32_t *items, size_t n) {
    prefix_back(p, items, n);
    while (p->n < n) {
        uint32_t item = items[p->n];
        bool fits = p->ends.data[p->n] + l->labels.items[item].length <= PREFIX_LEVEL_TEXT;
        if (!fits) return prefix_join(p, l, items, n);
        prefix_push(p, l, item);
    }
    p->n_levels = n;
    p->text = prefix_level(p, n);
    p->text_bytes = p->ends.data[n];
    return LODE_OK;
}

lode_status prefix_set(prefix *p, const lines *l, const lode_batch *batch) {
    lode_status status = LODE_OK;
    size_t n = batch->n_prefix;
    p->empty = n == 0;
    if (p->empty) {
        p->text_bytes = 0;
        return LODE_OK;
    }
    if (n >= p->room) LODE_TRY(prefix_grow(p, l->labels.mem, 2 * n + PREFIX_STEP));
    LODE_TRY(prefix_advance(p, l, batch->prefix, n - 1));
    p->last = batch->prefix[n - 1];
    p->place = prefix_place(p, p->last);
done:
    return status;
}
