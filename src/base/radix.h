/* radix.h - sorting and merging rows of 64-bit words
 *
 * A row is some words, the first of them the most significant; all rows of a call have as many. A
 * row is its own key, so that nothing is compared through a function and nothing is moved but keys.
 *
 * How:    by the first bits in which rows differ, then each part by the next ones, from one array
 *         into another and back: a pass takes two or three nanoseconds a row, whatever the order,
 *         and a digit has as many bits as leave a few rows in a part. Short parts are finished by
 *         insertion. Rows that RADIX_DEPTH digits have not told apart are merged, pair by pair, so
 *         that the stack stays small.
 * Rules:  the order of equal rows does not matter: nobody can tell them apart.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_RADIX_H
#define LODE_BASE_RADIX_H

#include "base/sort.h"

/* Sorts n rows; `scratch` has room for as many. `stop` as in sort.h: if the result is false, the
 * rows are all there, in no order. */
bool radix_sort(uint64_t *rows, uint64_t *scratch, size_t n, unsigned words, const sort_stop *stop);
/* The same in place, several times slower. */
bool radix_sort_in_place(uint64_t *rows, size_t n, unsigned words, const sort_stop *stop);

/* Sorts at most 2^32 - 1 rows of one word by its bits from number `from` on, the last one being
 * number 0: from the last digit to the first, without a branch that depends on the rows. For lists
 * that stay in the cache of a core. Returns where the result is: in `rows` or `scratch`. */
uint64_t *radix_sort_close(uint64_t *rows, uint64_t *scratch, size_t n, unsigned from);

/* Merges two sorted lists of rows into `to`. */
void radix_merge(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b, unsigned words,
                 uint64_t *to);

bool radix_is_sorted(const uint64_t *rows, size_t n, unsigned words);

/* How many of n sorted rows are below a key. */
size_t radix_below(const uint64_t *rows, size_t n, unsigned words, const uint64_t *key);

#endif
