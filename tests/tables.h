/* tables.h - data sets on which every miner is compared with brute, and the kernel tables
 *
 * A family is a kind of data; its members differ by their seed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_TABLES_H
#define LODE_TESTS_TABLES_H

#include "mining.h"

#define MAX_PATTERNS 20000u /* thresholds that find more are skipped */

/* ---- data ---------------------------------------------------------------------------------- */

static inline table make_repeated(uint64_t seed) {
    table t = {0};
    rng r = rng_make(seed, 1);
    for (uint64_t i = 0; i < 60; i++) {
        uint32_t row[24];
        size_t n = 1 + (size_t)rng_below(&r, 8);
        for (size_t k = 0; k < n; k++)
            row[k] = row[n + k] = row[2 * n + k] = (uint32_t)rng_below(&r, 9);
        table_add(&t, row, 3 * n); /* every item at least three times, in any order */
    }
    return t;
}

static inline table make_duplicates(uint64_t seed) {
    table base = table_random(seed, 5, 9, 30, 80), t = {0};
    for (unsigned i = 0; i < 130; i++) table_add_rows(&t, &base, i % 5, 5);
    table_free(&base);
    return t;
}

/* Blocks of items that mostly occur together. */
static inline table make_blocks(uint64_t seed) {
    table t = {0};
    rng r = rng_make(seed, 2);
    for (unsigned i = 0; i < 200; i++) {
        uint32_t row[40];
        size_t n = 0;
        for (uint32_t block = 0; block < 5; block++) {
            if (rng_below(&r, 100) >= 45) continue;
            for (uint32_t k = 0; k < 4; k++) {
                if (rng_below(&r, 100) < 92) row[n++] = block * 4 + k;
            }
        }
        table_add(&t, row, n);
    }
    return t;
}

static inline table make_equal(uint64_t seed) {
    table t = {0};
    uint32_t row[8];
    for (uint32_t i = 0; i < 8; i++) row[i] = i * 3 + (uint32_t)seed;
    for (uint64_t i = 0; i < 3 + seed * 97 % 1100; i++) table_add(&t, row, 8);
    return t;
}

/* Item numbers up to 72,000 and beyond, of which a few are frequent. */
static inline table make_wide(uint64_t seed) {
    table t = {0};
    rng r = rng_make(seed, 3);
    for (unsigned i = 0; i < 1200; i++) {
        uint32_t row[80];
        size_t n = 0;
        for (uint32_t k = 0; k < 60; k++) row[n++] = i * 60 + k; /* 72,000 items, each once */
        for (uint32_t k = 0; k < 8; k++) {
            if (rng_below(&r, 100) < 15 + 8 * k) row[n++] = 65530 + 3 * k + (k > 4 ? 10000 : 0);
        }
        table_add(&t, row, n);
    }
    return t;
}

/* Transactions of more than 10,000 items, nearly all of which are in no other transaction. */
static inline table make_long(uint64_t seed) {
    static uint32_t row[11010];
    table t = {0};
    rng r = rng_make(seed, 4);
    for (uint32_t i = 0; i < 6; i++) {
        size_t n = 0;
        for (uint32_t item = 0; item < 9; item++) {
            if (rng_below(&r, 3) > 0) row[n++] = item;
        }
        for (uint32_t k = 0; k < 11000; k++) row[n++] = 9 + i * 11000 + k;
        table_add(&t, row, n);
    }
    return t;
}

static inline table make_empty_rows(uint64_t n) {
    table t = {0};
    for (uint64_t i = 0; i < n; i++) table_add(&t, NULL, 0);
    return t;
}

static inline table make_single_item(uint64_t seed) {
    table t = {0};
    rng r = rng_make(seed, 5);
    uint32_t item = (uint32_t)rng_below(&r, 1000);
    for (uint64_t i = 0; i < 1 + seed * 131 % 1500; i++) table_add(&t, &item, rng_below(&r, 2));
    return t;
}

static inline table make_one_row(uint64_t seed) {
    table t = {0};
    uint32_t row[13];
    rng r = rng_make(seed, 6);
    size_t n = 1 + (size_t)rng_below(&r, 13);
    for (size_t i = 0; i < n; i++) row[i] = (uint32_t)(17 * i + rng_below(&r, 17));
    table_add(&t, row, n);
    return t;
}

/* Numbers of rows at which words and cache lines of bits end, or nearly so. */
static inline table make_edge(uint64_t seed) {
    static const uint64_t lengths[] = {1, 2, 63, 64, 65, 127, 128, 511, 512, 513, 1023, 1024, 1025};
    uint64_t n = lengths[seed % (sizeof lengths / sizeof *lengths)];
    return table_random(seed, n, 10, 20, 70);
}

static inline table make_sparse(uint64_t seed) {
    return table_random(seed, 150 + seed % 5 * 200, 40, 1, 12);
}

static inline table make_dense(uint64_t seed) {
    return table_random(seed, 40 + seed % 7 * 30, 10, 45, 95);
}

typedef struct family {
    const char *name;
    table (*make)(uint64_t seed);
    uint64_t n;
    uint64_t lowest;   /* threshold to begin with */
    uint32_t max_size; /* 0: none */
} family;

static const family families[] = {
    {"sparse", make_sparse, 36, 1, 0},
    {"dense", make_dense, 36, 1, 0},
    {"edge", make_edge, 39, 1, 0},
    {"blocks", make_blocks, 20, 20, 0},
    {"duplicate rows", make_duplicates, 15, 1, 0},
    {"repeated items", make_repeated, 15, 1, 0},
    {"equal rows", make_equal, 10, 1, 0},
    {"one row", make_one_row, 12, 1, 0},
    {"single item", make_single_item, 10, 1, 0},
    {"wide", make_wide, 2, 2, 0},
    {"long", make_long, 2, 2, 0},
    {"long, pairs", make_long, 1, 2, 2},
    {"empty rows", make_empty_rows, 5, 1, 0}, /* the first has no rows at all */
};

/* The next threshold: small steps first, then larger ones, and n itself. */
static inline uint64_t next_threshold(uint64_t now, uint64_t n) {
    uint64_t next = now + 1 + now * 2;
    return now < n && next > n ? n : next;
}

/* ---- kernel tables -------------------------------------------------------------------------- */

static const char *kernel_tables[8];
static size_t n_kernel_tables;

static inline void find_kernel_tables(void) {
    static const char *const names[] = {"avx512", "avx2", "neon", "scalar"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lode_device device = LODE_INIT(lode_device);
        setenv("LODE_CPU", names[i], 1);
        if (lode_device_at(0, &device) && device.usable)
            kernel_tables[n_kernel_tables++] = names[i];
    }
    unsetenv("LODE_CPU");
    CHECK(n_kernel_tables > 0);
}

#endif
