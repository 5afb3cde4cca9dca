/* line_count.h - counts the bits that two bit rows have in common, one line of 64 bytes at a time.
 * Every kernel file includes this code and compiles it for its own instruction set
 *
 * A line_sum is the partial count of one row, spread over the lanes of a register. The lanes of
 * LINE_ROWS rows are added up together. This takes a fraction of the time of adding up the lanes of
 * each row, which matters because most rows of a search have only one or two lines.
 *
 *   AVX-512   VPOPCNTQ: eight words at once
 *   AVX2      a table of the bits of all nibbles, looked up by PSHUFB; bytes are added by PSADBW
 *   NEON      CNT for bytes, then pairwise sums; only where LINE_COUNT_NEON is defined, so that
 *             there is also a plain kernel to compare with
 *   SSE2      what every x86-64 has: a carry-save adder reduces three registers of a line to two;
 *             then bits are added up in fields of two, four and eight bits
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_LINE_COUNT_H
#define LODE_BASE_LINE_COUNT_H

#include <string.h>

#include "base/bits.h"

#define LINE_WORDS 8

#if defined(__AVX512VPOPCNTDQ__) && defined(__AVX512VL__)
#include <immintrin.h>

#define LINE_ROWS 8
typedef __m512i line_sum;

static inline line_sum line_sum_add(line_sum sum, const uint64_t *a, const uint64_t *b) {
    __m512i both = _mm512_and_si512(_mm512_load_si512(a), _mm512_load_si512(b));
    return _mm512_add_epi64(sum, _mm512_popcnt_epi64(both));
}

static inline uint64_t line_sum_total(line_sum sum) {
    return (uint64_t)_mm512_reduce_add_epi64(sum);
}

/* Adds two registers by pairs of words; results of a and b alternate. */
static inline __m512i line_add_words(__m512i a, __m512i b) {
    return _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
}

/* Adds two registers by pairs of quarters; the results of a come before those of b. */
static inline __m512i line_add_quarters(__m512i a, __m512i b) {
    return _mm512_add_epi64(_mm512_shuffle_i64x2(a, b, 0x88), _mm512_shuffle_i64x2(a, b, 0xdd));
}

static inline void line_sums_store(const line_sum s[LINE_ROWS], uint32_t counts[LINE_ROWS]) {
    __m512i low = line_add_quarters(line_add_words(s[0], s[1]), line_add_words(s[2], s[3]));
    __m512i high = line_add_quarters(line_add_words(s[4], s[5]), line_add_words(s[6], s[7]));
    __m256i all = _mm512_cvtepi64_epi32(line_add_quarters(low, high));
    _mm256_storeu_si256((__m256i *)(void *)counts, all);
}

#elif defined(__AVX2__)
#include <immintrin.h>

#define LINE_ROWS 4
typedef __m256i line_sum;

/* The bits of each byte. */
static inline __m256i line_count_bytes(const uint64_t *a, const uint64_t *b) {
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                           2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(0x0f);
    __m256i both = _mm256_and_si256(_mm256_load_si256((const __m256i *)(const void *)a),
                                    _mm256_load_si256((const __m256i *)(const void *)b));
    __m256i high = _mm256_and_si256(_mm256_srli_epi16(both, 4), low);
    return _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(both, low)),
                           _mm256_shuffle_epi8(table, high));
}

static inline line_sum line_sum_add(line_sum sum, const uint64_t *a, const uint64_t *b) {
    __m256i bytes = _mm256_add_epi8(line_count_bytes(a, b), line_count_bytes(a + 4, b + 4));
    return _mm256_add_epi64(sum, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
}

static inline uint64_t line_sum_total(line_sum sum) {
    __m128i half = _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    return (uint64_t)_mm_cvtsi128_si64(half) + (uint64_t)_mm_extract_epi64(half, 1);
}

/* Stores the counts of LINE_ROWS rows. Sums fit into 32 bits, so two rows share a word. */
static inline void line_sums_store(const line_sum s[LINE_ROWS], uint32_t counts[LINE_ROWS]) {
    __m256i first = _mm256_or_si256(s[0], _mm256_slli_epi64(s[1], 32));
    __m256i last = _mm256_or_si256(s[2], _mm256_slli_epi64(s[3], 32));
    __m256i pairs =
        _mm256_add_epi32(_mm256_unpacklo_epi64(first, last), _mm256_unpackhi_epi64(first, last));
    __m128i all = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
    _mm_storeu_si128((__m128i *)(void *)counts, all);
}

#elif defined(__aarch64__) && defined(LINE_COUNT_NEON)
#include <arm_neon.h>

#define LINE_ROWS 4
typedef uint32x4_t line_sum;

/* The bits of each byte. */
static inline uint8x16_t line_count_bytes(const uint64_t *a, const uint64_t *b) {
    return vcntq_u8(vreinterpretq_u8_u64(vandq_u64(vld1q_u64(a), vld1q_u64(b))));
}

/* Adds the common bits of a line to a sum. Each byte counts at most 4 * 8 bits, so bytes cannot
 * overflow. */
static inline line_sum line_sum_add(line_sum sum, const uint64_t *a, const uint64_t *b) {
    uint8x16_t low = vaddq_u8(line_count_bytes(a, b), line_count_bytes(a + 2, b + 2));
    uint8x16_t high = vaddq_u8(line_count_bytes(a + 4, b + 4), line_count_bytes(a + 6, b + 6));
    return vpadalq_u16(sum, vpaddlq_u8(vaddq_u8(low, high)));
}

static inline uint64_t line_sum_total(line_sum sum) {
    return vaddlvq_u32(sum);
}

static inline void line_sums_store(const line_sum s[LINE_ROWS], uint32_t counts[LINE_ROWS]) {
    vst1q_u32(counts, vpaddq_u32(vpaddq_u32(s[0], s[1]), vpaddq_u32(s[2], s[3])));
}

#elif defined(__SSE2__)
#include <emmintrin.h>

#define LINE_ROWS 4
typedef __m128i line_sum;

static inline __m128i line_and(const uint64_t *a, const uint64_t *b) {
    return _mm_and_si128(_mm_load_si128((const __m128i *)(const void *)a),
                         _mm_load_si128((const __m128i *)(const void *)b));
}

/* Counts the bits of each nibble. */
static inline __m128i line_count_nibbles(__m128i x) {
    const __m128i two = _mm_set1_epi8(0x55), four = _mm_set1_epi8(0x33);
    x = _mm_sub_epi8(x, _mm_and_si128(_mm_srli_epi64(x, 1), two));
    return _mm_add_epi8(_mm_and_si128(x, four), _mm_and_si128(_mm_srli_epi64(x, 2), four));
}

static inline __m128i line_add_nibbles(__m128i x) {
    const __m128i low = _mm_set1_epi8(0x0f);
    return _mm_add_epi8(_mm_and_si128(x, low), _mm_and_si128(_mm_srli_epi64(x, 4), low));
}

/* Adds the common bits of a line to a sum. Three registers are replaced by two: `one` has bits that
 * count once, and `twice` has bits that count twice. */
static inline line_sum line_sum_add(line_sum sum, const uint64_t *a, const uint64_t *b) {
    __m128i x = line_and(a, b), y = line_and(a + 2, b + 2), z = line_and(a + 4, b + 4);
    __m128i differ = _mm_xor_si128(x, y), one = _mm_xor_si128(differ, z);
    __m128i twice = _mm_or_si128(_mm_and_si128(x, y), _mm_and_si128(differ, z));
    __m128i last = line_count_nibbles(line_and(a + 6, b + 6));
    __m128i ones = line_add_nibbles(_mm_add_epi8(line_count_nibbles(one), last));
    __m128i twos = line_add_nibbles(line_count_nibbles(twice));
    __m128i bytes = _mm_add_epi8(ones, _mm_add_epi8(twos, twos));
    return _mm_add_epi64(sum, _mm_sad_epu8(bytes, _mm_setzero_si128()));
}

static inline uint64_t line_sum_total(line_sum sum) {
    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(sum, _mm_unpackhi_epi64(sum, sum)));
}

/* Stores the counts as the AVX2 code does. */
static inline void line_sums_store(const line_sum s[LINE_ROWS], uint32_t counts[LINE_ROWS]) {
    __m128i first = _mm_or_si128(s[0], _mm_slli_epi64(s[1], 32));
    __m128i last = _mm_or_si128(s[2], _mm_slli_epi64(s[3], 32));
    __m128i all = _mm_add_epi32(_mm_unpacklo_epi64(first, last), _mm_unpackhi_epi64(first, last));
    _mm_storeu_si128((__m128i *)(void *)counts, all);
}

#else

#define LINE_ROWS 1
typedef uint64_t line_sum;

static inline line_sum line_sum_add(line_sum sum, const uint64_t *a, const uint64_t *b) {
    for (size_t i = 0; i < LINE_WORDS; i++) sum += bits_count(a[i] & b[i]);
    return sum;
}

static inline uint64_t line_sum_total(line_sum sum) {
    return sum;
}

static inline void line_sums_store(const line_sum s[LINE_ROWS], uint32_t counts[LINE_ROWS]) {
    counts[0] = (uint32_t)s[0];
}

#endif

/* Returns |a AND b|. The rows must be whole lines, aligned to 64 bytes. */
static inline uint64_t line_count_and(const uint64_t *a, const uint64_t *b, size_t words) {
    line_sum even = {0}, odd = {0};
    size_t i = 0;
    for (; i + 2 * LINE_WORDS <= words; i += 2 * LINE_WORDS) {
        even = line_sum_add(even, a + i, b + i);
        odd = line_sum_add(odd, a + i + LINE_WORDS, b + i + LINE_WORDS);
    }
    if (i < words) even = line_sum_add(even, a + i, b + i);
    return line_sum_total(even) + line_sum_total(odd);
}

/* Sets counts[i] = |a AND row i| for n rows that begin `words` words apart. Each count must be
 * below 2^32. */
static inline void line_count_rows(const uint64_t *a, const uint64_t *rows, size_t n, size_t words,
                                   uint32_t *counts) {
    size_t i = 0;
    for (; i + LINE_ROWS <= n; i += LINE_ROWS) {
        line_sum sums[LINE_ROWS];
        const uint64_t *first = rows + i * words;
        memset(sums, 0, sizeof sums);
        for (size_t at = 0; at < words; at += LINE_WORDS) {
            for (size_t k = 0; k < LINE_ROWS; k++) {
                sums[k] = line_sum_add(sums[k], a + at, first + k * words + at);
            }
        }
        line_sums_store(sums, counts + i);
    }
    for (; i < n; i++) counts[i] = (uint32_t)line_count_and(a, rows + i * words, words);
}

#endif
