/* sort.c - see sort.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/sort.h"

static inline bool u32_before(const uint32_t *a, const uint32_t *b) {
    return *a < *b;
}

#define SORT_NAME   sort_words
#define SORT_TYPE   uint32_t
#define SORT_BEFORE u32_before
#include "base/sort_body.h"

void sort_u32(uint32_t *values, size_t n) {
    sort_words(values, n, NULL);
}
