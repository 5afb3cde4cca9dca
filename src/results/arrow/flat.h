/* flat.h - the subset of FlatBuffers that Arrow's metadata needs
 *
 * A table begins with the distance to its vtable, which has the positions of its fields. Values
 * that are longer than a number (tables, vectors, strings) are elsewhere, and the field has the
 * distance to them. All numbers are little-endian.
 *
 * Writing goes forward: a table first, then what its fields point to, which is entered in the table
 * when its position is known. Errors are kept until flat_status(), so that the code of a writer
 * looks like what it writes.
 * Reading trusts nothing: every position is checked against the end of the bytes before it is used,
 * and numbers may be unaligned.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_ARROW_FLAT_H
#define LODE_RESULTS_ARROW_FLAT_H

#include "base/vec.h"

/* ---- writing -------------------------------------------------------------------------------- */

#define FLAT_FIELDS 8 /* maximum number of fields of a table */

typedef struct flat {
    mem *mem;
    vec_char bytes; /* distances are relative to its start, which is aligned to 8 bytes */
    lode_status failed;
} flat;

/* A table under construction: the positions of its fields. 0 = no such field. */
typedef struct flat_table {
    size_t at;
    size_t fields[FLAT_FIELDS];
} flat_table;

void flat_begin(flat *f, mem *m);
void flat_free(flat *f);
/* Empties it, to write something else. */
void flat_clear(flat *f);

/* Writes a table whose i-th field takes widths[i] - '0' bytes (1, 2, 4 or 8; 0 = absent), all zero.
 * A field that points elsewhere takes 4. The first table is the root. */
flat_table flat_put_table(flat *f, const char *widths);
/* Sets a field to a number. */
void flat_set(flat *f, size_t field, uint64_t value, size_t width);
/* Sets a field to the distance to `at`, which comes after it. */
void flat_point(flat *f, size_t field, size_t at);

/* These return the start. A vector of n numbers or structs of 4 or 8 bytes each, all zero; the
 * first is at flat_element(). */
size_t flat_put_vector(flat *f, size_t n, size_t width);
size_t flat_put_text(flat *f, const char *text);

/* The position of the i-th element of a vector. */
static inline size_t flat_element(size_t vector, size_t i, size_t width) {
    return vector + sizeof(uint32_t) + i * width;
}

/* Pads with zeros to the next multiple of 8 bytes. */
void flat_align(flat *f);
/* Whether everything was written. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status flat_status(const flat *f);

/* ---- reading -------------------------------------------------------------------------------- */

/* Untrusted bytes. */
typedef struct flat_bytes {
    const unsigned char *data;
    size_t n;
} flat_bytes;

/* A table and its vtable, both within the bytes. */
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

/* All return false if something is outside of the bytes. The root: */
bool flat_root(flat_bytes in, flat_view *out);
/* A number of `width` bytes, without sign extension; `fallback` if the field is absent. */
bool flat_number(const flat_view *t, unsigned field, size_t width, uint64_t fallback,
                 uint64_t *out);
/* A table that a field points to; false also if the field is absent. */
bool flat_table_at(const flat_view *t, unsigned field, flat_view *out);
/* A vector; empty if the field is absent. */
bool flat_vector_at(const flat_view *t, unsigned field, size_t width, flat_list *out);
/* A string with a closing zero, and no other; NULL if the field is absent. */
bool flat_text_at(const flat_view *t, unsigned field, const char **out);
/* The i-th element of a vector, i < n: a table, or a number within it, at the byte `offset`. */
bool flat_list_table(const flat_list *l, size_t i, flat_view *out);
uint64_t flat_list_number(const flat_list *l, size_t i, size_t element_bytes, size_t offset,
                          size_t width);

#endif
