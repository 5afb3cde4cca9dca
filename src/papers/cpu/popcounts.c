/* popcounts.c - population counts as the papers did them, to be compared with the native one
 *
 *   table16   a table of 65,536 bytes, 16 bits a look-up; constant16 is the same on a CPU
 *   shift     remainder by two, shift, until nothing is left
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "papers/cpu/cpu_papers.h"

static uint8_t table16[65536];
static pthread_once_t table16_once = PTHREAD_ONCE_INIT;

static void table16_fill(void) {
    for (uint32_t i = 1; i < 65536; i++) table16[i] = (uint8_t)(table16[i / 2] + i % 2);
}

static inline void table16_begin(void) {
    pthread_once(&table16_once, table16_fill);
}

static inline uint32_t table16_word(uint64_t x) {
    return (uint32_t)table16[x & 0xffff] + table16[x >> 16 & 0xffff] + table16[x >> 32 & 0xffff] +
           table16[x >> 48];
}

static inline void shift_begin(void) {}

static inline uint32_t shift_word(uint64_t x) {
    uint32_t n = 0;
    for (; x; x >>= 1) n += x % 2;
    return n;
}

/* The kernels, once for both ways of counting a word. */
#define POPCOUNT_KERNELS(way)                                                                      \
    uint32_t cpu_count_word_##way(uint64_t x) {                                                    \
        way##_begin();                                                                             \
        return way##_word(x);                                                                      \
    }                                                                                              \
    static uint64_t way##_and_count(const uint64_t *a, const uint64_t *b, size_t words) {          \
        uint64_t n = 0;                                                                            \
        way##_begin();                                                                             \
        for (size_t i = 0; i < words; i++) n += way##_word(a[i] & b[i]);                           \
        return n;                                                                                  \
    }                                                                                              \
    static uint64_t way##_and_store(uint64_t *dst, const uint64_t *a, const uint64_t *b,           \
                                    size_t words) {                                                \
        uint64_t n = 0;                                                                            \
        way##_begin();                                                                             \
        for (size_t i = 0; i < words; i++) {                                                       \
            dst[i] = a[i] & b[i];                                                                  \
            n += way##_word(dst[i]);                                                               \
        }                                                                                          \
        return n;                                                                                  \
    }                                                                                              \
    static uint64_t way##_and_count_lines(const uint64_t *a, const uint64_t *b,                    \
                                          const uint32_t *lines, size_t n_lines) {                 \
        uint64_t n = 0;                                                                            \
        for (size_t i = 0; i < n_lines; i++) {                                                     \
            size_t at = (size_t)lines[i] * BACKEND_LINE_WORDS;                                     \
            n += way##_and_count(a + at, b + at, BACKEND_LINE_WORDS);                              \
        }                                                                                          \
        return n;                                                                                  \
    }                                                                                              \
    const cpu_kernels cpu_kernels_##way = {                                                        \
        .name = #way,                                                                              \
        .and_count = way##_and_count,                                                              \
        .and_store = way##_and_store,                                                              \
        .and_count_lines = way##_and_count_lines,                                                  \
    }

POPCOUNT_KERNELS(table16);
POPCOUNT_KERNELS(shift);
