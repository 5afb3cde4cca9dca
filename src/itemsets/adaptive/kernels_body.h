/* kernels_body.h - the code of kernels.h, for one instruction set
 *
 * A file for each instruction set (kernels_scalar.c, kernels_avx2.c, …) includes this one and
 * defines ADAPTIVE_KERNELS, the name of its table, and ADAPTIVE_NAME, the name for LODE_CPU. The
 * code is plain C with the compiler's vector types; the compiler flags of the including file decide
 * which instructions they become.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_KERNELS_BODY_H
#define LODE_ITEMSETS_ADAPTIVE_KERNELS_BODY_H

#include <string.h>

#include "base/bits.h"
#include "base/line_count.h"
#include "itemsets/adaptive/kernels.h"
#include "itemsets/adaptive/kernels_strips.h"

#if !defined(ADAPTIVE_KERNELS) /* the header by itself */
#define ADAPTIVE_KERNELS adaptive_kernels_body
#define ADAPTIVE_NAME    "body"
#endif

/* Vectors are as wide as the processor's: wider ones compile, but are split into scalars. EACH(f)
 * lists f(lane) for all lanes. */
#if defined(__AVX512F__)
#define LANES      16
#define LANE_ITEMS 4 /* items of a lattice whose sets are within one vector */
#define EACH(f)    EACH8(f, 0), EACH8(f, 8)
#elif defined(__AVX2__)
#define LANES      8
#define LANE_ITEMS 3
#define EACH(f)    EACH8(f, 0)
#else
#define LANES      4
#define LANE_ITEMS 2
#define EACH(f)    EACH4(f, 0)
#endif
#define EACH4(f, i) f(i), f(i + 1), f(i + 2), f(i + 3)
#define EACH8(f, i) EACH4(f, i), EACH4(f, i + 4)

typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));

#define GROUP (LATTICE_LANES / LANES) /* vectors per sixteen bits */

/* ---- words --------------------------------------------------------------------------------- */

static size_t body_select(const weighted_words *from, unsigned bit, uint64_t keep, uint64_t *to,
                          uint32_t *to_weights) {
    const weighted_words w = *from; /* `to` could overwrite it, as far as the compiler knows */
    size_t kept = 0;
    for (size_t i = 0; i < w.n; i++) {
        to[kept] = w.words[i] & keep;
        to_weights[kept] = w.weights[i];
        kept += w.words[i] >> bit & 1;
    }
    return kept;
}

#define BIT(i) 1u << (i)

/* Adds the weight to each of the sixteen lanes of a group whose bit of the word is set. */
static inline void body_add_bits(lanes *sum, uint64_t word, uint32_t weight) {
    const lanes bits = {EACH(BIT)};
    for (unsigned v = 0; v < GROUP; v++) {
        lanes has = (lanes)(((lanes){0} + (uint32_t)(word >> LANES * v)) & bits) != 0;
        sum[v] += has & weight;
    }
}

/* Counts sixteen bits of every word. */
static void body_count_lanes(const weighted_words *from, unsigned shift, uint32_t *counts) {
    const weighted_words w = *from;
    lanes sum[GROUP] = {{0}};
    for (size_t i = 0; i < w.n; i++) body_add_bits(sum, w.words[i] >> shift, w.weights[i]);
    memcpy(counts + shift, sum, sizeof sum);
}

static void body_count_bits(const weighted_words *from, unsigned n_bits, uint32_t counts[64]) {
    for (unsigned shift = 0; shift < n_bits; shift += LATTICE_LANES) {
        body_count_lanes(from, shift, counts);
    }
}

static void body_squeeze(uint64_t *words, size_t n, uint64_t mask) {
    for (size_t i = 0; i < n; i++) words[i] = bits_pick(words[i], mask);
}

/* ---- lattices ------------------------------------------------------------------------------- */

static void body_lattice_add(uint32_t *lattice, const lattice_words *from) {
    const lattice_words f = *from;
    for (size_t i = 0; i < f.all.n; i++) {
        lattice[bits_pick(f.all.words[i], f.mask)] += f.all.weights[i];
    }
}

#if defined(__clang__)
#define SHUFFLE(x, ...) __builtin_shufflevector(x, x, __VA_ARGS__)
#else
#define SHUFFLE(x, ...) __builtin_shuffle(x, (lanes){__VA_ARGS__})
#endif

#define WITH0(i)    (i) | 1
#define WITH1(i)    (i) | 2
#define WITH2(i)    (i) | 4
#define WITH3(i)    (i) | 8
#define WITHOUT0(i) (i) & 1 ? 0 : ~0u
#define WITHOUT1(i) (i) & 2 ? 0 : ~0u
#define WITHOUT2(i) (i) & 4 ? 0 : ~0u
#define WITHOUT3(i) (i) & 8 ? 0 : ~0u

/* The lowest items: within a vector, each lane without the bit adds the lane with the bit. */
static inline void body_sum_within(lanes *at) {
    lanes x = *at;
    x += SHUFFLE(x, EACH(WITH0)) & (lanes){EACH(WITHOUT0)};
    x += SHUFFLE(x, EACH(WITH1)) & (lanes){EACH(WITHOUT1)};
#if LANE_ITEMS > 2
    x += SHUFFLE(x, EACH(WITH2)) & (lanes){EACH(WITHOUT2)};
#endif
#if LANE_ITEMS > 3
    x += SHUFFLE(x, EACH(WITH3)) & (lanes){EACH(WITHOUT3)};
#endif
    *at = x;
}

static void body_lattice_sum(uint32_t *lattice, unsigned k) {
    lanes *v = (lanes *)lattice;
    size_t blocks = k > LANE_ITEMS ? (size_t)1 << (k - LANE_ITEMS) : 1;
    for (size_t i = 0; i < blocks; i++) body_sum_within(&v[i]);
    for (size_t step = 1; step < blocks; step *= 2) {
        for (size_t from = 0; from < blocks; from += 2 * step) {
            for (size_t i = from; i < from + step; i++) v[i] += v[i + step];
        }
    }
}

static void body_lattice_count(const uint32_t *lattice, unsigned k, uint32_t min, uint64_t *sizes) {
    const lanes *v = (const lanes *)lattice;
    unsigned above = k > LANE_ITEMS ? k - LANE_ITEMS : 0; /* items that tell vectors apart */
    lanes reached[LATTICE_MOST - LANE_ITEMS + 1];
    memset(reached, 0, (above + 1) * sizeof *reached);
    for (size_t i = 0; i < (size_t)1 << above; i++) {
        reached[__builtin_popcountll(i)] -= (lanes)(v[i] >= min); /* true is all ones, -1 */
    }
    for (unsigned high = 0; high <= above; high++) {
        for (unsigned low = 0; low < LANES; low++) {
            sizes[high + (unsigned)__builtin_popcount(low)] += reached[high][low];
        }
    }
}

static void body_lattice_add_each(uint32_t *lattices, size_t entries, const lattice_words *from) {
    const lattice_words f = *from; /* as in body_select */
    for (size_t i = 0; i < f.all.n; i++) {
        uint32_t *at = lattices + bits_pick(f.all.words[i], f.mask), weight = f.all.weights[i];
        uint64_t rest = bits_pick(f.all.words[i], f.earlier);
        for (; rest != 0; rest &= rest - 1) at[(size_t)__builtin_ctzll(rest) * entries] += weight;
    }
}

/* Returns an array that has, for each set without the consequent, its support with the consequent:
 * `both`, or the lattice itself, shifted by the consequent's bit. If the consequent is one of the
 * first items, both sets would be in the same vector: then the supports are copied to scratch
 * memory, with zeros for the sets that contain the consequent. */
static const uint32_t *body_find_pairs(const uint32_t *lattice, const rule_rhs *rhs, unsigned k) {
    if (rhs->both) return rhs->both;
    size_t entries = (size_t)1 << k, bit = (size_t)1 << rhs->item;
    if (rhs->item >= LANE_ITEMS) return lattice + bit;
    for (size_t i = 0; i < entries || i < LANES; i++) {
        rhs->scratch[i] = i & bit || i >= entries ? 0 : lattice[i | bit];
    }
    return rhs->scratch;
}

/* The floating-point result is right, or 1 too low: then it is corrected. */
static void body_lattice_least(const uint32_t *lattice, unsigned k, const rule_bar *bar,
                               uint32_t *least) {
    uint64_t numerator = bar->numerator, denominator = bar->denominator;
    double ratio = (double)numerator / (double)denominator;
    uint32_t min = bar->min;
    size_t blocks = k > LANE_ITEMS ? (size_t)1 << (k - LANE_ITEMS) : 1;
    for (size_t i = 0; i < blocks; i++) {
        const uint32_t *support = lattice + i * LANES;
        uint32_t *to = least + i * LANES;
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint64_t share = (uint64_t)(uint32_t)(support[lane] * ratio);
            share += share * denominator < support[lane] * numerator;
            to[lane] = share > min ? (uint32_t)share : min;
        }
    }
}

/* The first set of a vector is a subset of the others: if it is not frequent, none of them is. */
static void body_lattice_count_rules(const rule_sets *sets, const rule_rhs *rhs, uint64_t *sizes) {
    unsigned above = sets->k > LANE_ITEMS ? sets->k - LANE_ITEMS : 0;
    lanes reached[LATTICE_MOST - LANE_ITEMS + 1];
    const uint32_t *both = body_find_pairs(sets->supports, rhs, sets->k);
    bool within = !rhs->both && rhs->item >= LANE_ITEMS;
    size_t skipped = within ? ((size_t)1 << rhs->item) / LANES : 0;
    memset(reached, 0, (above + 1) * sizeof *reached);
    for (size_t i = 0; i < (size_t)1 << above; i++) {
        if (i & skipped || both[i * LANES] < sets->min) continue;
        reached[__builtin_popcountll(i)] -=
            (lanes)(((const lanes *)both)[i] >= ((const lanes *)sets->least)[i]);
    }
    for (unsigned high = 0; high <= above; high++) {
        for (unsigned low = 0; low < LANES; low++) {
            sizes[high + (unsigned)__builtin_popcount(low)] += reached[high][low];
        }
    }
}

static void body_lattice_meet(uint64_t *common, const lattice_words *from, const uint64_t *words) {
    const lattice_words f = *from;
    size_t entries = (size_t)1 << __builtin_popcountll(f.mask);
    for (size_t i = 0; i < f.all.n; i++) {
        common[bits_pick(f.all.words[i], f.mask)] &= words[i] & f.earlier;
    }
    for (size_t step = 1; step < entries; step *= 2) {
        for (size_t at = 0; at < entries; at += 2 * step) {
            for (size_t i = at; i < at + step; i++) common[i] &= common[i + step];
        }
    }
}

static inline bool body_has_equal_superset(const uint32_t *lattice, unsigned k, size_t set) {
    bool equal = false;
    for (unsigned b = 0; b < k; b++) {
        size_t superset = set | (size_t)1 << b;
        equal |= (superset != set) & (lattice[superset] == lattice[set]);
    }
    return equal;
}

/* Goes from the smallest set on, so that every entry is compared before it is cleared. In sparse
 * data most entries are infrequent, and sixteen infrequent entries are skipped at a time. */
static void body_lattice_keep_closed(uint32_t *lattice, const uint64_t *common, unsigned k,
                                     uint32_t min) {
    size_t entries = (size_t)1 << k;
    for (size_t from = 0; from < entries; from += LATTICE_LANES) {
        size_t end = entries - from < LATTICE_LANES ? entries : from + LATTICE_LANES;
        uint32_t any = 0;
        for (size_t i = from; i < end; i++) any |= (uint32_t)(lattice[i] >= min);
        for (size_t i = from; i < end && any; i++) {
            if (lattice[i] < min) continue;
            if (common[i] != 0 || body_has_equal_superset(lattice, k, i)) lattice[i] = 0;
        }
    }
}

static inline bool body_has_frequent_superset(const uint32_t *lattice, unsigned k, size_t set,
                                              uint32_t min) {
    bool frequent = false;
    for (unsigned b = 0; b < k; b++) {
        size_t superset = set | (size_t)1 << b;
        frequent |= (superset != set) & (lattice[superset] >= min);
    }
    return frequent;
}

/* Goes from the smallest set on, too, so that every entry is compared before it is cleared. */
static void body_lattice_keep_maximal(uint32_t *lattice, unsigned k, uint32_t min) {
    size_t entries = (size_t)1 << k;
    for (size_t i = 0; i < entries; i++) {
        if (lattice[i] >= min && body_has_frequent_superset(lattice, k, i, min)) lattice[i] = 0;
    }
}

/* The number of vectors that hold the weights of all earlier items for one entry; items are in
 * groups of sixteen. */
static inline unsigned body_earlier_vectors(const lattice_words *from) {
    unsigned n = (unsigned)__builtin_popcountll(from->earlier);
    return (n + LATTICE_LANES - 1) / LATTICE_LANES * GROUP;
}

static inline void body_earlier_add(const lattice_words *from, size_t i, lanes *to) {
    uint64_t bits = bits_pick(from->all.words[i], from->earlier);
    for (unsigned v = 0; v < body_earlier_vectors(from); v += GROUP) {
        body_add_bits(&to[v], bits >> LANES * v, from->all.weights[i]);
    }
}

/* Adds up the weights of earlier items over the words that contain a set. */
static void body_earlier_of_words(const lattice_words *from, size_t set, lanes *sum) {
    for (size_t i = 0; i < from->all.n; i++) {
        if ((bits_pick(from->all.words[i], from->mask) & set) == set)
            body_earlier_add(from, i, sum);
    }
}

/* The same sum, from the entries of the set and its supersets. `others` are the items of the
 * lattice that are not in the set. */
static void body_earlier_of_entries(const lanes *counts, unsigned per, size_t set, size_t others,
                                    lanes *sum) {
    for (size_t added = others;; added = (added - 1) & others) {
        for (unsigned v = 0; v < per; v++) sum[v] += counts[(set | added) * per + v];
        if (added == 0) return;
    }
}

/* Whether a set reaches min with an earlier item. Sums words or entries, whichever are fewer. */
static bool body_earlier_reaches(const lattice_words *from, const lanes *counts, size_t set,
                                 uint32_t min) {
    lanes sum[64 / LANES] = {{0}};
    unsigned per = body_earlier_vectors(from);
    size_t others = (((size_t)1 << __builtin_popcountll(from->mask)) - 1) & ~set;
    bool few_words = from->all.n >> __builtin_popcountll(others) == 0, reached = false;
    if (few_words) {
        body_earlier_of_words(from, set, sum);
    } else {
        body_earlier_of_entries(counts, per, set, others, sum);
    }
    for (unsigned v = 0; v < per; v++) {
        for (unsigned lane = 0; lane < LANES; lane++) reached |= sum[v][lane] >= min;
    }
    return reached;
}

static void body_lattice_drop_earlier(uint32_t *lattice, uint32_t *counts,
                                      const lattice_words *from, uint32_t min) {
    size_t entries = (size_t)1 << __builtin_popcountll(from->mask);
    unsigned per = body_earlier_vectors(from);
    lanes *v = (lanes *)counts;
    for (size_t i = 0; i < from->all.n; i++) {
        body_earlier_add(from, i, v + bits_pick(from->all.words[i], from->mask) * per);
    }
    for (size_t set = 1; set < entries; set++) {
        if (lattice[set] >= min && body_earlier_reaches(from, v, set, min)) lattice[set] = 0;
    }
    if (from->all.n >= entries) memset(v, 0, entries * per * sizeof *v);
    for (size_t i = 0; i < from->all.n && from->all.n < entries; i++) {
        lanes *at = v + bits_pick(from->all.words[i], from->mask) * per;
        for (unsigned k = 0; k < per; k++) at[k] = (lanes){0};
    }
}

/* ---- rows ---------------------------------------------------------------------------------- */

static void body_and_counts(const uint64_t *a, const uint64_t *rows, size_t n, size_t words,
                            uint32_t *counts) {
    line_count_rows(a, rows, n, words, counts);
}

static void body_and_store(uint64_t *to, const uint64_t *a, const uint64_t *b, size_t words) {
    for (size_t j = 0; j < words; j++) to[j] = a[j] & b[j];
}

typedef uint64_t row_lanes __attribute__((vector_size(4 * LANES), may_alias));

#define LINE_VECTORS (ROW_LINE * 8 / sizeof(row_lanes))

/* For nearly all rows, the first non-zero word of `a` already shows that they lack a bit. */
static size_t body_find_cover(const uint64_t *a, const uint64_t *rows, size_t n, size_t words) {
    size_t first = 0, i = 0;
    while (first < words && a[first] == 0) first++;
    for (; i < n && first < words; i++) {
        const uint64_t *row = rows + i * words;
        size_t at = first;
        while (at < words && (a[at] & ~row[at]) == 0) at++;
        if (at == words) break;
    }
    return i;
}

static size_t body_find_common(const uint64_t *const *rows, size_t n, const uint64_t *lacks,
                               row_range range, uint64_t found[ROW_LINE]) {
    row_lanes line[LINE_VECTORS], any;
    for (size_t at = range.from; at < range.end; at += ROW_LINE) {
        const row_lanes *not = (const row_lanes *)(lacks + at);
        any = (row_lanes){0};
        for (size_t v = 0; v < LINE_VECTORS; v++) line[v] = ~not [v];
        for (size_t i = 0; i < n; i++) {
            const row_lanes *row = (const row_lanes *)(rows[i] + at);
            for (size_t v = 0; v < LINE_VECTORS; v++) line[v] &= row[v];
        }
        for (size_t v = 0; v < LINE_VECTORS; v++) any |= line[v];
        uint64_t rest = 0;
        for (size_t k = 0; k < sizeof any / 8; k++) rest |= any[k];
        if (rest == 0) continue;
        memcpy(found, line, sizeof line);
        return at;
    }
    return range.end;
}

static void body_pick_bits(uint64_t *to, const uint64_t *row, const uint64_t *mask, size_t words,
                           size_t to_words) {
    pick_loop(to, row, mask, words, to_words);
}

extern const adaptive_kernels ADAPTIVE_KERNELS;

const adaptive_kernels ADAPTIVE_KERNELS = {
    .name = ADAPTIVE_NAME,
    .select = body_select,
    .count_bits = body_count_bits,
    .squeeze = body_squeeze,
    .lattice_add = body_lattice_add,
    .lattice_sum = body_lattice_sum,
    .lattice_meet = body_lattice_meet,
    .lattice_keep_closed = body_lattice_keep_closed,
    .lattice_keep_maximal = body_lattice_keep_maximal,
    .lattice_drop_earlier = body_lattice_drop_earlier,
    .lattice_count = body_lattice_count,
    .lattice_add_each = body_lattice_add_each,
    .lattice_least = body_lattice_least,
    .lattice_count_rules = body_lattice_count_rules,
    .and_counts = body_and_counts,
    .and_store = body_and_store,
    .find_cover = body_find_cover,
    .find_common = body_find_common,
    .pick_bits = body_pick_bits,
    .words_strip = body_words_strip,
    .rows_strips = body_rows_strips,
    .strips_reach = body_strips_reach,
    .strips_count = body_strips_count,
    .strips_pick = body_strips_pick,
    .strips_lattice = body_strips_lattice,
    .strips_keep_closed = body_strips_keep_closed,
    .strips_keep_maximal = body_strips_keep_maximal,
};

#endif
