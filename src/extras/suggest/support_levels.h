/* support_levels.h - supports, rounded down so that a table of them stays short
 *
 * Each support below 2048 has a level of its own; above that, each octave (factor of two) has 1024
 * levels, so a level is narrower than a thousandth of its supports. A level stands for its smallest
 * support: the number of patterns that reach that support is exact.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_SUPPORT_LEVELS_H
#define LODE_EXTRAS_SUGGEST_SUPPORT_LEVELS_H

#include <stdint.h>

#define LEVEL_BITS  10
#define LEVELS_EACH (UINT64_C(1) << LEVEL_BITS)

/* The level of a support. */
static inline uint32_t level_of(uint64_t support) {
    if (support < 2 * LEVELS_EACH) return (uint32_t)support;
    uint32_t shift = 63 - LEVEL_BITS - (uint32_t)__builtin_clzll(support);
    return (uint32_t)(shift * LEVELS_EACH + (support >> shift));
}

/* The smallest support of a level. */
static inline uint64_t level_support(uint32_t level) {
    if (level < 2 * LEVELS_EACH) return level;
    uint32_t shift = (uint32_t)(level / LEVELS_EACH) - 1;
    return (level - shift * LEVELS_EACH) << shift;
}

/* The first level at or above a support. */
static inline uint32_t level_above(uint64_t support) {
    uint32_t level = level_of(support);
    return level_support(level) < support ? level + 1 : level;
}

#endif
