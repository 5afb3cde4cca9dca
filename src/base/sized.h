/* sized.h - structs that begin with their own size, because the program and the library may have
 * different versions
 *
 * The size is the struct's size in the program's version. New fields may only be added at the end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_SIZED_H
#define LODE_BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the size stored in the first field of a struct, or 0 if this size is not plausible.
 * `bytes` is the struct's size in this version. */
size_t sized_told(const void *given, size_t bytes);

/* Copies the fields that both structs have, and zeroes the fields that only `to` has. Does not
 * change the size field. */
void sized_copy(void *to, size_t to_bytes, const void *from, size_t from_bytes);

/* Copies from `from` the fields that the program's struct `out` has, or fills `out` with zeros if
 * `from` is NULL. Does not change the size field. Returns false if `from` is NULL, or if `out` is
 * NULL or has no size. */
#define sized_fill(out, from) sized_fill_bytes(out, from, sizeof *(out))
bool sized_fill_bytes(void *out, const void *from, size_t bytes);

#endif
