/* sort.h - sorting in place
 *
 * What:  ascending order without scratch memory, O(n log n) for any input, and without the
 *        library's qsort, which takes memory that no budget sees, cannot be interrupted, and whose
 *        calls through a pointer cost more than the work itself on rows of a few dozen numbers.
 * How:   numbers have sort_u32. A sort of anything else is made by including the body:
 *
 *            static bool ranked_before(const ranked *a, const ranked *b) { … }
 *            #define SORT_NAME   sort_ranked
 *            #define SORT_TYPE   ranked
 *            #define SORT_BEFORE ranked_before
 *            #include "base/sort_body.h"
 *
 *        which defines   static bool sort_ranked(ranked *values, size_t n, const sort_stop *stop).
 * Rules: equal values end up in any order, so where that shows, `before` must be a total order.
 *        `stop` is asked after some 10^5 steps, for sorts that may take long; NULL = never. If it
 *        says yes, the result is false, and the values are all there but in no order.
 * Load:  10^4 .. 10^8 rows of 2 .. 200 numbers, many of them nearly in order.
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
