/* test_kernels.c - every kernel table, compared with counting bit by bit and with the scalar table
 *
 * Every row is followed by a line of guard words that must stay as they are.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "papers/cpu/cpu_papers.h"

#define LINE      8
#define MAX_WORDS ((size_t)136)
#define GUARD     0xdeadbeefcafef00du

static const cpu_kernels *scalar;

static uint64_t *row_make(size_t words) {
    uint64_t *row = aligned_alloc(64, (words + LINE) * sizeof *row);
    if (!row) exit(2);
    memset(row, 0, words * sizeof *row);
    for (size_t i = words; i < words + LINE; i++) row[i] = GUARD;
    return row;
}

static bool row_guarded(const uint64_t *row, size_t words) {
    for (size_t i = words; i < words + LINE; i++) {
        if (row[i] != GUARD) return false;
    }
    return true;
}

static void row_free(uint64_t *row, size_t words) {
    CHECK(row_guarded(row, words));
    free(row);
}

static uint64_t *row_copy(const uint64_t *from, size_t words) {
    uint64_t *row = row_make(words);
    memcpy(row, from, words * sizeof *row);
    return row;
}

static void row_fill(uint64_t *row, size_t words, rng *r, unsigned density) {
    for (size_t i = 0; i < words; i++) {
        uint64_t word = rng_u64(r);
        for (unsigned d = 1; d < density; d++) word &= rng_u64(r);
        row[i] = word;
    }
}

/* One bit after the other: shares nothing with any table. */
static uint64_t slow_and_count(const uint64_t *a, const uint64_t *b, size_t words) {
    uint64_t n = 0;
    for (size_t bit = 0; bit < words * 64; bit++)
        n += (a[bit / 64] & b[bit / 64]) >> (bit % 64) & 1;
    return n;
}

static void check_and_store(const cpu_kernels *k, const uint64_t *a, const uint64_t *b,
                            size_t words, uint64_t want) {
    uint64_t *expected = row_make(words), *dst = row_make(words);
    uint64_t *as_a = row_copy(a, words), *as_b = row_copy(b, words);
    size_t bytes = words * sizeof *a;
    for (size_t i = 0; i < words; i++) expected[i] = a[i] & b[i];
    memset(dst, 0x5a, bytes);
    CHECK_EQUAL(k->and_store(dst, a, b, words), want);
    CHECK(memcmp(dst, expected, bytes) == 0);
    CHECK_EQUAL(k->and_store(as_a, as_a, b, words), want);
    CHECK(memcmp(as_a, expected, bytes) == 0);
    CHECK_EQUAL(k->and_store(as_b, a, as_b, words), want);
    CHECK(memcmp(as_b, expected, bytes) == 0);
    CHECK_EQUAL(k->and_store(as_a, as_a, as_a, words), want);
    CHECK(memcmp(as_a, expected, bytes) == 0);
    row_free(expected, words);
    row_free(dst, words);
    row_free(as_a, words);
    row_free(as_b, words);
}

/* All lines, every second and every third, from both ends; and none. */
static void check_lines(const cpu_kernels *k, const uint64_t *a, const uint64_t *b, size_t words) {
    uint32_t lines[MAX_WORDS / LINE];
    uint32_t n_lines = (uint32_t)(words / LINE);
    for (uint32_t step = 1; step <= 3; step++) {
        size_t n = 0;
        for (uint32_t i = 0; i < n_lines; i += step) lines[n++] = i;
        uint64_t want = scalar->and_count_lines(a, b, lines, n);
        CHECK_EQUAL(k->and_count_lines(a, b, lines, n), want);
        for (size_t i = 0; i < n; i++) lines[i] = n_lines - 1 - lines[i];
        want = 0;
        for (size_t i = 0; i < n; i++) {
            want += slow_and_count(a + lines[i] * (size_t)LINE, b + lines[i] * (size_t)LINE, LINE);
        }
        CHECK_EQUAL(k->and_count_lines(a, b, lines, n), want);
    }
    CHECK_EQUAL(k->and_count_lines(a, b, lines, 0), 0);
}

static void check_pair(const cpu_kernels *k, const uint64_t *a, const uint64_t *b, size_t words) {
    uint64_t want = slow_and_count(a, b, words);
    CHECK_EQUAL(scalar->and_count(a, b, words), want);
    CHECK_EQUAL(k->and_count(a, b, words), want);
    CHECK_EQUAL(k->and_count(b, a, words), want);
    CHECK_EQUAL(k->and_count(a, a, words), slow_and_count(a, a, words));
    check_and_store(k, a, b, words, want);
    check_lines(k, a, b, words);
}

static void try_random(const cpu_kernels *k) {
    rng r = rng_make(11, 0);
    for (size_t words = 0; words <= MAX_WORDS; words += LINE) {
        uint64_t *a = row_make(words), *b = row_make(words);
        for (unsigned density = 1; density <= 7; density += 2) {
            row_fill(a, words, &r, density);
            row_fill(b, words, &r, 1 + density / 3);
            check_pair(k, a, b, words);
        }
        row_free(a, words);
        row_free(b, words);
    }
}

/* All bits and none, in rows of every length: the largest sums, and where bytes would overflow. */
static void try_extremes(const cpu_kernels *k) {
    for (size_t words = 0; words <= MAX_WORDS; words += LINE) {
        uint64_t *none = row_make(words), *all = row_make(words);
        memset(all, 0xff, words * sizeof *all);
        check_pair(k, all, all, words);
        check_pair(k, all, none, words);
        check_pair(k, none, none, words);
        CHECK_EQUAL(k->and_count(all, all, words), words * 64);
        row_free(none, words);
        row_free(all, words);
    }
}

/* Long enough that counters of 8 or 16 bits per lane would overflow. */
static void try_long(const cpu_kernels *k) {
    size_t words = (size_t)1 << 17;
    uint64_t *all = row_make(words);
    memset(all, 0xff, words * sizeof *all);
    CHECK_EQUAL(k->and_count(all, all, words), words * 64);
    CHECK_EQUAL(k->and_count(all, all, words), words * 64);
    CHECK_EQUAL(k->and_store(all, all, all, words), words * 64);
    row_free(all, words);
}

static void try_single_bits(const cpu_kernels *k) {
    const size_t words = 3 * LINE;
    uint64_t *one = row_make(words), *all = row_make(words), *dst = row_make(words);
    memset(all, 0xff, words * sizeof *all);
    for (size_t bit = 0; bit < words * 64; bit++) {
        uint32_t line = (uint32_t)(bit / 512);
        one[bit / 64] = (uint64_t)1 << (bit % 64);
        CHECK_EQUAL(k->and_count(one, one, words), 1);
        CHECK_EQUAL(k->and_count(one, all, words), 1);
        CHECK_EQUAL(k->and_count_lines(one, all, &line, 1), 1);
        CHECK_EQUAL(k->and_store(dst, all, one, words), 1);
        CHECK(memcmp(dst, one, words * sizeof *dst) == 0);
        all[bit / 64] ^= one[bit / 64];
        CHECK_EQUAL(k->and_count(one, all, words), 0);
        all[bit / 64] ^= one[bit / 64];
        one[bit / 64] = 0;
    }
    row_free(one, words);
    row_free(all, words);
    row_free(dst, words);
}

/* Rows of so many columns, padded with zero bits to whole lines. */
static void try_padded(const cpu_kernels *k) {
    static const size_t lengths[] = {0, 1, 63, 64, 65, 127, 511, 512, 513, 4096};
    rng r = rng_make(12, 0);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t words = (lengths[i] + 511) / 512 * LINE;
        uint64_t *a = row_make(words), *b = row_make(words);
        for (size_t bit = 0; bit < lengths[i]; bit++) {
            a[bit / 64] |= (uint64_t)1 << (bit % 64);
            b[bit / 64] |= (rng_u64(&r) & 1) << (bit % 64);
        }
        CHECK_EQUAL(k->and_count(a, a, words), lengths[i]);
        check_pair(k, a, b, words);
        row_free(a, words);
        row_free(b, words);
    }
}

/* One word after the other. */
static void try_words(uint32_t (*count_word)(uint64_t)) {
    rng r = rng_make(13, 0);
    for (unsigned i = 0; i < 2000; i++) {
        uint64_t x = rng_u64(&r) >> (i % 64) & (i % 3 ? rng_u64(&r) : UINT64_MAX);
        CHECK_EQUAL(count_word(x), slow_and_count(&x, &x, 1));
    }
    for (unsigned bit = 0; bit < 64; bit++) CHECK_EQUAL(count_word((uint64_t)1 << bit), 1);
    CHECK_EQUAL(count_word(UINT64_MAX), 64);
    CHECK_EQUAL(count_word(0), 0);
}

/* Sets of any number of words at any address. */
static uint32_t slow_union_size(const uint64_t *a, const uint64_t *b, size_t words) {
    uint32_t n = 0;
    for (size_t bit = 0; bit < words * 64; bit++)
        n += (uint32_t)((a[bit / 64] | b[bit / 64]) >> (bit % 64) & 1);
    return n;
}

static void try_union_sizes(const cpu_word_loops *loops) {
    enum { MOST = 70, WIDEST = 5 };
    uint64_t data[1 + MOST * WIDEST];
    backend_pair pairs[MOST];
    uint32_t sizes[MOST + 1];
    rng r = rng_make(14, 0);
    for (size_t words = 1; words <= WIDEST; words++) {
        for (size_t n = 0; n <= MOST; n++) {
            backend_sets sets = {data + n % 2, MOST, words}; /* rows need no alignment */
            row_fill(data, 1 + MOST * WIDEST, &r, 1 + (unsigned)n % 6);
            for (size_t i = 0; i < n; i++) {
                pairs[i].a = (uint32_t)rng_below(&r, MOST);
                pairs[i].b = (uint32_t)rng_below(&r, MOST);
            }
            sizes[n] = 4711;
            loops->union_sizes(&sets, pairs, n, sizes);
            for (size_t i = 0; i < n; i++) {
                CHECK_EQUAL(sizes[i], slow_union_size(sets.data + pairs[i].a * words,
                                                      sets.data + pairs[i].b * words, words));
            }
            CHECK_EQUAL(sizes[n], 4711);
        }
    }
}

static void try_pick(const cpu_kernels *k) {
    enum { WIDEST = 24 };
    uint64_t row[WIDEST], mask[WIDEST], got[WIDEST + 1];
    rng r = rng_make(15, 0);
    for (unsigned i = 0; i < 400; i++) {
        size_t words = i % (WIDEST / 8 + 1) * 8, n = 0, to_words = 0;
        uint64_t want[WIDEST] = {0};
        row_fill(row, words, &r, 1 + i % 3);
        row_fill(mask, words, &r, 1 + i % 7);
        for (size_t w = 0; w < words && i % 5 == 0; w++) mask[w] = UINT64_MAX; /* all of it */
        for (size_t bit = 0; bit < words * 64; bit++) {
            if (!(mask[bit / 64] >> bit % 64 & 1)) continue;
            want[n / 64] |= (row[bit / 64] >> bit % 64 & 1) << n % 64;
            n++;
        }
        to_words = (n + 511) / 512 * 8;
        memset(got, 0x5a, sizeof got);
        k->pick(got, row, mask, words, to_words);
        CHECK(memcmp(got, want, to_words * sizeof *got) == 0);
        CHECK_EQUAL(got[to_words], 0x5a5a5a5a5a5a5a5a); /* and no more than that */
    }
}

static void try_table(const cpu_kernels *k) {
    try_random(k);
    try_extremes(k);
    try_long(k);
    try_single_bits(k);
    try_padded(k);
}

/* Those of the papers are in no list: they are chosen by option only. */
static void test_paper_tables(void) {
    const cpu_kernels *const tables[] = {&cpu_kernels_table16, &cpu_kernels_shift};
    for (size_t t = 0; t < 2; t++) {
        try_table(tables[t]);
        for (size_t i = 0; cpu_kernels_at(i); i++) CHECK(cpu_kernels_at(i) != tables[t]);
        setenv("LODE_CPU", tables[t]->name, 1);
        CHECK(cpu_kernels_pick() == NULL);
        unsetenv("LODE_CPU");
    }
    try_words(cpu_count_word_table16);
    try_words(cpu_count_word_shift);
}

static void test_tables(void) {
    unsigned usable = 0;
    for (size_t i = 0; cpu_kernels_at(i); i++) {
        const cpu_kernels *k = cpu_kernels_at(i);
        printf("    %s%s\n", k->name, k->usable() ? "" : ": cannot run here");
        if (!k->usable()) continue;
        usable++;
        try_table(k);
        try_pick(k);
        const cpu_word_loops *loops = cpu_word_loops_for(k->name); /* of the papers' miners */
        try_words(loops->count_word);
        try_union_sizes(loops);
    }
    CHECK(usable >= 1);
}

static void test_pick(void) {
    const cpu_kernels *best = NULL;
    unsetenv("LODE_CPU");
    for (size_t i = 0; cpu_kernels_at(i) && !best; i++) {
        if (cpu_kernels_at(i)->usable()) best = cpu_kernels_at(i);
    }
    CHECK(cpu_kernels_pick() == best);
    for (size_t i = 0; cpu_kernels_at(i); i++) {
        const cpu_kernels *k = cpu_kernels_at(i);
        setenv("LODE_CPU", k->name, 1);
        CHECK(cpu_kernels_pick() == (k->usable() ? k : NULL));
    }
    static const char *const unknown[] = {"", "sse9", "AVX2", "scalar ", "auto"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        setenv("LODE_CPU", unknown[i], 1);
        CHECK(cpu_kernels_pick() == NULL);
    }
    unsetenv("LODE_CPU");
}

/* The list ends, names differ, and the last table runs everywhere. */
static void test_list(void) {
    size_t n = 0;
    for (; cpu_kernels_at(n); n++) {
        for (size_t i = 0; i < n; i++) {
            CHECK(strcmp(cpu_kernels_at(i)->name, cpu_kernels_at(n)->name) != 0);
        }
    }
    CHECK(!cpu_kernels_at(n + 1));
    scalar = cpu_kernels_at(n - 1);
    CHECK_TEXT(scalar->name, "scalar");
    CHECK(scalar->usable());
}

int main(void) {
    CHECK_RUN(test_list);
    CHECK_RUN(test_tables);
    CHECK_RUN(test_paper_tables);
    CHECK_RUN(test_pick);
    return check_result();
}
