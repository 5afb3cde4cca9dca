/* sized.h - structs that begin with their own size, because program and library may have different
 * versions
 *
 * The size is the one in the program's version. New fields are only added at the end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_SIZED_H
#define LODE_BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>

/* The size in the first field of a struct; 0 if it is not plausible for a struct that has `bytes`
 * in this version. */
size_t sized_told(const void *given, size_t bytes);

/* Copies the fields that both structs have, and zeroes those that only `to` has. Does not change
 * the size. */
void sized_copy(void *to, size_t to_bytes, const void *from, size_t from_bytes);

/* Fills a struct of the program with the fields of `from` that it has; with zeros if `from` is
 * NULL. Does not change its size. False if `from` is NULL, or if `out` is NULL or has no size. */
#define sized_fill(out, from) sized_fill_bytes(out, from, sizeof *(out))
bool sized_fill_bytes(void *out, const void *from, size_t bytes);

#endif
