/* bits.h - small integer helpers
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_BITS_H
#define LODE_BASE_BITS_H

#include <stddef.h>
#include <stdint.h>

static inline size_t bits_round_up(size_t value, size_t step) {
    return (value + step - 1) / step * step;
}

/* A good 64-bit mix: every input bit changes about half of the output bits. */
static inline uint64_t bits_mix(uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

/* Hash of some bytes; only for tables in memory, never stored. */
static inline uint64_t bits_hash(const void *bytes, size_t n) {
    const unsigned char *p = (const unsigned char *)bytes;
    uint64_t h = 0x9e3779b97f4a7c15u ^ (uint64_t)n;
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t word;
        __builtin_memcpy(&word, p, 8);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 29;
    }
    uint64_t tail = 0;
    for (size_t i = 0; i < n; i++) tail |= (uint64_t)p[i] << (8 * i);
    return bits_mix(h ^ tail);
}

#endif
