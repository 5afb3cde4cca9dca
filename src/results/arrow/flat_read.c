/* flat_read.c - see flat.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/arrow/flat.h"

static uint64_t flat_load(flat_bytes in, size_t at, size_t width) {
    uint64_t value = 0;
    for (size_t i = width; i-- > 0;) value = value << 8 | in.data[at + i];
    return value;
}

static bool flat_has(flat_bytes in, size_t at, size_t n) {
    return at <= in.n && n <= in.n - at;
}

/* The table at a place: it and its vtable must lie within the bytes. */
static bool flat_open_table(flat_bytes in, size_t at, flat_view *out) {
    if (!flat_has(in, at, sizeof(uint32_t))) return false;
    int64_t vtable = (int64_t)at - (int32_t)(uint32_t)flat_load(in, at, sizeof(uint32_t));
    if (vtable < 0 || !flat_has(in, (size_t)vtable, 2 * sizeof(uint16_t))) return false;
    *out = (flat_view){.in = in, .at = at, .vtable = (size_t)vtable};
    out->vtable_bytes = (size_t)flat_load(in, out->vtable, sizeof(uint16_t));
    out->table_bytes = (size_t)flat_load(in, out->vtable + sizeof(uint16_t), sizeof(uint16_t));
    return out->vtable_bytes >= 2 * sizeof(uint16_t) && out->table_bytes >= sizeof(uint32_t) &&
           flat_has(in, out->vtable, out->vtable_bytes) && flat_has(in, at, out->table_bytes);
}

bool flat_root(flat_bytes in, flat_view *out) {
    if (!flat_has(in, 0, sizeof(uint32_t))) return false;
    return flat_open_table(in, (size_t)flat_load(in, 0, sizeof(uint32_t)), out);
}

/* Where a field lies; 0: it is not there. False: outside of its table. */
static bool flat_find(const flat_view *t, unsigned field, size_t width, size_t *at) {
    size_t slot = (2 + (size_t)field) * sizeof(uint16_t);
    *at = 0;
    if (slot + sizeof(uint16_t) > t->vtable_bytes) return true;
    size_t offset = (size_t)flat_load(t->in, t->vtable + slot, sizeof(uint16_t));
    if (offset == 0) return true;
    if (offset > t->table_bytes || width > t->table_bytes - offset) return false;
    *at = t->at + offset;
    return true;
}

bool flat_number(const flat_view *t, unsigned field, size_t width, uint64_t fallback,
                 uint64_t *out) {
    size_t at;
    if (!flat_find(t, field, width, &at)) return false;
    *out = at ? flat_load(t->in, at, width) : fallback;
    return true;
}

/* Follows a distance. It is less than 2^32 and both places are within the bytes, so that nothing
 * overflows. */
static size_t flat_follow(flat_bytes in, size_t at) {
    return at + (size_t)flat_load(in, at, sizeof(uint32_t));
}

bool flat_table_at(const flat_view *t, unsigned field, flat_view *out) {
    size_t at;
    if (!flat_find(t, field, sizeof(uint32_t), &at) || at == 0) return false;
    return flat_open_table(t->in, flat_follow(t->in, at), out);
}

bool flat_vector_at(const flat_view *t, unsigned field, size_t width, flat_list *out) {
    size_t at;
    *out = (flat_list){.in = t->in};
    if (!flat_find(t, field, sizeof(uint32_t), &at)) return false;
    if (at == 0) return true;
    at = flat_follow(t->in, at);
    if (!flat_has(t->in, at, sizeof(uint32_t))) return false;
    out->n = (size_t)flat_load(t->in, at, sizeof(uint32_t));
    out->at = at + sizeof(uint32_t);
    return out->n <= (t->in.n - out->at) / width;
}

bool flat_text_at(const flat_view *t, unsigned field, const char **out) {
    flat_list text;
    *out = NULL;
    if (!flat_vector_at(t, field, 1, &text)) return false;
    if (text.at == 0) return true;
    if (!flat_has(text.in, text.at, text.n + 1)) return false;
    const char *start = (const char *)text.in.data + text.at;
    if (memchr(start, 0, text.n + 1) != start + text.n) return false;
    *out = start;
    return true;
}

bool flat_list_table(const flat_list *l, size_t i, flat_view *out) {
    return flat_open_table(l->in, flat_follow(l->in, l->at + i * sizeof(uint32_t)), out);
}

uint64_t flat_list_number(const flat_list *l, size_t i, size_t element_bytes, size_t offset,
                          size_t width) {
    return flat_load(l->in, l->at + i * element_bytes + offset, width);
}
