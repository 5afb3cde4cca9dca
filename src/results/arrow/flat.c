/* flat.c - see flat.h
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

/* Finds a field; 0 if it is missing. Returns false if it lies outside of its table. */
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

/* Follows an offset. It is less than 2^32, and both positions are within the bytes, so nothing
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

void flat_begin(flat *f, mem *m) {
    *f = (flat){.mem = m};
}

void flat_free(flat *f) {
    if (f->mem) vec_char_free(f->mem, &f->bytes);
}

void flat_clear(flat *f) {
    f->bytes.n = 0;
    f->failed = LODE_OK;
}

lode_status flat_status(const flat *f) {
    return f->failed;
}

/* Appends n zeros. */
static void flat_extend(flat *f, size_t n) {
    if (f->failed == LODE_OK) f->failed = vec_char_reserve(f->mem, &f->bytes, n);
    if (f->failed != LODE_OK) return;
    if (n > 0) memset(f->bytes.data + f->bytes.n, 0, n);
    f->bytes.n += n;
}

/* Zeros until what follows `before` more bytes is at a multiple of `width`. */
static void flat_align_to(flat *f, size_t before, size_t width) {
    flat_extend(f, (width - (f->bytes.n + before) % width) % width);
}

void flat_align(flat *f) {
    flat_align_to(f, 0, 8);
}

void flat_set(flat *f, size_t field, uint64_t value, size_t width) {
    if (f->failed != LODE_OK) return;
    for (size_t i = 0; i < width; i++) {
        f->bytes.data[field + i] = (char)(unsigned char)(value >> (8 * i));
    }
}

void flat_point(flat *f, size_t field, size_t at) {
    flat_set(f, field, at - field, sizeof(uint32_t));
}

flat_table flat_put_table(flat *f, const char *widths) {
    flat_table t = {0};
    size_t n = strlen(widths), inside = sizeof(uint32_t), offsets[FLAT_FIELDS] = {0};
    for (size_t width = 8; width > 0; width /= 2) { /* so that no field needs space before it */
        for (size_t i = 0; i < n; i++) {
            if ((size_t)(widths[i] - '0') != width) continue;
            offsets[i] = inside;
            inside += width;
        }
    }
    if (f->bytes.n == 0) flat_extend(f, sizeof(uint32_t)); /* the distance to the root */
    flat_align_to(f, 0, 2);
    size_t vtable = f->bytes.n, vtable_bytes = (2 + n) * sizeof(uint16_t);
    flat_extend(f, vtable_bytes);
    flat_align_to(f, sizeof(uint32_t), 8); /* the widest fields come after the first 4 bytes */
    t.at = f->bytes.n;
    flat_extend(f, inside);
    flat_set(f, t.at, t.at - vtable, sizeof(uint32_t));
    flat_set(f, vtable, vtable_bytes, sizeof(uint16_t));
    flat_set(f, vtable + sizeof(uint16_t), inside, sizeof(uint16_t));
    for (size_t i = 0; i < n; i++) {
        flat_set(f, vtable + (2 + i) * sizeof(uint16_t), offsets[i], sizeof(uint16_t));
        t.fields[i] = offsets[i] ? t.at + offsets[i] : 0;
    }
    if (vtable == sizeof(uint32_t)) flat_point(f, 0, t.at);
    return t;
}

size_t flat_put_vector(flat *f, size_t n, size_t width) {
    flat_align_to(f, sizeof(uint32_t), width % 8 == 0 ? 8 : 4);
    size_t at = f->bytes.n;
    flat_extend(f, sizeof(uint32_t) + n * width);
    flat_set(f, at, n, sizeof(uint32_t));
    return at;
}

size_t flat_put_text(flat *f, const char *text) {
    size_t n = strlen(text);
    flat_align_to(f, 0, 4);
    size_t at = f->bytes.n;
    flat_extend(f, sizeof(uint32_t) + n + 1);
    flat_set(f, at, n, sizeof(uint32_t));
    if (f->failed == LODE_OK) memcpy(f->bytes.data + at + sizeof(uint32_t), text, n);
    return at;
}
