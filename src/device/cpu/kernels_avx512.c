/* kernels_avx512.c - one line of 64 bytes per register, counted by VPOPCNTQ
 *
 * The main loop has two accumulators, to hide the latency of the count, and takes two lines at a
 * time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/bits.h"
#include "device/cpu/kernels.h"

#if defined(__AVX512VPOPCNTDQ__)
#include <immintrin.h>

bool cpu_has_avx512(void);

static inline __m512i avx512_and(const uint64_t *a, const uint64_t *b) {
    return _mm512_and_si512(_mm512_load_si512(a), _mm512_load_si512(b));
}

static uint64_t avx512_and_count(const uint64_t *a, const uint64_t *b, size_t words) {
    __m512i even = _mm512_setzero_si512(), odd = _mm512_setzero_si512();
    size_t i = 0;
    for (; i + 16 <= words; i += 16) {
        even = _mm512_add_epi64(even, _mm512_popcnt_epi64(avx512_and(a + i, b + i)));
        odd = _mm512_add_epi64(odd, _mm512_popcnt_epi64(avx512_and(a + i + 8, b + i + 8)));
    }
    if (i < words) even = _mm512_add_epi64(even, _mm512_popcnt_epi64(avx512_and(a + i, b + i)));
    return (uint64_t)_mm512_reduce_add_epi64(_mm512_add_epi64(even, odd));
}

static uint64_t avx512_and_store(uint64_t *dst, const uint64_t *a, const uint64_t *b,
                                 size_t words) {
    __m512i even = _mm512_setzero_si512(), odd = _mm512_setzero_si512();
    size_t i = 0;
    for (; i + 16 <= words; i += 16) {
        __m512i x = avx512_and(a + i, b + i), y = avx512_and(a + i + 8, b + i + 8);
        _mm512_store_si512(dst + i, x);
        _mm512_store_si512(dst + i + 8, y);
        even = _mm512_add_epi64(even, _mm512_popcnt_epi64(x));
        odd = _mm512_add_epi64(odd, _mm512_popcnt_epi64(y));
    }
    if (i < words) {
        __m512i x = avx512_and(a + i, b + i);
        _mm512_store_si512(dst + i, x);
        even = _mm512_add_epi64(even, _mm512_popcnt_epi64(x));
    }
    return (uint64_t)_mm512_reduce_add_epi64(_mm512_add_epi64(even, odd));
}

static uint64_t avx512_and_count_lines(const uint64_t *a, const uint64_t *b, const uint32_t *lines,
                                       size_t n_lines) {
    __m512i sum = _mm512_setzero_si512();
    for (size_t i = 0; i < n_lines; i++) {
        size_t at = (size_t)lines[i] * 8;
        sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(avx512_and(a + at, b + at)));
    }
    return (uint64_t)_mm512_reduce_add_epi64(sum);
}

static void avx512_pick(uint64_t *to, const uint64_t *row, const uint64_t *mask, size_t words,
                        size_t to_words) {
    pick_loop(to, row, mask, words, to_words);
}

const cpu_kernels cpu_kernels_avx512 = {
    .name = "avx512",
    .usable = cpu_has_avx512,
    .and_count = avx512_and_count,
    .and_store = avx512_and_store,
    .and_count_lines = avx512_and_count_lines,
    .pick = avx512_pick,
};
#endif
