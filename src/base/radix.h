/* radix.h - sorting and merging rows of 64-bit words
 *
 * A row consists of a few words, the most significant first. All rows of a call have the same
 * number of words. A row is its own key, so no comparison function is needed, and no other data
 * move.
 *
 * How:    this is an MSD radix sort. It sorts the rows by the first bits in which they differ, then
 *         each part by the next bits; each pass moves the rows from one array to the other. A pass
 *         takes two or three nanoseconds per row, whatever the order of the rows. The number of
 *         bits of a digit is chosen so that few rows are left in each part. Insertion sort finishes
 *         short parts. Parts whose rows are equal in RADIX_DEPTH digits are sorted by merging, so
 *         that the recursion stays shallow.
 * Rules:  the sort need not be stable: equal rows cannot be told apart.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_RADIX_H
#define LODE_BASE_RADIX_H

#include "base/sort.h"

/* Sorts n rows; `scratch` must have room for n rows. `stop` works as in sort.h: if it ends the
 * sort, the function returns false, and `rows` has all rows in no particular order. */
bool radix_sort(uint64_t *rows, uint64_t *scratch, size_t n, unsigned words, const sort_stop *stop);
/* Sorts rows without scratch memory, which is several times slower. */
bool radix_sort_in_place(uint64_t *rows, size_t n, unsigned words, const sort_stop *stop);

/* Merges two sorted lists of rows into `to`, which must not overlap them. */
void radix_merge(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b, unsigned words,
                 uint64_t *to);

bool radix_is_sorted(const uint64_t *rows, size_t n, unsigned words);

/* Returns how many of the sorted rows are smaller than the key. */
size_t radix_below(const uint64_t *rows, size_t n, unsigned words, const uint64_t *key);

#endif
