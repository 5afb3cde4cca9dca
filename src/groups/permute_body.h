/* permute_body.h - the code of permute_kernels, for one instruction set
 *
 * The including file (permute_scalar.c, …) defines PERMUTE_KERNELS, the name of its table, and
 * PERMUTE_NAME, the text by which the environment variable LODE_CPU selects it.
 *
 * A carry-save adder turns three vectors into two: sum and carry. Eight vectors become one carry
 * of weight 8 and the three planes below, with 7 adders; 32 vectors become a carry of weight 32:
 *
 *     ones  ← ones, v0, v1  → twos a      twos  ← twos, a, b → fours a     …
 *     ones  ← ones, v2, v3  → twos b
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GROUPS_PERMUTE_BODY_H
#define LODE_GROUPS_PERMUTE_BODY_H

#include "base/bits.h"
#include "groups/permutations.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#if !defined(PERMUTE_KERNELS) /* the header by itself */
#define PERMUTE_KERNELS permute_body
#define PERMUTE_NAME    "body"
#endif

/* Vectors as wide as registers are; a block is counted in parts of this width. */
#if defined(__AVX512F__)
#define PERMUTE_LANE 8 /* words */
#elif defined(__AVX2__)
#define PERMUTE_LANE 4
#else
#define PERMUTE_LANE 2
#endif
#define PERMUTE_PARTS (PERMUTE_WORDS / PERMUTE_LANE)

typedef uint64_t permute_vector __attribute__((vector_size(PERMUTE_LANE * 8)));

#define INLINED static inline __attribute__((always_inline))

/* Adds a and b to *sum, and sets *carry. */
#if defined(__AVX512F__)
INLINED void body_add(permute_vector *sum, permute_vector a, permute_vector b,
                      permute_vector *carry) {
    __m512i s = (__m512i)*sum, x = (__m512i)a, y = (__m512i)b;
    *carry = (permute_vector)_mm512_ternarylogic_epi64(s, x, y, 0xe8); /* the majority */
    *sum = (permute_vector)_mm512_ternarylogic_epi64(s, x, y, 0x96);   /* the parity */
}
#else
INLINED void body_add(permute_vector *sum, permute_vector a, permute_vector b,
                      permute_vector *carry) {
    permute_vector u = *sum ^ a;
    *carry = (*sum & a) | (u & b);
    *sum = u ^ b;
}
#endif

#define PERMUTE_LOW 5 /* planes that the adders keep */

/* Adds a vector of weight 2^k to the planes from k on. */
INLINED void body_ripple(permute_vector *planes, unsigned k, unsigned n_planes,
                         permute_vector carry) {
    for (; k < n_planes; k++) {
        permute_vector next = planes[k] & carry;
        planes[k] ^= carry;
        carry = next;
    }
}

INLINED void body_eight(const permute_vector *block, const uint32_t *at, permute_vector *p,
                        permute_vector *eight) {
    permute_vector two_a, two_b, four_a, four_b;
#define BODY_ROW(i) block[(size_t)at[i] * PERMUTE_PARTS]
#define BODY_FOUR(i, to)                                                                           \
    body_add(&p[0], BODY_ROW(i), BODY_ROW(i + 1), &two_a);                                         \
    body_add(&p[0], BODY_ROW(i + 2), BODY_ROW(i + 3), &two_b);                                     \
    body_add(&p[1], two_a, two_b, to)
    BODY_FOUR(0, &four_a);
    BODY_FOUR(4, &four_b);
#undef BODY_FOUR
#undef BODY_ROW
    body_add(&p[2], four_a, four_b, eight);
}

/* The permutations whose count is at least `bound`. */
INLINED void body_at_least(const permute_vector *planes, unsigned n_planes, uint64_t bound,
                           permute_vector *out) {
    permute_vector in = ~(permute_vector){0};
    if (bound >> n_planes) in = (permute_vector){0};
    for (unsigned k = 0; k < n_planes && bound >> n_planes == 0; k++) {
        in = bound >> k & 1 ? planes[k] & in : planes[k] | in;
    }
    *out = in;
}

/* One part of a block. */
INLINED uint64_t body_part(const permute_vector *block, const permute_query *q, unsigned part,
                           permute_counts *out) {
    const uint32_t *places = q->places;
    const uint32_t n = q->n;
    const unsigned n_planes = q->n_planes;
    permute_vector planes[PERMUTE_PLANES], first[PERMUTE_LOW] = {{0}}, hits = {0}, above;
    permute_vector eight[2], sixteen[2], carry;
    uint32_t i = 0;
    for (unsigned k = 0; k < n_planes; k++) planes[k] = (permute_vector){0};
    for (; i + 32 <= n; i += 32) {
        for (unsigned half = 0; half < 2; half++) {
            body_eight(block, places + i + 16 * half, first, &eight[0]);
            body_eight(block, places + i + 16 * half + 8, first, &eight[1]);
            body_add(&first[3], eight[0], eight[1], &sixteen[half]);
        }
        body_add(&first[4], sixteen[0], sixteen[1], &carry);
        body_ripple(planes, PERMUTE_LOW, n_planes, carry);
    }
    for (; i < n; i += 8) {
        body_eight(block, places + i, first, &eight[0]);
        carry = first[3] & eight[0];
        first[3] ^= eight[0];
        body_ripple(planes, PERMUTE_LOW, n_planes, first[4] & carry);
        first[4] ^= carry;
    }
    for (unsigned k = 0; k < PERMUTE_LOW && k < n_planes; k++) planes[k] = first[k];
    if (q->high <= (int64_t)n) body_at_least(planes, n_planes, (uint64_t)q->high, &hits);
    if (q->low >= 0) {
        body_at_least(planes, n_planes, (uint64_t)q->low + 1, &above);
        hits |= ~above;
    }
    uint64_t any = 0;
    for (unsigned w = 0; w < PERMUTE_LANE; w++) any |= hits[w];
    memcpy(out->hits + (size_t)part * PERMUTE_LANE, &hits, sizeof hits);
    for (unsigned k = 0; k < n_planes && any; k++) {
        memcpy(&out->planes[k][part * PERMUTE_LANE], &planes[k], sizeof planes[k]);
    }
    return any;
}

static bool body_count(const uint64_t *bits, const permute_query *q, permute_counts *out) {
    const permute_vector *block = (const permute_vector *)(const void *)bits;
    uint64_t any = 0;
    for (unsigned part = 0; part < PERMUTE_PARTS; part++) {
        any |= body_part(block + part, q, part, out);
    }
    return any != 0;
}

static void body_intersect(const uint64_t *const *rows, uint32_t n, size_t words, uint64_t *out) {
    for (size_t w = 0; w < words; w += PERMUTE_WORDS) {
        permute_vector bits[PERMUTE_PARTS];
        memcpy(bits, rows[0] + w, sizeof bits);
        for (uint32_t i = 1; i < n; i++) {
            const permute_vector *row = (const permute_vector *)(const void *)(rows[i] + w);
            for (unsigned part = 0; part < PERMUTE_PARTS; part++) bits[part] &= row[part];
        }
        memcpy(out + w, bits, sizeof bits);
    }
}

/* Few bits of a word are listed without a branch for each. */
static uint32_t body_list(const uint64_t *row, size_t words, uint32_t *to) {
    const uint32_t *start = to;
    const uint64_t last = (uint64_t)1 << 63; /* the count of zeros of 0 is undefined */
    for (size_t w = 0; w < words; w++) {
        uint64_t bits = row[w];
        unsigned n = (unsigned)bits_count(bits);
        for (unsigned i = 0; i < PERMUTE_MORE; i++, bits &= bits - 1) {
            to[i] = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits | last);
        }
        for (unsigned i = PERMUTE_MORE; i < n; i++, bits &= bits - 1) {
            to[i] = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
        }
        to += n;
    }
    return (uint32_t)(to - start);
}

static uint64_t body_common(const uint64_t *a, const uint64_t *b, size_t words) {
    uint64_t count = 0;
    for (size_t w = 0; w < words; w++) count += bits_count(a[w] & b[w]);
    return count;
}

const permute_kernels PERMUTE_KERNELS = {
    .name = PERMUTE_NAME,
    .count = body_count,
    .intersect = body_intersect,
    .list = body_list,
    .common = body_common,
};

#endif
