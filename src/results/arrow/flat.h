/* flat.h - flatbuffers, the little of them that Arrow's metadata needs
 *
 * A table begins with the distance to its vtable, which says where each of its fields lies; what is
 * longer than a number (tables, vectors, texts) lies elsewhere, and the field has the distance to
 * it. All numbers are little-endian.
 *
 * Writing goes forward: a table first, then what its fields point to, which is entered in the
 * table when its place is known. A failure is kept until flat_status(), so that what is written
 * reads like what it becomes.
 * Reading takes nothing for granted: every place is checked against the end of the bytes before it
 * is looked at, and numbers may lie anywhere.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_ARROW_FLAT_H
#define LODE_RESULTS_ARROW_FLAT_H

#include "base/vec.h"

/* ---- writing -------------------------------------------------------------------------------- */

#define FLAT_FIELDS 8 /* the most fields of a table */

typedef struct flat {
    mem *mem;
    vec_char bytes; /* from 8-byte boundary to 8-byte boundary: distances are from its start */
    lode_status failed;
} flat;

/* A table in the making: where its fields are. 0: it does not have the field. */
typedef struct flat_table {
    size_t at;
    size_t fields[FLAT_FIELDS];
} flat_table;

void flat_begin(flat *f, mem *m);
void flat_free(flat *f);
/* Empties it, to write something else. */
void flat_clear(flat *f);

/* Writes a table whose i-th field takes widths[i] - '0' bytes (1, 2, 4 or 8; 0: not there), all
 * zero. A field for what lies elsewhere takes 4. The first table is the root. */
flat_table flat_put_table(flat *f, const char *widths);
/* Sets a field to a number. */
void flat_set(flat *f, size_t field, uint64_t value, size_t width);
/* Sets a field to the distance to `at`, which lies after it. */
void flat_point(flat *f, size_t field, size_t at);

/* These return where it begins. A vector of n numbers, or structs, of 4 or 8 bytes each, all zero:
 * the first is at flat_element(). */
size_t flat_put_vector(flat *f, size_t n, size_t width);
size_t flat_put_text(flat *f, const char *text);

/* The place of the i-th element of a vector. */
static inline size_t flat_element(size_t vector, size_t i, size_t width) {
    return vector + sizeof(uint32_t) + i * width;
}

/* Zeros up to the next multiple of 8 bytes. */
void flat_align(flat *f);
/* Whether all of it was written. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status flat_status(const flat *f);

/* ---- reading -------------------------------------------------------------------------------- */

/* Bytes that may be anything. */
typedef struct flat_bytes {
    const unsigned char *data;
    size_t n;
} flat_bytes;

/* A table, and the vtable that belongs to it, all of which lies within the bytes. */
typedef struct flat_view {
    flat_bytes in;
    size_t at, vtable;
    size_t table_bytes, vtable_bytes;
} flat_view;

typedef struct flat_list {
    flat_bytes in;
    size_t at; /* of the first element */
    size_t n;
} flat_list;

/* All return false if something lies outside of the bytes. The root: */
bool flat_root(flat_bytes in, flat_view *out);
/* A number of `width` bytes, not extended by its sign; `fallback` if the field is not there. */
bool flat_number(const flat_view *t, unsigned field, size_t width, uint64_t fallback,
                 uint64_t *out);
/* What lies elsewhere; false also if the field is not there. */
bool flat_table_at(const flat_view *t, unsigned field, flat_view *out);
/* An empty vector if the field is not there. */
bool flat_vector_at(const flat_view *t, unsigned field, size_t width, flat_list *out);
/* A text with a zero behind it, and none within; NULL if the field is not there. */
bool flat_text_at(const flat_view *t, unsigned field, const char **out);
/* The i-th element of a vector, i < n: a table, or a number within it, at the byte `offset`. */
bool flat_list_table(const flat_list *l, size_t i, flat_view *out);
uint64_t flat_list_number(const flat_list *l, size_t i, size_t element_bytes, size_t offset,
                          size_t width);

#endif
