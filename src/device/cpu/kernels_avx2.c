/* kernels_avx2.c - 32 bytes at a time; bits counted by a table of nibbles in a register
 *
 * Each byte's count is the sum of two look-ups (PSHUFB); bytes are added up to quadwords by PSADBW.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/bits.h"
#include "device/cpu/kernels.h"

#if defined(__AVX2__)
#include <immintrin.h>

bool cpu_has_avx2(void);

static inline __m256i avx2_popcount(__m256i x) {
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                           2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(0x0f);
    __m256i lo = _mm256_shuffle_epi8(table, _mm256_and_si256(x, low));
    __m256i hi = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(x, 4), low));
    return _mm256_sad_epu8(_mm256_add_epi8(lo, hi), _mm256_setzero_si256());
}

static inline uint64_t avx2_sum(__m256i x) {
    __m128i half = _mm_add_epi64(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    return (uint64_t)_mm_cvtsi128_si64(half) + (uint64_t)_mm_extract_epi64(half, 1);
}

static inline __m256i avx2_load(const uint64_t *a) {
    return _mm256_load_si256((const __m256i *)(const void *)a);
}

static inline __m256i avx2_and(const uint64_t *a, const uint64_t *b) {
    return _mm256_and_si256(avx2_load(a), avx2_load(b));
}

static uint64_t avx2_and_count(const uint64_t *a, const uint64_t *b, size_t words) {
    __m256i even = _mm256_setzero_si256(), odd = _mm256_setzero_si256();
    for (size_t i = 0; i < words; i += 8) {
        even = _mm256_add_epi64(even, avx2_popcount(avx2_and(a + i, b + i)));
        odd = _mm256_add_epi64(odd, avx2_popcount(avx2_and(a + i + 4, b + i + 4)));
    }
    return avx2_sum(_mm256_add_epi64(even, odd));
}

static uint64_t avx2_and_store(uint64_t *dst, const uint64_t *a, const uint64_t *b, size_t words) {
    __m256i even = _mm256_setzero_si256(), odd = _mm256_setzero_si256();
    for (size_t i = 0; i < words; i += 8) {
        __m256i x = avx2_and(a + i, b + i), y = avx2_and(a + i + 4, b + i + 4);
        _mm256_store_si256((__m256i *)(void *)(dst + i), x);
        _mm256_store_si256((__m256i *)(void *)(dst + i + 4), y);
        even = _mm256_add_epi64(even, avx2_popcount(x));
        odd = _mm256_add_epi64(odd, avx2_popcount(y));
    }
    return avx2_sum(_mm256_add_epi64(even, odd));
}

static uint64_t avx2_and_count_lines(const uint64_t *a, const uint64_t *b, const uint32_t *lines,
                                     size_t n_lines) {
    __m256i even = _mm256_setzero_si256(), odd = _mm256_setzero_si256();
    for (size_t i = 0; i < n_lines; i++) {
        size_t at = (size_t)lines[i] * 8;
        even = _mm256_add_epi64(even, avx2_popcount(avx2_and(a + at, b + at)));
        odd = _mm256_add_epi64(odd, avx2_popcount(avx2_and(a + at + 4, b + at + 4)));
    }
    return avx2_sum(_mm256_add_epi64(even, odd));
}

static void avx2_pick(uint64_t *to, const uint64_t *row, const uint64_t *mask, size_t words,
                      size_t to_words) {
    pick_loop(to, row, mask, words, to_words);
}

const cpu_kernels cpu_kernels_avx2 = {
    .name = "avx2",
    .usable = cpu_has_avx2,
    .and_count = avx2_and_count,
    .and_store = avx2_and_store,
    .and_count_lines = avx2_and_count_lines,
    .pick = avx2_pick,
};
#endif
