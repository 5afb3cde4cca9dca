/* or_sizes.h - sizes of the unions of one set with many: a loop the compiler vectorises
 *
 * Included by every kernel file, so that each instruction set gets its own code from one source.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CPU_OR_SIZES_H
#define LODE_CPU_OR_SIZES_H

#include <stddef.h>
#include <stdint.h>

/* sizes[i] = |a OR row i of b|, rows of `words` words. */
static inline __attribute__((always_inline)) void
or_sizes_loop(const uint64_t *a, const uint64_t *b, size_t n, size_t words, uint32_t *sizes) {
    if (words == 1) { /* up to 64 items, the usual case: one word a set */
        for (size_t i = 0; i < n; i++) sizes[i] = (uint32_t)__builtin_popcountll(a[0] | b[i]);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t size = 0;
        for (size_t w = 0; w < words; w++) {
            size += (uint32_t)__builtin_popcountll(a[w] | b[i * words + w]);
        }
        sizes[i] = size;
    }
}

#endif
