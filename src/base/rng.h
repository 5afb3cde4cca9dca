/* rng.h - counter-based random numbers: the k-th number of a stream is a function of k
 *
 *     number(k) = mix(mix(k * odd + key) ^ tweak)        key, tweak = f(seed, stream)
 *
 * Why:   each block of work has its own stream, so the result does not depend on how blocks are
 *        assigned to threads. A stream has two keys: if the key were only added to the counter,
 *        streams would be shifted copies of each other.
 * Quality: tests/test_rng.c checks, along one stream and across streams and seeds, the mean and
 *        variance, each of the 64 bits by chi-square, bytes by chi-square, and the correlation of
 *        neighbours; flipping a bit of counter, stream or seed must change about half of the bits
 *        of the result. Do not use these numbers for cryptography.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_RNG_H
#define LODE_BASE_RNG_H

#include <stdbool.h>

#include "base/bits.h"

typedef struct rng {
    uint64_t key, tweak;
    uint64_t counter;
} rng;

/* Returns the high half of a product, and stores the low half in *low. */
static inline uint64_t rng_multiply(uint64_t a, uint64_t b, uint64_t *low) {
    unsigned __int128 product = (unsigned __int128)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
}

static inline rng rng_make(uint64_t seed, uint64_t stream) {
    uint64_t a = bits_mix(seed + 0x243f6a8885a308d3u);
    uint64_t b = bits_mix(stream * 0x9e3779b97f4a7c15u + a);
    return (rng){.key = b, .tweak = bits_mix(b ^ (a << 32 | a >> 32) ^ 0x13198a2e03707344u)};
}

/* Returns the number at a position of the stream. */
static inline uint64_t rng_at(const rng *r, uint64_t counter) {
    return bits_mix(bits_mix(counter * 0x9e3779b97f4a7c15u + r->key) ^ r->tweak);
}

static inline uint64_t rng_u64(rng *r) {
    return rng_at(r, r->counter++);
}

/* Returns a uniform number from 0 to n - 1, for n > 0: the high half of x * n. If the low half is
 * one of the few values that would cause a bias, another x is drawn. */
static inline uint64_t rng_below(rng *r, uint64_t n) {
    uint64_t low;
    uint64_t high = rng_multiply(rng_u64(r), n, &low);
    if (low < n) {
        uint64_t uneven = (0 - n) % n;
        while (low < uneven) high = rng_multiply(rng_u64(r), n, &low);
    }
    return high;
}

/* Converts a probability to the integer that rng_happens() compares with. */
#define RNG_CHANCE_BITS 53

static inline uint64_t rng_chance(double probability) {
    return (uint64_t)(probability * (double)(1ull << RNG_CHANCE_BITS));
}

/* Returns true with the probability that was given to rng_chance(). */
static inline bool rng_happens(rng *r, uint64_t chance) {
    return rng_u64(r) >> (64 - RNG_CHANCE_BITS) < chance;
}

/* Returns a uniform number in [0, 1) that is a multiple of 2^-53. */
static inline double rng_unit(rng *r) {
    return (double)(rng_u64(r) >> 11) * (1.0 / (double)(1ull << 53));
}

#endif
