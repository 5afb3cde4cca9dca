/* fimi_avx512.c - parses 64 bytes of the usual text at a time; see fimi.h
 *
 *     text      3 1 7 . 2 5 . 9 \n 1 1 .           digits, blanks and newlines become bit masks
 *     begins    ^       ^     ^     ^               bits to positions: VPCOMPRESSB
 *     ends            ^     ^   ^       ^
 *     lanes     0 3 1 7   0 0 2 5   0 0 0 9   …     VPERMB fetches the four bytes before each end,
 *     values        317        25         9         with zeros before the number's first digit;
 *                                                   two multiply-adds make 16 numbers of them
 *
 * A step parses all numbers that end within its 64 bytes, and the next step begins after them, so
 * no number is ever cut. No branch depends on the number of digits. The loop of fimi.c has such
 * branches, and takes 1.5 to 4 times as long.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/fimi.h"

#if defined(__AVX512VBMI2__) && defined(__AVX512VBMI__)
#include <immintrin.h>

#define STEP_BYTES 64
#define LANES      16

/* Where the bytes of each kind are in a step. */
typedef struct step_masks {
    uint64_t digits, newlines, begins, ends; /* an end is the byte after a number */
    unsigned used;                           /* bytes up to the last blank; 0 = unusual */
} step_masks;

static inline step_masks step_look(__m512i text, __m512i values) {
    step_masks m = {0};
    m.digits = _mm512_cmplt_epu8_mask(values, _mm512_set1_epi8(10));
    m.newlines = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('\n'));
    uint64_t blanks = m.newlines | _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(' ')) |
                      _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('\t'));
    m.begins = m.digits & ~(m.digits << 1);
    m.ends = blanks & (m.digits << 1);
    uint64_t padded = m.begins & (m.digits >> 1); /* 007 is a name */
    padded = _mm512_mask_cmpeq_epi8_mask(padded, values, _mm512_setzero_si512());
    uint64_t eight = m.digits & (m.digits >> 1); /* as are eight digits in a row */
    eight &= eight >> 2;
    eight &= eight >> 4;
    bool usual = (m.digits | blanks) == UINT64_MAX && (padded | eight) == 0 && blanks != 0;
    if (usual) m.used = STEP_BYTES - (unsigned)__builtin_clzll(blanks);
    return m;
}

/* Makes a number of the four bytes at `at` in each lane. A byte counts only if `place`, its
 * position from the end of the number, is within the number's length. */
static inline __m512i step_four_digits(__m512i values, __m512i at, __m512i place, __m512i lengths) {
    __mmask64 within = _mm512_cmple_epu8_mask(place, lengths);
    __m512i digits = _mm512_maskz_permutexvar_epi8(within, at, values);
    __m512i pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi32(0x010a010a));
    return _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00010064));
}

/* Makes sixteen numbers, given where each ends and how many digits it has. */
static inline __m512i step_numbers(__m512i values, __m128i ends, __m128i lengths, bool longer) {
    const __m512i all_four = _mm512_set1_epi32(0x01010101);
    const __m512i four = _mm512_set1_epi8(4);
    const __m512i place = _mm512_set1_epi32(0x01020304);
    __m512i end = _mm512_mullo_epi32(_mm512_cvtepu8_epi32(ends), all_four);
    __m512i length = _mm512_mullo_epi32(_mm512_cvtepu8_epi32(lengths), all_four);
    __m512i at = _mm512_sub_epi8(end, place);
    __m512i numbers = step_four_digits(values, at, place, length);
    if (!longer) return numbers;
    __m512i high =
        step_four_digits(values, _mm512_sub_epi8(at, four), _mm512_add_epi8(place, four), length);
    return _mm512_add_epi32(numbers, _mm512_mullo_epi32(high, _mm512_set1_epi32(10000)));
}

/* Which of sixteen numbers are not larger than the one before; `last` stands before the first. */
static inline uint64_t step_falls(__m512i numbers, uint32_t last) {
    const __m512i before = _mm512_set_epi32(14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0);
    __m512i previous = _mm512_permutexvar_epi32(before, numbers);
    previous = _mm512_mask_set1_epi32(previous, 1, (int)last);
    return _mm512_cmple_epu32_mask(numbers, previous);
}

/* Writes the numbers of a step to `to`, which has room for 16 extra numbers. Returns false if a
 * number is not below `bound`. Sets bit i of *falls if number i is not larger than the one
 * before. */
static inline bool step_write(const step_masks *m, __m512i values, uint32_t *to, uint32_t last,
                              uint32_t bound, uint64_t *falls) {
    const __m512i positions = _mm512_set_epi64(
        0x3f3e3d3c3b3a3938, 0x3736353433323130, 0x2f2e2d2c2b2a2928, 0x2726252423222120,
        0x1f1e1d1c1b1a1918, 0x1716151413121110, 0x0f0e0d0c0b0a0908, 0x0706050403020100);
    __m512i ends = _mm512_maskz_compress_epi8(m->ends, positions);
    __m512i lengths = _mm512_sub_epi8(ends, _mm512_maskz_compress_epi8(m->begins, positions));
    unsigned n = (unsigned)__builtin_popcountll(m->ends);
    uint64_t valid = ((uint64_t)1 << n) - 1; /* n is at most 32 */
    bool longer = _mm512_mask_cmpgt_epu8_mask(valid, lengths, _mm512_set1_epi8(4)) != 0;
    uint64_t beyond = 0;
    *falls = 0;
    for (unsigned i = 0; i < n; i += LANES) {
        __m512i numbers = step_numbers(values, _mm512_castsi512_si128(ends),
                                       _mm512_castsi512_si128(lengths), longer);
        _mm512_storeu_si512(to + i, numbers);
        *falls |= step_falls(numbers, i > 0 ? to[i - 1] : last) << i;
        beyond |= (uint64_t)_mm512_cmpge_epu32_mask(numbers, _mm512_set1_epi32((int)bound)) << i;
        ends = _mm512_alignr_epi64(ends, ends, 2);
        lengths = _mm512_alignr_epi64(lengths, lengths, 2);
    }
    *falls &= valid;
    return (beyond & valid) == 0;
}

const char *fimi_push_avx512(builder_worker *w, const char *p, const char *end) {
    uint32_t *to = w->items.data + w->items.n;
    uint32_t *line_end = w->ends.data + w->ends.n;
    const uint32_t bound = (uint32_t)w->n_counts;
    uint64_t fresh = w->items.n == w->open; /* bit i: number i of the step is the first of a line */
    uint64_t n_falls = w->falls;
    while (end - p >= STEP_BYTES) {
        __m512i text = _mm512_loadu_si512(p);
        __m512i values = _mm512_sub_epi8(text, _mm512_set1_epi8('0'));
        step_masks m = step_look(text, values);
        uint64_t falls;
        uint32_t last = fresh ? 0 : to[-1];
        if (m.used == 0 || !step_write(&m, values, to, last, bound, &falls)) break;
        uint32_t base = (uint32_t)(to - w->items.data);
        for (uint64_t left = m.newlines; left != 0; left &= left - 1) {
            uint64_t up_to = left ^ (left - 1);
            unsigned before = (unsigned)__builtin_popcountll(m.ends & up_to);
            *line_end++ = base + before;
            fresh |= (uint64_t)1 << before;
        }
        unsigned n = (unsigned)__builtin_popcountll(m.ends);
        n_falls += (uint64_t)__builtin_popcountll(falls & ~fresh);
        fresh = fresh >> n & 1;
        to += n;
        p += m.used;
    }
    w->items.n = (size_t)(to - w->items.data);
    w->ends.n = (size_t)(line_end - w->ends.data);
    if (w->ends.n > 0) w->open = line_end[-1];
    w->next = fresh || w->items.n == 0 ? 0 : (uint64_t)to[-1] + 1;
    w->falls = n_falls;
    return p;
}
#endif
