/* kernels_neon.c - 16 bytes at a time: CNT counts the bits of each byte, pairwise additions widen
 *
 * The counts of a line's four registers are added as bytes (at most 4 * 8 = 32, so they cannot
 * overflow) before they are widened to 64 bits, so that a line is widened only once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/bits.h"
#include "device/cpu/kernels.h"

#if defined(__aarch64__)
#include <arm_neon.h>

static bool neon_usable(void) {
    return true; /* part of the base architecture */
}

static inline uint8x16_t neon_load(const uint64_t *a) {
    return vld1q_u8((const uint8_t *)(const void *)a);
}

static inline uint8x16_t neon_and(const uint64_t *a, const uint64_t *b) {
    return vandq_u8(neon_load(a), neon_load(b));
}

/* Adds the bits of one line, given as four registers, to the running sum. */
static inline uint64x2_t neon_add_line(uint64x2_t sum, uint8x16_t x, uint8x16_t y, uint8x16_t z,
                                       uint8x16_t w) {
    uint8x16_t bytes =
        vaddq_u8(vaddq_u8(vcntq_u8(x), vcntq_u8(y)), vaddq_u8(vcntq_u8(z), vcntq_u8(w)));
    return vpadalq_u32(sum, vpaddlq_u16(vpaddlq_u8(bytes)));
}

static inline uint64x2_t neon_and_line(uint64x2_t sum, const uint64_t *a, const uint64_t *b) {
    return neon_add_line(sum, neon_and(a, b), neon_and(a + 2, b + 2), neon_and(a + 4, b + 4),
                         neon_and(a + 6, b + 6));
}

static uint64_t neon_and_count(const uint64_t *a, const uint64_t *b, size_t words) {
    uint64x2_t sum = vdupq_n_u64(0);
    for (size_t i = 0; i < words; i += 8) sum = neon_and_line(sum, a + i, b + i);
    return vaddvq_u64(sum);
}

static uint64_t neon_and_store(uint64_t *dst, const uint64_t *a, const uint64_t *b, size_t words) {
    uint64x2_t sum = vdupq_n_u64(0);
    for (size_t i = 0; i < words; i += 8) {
        uint8x16_t x = neon_and(a + i, b + i), y = neon_and(a + i + 2, b + i + 2);
        uint8x16_t z = neon_and(a + i + 4, b + i + 4), w = neon_and(a + i + 6, b + i + 6);
        uint8_t *out = (uint8_t *)(void *)(dst + i);
        vst1q_u8(out, x);
        vst1q_u8(out + 16, y);
        vst1q_u8(out + 32, z);
        vst1q_u8(out + 48, w);
        sum = neon_add_line(sum, x, y, z, w);
    }
    return vaddvq_u64(sum);
}

static uint64_t neon_and_count_lines(const uint64_t *a, const uint64_t *b, const uint32_t *lines,
                                     size_t n_lines) {
    uint64x2_t sum = vdupq_n_u64(0);
    for (size_t i = 0; i < n_lines; i++) {
        size_t at = (size_t)lines[i] * 8;
        sum = neon_and_line(sum, a + at, b + at);
    }
    return vaddvq_u64(sum);
}

static void neon_pick(uint64_t *to, const uint64_t *row, const uint64_t *mask, size_t words,
                      size_t to_words) {
    pick_loop(to, row, mask, words, to_words);
}

const cpu_kernels cpu_kernels_neon = {
    .name = "neon",
    .usable = neon_usable,
    .and_count = neon_and_count,
    .and_store = neon_and_store,
    .and_count_lines = neon_and_count_lines,
    .pick = neon_pick,
};
#endif
