/* kernels_strips.h - the part of kernels_body.h for strips
 *
 * Compiled with other flags for each table, like that file, which includes this one. The words of a
 * strip lie side by side, so counting is a loop over items: no sum across a vector is needed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ADAPTIVE_KERNELS_STRIPS_H
#define LODE_ADAPTIVE_KERNELS_STRIPS_H

#include <string.h>

#include "adaptive/kernels.h"
#include "base/bits.h"

/* The strips that have chosen transactions at all, and these. */
typedef struct strip_masks {
    const uint64_t *strips[STRIPS_MOST];
    uint64_t masks[STRIPS_MOST];
    unsigned n;
} strip_masks;

static inline void body_strips_open(const strip_words *from, const uint64_t *chosen,
                                    strip_masks *m) {
    m->n = 0;
    for (unsigned w = 0; w < from->n; w++) {
        m->strips[m->n] = from->words + w * from->stride;
        m->masks[m->n] = chosen[w];
        m->n += chosen[w] != 0;
    }
}

#if defined(__AVX512VPOPCNTDQ__)

/* Sixteen items at a time, most of which do not reach min. */
static uint32_t body_strips_reach(const strip_words *from, const uint64_t *chosen,
                                  const strip_range *range, uint32_t *found, uint32_t *counts) {
    strip_masks m;
    uint64_t sums[LATTICE_LANES];
    uint32_t n = 0;
    __m512i min = _mm512_set1_epi64(range->min);
    body_strips_open(from, chosen, &m);
    for (uint32_t at = range->first; at < range->end; at += LATTICE_LANES) {
        __m512i low = _mm512_setzero_si512(), high = low;
        uint32_t left = range->end - at;
        for (unsigned w = 0; w < m.n; w++) {
            __m512i mask = _mm512_set1_epi64((long long)m.masks[w]);
            const uint64_t *words = m.strips[w] + at;
            __m512i first = _mm512_and_si512(_mm512_loadu_si512(words), mask);
            __m512i second = _mm512_and_si512(_mm512_loadu_si512(words + 8), mask);
            low = _mm512_add_epi64(low, _mm512_popcnt_epi64(first));
            high = _mm512_add_epi64(high, _mm512_popcnt_epi64(second));
        }
        uint32_t reached = _mm512_cmpge_epu64_mask(low, min);
        reached |= (uint32_t)_mm512_cmpge_epu64_mask(high, min) << 8;
        if (left < LATTICE_LANES) reached &= (1u << left) - 1;
        if (reached == 0) continue;
        _mm512_storeu_si512(sums, low);
        _mm512_storeu_si512(sums + 8, high);
        for (; reached != 0; reached &= reached - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(reached);
            found[n] = at + i;
            counts[n++] = (uint32_t)sums[i];
        }
    }
    return n;
}

#else

static uint32_t body_strips_reach(const strip_words *from, const uint64_t *chosen,
                                  const strip_range *range, uint32_t *found, uint32_t *counts) {
    strip_masks m;
    uint32_t n = 0;
    body_strips_open(from, chosen, &m);
    for (uint32_t i = range->first; i < range->end; i++) {
        uint32_t sum = 0;
        for (unsigned w = 0; w < m.n; w++) sum += (uint32_t)bits_count(m.strips[w][i] & m.masks[w]);
        found[n] = i;
        counts[n] = sum;
        n += sum >= range->min;
    }
    return n;
}

#endif

static void body_strips_count(const strip_words *from, const uint32_t *numbers, uint32_t n,
                              uint32_t *counts) {
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t *words = from->words + numbers[i];
        uint64_t sum = 0;
        for (unsigned w = 0; w < from->n; w++) sum += bits_count(words[w * from->stride]);
        counts[i] = (uint32_t)sum;
    }
}

static void body_strips_pick(const strip_words *from, const uint64_t *chosen,
                             const uint32_t *numbers, uint32_t n, uint64_t *to) {
    strip_masks m;
    unsigned filled = 0; /* transactions before */
    body_strips_open(from, chosen, &m);
    for (unsigned w = 0; w < m.n; w++) {
        unsigned bits = (unsigned)bits_count(m.masks[w]), shift = filled % 64;
        uint64_t *strip = to + (size_t)(filled / 64) * n;
        bool over = shift + bits > 64; /* into the next strip */
        for (uint32_t i = 0; i < n; i++) {
            uint64_t picked = bits_pick(m.strips[w][numbers[i]], m.masks[w]);
            strip[i] = shift > 0 ? strip[i] | picked << shift : picked;
            if (over) strip[n + i] = picked >> (64 - shift);
        }
        filled += bits;
    }
}

static void body_strips_lattice(const uint64_t *strip, unsigned k, uint64_t *sets,
                                uint32_t *lattice) {
    size_t entries = (size_t)1 << k;
    sets[0] = ~(uint64_t)0;
    for (unsigned b = 0; b < k; b++) {
        size_t half = (size_t)1 << b;
        uint64_t row = strip[b];
        for (size_t i = 0; i < half; i++) sets[half + i] = sets[i] & row;
    }
    for (size_t i = 0; i < entries; i++) lattice[i] = (uint32_t)bits_count(sets[i]);
}

static void body_strips_common(uint64_t *sets, const uint32_t *lattice, const strip_range *range,
                               const uint64_t *earlier, size_t n) {
    for (size_t i = range->first; i < range->end; i++) {
        uint64_t set = sets[i], covered = 0;
        if (lattice[i] < range->min) continue;
        for (size_t e = 0; e < n; e++) covered |= (set & ~earlier[e]) == 0;
        sets[i] = covered;
    }
}

static void body_strips_drop(const uint64_t *sets, uint32_t *lattice, const strip_range *range,
                             const uint64_t *earlier, size_t n) {
    for (size_t i = range->first; i < range->end; i++) {
        uint64_t set = sets[i], reached = 0;
        if (lattice[i] < range->min) continue;
        for (size_t e = 0; e < n; e++) reached |= bits_count(set & earlier[e]) >= range->min;
        if (reached) lattice[i] = 0;
    }
}

#endif
