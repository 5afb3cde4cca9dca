/* sort.h - sorting numbers in place
 *
 * What:  ascending order without scratch memory and without the library's qsort, whose calls
 *        through a pointer cost more than the work itself on rows of a few dozen numbers.
 * Load:  10^4 .. 10^8 rows of 2 .. 200 numbers, many of them nearly in order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_SORT_H
#define LODE_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

void sort_u32(uint32_t *values, size_t n);

#endif
