/* flat_write.c - see flat.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/arrow/flat.h"

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
    flat_align_to(f, sizeof(uint32_t), 8); /* the widest fields come behind the first 4 bytes */
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
