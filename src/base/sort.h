/* sort.h - sorting in place
 *
 * What:  ascending order without scratch memory, in O(n log n) for any input. The C library's qsort
 *        allocates outside the budget and cannot be interrupted. On rows of a few dozen numbers,
 *        its calls through a pointer take longer than the sorting itself.
 * How:   use sort_u32() for numbers. To sort another type, include the body:
 *
 *            static bool ranked_before(const ranked *a, const ranked *b) { … }
 *            #define SORT_NAME   sort_ranked
 *            #define SORT_TYPE   ranked
 *            #define SORT_BEFORE ranked_before
 *            #include "base/sort_body.h"
 *
 *        which defines   static bool sort_ranked(ranked *values, size_t n, const sort_stop *stop).
 * Rules: the sort is not stable; where this matters, `before` must be a total order. The sort calls
 *        `stop` about every 10^5 steps, unless `stop` is NULL. If `stop` returns true, the sort
 *        returns false and leaves all values in no particular order.
 * Load:  10^4 .. 10^8 rows of 2 .. 200 numbers, many of them nearly sorted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_SORT_H
#define LODE_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sort_stop {
    bool (*asked)(void *user);
    void *user;
} sort_stop;

void sort_u32(uint32_t *values, size_t n);

#endif
