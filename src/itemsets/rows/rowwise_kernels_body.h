/* rowwise_kernels_body.h - the code of rowwise_kernels.h, for one instruction set
 *
 * The including file (rowwise_kernels_scalar.c, …) defines two macros: ROWWISE_KERNELS is the name
 * of its table of functions, and ROWWISE_NAME is the text by which the environment variable
 * LODE_CPU selects this table. In most data, columns have one word and rows weigh 1: for that case
 * there is a copy of the code without loops over words and planes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ROWS_ROWWISE_KERNELS_BODY_H
#define LODE_ITEMSETS_ROWS_ROWWISE_KERNELS_BODY_H

#include "base/bits.h"
#include "itemsets/rows/rowwise_kernels.h"

#if defined(__AVX512VPOPCNTDQ__)
#include <immintrin.h>
#endif

#if !defined(ROWWISE_KERNELS) /* the header by itself */
#define ROWWISE_KERNELS rowwise_kernels_body
#define ROWWISE_NAME    "body"
#endif

#define INLINED static inline __attribute__((always_inline))

/* The parameters for trying a row. */
typedef struct rowwise_cut {
    unsigned words, n_planes;
    unsigned word; /* the row is in this word … */
    uint64_t bit;  /* … this bit */
    uint64_t need; /* minimum weight of this and later rows; 0 = held rows suffice */
    uint64_t masks[ROWWISE_PLANES][ROWWISE_WORDS]; /* by plane: rows from this on, but not held */
} rowwise_cut;

/* The rows in all, and in any, of the kept columns. */
typedef struct rowwise_kept {
    uint64_t all[ROWWISE_WORDS], any[ROWWISE_WORDS];
} rowwise_kept;

INLINED void body_aim(const rowwise_rows *rows, const rowwise_node *node, rowwise_cut *c) {
    for (unsigned b = 0; b < c->n_planes && c->need > 0; b++) {
        for (unsigned w = c->word; w < c->words; w++) {
            uint64_t from = w == c->word ? -c->bit : ~(uint64_t)0;
            c->masks[b][w] = rows->planes[b][w] & ~node->held[w] & from;
        }
    }
}

#if defined(__AVX512VPOPCNTDQ__)

/* The lanes of the next vector that hold columns, if n columns are left. */
INLINED __mmask8 body_lanes(uint32_t n) {
    unsigned lanes = n >= ROWWISE_LANES ? 0xff : (1u << n) - 1;
    return (__mmask8)lanes;
}

INLINED __m512i cut_sum(const rowwise_cut *c, const uint64_t *at, size_t stride, __mmask8 lanes) {
    __m512i sum = _mm512_setzero_si512();
    for (unsigned w = c->word; w < c->words; w++) {
        __m512i v = _mm512_maskz_loadu_epi64(lanes, at + w * stride);
        for (unsigned b = 0; b < c->n_planes; b++) {
            __m512i rows = _mm512_and_si512(v, _mm512_set1_epi64((long long)c->masks[b][w]));
            __m512i n = _mm512_popcnt_epi64(rows);
            sum = _mm512_add_epi64(sum, b > 0 ? _mm512_slli_epi64(n, b) : n);
        }
    }
    return sum;
}

/* Copies the columns that have the row and enough later rows. Writes whole vectors, so also beyond
 * the last column that is kept. */
INLINED uint32_t body_cut(const rowwise_cut *c, const rowwise_list *from, rowwise_list *to,
                          rowwise_kept *kept) {
    const rowwise_list f = *from, t = *to;
    __m512i all[ROWWISE_WORDS], any[ROWWISE_WORDS];
    __m512i bit = _mm512_set1_epi64((long long)c->bit),
            need = _mm512_set1_epi64((long long)c->need);
    uint32_t n = 0;
    for (unsigned w = 0; w < c->words; w++) {
        all[w] = _mm512_set1_epi64(-1);
        any[w] = _mm512_setzero_si512();
    }
    for (uint32_t i = 0; i < f.n; i += ROWWISE_LANES) {
        __mmask8 lanes = body_lanes(f.n - i);
        const uint64_t *at = f.columns + i;
        __m512i v = _mm512_maskz_loadu_epi64(lanes, at + c->word * f.stride);
        __mmask8 keep = _mm512_test_epi64_mask(v, bit);
        if (c->words > 1 && !keep) continue;
        if (c->need > 0) {
            keep = _mm512_mask_cmpge_epu64_mask(keep, cut_sum(c, at, f.stride, lanes), need);
        }
        for (unsigned w = 0; w < c->words; w++) {
            if (c->words > 1) v = _mm512_maskz_loadu_epi64(lanes, at + w * f.stride);
            all[w] = _mm512_mask_and_epi64(all[w], keep, all[w], v);
            any[w] = _mm512_mask_or_epi64(any[w], keep, any[w], v);
            _mm512_storeu_si512(t.columns + w * t.stride + n, _mm512_maskz_compress_epi64(keep, v));
        }
        __m256i which = _mm256_maskz_loadu_epi32(lanes, f.which + i);
        _mm256_storeu_si256((__m256i *)(void *)(t.which + n),
                            _mm256_maskz_compress_epi32(keep, which));
        n += (uint32_t)__builtin_popcount(keep);
    }
    for (unsigned w = 0; w < c->words; w++) {
        kept->all[w] = (uint64_t)_mm512_reduce_and_epi64(all[w]);
        kept->any[w] = (uint64_t)_mm512_reduce_or_epi64(any[w]);
    }
    return n;
}

#else

INLINED uint64_t cut_sum(const rowwise_cut *c, const uint64_t *at, size_t stride) {
    uint64_t sum = 0;
    for (unsigned w = c->word; w < c->words; w++) {
        for (unsigned b = 0; b < c->n_planes; b++) {
            sum += bits_count(at[w * stride] & c->masks[b][w]) << b;
        }
    }
    return sum;
}

/* Copies the columns that have the row and enough later rows. */
INLINED uint32_t body_cut(const rowwise_cut *c, const rowwise_list *from, rowwise_list *to,
                          rowwise_kept *kept) {
    const rowwise_list f = *from, t = *to;
    uint32_t n = 0;
    for (unsigned w = 0; w < c->words; w++) {
        kept->all[w] = ~(uint64_t)0;
        kept->any[w] = 0;
    }
    for (uint32_t i = 0; i < f.n; i++) {
        const uint64_t *at = f.columns + i;
        if (!(at[c->word * f.stride] & c->bit)) continue;
        if (c->need > 0 && cut_sum(c, at, f.stride) < c->need) continue;
        for (unsigned w = 0; w < c->words; w++) {
            uint64_t v = at[w * f.stride];
            kept->all[w] &= v;
            kept->any[w] |= v;
            t.columns[w * t.stride + n] = v;
        }
        t.which[n++] = f.which[i];
    }
    return n;
}

#endif

/* Whether there is a row before this one that is not held and is in every kept column. */
INLINED bool cut_goes_back(const rowwise_cut *c, const rowwise_node *node,
                           const rowwise_kept *kept) {
    uint64_t back = kept->all[c->word] & ~node->held[c->word] & (c->bit - 1);
    for (unsigned w = 0; w < c->word; w++) back |= kept->all[w] & ~node->held[w];
    return back != 0;
}

INLINED uint64_t body_weigh(const rowwise_rows *rows, unsigned words, unsigned n_planes,
                            const uint64_t *held) {
    uint64_t weight = 0;
    for (unsigned b = 0; b < n_planes; b++) {
        for (unsigned w = 0; w < words; w++)
            weight += bits_count(held[w] & rows->planes[b][w]) << b;
    }
    return weight;
}

INLINED void body_child(const rowwise_rows *rows, const rowwise_cut *c, const rowwise_kept *kept,
                        rowwise_node *child) {
    child->row = c->word * 64 + (uint32_t)__builtin_ctzll(c->bit);
    for (unsigned w = 0; w < c->words; w++) {
        uint64_t later = w < c->word ? 0 : w > c->word ? ~(uint64_t)0 : ~(c->bit | (c->bit - 1));
        child->held[w] = kept->all[w];
        child->left[w] = kept->any[w] & ~kept->all[w] & later;
    }
    child->weight = body_weigh(rows, c->words, c->n_planes, child->held);
}

INLINED bool body_next_of(const rowwise_rows *rows, rowwise_node *node, uint64_t min,
                          rowwise_node *child, rowwise_cut *c) {
    rowwise_kept kept;
    c->need = min > node->weight ? min - node->weight : 0;
    for (c->word = 0; c->word < c->words; c->word++) {
        while (node->left[c->word]) {
            c->bit = node->left[c->word] & -node->left[c->word];
            node->left[c->word] ^= c->bit;
            body_aim(rows, node, c);
            child->list.n = body_cut(c, &node->list, &child->list, &kept);
            if (child->list.n == 0 || cut_goes_back(c, node, &kept)) continue;
            body_child(rows, c, &kept, child);
            return true;
        }
    }
    return false;
}

static bool body_next(const rowwise_rows *rows, rowwise_node *node, uint64_t min,
                      rowwise_node *child) {
    rowwise_cut c;
    c.words = rows->words;
    c.n_planes = rows->n_planes;
    if (c.n_planes > 1) return body_next_of(rows, node, min, child, &c);
    c.n_planes = 1;
    if (c.words > 1) return body_next_of(rows, node, min, child, &c);
    c.words = 1;
    return body_next_of(rows, node, min, child, &c);
}

#if defined(__AVX512VPOPCNTDQ__)

INLINED bool body_meets_of(const rowwise_rows *rows, unsigned words, unsigned n_planes,
                           const rowwise_list *list, const uint64_t *held, uint64_t min) {
    const rowwise_list l = *list;
    __m512i least = _mm512_set1_epi64((long long)min);
    for (uint32_t i = 0; i < l.n; i += ROWWISE_LANES) {
        __mmask8 lanes = body_lanes(l.n - i);
        __mmask8 lacks = 0;
        __m512i sum = _mm512_setzero_si512();
        for (unsigned w = 0; w < words; w++) {
            __m512i v = _mm512_maskz_loadu_epi64(lanes, l.columns + w * l.stride + i);
            __m512i all = _mm512_set1_epi64((long long)held[w]), both = _mm512_and_si512(v, all);
            lacks = (__mmask8)(lacks | _mm512_cmpneq_epu64_mask(both, all));
            for (unsigned b = 0; b < n_planes; b++) {
                __m512i plane = _mm512_set1_epi64((long long)rows->planes[b][w]);
                __m512i n =
                    _mm512_popcnt_epi64(n_planes > 1 ? _mm512_and_si512(both, plane) : both);
                sum = _mm512_add_epi64(sum, b > 0 ? _mm512_slli_epi64(n, b) : n);
            }
        }
        if (_mm512_mask_cmpge_epu64_mask(lacks, sum, least)) return true;
    }
    return false;
}

#else

INLINED bool body_meets_of(const rowwise_rows *rows, unsigned words, unsigned n_planes,
                           const rowwise_list *list, const uint64_t *held, uint64_t min) {
    const rowwise_list l = *list;
    for (uint32_t i = 0; i < l.n; i++) {
        uint64_t both[ROWWISE_WORDS], lacks = 0;
        for (unsigned w = 0; w < words; w++) {
            both[w] = l.columns[w * l.stride + i] & held[w];
            lacks |= both[w] ^ held[w];
        }
        if (body_weigh(rows, words, n_planes, both) >= min && lacks) return true;
    }
    return false;
}

#endif

/* Vector lanes beyond the last column are loaded as zero: such a column has no row, and min is
 * above 0, so it never counts. */
static bool body_meets(const rowwise_rows *rows, const rowwise_list *list, const uint64_t *held,
                       uint64_t min) {
    unsigned words = rows->words, n_planes = rows->n_planes;
    if (n_planes > 1) return body_meets_of(rows, words, n_planes, list, held, min);
    if (words > 1) return body_meets_of(rows, words, 1, list, held, min);
    return body_meets_of(rows, 1, 1, list, held, min);
}

#if defined(__AVX512VPOPCNTDQ__)

INLINED void share_copy(const rowwise_list *l, unsigned words, uint32_t i, __mmask8 keep,
                        rowwise_list *to, uint32_t n) {
    for (unsigned w = 0; w < words; w++) {
        __m512i v = _mm512_maskz_loadu_epi64(keep, l->columns + w * l->stride + i);
        _mm512_storeu_si512(to->columns + w * to->stride + n, _mm512_maskz_compress_epi64(keep, v));
    }
    __m256i which = _mm256_maskz_loadu_epi32(keep, l->which + i);
    _mm256_storeu_si256((__m256i *)(void *)(to->which + n),
                        _mm256_maskz_compress_epi32(keep, which));
}

INLINED uint32_t body_share_of(unsigned words, const rowwise_list *list, const uint64_t *held,
                               uint32_t min, rowwise_list *to, uint32_t *counts) {
    const rowwise_list l = *list;
    __m512i least = _mm512_set1_epi64((long long)min);
    uint32_t n = 0;
    for (uint32_t i = 0; i < l.n; i += ROWWISE_LANES) {
        __mmask8 lanes = body_lanes(l.n - i);
        __m512i sum = _mm512_setzero_si512();
        for (unsigned w = 0; w < words; w++) {
            __m512i v = _mm512_maskz_loadu_epi64(lanes, l.columns + w * l.stride + i);
            v = _mm512_and_si512(v, _mm512_set1_epi64((long long)held[w]));
            sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(v));
        }
        __mmask8 keep = _mm512_mask_cmpge_epu64_mask(lanes, sum, least);
        __m256i short_sum = _mm512_cvtepi64_epi32(sum);
        _mm256_storeu_si256((__m256i *)(void *)(counts + n),
                            _mm256_maskz_compress_epi32(keep, short_sum));
        if (to && keep) share_copy(&l, words, i, keep, to, n);
        n += (uint32_t)__builtin_popcount(keep);
    }
    return n;
}

#else

INLINED uint32_t body_share_of(unsigned words, const rowwise_list *list, const uint64_t *held,
                               uint32_t min, rowwise_list *to, uint32_t *counts) {
    const rowwise_list l = *list;
    uint32_t n = 0;
    for (uint32_t i = 0; i < l.n; i++) {
        uint64_t sum = 0;
        for (unsigned w = 0; w < words; w++)
            sum += bits_count(l.columns[w * l.stride + i] & held[w]);
        if (sum < min) continue;
        counts[n] = (uint32_t)sum;
        for (unsigned w = 0; to && w < words; w++) {
            to->columns[w * to->stride + n] = l.columns[w * l.stride + i];
        }
        if (to) to->which[n] = l.which[i];
        n++;
    }
    return n;
}

#endif

/* Whole vectors of counts are written, so some numbers after the last are overwritten. */
static uint32_t body_share(unsigned words, const rowwise_list *list, const uint64_t *held,
                           uint32_t min, rowwise_list *to, uint32_t *counts) {
    return words > 1 ? body_share_of(words, list, held, min, to, counts)
                     : body_share_of(1, list, held, min, to, counts);
}

extern const rowwise_kernels ROWWISE_KERNELS;
const rowwise_kernels ROWWISE_KERNELS = {ROWWISE_NAME, body_next, body_meets, body_share};

#endif
