/* test_adaptive_kernels.c - every kernel table of adaptive against plain loops
 *
 * Rows are followed by guard words, and have all lengths and numbers at which the blocks of the
 * kernels end. The functions for words and lattices are compared with those of the scalar table,
 * and the functions for rows and tid-bitmaps with counting bit by bit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "itemsets/adaptive/kernels.h"

#define MOST_WORDS ((size_t)72)
#define MOST_ROWS  ((size_t)19)
#define GUARD      0xdeadbeefu

static const adaptive_kernels *scalar;

/* ---- rows ------------------------------------------------------------------------------------ */

static uint64_t *rows_make(size_t n) {
    uint64_t *rows = aligned_alloc(64, (n + 8) * sizeof *rows);
    if (!rows) exit(2);
    return rows;
}

/* density 0: all bits; n: about one in 2^n */
static void rows_fill(uint64_t *rows, size_t n, rng *r, unsigned density) {
    for (size_t i = 0; i < n; i++) {
        rows[i] = ~(uint64_t)0;
        for (unsigned d = 0; d < density; d++) rows[i] &= rng_u64(r);
    }
}

static uint32_t slow_count(const uint64_t *a, const uint64_t *b, size_t words) {
    uint32_t n = 0;
    for (size_t bit = 0; bit < 64 * words; bit++) {
        n += (uint32_t)((a[bit / 64] & b[bit / 64]) >> bit % 64 & 1);
    }
    return n;
}

static size_t slow_cover(const uint64_t *a, const uint64_t *rows, size_t n, size_t words) {
    for (size_t i = 0; i < n; i++) {
        if (slow_count(a, rows + i * words, words) == slow_count(a, a, words)) return i;
    }
    return n;
}

static void check_counts(const adaptive_kernels *k, const uint64_t *a, const uint64_t *rows,
                         size_t n, size_t words) {
    uint32_t counts[MOST_ROWS + 1];
    counts[n] = GUARD;
    k->and_counts(a, rows, n, words, counts);
    for (size_t i = 0; i < n; i++) {
        CHECK_EQUAL(counts[i], slow_count(a, rows + i * words, words));
    }
    CHECK_EQUAL(counts[n], GUARD);
}

static void try_counts(const adaptive_kernels *k) {
    rng r = rng_make(21, 0);
    uint64_t *a = rows_make(MOST_WORDS), *rows = rows_make(MOST_WORDS * MOST_ROWS);
    for (size_t words = 8; words <= MOST_WORDS; words += 8) {
        for (size_t n = 0; n <= MOST_ROWS; n++) {
            rows_fill(a, words, &r, (unsigned)(n % 4));
            rows_fill(rows, words * n, &r, (unsigned)(words / 8 % 3));
            check_counts(k, a, rows, n, words);
        }
    }
    free(a);
    free(rows);
}

/* So long that counters of 8 or 16 bits would overflow. */
static void try_long_counts(const adaptive_kernels *k) {
    size_t words = (size_t)1 << 14, n = 9;
    uint64_t *rows = rows_make(words * n);
    uint32_t counts[9];
    memset(rows, 0xff, words * n * sizeof *rows);
    k->and_counts(rows, rows, n, words, counts);
    for (size_t i = 0; i < n; i++) CHECK_EQUAL(counts[i], words * 64);
    free(rows);
}

/* Rows that cover `a`, or lack one bit of it anywhere. */
static void try_covers(const adaptive_kernels *k) {
    rng r = rng_make(22, 0);
    uint64_t *a = rows_make(MOST_WORDS), *rows = rows_make(MOST_WORDS * MOST_ROWS);
    for (unsigned i = 0; i < 2000; i++) {
        size_t words = 8 * (1 + i % 9), n = i % (MOST_ROWS + 1);
        rows_fill(a, words, &r, 3 + i % 5);
        a[rng_below(&r, words)] |= 1;
        for (size_t w = 0; w < words && i % 3 == 0; w++) a[w] = w < words / 2 ? 0 : a[w];
        a[words - 1] |= 2;
        for (size_t row = 0; row < n; row++) {
            for (size_t w = 0; w < words; w++) rows[row * words + w] = a[w] | rng_u64(&r);
            size_t bit = rng_below(&r, words * 64);
            while (!(a[bit / 64] >> bit % 64 & 1)) bit = (bit + 1) % (words * 64);
            if (rng_below(&r, n + 1) > 0) {
                rows[row * words + bit / 64] &= ~((uint64_t)1 << bit % 64);
            }
        }
        CHECK_EQUAL(k->find_cover(a, rows, n, words), slow_cover(a, rows, n, words));
    }
    free(a);
    free(rows);
}

/* The first line with a column that all rows have and `lacks` has not. */
static size_t slow_common(const uint64_t *const *rows, size_t n, const uint64_t *lacks,
                          row_range range, uint64_t found[ROW_LINE]) {
    for (size_t at = range.from; at < range.end; at += ROW_LINE) {
        uint64_t any = 0;
        for (size_t w = 0; w < ROW_LINE; w++) {
            found[w] = ~lacks[at + w];
            for (size_t i = 0; i < n; i++) found[w] &= rows[i][at + w];
            any |= found[w];
        }
        if (any) return at;
    }
    return range.end;
}

static void try_common(const adaptive_kernels *k) {
    enum { N = 5 };
    rng r = rng_make(23, 0);
    uint64_t *all = rows_make(MOST_WORDS * (N + 1));
    for (unsigned i = 0; i < 2000; i++) {
        const uint64_t *rows[N];
        uint64_t want[ROW_LINE], got[ROW_LINE] = {0};
        size_t n = 1 + i % N, words = 8 * (1 + i % 9);
        row_range range = {8 * rng_below(&r, words / 8), words};
        rows_fill(all, words * (N + 1), &r, 1 + i % 4);
        for (size_t row = 0; row < N; row++) rows[row] = all + row * words;
        size_t at = slow_common(rows, n, all + N * words, range, want);
        CHECK_EQUAL(k->find_common(rows, n, all + N * words, range, got), at);
        CHECK(at == words || memcmp(want, got, sizeof want) == 0);
    }
    free(all);
}

static void try_store(const adaptive_kernels *k) {
    rng r = rng_make(24, 0);
    uint64_t *a = rows_make(MOST_WORDS), *b = rows_make(MOST_WORDS), *to = rows_make(MOST_WORDS);
    for (size_t words = 8; words <= MOST_WORDS; words += 8) {
        rows_fill(a, words, &r, 1);
        rows_fill(b, words, &r, 2);
        to[words] = GUARD;
        k->and_store(to, a, b, words);
        for (size_t w = 0; w < words; w++) CHECK_EQUAL(to[w], a[w] & b[w]);
        CHECK_EQUAL(to[words], GUARD);
    }
    free(a);
    free(b);
    free(to);
}

/* ---- words and lattices ---------------------------------------------------------------------- */

#define N_WORDS ((size_t)301)

typedef struct some_words {
    uint64_t words[N_WORDS];
    uint32_t weights[N_WORDS];
} some_words;

static weighted_words words_fill(some_words *s, rng *r, size_t n, unsigned density) {
    rows_fill(s->words, n, r, density);
    for (size_t i = 0; i < n; i++) s->weights[i] = (uint32_t)rng_below(r, 9);
    return (weighted_words){s->words, s->weights, n};
}

static void try_words(const adaptive_kernels *k) {
    static some_words s, got, want;
    static uint64_t room[2][N_WORDS + LATTICE_LANES];
    static uint32_t weights[2][N_WORDS + LATTICE_LANES];
    rng r = rng_make(25, 0);
    for (unsigned i = 0; i < 600; i++) {
        uint32_t counts[2][64] = {{0}};
        weighted_words w = words_fill(&s, &r, i % (N_WORDS + 1), 1 + i % 3);
        unsigned bit = i % 64, n_bits = 1 + i * 7 % 64;
        uint64_t keep = rng_u64(&r);
        size_t n = scalar->select(&w, bit, keep, room[0], weights[0]);
        CHECK_EQUAL(k->select(&w, bit, keep, room[1], weights[1]), n);
        CHECK(memcmp(room[0], room[1], n * sizeof room[0][0]) == 0);
        CHECK(memcmp(weights[0], weights[1], n * sizeof weights[0][0]) == 0);
        scalar->count_bits(&w, n_bits, counts[0]);
        k->count_bits(&w, n_bits, counts[1]);
        CHECK(memcmp(counts[0], counts[1], n_bits * sizeof counts[0][0]) == 0);
        want = got = s;
        scalar->squeeze(want.words, w.n, keep);
        k->squeeze(got.words, w.n, keep);
        CHECK(memcmp(&want, &got, sizeof got) == 0);
    }
}

/* Fills a lattice by both tables, then lets each keep what it is asked to. */
static void try_lattices(const adaptive_kernels *k) {
    enum { MOST = 10 };
    static some_words s;
    static _Alignas(64) uint32_t lattice[2][1 << MOST], counts[2][64 << MOST];
    static _Alignas(64) uint64_t common[2][1 << MOST];
    const adaptive_kernels *tables[2] = {scalar, k};
    rng r = rng_make(26, 0);
    for (unsigned i = 0; i < 300; i++) {
        unsigned n_items = 1 + i % MOST;
        size_t bytes = sizeof lattice[0][0] << (n_items < 4 ? 4 : n_items);
        uint64_t sizes[2][MOST + 1] = {{0}};
        lattice_words from = {words_fill(&s, &r, i * 3 % (N_WORDS + 1), 1), 0, 0};
        from.mask = ((uint64_t)1 << n_items) - 1;
        from.earlier = rng_u64(&r) & ~from.mask;
        for (unsigned t = 0; t < 2; t++) {
            memset(lattice[t], 0, bytes);
            memset(common[t], 0xff, sizeof common[t]);
            tables[t]->lattice_add(lattice[t], &from);
            tables[t]->lattice_sum(lattice[t], n_items);
            tables[t]->lattice_meet(common[t], &from, from.all.words);
            tables[t]->lattice_count(lattice[t], n_items, 20, sizes[t]);
            if (i % 3 == 0) tables[t]->lattice_keep_closed(lattice[t], common[t], n_items, 20);
            if (i % 3 == 1) tables[t]->lattice_keep_maximal(lattice[t], n_items, 20);
            if (i % 3 == 1) tables[t]->lattice_drop_earlier(lattice[t], counts[t], &from, 20);
        }
        CHECK(memcmp(lattice[0], lattice[1], sizeof lattice[0][0] << n_items) == 0);
        CHECK(memcmp(common[0], common[1], sizeof common[0][0] << n_items) == 0);
        CHECK(memcmp(sizes[0], sizes[1], sizeof sizes[0]) == 0);
    }
}

/* ---- strips ---------------------------------------------------------------------------------- */

#define STRIP_ITEMS 40

/* The columns of a row that `mask` has, moved together, as bit `to` of strip to / 64. */
static void slow_pick(const uint64_t *row, const uint64_t *mask, size_t words,
                      uint64_t strips[STRIPS_MOST]) {
    size_t to = 0;
    memset(strips, 0, STRIPS_MOST * sizeof *strips);
    for (size_t bit = 0; bit < 64 * words; bit++) {
        if (!(mask[bit / 64] >> bit % 64 & 1)) continue;
        strips[to / 64] |= (row[bit / 64] >> bit % 64 & 1) << to % 64;
        to++;
    }
}

/* Rows of which some columns become strips: none, one, 64 or 512 of them, and what is between. */
static void try_rows_to_strips(const adaptive_kernels *k) {
    rng r = rng_make(27, 0);
    uint64_t *rows = rows_make(MOST_WORDS * MOST_ROWS), want[STRIPS_MOST];
    uint64_t to[MOST_ROWS * STRIPS_MOST + LATTICE_LANES];
    for (unsigned i = 0; i < 600; i++) {
        size_t words = 8 * (1 + i % 9), n = 0;
        uint32_t numbers[MOST_ROWS], chosen = i % MOST_ROWS;
        rows_fill(rows, words * MOST_ROWS, &r, 1 + i % 2);
        rows_fill(rows + chosen * words, words, &r, words == 8 ? i % 4 : 4);
        uint32_t columns = slow_count(rows + chosen * words, rows + chosen * words, words);
        unsigned strips = (columns + 63) / 64;
        for (uint32_t x = 0; x < MOST_ROWS; x++) {
            if (x != chosen && rng_below(&r, 3) > 0) numbers[n++] = x;
        }
        to[n * strips] = GUARD;
        k->rows_strips(&(row_words){rows, words}, chosen, numbers, (uint32_t)n, to);
        for (size_t x = 0; x < n; x++) {
            slow_pick(rows + numbers[x] * words, rows + chosen * words, words, want);
            for (unsigned w = 0; w < strips; w++) CHECK_EQUAL(to[w * n + x], want[w]);
        }
        CHECK_EQUAL(to[n * strips], GUARD);
    }
    free(rows);
}

static void try_words_to_strip(const adaptive_kernels *k) {
    rng r = rng_make(28, 0);
    for (size_t n_words = 0; n_words <= 64; n_words++) {
        uint64_t words[64] = {0}, to[65];
        uint32_t bits[64], n = 0;
        rows_fill(words, n_words, &r, 1);
        for (uint32_t b = 0; b < 64; b++) {
            if (rng_below(&r, 3) > 0) bits[n++] = b;
        }
        to[n] = GUARD;
        k->words_strip(words, n_words, bits, n, to);
        for (uint32_t i = 0; i < n; i++) {
            uint64_t want = 0;
            for (size_t w = 0; w < 64; w++) want |= (words[w] >> bits[i] & 1) << w;
            CHECK_EQUAL(to[i], want);
        }
        CHECK_EQUAL(to[n], GUARD);
    }
}

/* Whether an item that is not in the set is in at least `least` of its transactions. */
static bool slow_extends(const strip_sets *of, size_t set, uint64_t transactions, uint32_t least) {
    for (uint32_t i = 0; i < of->n; i++) {
        bool in_set = i < of->k && set >> i & 1;
        if (!in_set && slow_count(&transactions, &of->strip[i], 1) >= least) return true;
    }
    return false;
}

static void check_strip(const adaptive_kernels *k, const uint64_t *strip, uint32_t n, unsigned i) {
    static uint64_t sets[1 << 10];
    static uint32_t lattice[1 << 10];
    unsigned n_lattice = 1 + i % (n < 10 ? n : 10);
    bool closed = i / 2 % 2;
    strip_sets of = {strip, n, n_lattice, sets, lattice, 1 + i % 5};
    memset(lattice, 0, sizeof lattice);
    k->strips_lattice(strip, n_lattice, sets, lattice);
    lattice[0] = 0;
    (closed ? k->strips_keep_closed : k->strips_keep_maximal)(&of);
    for (size_t set = 1; set < (size_t)1 << n_lattice; set++) {
        uint64_t transactions = ~(uint64_t)0;
        for (unsigned b = 0; b < n_lattice; b++)
            transactions &= set >> b & 1 ? strip[b] : ~(uint64_t)0;
        uint32_t support = slow_count(&transactions, &transactions, 1);
        bool kept =
            support < of.min || !slow_extends(&of, set, transactions, closed ? support : of.min);
        CHECK_EQUAL(lattice[set], kept ? support : 0);
    }
}

/* Items that some others are subsets of: few sets of them are closed. Words behind the last are
 * full, as if of items in all transactions. */
static void try_strip_sets(const adaptive_kernels *k) {
    rng r = rng_make(29, 0);
    for (unsigned i = 0; i < 400; i++) {
        uint64_t strip[STRIP_ITEMS + LATTICE_LANES];
        uint32_t n = 1 + i % STRIP_ITEMS;
        memset(strip, 0xff, sizeof strip);
        rows_fill(strip, n, &r, 1 + i % 4);
        for (uint32_t x = 0; x < n; x += 3) strip[rng_below(&r, n)] |= strip[x];
        check_strip(k, strip, n, i);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static void test_tables(void) {
    for (size_t i = 0; adaptive_kernels_at(i); i++) {
        const adaptive_kernels *k = adaptive_kernels_at(i);
        printf("    %s\n", k->name);
        try_counts(k);
        try_long_counts(k);
        try_covers(k);
        try_common(k);
        try_store(k);
        try_words(k);
        try_lattices(k);
        try_rows_to_strips(k);
        try_words_to_strip(k);
        try_strip_sets(k);
    }
}

static void test_choice(void) {
    unsetenv("LODE_CPU");
    CHECK(adaptive_kernels_pick() == adaptive_kernels_at(0));
    for (size_t i = 0; adaptive_kernels_at(i); i++) {
        scalar = adaptive_kernels_at(i); /* the last one */
        setenv("LODE_CPU", scalar->name, 1);
        CHECK(adaptive_kernels_pick() == scalar);
    }
    CHECK_TEXT(scalar->name, "scalar");
    unsetenv("LODE_CPU");
}

int main(void) {
    CHECK_RUN(test_choice);
    CHECK_RUN(test_tables);
    return check_result();
}
