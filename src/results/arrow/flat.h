/* flat.h - the subset of FlatBuffers that Arrow's metadata needs
 *
 * A table begins with the distance to its vtable, which has the positions of the table's fields. A
 * value that is longer than a number (a table, a vector or a string) is elsewhere, and the field
 * has the distance to that value. All numbers are little-endian.
 *
 * Writing goes forward: first a table, then the values to which its fields point. The position of a
 * value is entered in the table when it is known. Errors are kept until flat_status(), so that the
 * code of a writer has the same form as its output. Reading trusts nothing: every position is
 * checked against the end of the bytes before it is used, and numbers may be unaligned.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_ARROW_FLAT_H
#define LODE_RESULTS_ARROW_FLAT_H

#include "base/vec.h"

/* ---- writing --------------------------------------------------------------------------------- */

#define FLAT_FIELDS 8 /* maximum number of fields of a table */

typedef struct flat {
    mem *mem;
    vec_char bytes; /* distances are relative to the start of the bytes, which is aligned to 8 */
    lode_status failed;
} flat;

/* A table under construction. fields[i] is the position of field i; 0 = the table does not have the
 * field. */
typedef struct flat_table {
    size_t at;
    size_t fields[FLAT_FIELDS];
} flat_table;

void flat_begin(flat *f, mem *m);
void flat_free(flat *f);
/* Empties the buffer for other data. */
void flat_clear(flat *f);

/* Writes a table with all fields zero. Its i-th field takes widths[i] - '0' bytes (1, 2, 4 or 8; 0
 * = absent). A field that points elsewhere takes 4 bytes. The first table is the root. */
flat_table flat_put_table(flat *f, const char *widths);
/* Sets a field to a number. */
void flat_set(flat *f, size_t field, uint64_t value, size_t width);
/* Sets a field to the distance to `at`, which must come after the field. */
void flat_point(flat *f, size_t field, size_t at);

/* Writes a vector of n elements (numbers or structs), all zero, and returns the start of the
 * vector. flat_element() returns the positions of elements. */
size_t flat_put_vector(flat *f, size_t n, size_t width);
/* Writes a string, and returns its start. */
size_t flat_put_text(flat *f, const char *text);

/* Returns the position of the i-th element of a vector. */
static inline size_t flat_element(size_t vector, size_t i, size_t width) {
    return vector + sizeof(uint32_t) + i * width;
}

/* Pads with zeros to the next multiple of 8 bytes. */
void flat_align(flat *f);
/* Returns OK if all data were written. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status flat_status(const flat *f);

/* ---- reading --------------------------------------------------------------------------------- */

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
    size_t at; /* position of the first element */
    size_t n;
} flat_list;

/* Reads the root. This function and the following ones return false if a position is outside of the
 * bytes. */
bool flat_root(flat_bytes in, flat_view *out);
/* Reads a number of `width` bytes, without sign extension. If the field is absent, *out becomes
 * `fallback`. */
bool flat_number(const flat_view *t, unsigned field, size_t width, uint64_t fallback,
                 uint64_t *out);
/* Reads the table to which a field points. Returns false if the field is absent, too. */
bool flat_table_at(const flat_view *t, unsigned field, flat_view *out);
/* Reads a vector. The vector is empty if the field is absent. */
bool flat_vector_at(const flat_view *t, unsigned field, size_t width, flat_list *out);
/* Reads a string that has a closing zero and no other zero. *out becomes NULL if the field is
 * absent. */
bool flat_text_at(const flat_view *t, unsigned field, const char **out);
/* Reads the i-th element of a vector of tables. i must be less than l->n. */
bool flat_list_table(const flat_list *l, size_t i, flat_view *out);
/* Returns the number at the byte `offset` of the i-th element of a vector. i must be less than
 * l->n. */
uint64_t flat_list_number(const flat_list *l, size_t i, size_t element_bytes, size_t offset,
                          size_t width);

#endif
