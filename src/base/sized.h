/* sized.h - structs that begin with their own size, because program and library may be of different
 * versions
 *
 * The size is that in the program's version. Fields are only ever added at the end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_SIZED_H
#define LODE_BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>

/* The first field of a struct, which is its size; 0 if that is not plausible for a struct that has
 * `bytes` in this version. */
size_t sized_told(const void *given, size_t bytes);

/* Copies the fields that both structs have, and sets those that only `to` has to zero. Leaves the
 * size alone. */
void sized_copy(void *to, size_t to_bytes, const void *from, size_t from_bytes);

/* Fills a struct of the program with the fields of `from` that it has; with zeros if `from` is
 * NULL. Leaves its size alone. False if `from` is NULL, or if `out` is NULL or its size not set. */
#define sized_fill(out, from) sized_fill_bytes(out, from, sizeof *(out))
bool sized_fill_bytes(void *out, const void *from, size_t bytes);

#endif
