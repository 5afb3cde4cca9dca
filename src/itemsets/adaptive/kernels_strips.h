/* kernels_strips.h - the part of kernels_body.h for strips
 *
 * kernels_body.h includes this file. Both are compiled once for each table of kernels, with
 * different flags. The words of a strip are contiguous, so counting is a loop over items, without a
 * sum across a vector.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_KERNELS_STRIPS_H
#define LODE_ITEMSETS_ADAPTIVE_KERNELS_STRIPS_H

#include <string.h>

#include "base/bits.h"
#include "itemsets/adaptive/kernels.h"
#include "itemsets/adaptive/turn.h"

/* The strips with at least one chosen transaction, and the masks of their chosen transactions. */
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

/* Counts sixteen items at a time; most of them do not reach min. */
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

/* Strips under construction: the chosen transactions so far, concatenated. */
typedef struct strip_picker {
    const uint32_t *numbers; /* of the items in the source */
    uint32_t n;              /* items */
    uint64_t *to;
    unsigned filled; /* transactions so far */
} strip_picker;

/* Adds the chosen ones of 64 transactions. In `words`, the words of neighbouring items are `stride`
 * words apart. */
static inline void body_pick_more(strip_picker *p, const uint64_t *words, size_t stride,
                                  uint64_t chosen) {
    unsigned bits = (unsigned)bits_count(chosen), shift = p->filled % 64;
    uint64_t *strip = p->to + (size_t)(p->filled / 64) * p->n;
    bool over = shift + bits > 64; /* the transactions continue in the next strip */
    for (uint32_t i = 0; i < p->n; i++) {
        uint64_t picked = bits_pick(words[p->numbers[i] * stride], chosen);
        strip[i] = shift > 0 ? strip[i] | picked << shift : picked;
        if (over) strip[p->n + i] = picked >> (64 - shift);
    }
    p->filled += bits;
}

static void body_strips_pick(const strip_words *from, const uint64_t *chosen,
                             const uint32_t *numbers, uint32_t n, uint64_t *to) {
    strip_masks m;
    strip_picker picker = {numbers, n, to, 0};
    body_strips_open(from, chosen, &m);
    for (unsigned w = 0; w < m.n; w++) body_pick_more(&picker, m.strips[w], 1, m.masks[w]);
}

static void body_rows_strips(const row_words *from, uint32_t chosen, const uint32_t *numbers,
                             uint32_t n, uint64_t *to) {
    const row_words f = *from;
    const uint64_t *mask = f.rows + chosen * f.words;
    strip_picker picker = {numbers, n, to, 0};
    for (size_t w = 0; w < f.words; w++) {
        if (mask[w] != 0) body_pick_more(&picker, f.rows + w, f.words, mask[w]);
    }
}

#if defined(__AVX512F__)

/* Tests eight words at a time for the bit. */
static void body_words_strip(const uint64_t *words, size_t n_words, const uint32_t *bits,
                             uint32_t n, uint64_t *to) {
    for (uint32_t i = 0; i < n; i++) {
        __m512i bit = _mm512_set1_epi64((long long)((uint64_t)1 << bits[i]));
        to[i] = 0;
        for (size_t at = 0; at < n_words; at += 8) {
            uint64_t has = _mm512_test_epi64_mask(_mm512_loadu_si512(words + at), bit);
            to[i] |= has << at;
        }
    }
}

#else

static void body_words_strip(const uint64_t *words, size_t n_words, const uint32_t *bits,
                             uint32_t n, uint64_t *to) {
    uint64_t square[64];
    (void)n_words;
    memcpy(square, words, sizeof square);
    turn_square(square);
    for (uint32_t i = 0; i < n; i++) to[i] = square[bits[i]];
}

#endif

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

#if defined(__AVX512VPOPCNTDQ__)

/* Which of the eight items from `at` on are in all of the transactions: a bit for each. */
static inline uint32_t body_strip_has(const strip_sets *of, uint32_t at, __m512i transactions) {
    __m512i lacking = _mm512_andnot_si512(_mm512_loadu_si512(of->strip + at), transactions);
    return _mm512_testn_epi64_mask(lacking, lacking);
}

/* Which of the eight items from `at` on are in at least min of the transactions: a bit for each. */
static inline uint32_t body_strip_reaches(const strip_sets *of, uint32_t at, __m512i transactions) {
    __m512i both = _mm512_and_si512(_mm512_loadu_si512(of->strip + at), transactions);
    return _mm512_cmpge_epu64_mask(_mm512_popcnt_epi64(both), _mm512_set1_epi64(of->min));
}

/* Whether more than `most` items of the strip are in all of the transactions (if `all`), or in at
 * least min of them (otherwise). */
static inline bool body_strip_more(const strip_sets *of, uint64_t transactions, bool all,
                                   uint32_t most) {
    __m512i wide = _mm512_set1_epi64((long long)transactions);
    uint32_t n = 0;
    for (uint32_t at = 0; at < of->n && n <= most; at += 8) {
        uint32_t found = all ? body_strip_has(of, at, wide) : body_strip_reaches(of, at, wide);
        uint32_t left = of->n - at;
        n += (uint32_t)__builtin_popcount(left < 8 ? found & ((1u << left) - 1) : found);
    }
    return n > most;
}

/* Which of sixteen entries reach min: a bit for each. */
static inline uint32_t body_strip_frequent(const uint32_t *lattice, uint32_t min) {
    __m512i supports = _mm512_loadu_si512(lattice);
    return _mm512_cmpge_epu32_mask(supports, _mm512_set1_epi32((int)min));
}

#else

/* The items are taken in blocks, so that the loops have no branches. */
static inline bool body_strip_more(const strip_sets *of, uint64_t transactions, bool all,
                                   uint32_t most) {
    uint64_t n = 0, min = of->min;
    const uint64_t *strip = of->strip;
    for (uint32_t at = 0, end; at < of->n && n <= most; at = end) {
        end = of->n - at < 64 ? of->n : at + 64;
        for (uint32_t i = at; i < end && all; i++) n += (transactions & ~strip[i]) == 0;
        for (uint32_t i = at; i < end && !all; i++) n += bits_count(transactions & strip[i]) >= min;
    }
    return n > most;
}

static inline uint32_t body_strip_frequent(const uint32_t *lattice, uint32_t min) {
    uint32_t any = 0, frequent = 0;
    for (unsigned i = 0; i < LATTICE_LANES; i++) any |= (uint32_t)(lattice[i] >= min);
    for (unsigned i = 0; i < LATTICE_LANES && any; i++)
        frequent |= (uint32_t)(lattice[i] >= min) << i;
    return frequent;
}

#endif

/* Keeps a set only if no other item is in all transactions of the set (if `all`), or in at least
 * min of them (otherwise). The items of the set itself always are, so it is enough to count such
 * items and to compare their number with the size of the set. */
static inline void body_strips_keep(const strip_sets *of, bool all) {
    for (size_t from = 0; from < (size_t)1 << of->k; from += LATTICE_LANES) {
        uint32_t rest = body_strip_frequent(of->lattice + from, of->min);
        for (; rest != 0; rest &= rest - 1) {
            size_t set = from + (size_t)__builtin_ctz(rest);
            uint32_t size = (uint32_t)__builtin_popcountll(set);
            if (body_strip_more(of, of->sets[set], all, size)) of->lattice[set] = 0;
        }
    }
}

static void body_strips_keep_closed(const strip_sets *of) {
    body_strips_keep(of, true);
}

static void body_strips_keep_maximal(const strip_sets *of) {
    body_strips_keep(of, false);
}

#endif
