/* product_model.h - for test_products.c: random rows, and their frequent sets by plain enumeration
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_PRODUCT_MODEL_H
#define LODE_TESTS_PRODUCT_MODEL_H

#include "device/api/products.h"
#include "mining.h"

#define MAX_ROWS  300
#define MAX_SETS  4000
#define LINE_BITS 512

/* ---- sets that were found -------------------------------------------------------------------- */

typedef struct found_set {
    uint64_t hash; /* of the items, in whatever order */
    uint32_t support, size;
} found_set;

typedef struct found_sets {
    found_set *data;
    size_t n, cap;
} found_sets;

static inline uint64_t hash_items(const uint32_t *items, size_t n) {
    uint64_t hash = 0;
    for (size_t i = 0; i < n; i++) hash += bits_mix(items[i] + 0x9e3779b97f4a7c15u);
    return hash;
}

static inline void found_add(found_sets *f, const uint32_t *items, size_t n, uint32_t support) {
    f->data = mining_grow(f->data, &f->cap, f->n + 1, sizeof *f->data);
    f->data[f->n++] = (found_set){hash_items(items, n), support, (uint32_t)n};
}

static inline int found_order(const void *x, const void *y) {
    const found_set *a = x, *b = y;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    return a->support < b->support ? -1 : a->support > b->support;
}

static inline bool found_equal(found_sets *a, found_sets *b) {
    if (a->n != b->n) return false;
    if (a->n == 0) return true;
    qsort(a->data, a->n, sizeof *a->data, found_order);
    qsort(b->data, b->n, sizeof *b->data, found_order);
    for (size_t i = 0; i < a->n; i++) {
        if (found_order(&a->data[i], &b->data[i]) != 0) return false;
        if (i > 0 && found_order(&a->data[i - 1], &a->data[i]) == 0) return false; /* twice */
    }
    return true;
}

/* ---- data ------------------------------------------------------------------------------------ */

typedef struct shape {
    uint32_t n_rows;
    uint64_t n_columns;
    unsigned low, high; /* a row has between these many per mille of the columns */
    uint32_t copies;    /* on average, one of `copies` rows is new, and the others are copies */
    uint32_t min_count; /* the threshold to begin with */
    uint32_t lost;      /* up to about this many columns are removed from half of the copies */
} shape;

static const shape shapes[] = {
    {1, 1, 1000, 1000, 1, 1, 0},      {2, 3, 500, 1000, 1, 1, 0},
    {5, 64, 100, 900, 1, 1, 0},       {12, 65, 300, 900, 1, 2, 0},
    {13, 130, 500, 900, 1, 5, 0},     {14, 511, 600, 950, 1, 60, 0},
    {16, 513, 800, 1000, 2, 90, 0},   {24, 200, 300, 800, 3, 10, 0},
    {30, 1000, 200, 900, 2, 60, 0},   {40, 512, 50, 700, 1, 20, 0},
    {64, 700, 100, 500, 1, 25, 0},    {65, 1025, 300, 600, 4, 150, 0},
    {100, 2000, 20, 300, 1, 60, 0},   {130, 300, 50, 200, 1, 8, 0},
    {200, 5000, 100, 260, 1, 220, 0}, {300, 5000, 2, 60, 1, 6, 0},
    {300, 1500, 1, 40, 5, 5, 0},      {20, 5000, 700, 980, 1, 2200, 0},
    {18, 40, 900, 1000, 1, 30, 0},    {257, 640, 150, 350, 1, 35, 0},
    {40, 20000, 50, 600, 2, 2500, 0}, {26, 30, 300, 600, 1, 2, 0},
    {40, 48, 150, 600, 1, 2, 0},      {19, 9000, 500, 950, 2, 2, 8},
};

typedef struct input {
    product_root root;
    uint32_t *supports;
    uint64_t *rows;
    uint64_t *starts;
    uint32_t *items;
} input;

static inline void *take(size_t bytes) {
    void *memory = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!memory) exit(2);
    memset(memory, 0, (bytes + 127) / 64 * 64);
    return memory;
}

static inline bool bit_at(const uint64_t *row, uint64_t column) {
    return row[column / 64] >> column % 64 & 1;
}

/* Makes the rows of a shape, random ones and copies of earlier ones, in order of support. */
static inline input input_make(const shape *s, uint64_t seed) {
    input in = {0};
    rng r = rng_make(seed, s->n_rows);
    size_t words = (size_t)(s->n_columns + LINE_BITS - 1) / LINE_BITS * LINE_BITS / 64;
    uint64_t *rows = take(s->n_rows * words * sizeof *rows);
    uint32_t counts[MAX_ROWS] = {0}, order[MAX_ROWS];
    for (uint32_t row = 0; row < s->n_rows; row++) {
        bool copy = row > 0 && rng_below(&r, s->copies) > 0;
        uint64_t lost = copy && s->lost > 0 && rng_below(&r, 2) > 0 ? s->lost : 0;
        uint64_t from = row > 0 ? rng_below(&r, row) : 0;
        uint64_t chance = s->low + rng_below(&r, s->high - s->low + (uint64_t)1);
        for (uint64_t c = 0; c < s->n_columns; c++) {
            bool on = copy ? bit_at(rows + from * words, c) : rng_below(&r, 1000) < chance;
            if (lost > 0 && rng_below(&r, s->n_columns) < lost) on = false;
            if (on) rows[row * words + c / 64] |= (uint64_t)1 << c % 64;
            counts[row] += on;
        }
    }
    for (uint32_t i = 0; i < s->n_rows; i++) {
        uint32_t at = i;
        for (; at > 0 && counts[order[at - 1]] > counts[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
    in.rows = take(s->n_rows * words * sizeof *rows);
    in.supports = take(s->n_rows * sizeof *in.supports);
    for (uint32_t i = 0; i < s->n_rows; i++) {
        memcpy(in.rows + i * words, rows + order[i] * words, words * sizeof *rows);
        in.supports[i] = counts[order[i]];
    }
    free(rows);
    in.root = (product_root){.n_rows = s->n_rows,
                             .supports = in.supports,
                             .n_columns = s->n_columns,
                             .rows = in.rows,
                             .row_words = words};
    return in;
}

/* Leaves out the rows below a support, as every caller that opens a device must. */
static inline void input_drop(input *in, uint32_t min_count) {
    uint32_t n = 0;
    size_t words = in->root.row_words;
    while (n < in->root.n_rows && in->supports[n] < min_count) n++;
    in->root.n_rows -= n;
    memmove(in->supports, in->supports + n, in->root.n_rows * sizeof *in->supports);
    memmove(in->rows, in->rows + n * words, in->root.n_rows * words * sizeof *in->rows);
}

/* Returns the same root, with lists instead of bit rows. */
static inline product_root input_lists(input *in) {
    const product_root *root = &in->root;
    product_root lists = *root;
    uint64_t n = 0;
    for (uint32_t row = 0; row < root->n_rows; row++) n += in->supports[row];
    in->starts = take((root->n_columns + 1) * sizeof *in->starts);
    in->items = take(n * sizeof *in->items);
    n = 0;
    for (uint64_t c = 0; c < root->n_columns; c++) {
        in->starts[c] = n;
        for (uint32_t row = 0; row < root->n_rows; row++) {
            if (bit_at(in->rows + row * root->row_words, c)) in->items[n++] = row;
        }
    }
    in->starts[root->n_columns] = n;
    lists.rows = NULL;
    lists.row_words = 0;
    lists.starts = in->starts;
    lists.items = in->items;
    return lists;
}

static inline void input_free(input *in) {
    free(in->rows);
    free(in->supports);
    free(in->starts);
    free(in->items);
}

/* ---- the expected sets, by enumeration ------------------------------------------------------- */

typedef struct brute {
    const input *in;
    uint32_t min_count;
    lode_target target;
    uint32_t items[MAX_ROWS], n;
    bool used[MAX_ROWS];
    uint64_t n_frequent;
    found_sets out;
} brute;

static inline uint32_t slow_count(const uint64_t *a, const uint64_t *b, size_t words) {
    uint32_t n = 0;
    for (size_t w = 0; w < words; w++) n += (uint32_t)__builtin_popcountll(a[w] & b[w]);
    return n;
}

static inline bool brute_wants(const brute *b, const uint64_t *set, uint32_t support) {
    size_t words = b->in->root.row_words;
    if (b->target == LODE_TARGET_ALL) return true;
    uint32_t most = b->target == LODE_TARGET_CLOSED ? support : b->min_count;
    for (uint32_t row = 0; row < b->in->root.n_rows; row++) {
        if (!b->used[row] && slow_count(set, b->in->rows + row * words, words) >= most)
            return false;
    }
    return true;
}

static inline void brute_extend(brute *b, const uint64_t *set, uint32_t first) {
    size_t words = b->in->root.row_words;
    uint64_t *next = take(words * sizeof *next);
    for (uint32_t row = first; row < b->in->root.n_rows && b->n_frequent <= MAX_SETS; row++) {
        const uint64_t *with = b->in->rows + row * words;
        for (size_t w = 0; w < words; w++) next[w] = with[w] & (set ? set[w] : UINT64_MAX);
        uint32_t support = slow_count(next, next, words);
        if (support < b->min_count) continue;
        b->n_frequent++;
        b->items[b->n++] = row;
        b->used[row] = true;
        if (brute_wants(b, next, support)) found_add(&b->out, b->items, b->n, support);
        brute_extend(b, next, row + 1);
        b->used[row] = false;
        b->n--;
    }
    free(next);
}

/* Returns a threshold, at least the given one, that at most MAX_SETS sets reach. */
static inline uint32_t find_threshold(const input *in, uint32_t min_count) {
    for (;; min_count += 1 + min_count / 8) {
        brute b = {.in = in, .min_count = min_count, .target = LODE_TARGET_ALL};
        brute_extend(&b, NULL, 0);
        free(b.out.data);
        if (b.n_frequent <= MAX_SETS) return min_count;
    }
}

#endif
