/* kernels_papers.c - population counts as the papers did them, to be compared with the native one
 *
 *   table16   a table of 65,536 bytes, 16 bits a look-up (2009: in constant memory)
 *   shift     remainder by two, shift, until nothing is left
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "base/pick.h"
#include "cpu/kernels.h"
#include "cpu/or_sizes.h"

static uint8_t table16[65536];
static pthread_once_t table16_once = PTHREAD_ONCE_INIT;

static void table16_fill(void) {
    for (uint32_t i = 1; i < 65536; i++) table16[i] = (uint8_t)(table16[i / 2] + i % 2);
}

static bool papers_usable(void) {
    return true;
}

static inline uint32_t word_table16(uint64_t x) {
    return (uint32_t)table16[x & 0xffff] + table16[x >> 16 & 0xffff] + table16[x >> 32 & 0xffff] +
           table16[x >> 48];
}

static inline uint32_t word_shift(uint64_t x) {
    uint32_t n = 0;
    for (; x; x >>= 1) n += x % 2;
    return n;
}

/* The loops, once for both: the counting function is a constant where they are called. */
typedef uint32_t (*word_fn)(uint64_t);

static inline __attribute__((always_inline)) uint64_t
loop_and_store(uint64_t *dst, const uint64_t *a, const uint64_t *b, size_t words, word_fn count) {
    uint64_t n = 0;
    for (size_t i = 0; i < words; i++) {
        uint64_t x = a[i] & b[i];
        if (dst) dst[i] = x;
        n += count(x);
    }
    return n;
}

static inline __attribute__((always_inline)) uint64_t loop_lines(const uint64_t *a,
                                                                 const uint64_t *b,
                                                                 const uint32_t *lines,
                                                                 size_t n_lines, word_fn count) {
    uint64_t n = 0;
    for (size_t i = 0; i < n_lines; i++) {
        size_t at = (size_t)lines[i] * 8;
        n += loop_and_store(NULL, a + at, b + at, 8, count);
    }
    return n;
}

static uint32_t table16_word(uint64_t x) {
    pthread_once(&table16_once, table16_fill);
    return word_table16(x);
}

static uint64_t table16_count(const uint64_t *a, size_t words) {
    pthread_once(&table16_once, table16_fill);
    return loop_and_store(NULL, a, a, words, word_table16);
}

static uint64_t table16_and_count(const uint64_t *a, const uint64_t *b, size_t words) {
    pthread_once(&table16_once, table16_fill);
    return loop_and_store(NULL, a, b, words, word_table16);
}

static uint64_t table16_and_store(uint64_t *dst, const uint64_t *a, const uint64_t *b,
                                  size_t words) {
    pthread_once(&table16_once, table16_fill);
    return loop_and_store(dst, a, b, words, word_table16);
}

static uint64_t table16_and_count_lines(const uint64_t *a, const uint64_t *b, const uint32_t *lines,
                                        size_t n_lines) {
    pthread_once(&table16_once, table16_fill);
    return loop_lines(a, b, lines, n_lines, word_table16);
}

static uint64_t shift_count(const uint64_t *a, size_t words) {
    return loop_and_store(NULL, a, a, words, word_shift);
}

static uint64_t shift_and_count(const uint64_t *a, const uint64_t *b, size_t words) {
    return loop_and_store(NULL, a, b, words, word_shift);
}

static uint64_t shift_and_store(uint64_t *dst, const uint64_t *a, const uint64_t *b, size_t words) {
    return loop_and_store(dst, a, b, words, word_shift);
}

static uint64_t shift_and_count_lines(const uint64_t *a, const uint64_t *b, const uint32_t *lines,
                                      size_t n_lines) {
    return loop_lines(a, b, lines, n_lines, word_shift);
}

/* Itemsets are not what the papers' counts are compared on. */
static void papers_or_sizes(const uint64_t *a, const uint64_t *b, size_t n, size_t words,
                            uint32_t *sizes) {
    or_sizes_loop(a, b, n, words, sizes);
}

static void papers_pick(uint64_t *to, const uint64_t *row, const uint64_t *mask, size_t words,
                        size_t to_words) {
    pick_loop(to, row, mask, words, to_words);
}

const cpu_kernels cpu_kernels_table16 = {
    .name = "table16",
    .usable = papers_usable,
    .count_word = table16_word,
    .count = table16_count,
    .and_count = table16_and_count,
    .and_store = table16_and_store,
    .and_count_lines = table16_and_count_lines,
    .or_sizes = papers_or_sizes,
    .pick = papers_pick,
};

const cpu_kernels cpu_kernels_shift = {
    .name = "shift",
    .usable = papers_usable,
    .count_word = word_shift,
    .count = shift_count,
    .and_count = shift_and_count,
    .and_store = shift_and_store,
    .and_count_lines = shift_and_count_lines,
    .or_sizes = papers_or_sizes,
    .pick = papers_pick,
};
