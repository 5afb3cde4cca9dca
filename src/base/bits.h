/* bits.h - small integer helpers
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_BITS_H
#define LODE_BASE_BITS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__BMI2__)
#include <immintrin.h>
#endif

/* Rounds the value up to a multiple of `step`. */
static inline size_t bits_round_up(size_t value, size_t step) {
    return (value + step - 1) / step * step;
}

/* Returns the smallest power of two that is at least n. n must be at most 2^63. */
static inline uint64_t bits_next_power_of_two(uint64_t n) {
    uint64_t power = 1;
    while (power < n) power *= 2;
    return power;
}

/* Returns the number of bits that are set. When the target has no popcount instruction (a generic
 * x86-64 build), compilers call a function that uses a table. Adding bits in parallel fields is
 * faster. */
static inline uint64_t bits_count(uint64_t x) {
#if defined(__x86_64__) && !defined(__POPCNT__)
    x = x - ((x >> 1) & 0x5555555555555555u);
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (x * 0x0101010101010101u) >> 56;
#else
    return (uint64_t)__builtin_popcountll(x);
#endif
}

/* Moves the bits of a word that are set in the mask to the low end of the result (PEXT). Without
 * the PEXT instruction, each selected bit moves down by the number of mask gaps (zero bits) below
 * the bit. It moves by one if the number is odd, then by two if the next binary digit of the number
 * is 1, and so on. In a loop with a constant mask, compilers compute everything that depends only
 * on the mask once. */
static inline __attribute__((always_inline)) uint64_t bits_pick(uint64_t word, uint64_t mask) {
#if defined(__BMI2__)
    return _pext_u64(word, mask);
#else
    /* the gaps not yet closed; each is marked at the bit above the gap */
    uint64_t gaps = ~mask << 1;
    word &= mask;
    for (unsigned step = 1; step < 64; step *= 2) {
        uint64_t odd = gaps; /* bits with an odd number of gaps below them */
        for (unsigned by = 1; by < 64; by *= 2) odd ^= odd << by;
        uint64_t move = odd & mask, moved = word & move;
        mask = (mask ^ move) | move >> step;
        word = (word ^ moved) | moved >> step;
        gaps &= ~odd; /* keeps every second gap; each now stands for two */
    }
    return word;
#endif
}

/* Transposes a 64 x 64 bit matrix: bit c of word r becomes bit r of word c. The function swaps
 * halves of the matrix, then halves of each half, and so on. */
static inline void bits_turn(uint64_t square[64]) {
    uint64_t mask = 0x00000000ffffffffu;
    for (unsigned half = 32; half > 0; half /= 2, mask ^= mask << half) {
        for (unsigned i = 0; i < 64; i = ((i | half) + 1) & ~half) {
            uint64_t swap = ((square[i] >> half) ^ square[i | half]) & mask;
            square[i] ^= swap << half;
            square[i | half] ^= swap;
        }
    }
}

/* Mixes 64 bits: changing one input bit changes about half of the output bits. */
static inline uint64_t bits_mix(uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

/* Returns the x for which bits_mix() returned the argument. */
static inline uint64_t bits_unmix(uint64_t x) {
    uint64_t factor = 0xd6e8feb86659fd93u, inverse = factor;
    /* each step doubles the number of correct bits */
    for (unsigned i = 0; i < 5; i++) inverse *= 2 - factor * inverse;
    x ^= x >> 32;
    x *= inverse;
    x ^= x >> 32;
    x *= inverse;
    return x ^ (x >> 32);
}

/* Returns a hash of n bytes. It is only for tables in memory and must not be stored. */
static inline uint64_t bits_hash(const void *bytes, size_t n) {
    const unsigned char *p = (const unsigned char *)bytes;
    uint64_t h = 0x9e3779b97f4a7c15u ^ (uint64_t)n;
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t word;
        __builtin_memcpy(&word, p, 8);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 29;
    }
    uint64_t rest = 0;
    for (size_t i = 0; i < n; i++) rest |= (uint64_t)p[i] << (8 * i);
    return bits_mix(h ^ rest);
}

/* Keeps the columns of a row that are set in `mask`, as bits_pick() does for one word. Every kernel
 * file includes this loop and compiles it for its own instruction set. The result must fit into
 * to_words; the words after the result are set to zero. */
static inline __attribute__((always_inline)) void
pick_loop(uint64_t *to, const uint64_t *row, const uint64_t *mask, size_t words, size_t to_words) {
    uint64_t open = 0; /* the word being filled; n bits are filled so far */
    unsigned n = 0;
    size_t at = 0;
    for (size_t w = 0; w < words; w++) {
        if (mask[w] == 0) continue;
        uint64_t picked = bits_pick(row[w], mask[w]);
        unsigned n_word = (unsigned)bits_count(mask[w]);
        open |= picked << n;
        if (n + n_word < 64) {
            n += n_word;
            continue;
        }
        to[at++] = open;
        open = n == 0 ? 0 : picked >> (64 - n);
        n = n + n_word - 64;
    }
    if (n > 0) to[at++] = open;
    while (at < to_words) to[at++] = 0;
}

#endif
