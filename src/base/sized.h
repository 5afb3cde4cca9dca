/* sized.h - structs that begin with their own size, and may be of another version
 *
 * The size that such a struct tells is its program's; what both versions know comes first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_SIZED_H
#define LODE_BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>

/* The size that a struct tells, its first field, where this version's has `bytes`; 0 if that cannot
 * be. */
size_t sized_told(const void *given, size_t bytes);

/* Copies the fields that both have, and sets those that only `to` has to zero; not the size. */
void sized_copy(void *to, size_t to_bytes, const void *from, size_t from_bytes);

/* Fills a struct of the program's as far as both know it, with `from` or, for NULL, with zeros; its
 * size stays. False if there is nothing to tell, or no struct whose size is set. */
#define sized_fill(out, from) sized_fill_bytes(out, from, sizeof *(out))
bool sized_fill_bytes(void *out, const void *from, size_t bytes);

#endif
