/* kernels_scalar.c - the kernels in plain C, which define what each of them must compute
 *
 * Tests compare the other tables with this one. It runs where no other table can.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/bits.h"
#include "device/cpu/kernels.h"

static bool scalar_usable(void) {
    return true;
}

static uint64_t scalar_and_count(const uint64_t *a, const uint64_t *b, size_t words) {
    uint64_t n = 0;
    for (size_t i = 0; i < words; i++) n += bits_count(a[i] & b[i]);
    return n;
}

static uint64_t scalar_and_store(uint64_t *dst, const uint64_t *a, const uint64_t *b,
                                 size_t words) {
    uint64_t n = 0;
    for (size_t i = 0; i < words; i++) {
        uint64_t x = a[i] & b[i];
        dst[i] = x;
        n += bits_count(x);
    }
    return n;
}

static uint64_t scalar_and_count_lines(const uint64_t *a, const uint64_t *b, const uint32_t *lines,
                                       size_t n_lines) {
    uint64_t n = 0;
    for (size_t i = 0; i < n_lines; i++) {
        n += scalar_and_count(a + (size_t)lines[i] * 8, b + (size_t)lines[i] * 8, 8);
    }
    return n;
}

static void scalar_pick(uint64_t *to, const uint64_t *row, const uint64_t *mask, size_t words,
                        size_t to_words) {
    pick_loop(to, row, mask, words, to_words);
}

const cpu_kernels cpu_kernels_scalar = {
    .name = "scalar",
    .usable = scalar_usable,
    .and_count = scalar_and_count,
    .and_store = scalar_and_store,
    .and_count_lines = scalar_and_count_lines,
    .pick = scalar_pick,
};
