/* radix.h - sorting and merging rows of 64-bit words
 *
 * A row is a few words, the most significant first; all rows of a call have the same number. A row
 * is its own key, so there are no comparison functions, and only keys are moved.
 *
 * How:    MSD radix sort: by the first bits in which rows differ, then each part by the next bits,
 *         from one array into another and back. A pass takes two or three nanoseconds per row,
 *         whatever the order; digits have enough bits to leave a few rows per part. Insertion sort
 *         finishes short parts. Rows that are equal in RADIX_DEPTH digits are merged pair by pair,
 *         so that the stack stays small.
 * Rules:  the sort need not be stable: equal rows cannot be told apart.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_RADIX_H
#define LODE_BASE_RADIX_H

#include "base/sort.h"

/* Sorts n rows; `scratch` has room for as many. `stop` as in sort.h: if the result is false, all
 * rows are there, in no order. */
bool radix_sort(uint64_t *rows, uint64_t *scratch, size_t n, unsigned words, const sort_stop *stop);
/* The same in place, several times slower. */
bool radix_sort_in_place(uint64_t *rows, size_t n, unsigned words, const sort_stop *stop);

/* Merges two sorted lists of rows into `to`. */
void radix_merge(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b, unsigned words,
                 uint64_t *to);

bool radix_is_sorted(const uint64_t *rows, size_t n, unsigned words);

/* The number of sorted rows below a key. */
size_t radix_below(const uint64_t *rows, size_t n, unsigned words, const uint64_t *key);

#endif
