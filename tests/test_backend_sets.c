/* test_backend_sets.c - operations on itemsets, lists, classes and trees, compared with models
 *
 * Joins and grids are compared with loops over all pairs, however the work is divided; levels that
 * stay on a device are compared with level_model.h, level by level; counts with counting bit by
 * bit; the figures of reduction trees with their definition. Devices have one thread or three.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "device/api/paper_ops.h"
#include "level_model.h"

#define MAX_SETS  70u
#define MAX_PAIRS (MAX_SETS * MAX_SETS)
#define MAX_SET_W 3u

typedef struct device {
    lode_job *job;
    const lode_backend *backend;
    backend_device *device;
    const backend_paper_ops *ops;
    backend_papers *papers;
} device;

static const lode_backend *tested;

static device device_open_as(unsigned threads, const backend_paper_config *config) {
    device d = {.backend = tested, .ops = tested->papers};
    lode_job_options o = {.size = sizeof o, .threads = threads};
    if (lode_job_create(&d.job, NULL, &o) != LODE_OK) exit(2);
    CHECK(d.backend->open(d.job, 0, threads, &d.device) == LODE_OK);
    CHECK(d.ops->open(d.device, config, &d.papers) == LODE_OK);
    return d;
}

static device device_open(unsigned threads) {
    return device_open_as(threads, &(backend_paper_config){0});
}

static void device_close(device *d) {
    d->ops->close(d->papers);
    d->backend->close(d->device);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(d->job)), 0);
    lode_job_free(d->job);
}

static uint32_t slow_size(const uint64_t *a, const uint64_t *b, size_t words) {
    uint32_t n = 0;
    for (size_t bit = 0; bit < words * 64; bit++)
        n += (uint32_t)((a[bit / 64] | b[bit / 64]) >> (bit % 64) & 1);
    return n;
}

/* ---- all pairs ----------------------------------------------------------------------------- */

typedef struct grid_case {
    uint64_t data[MAX_SETS * MAX_SET_W];
    backend_sets sets;
    uint32_t k;
    lode_grid grid;
} grid_case;

static grid_case grid_make(size_t n, size_t words, uint64_t seed, lode_grid grid) {
    grid_case g = {.sets = {.n = n, .words = words}, .grid = grid};
    rng r = rng_make(seed, n * 8 + words);
    g.k = 3 + (uint32_t)rng_below(&r, 3);
    for (size_t i = 0; i < n; i++) {
        uint64_t *row = g.data + i * words;
        size_t spread = 4 + (size_t)rng_below(&r, 4); /* few items, so that many unions are small */
        for (uint32_t item = 0; item + 1 < g.k; item++) {
            size_t bit = (size_t)rng_below(&r, spread) * (words * 64 - 1) / 8;
            row[bit / 64] |= (uint64_t)1 << (bit % 64);
        }
    }
    return g;
}

static bool grid_square(const grid_case *g) {
    return g->grid == LODE_GRID_SQUARE;
}

/* How often each pair x < y was found; anything else is wrong. */
static void mark_pairs(const backend_pair *pairs, size_t n, size_t n_sets, uint8_t *seen) {
    for (size_t i = 0; i < n; i++) {
        bool fine = CHECK(pairs[i].a < pairs[i].b) & CHECK(pairs[i].b < n_sets);
        if (fine) seen[pairs[i].a * MAX_SETS + pairs[i].b]++;
    }
}

/* The blocks that a grid starts, and those without a pair, as the paper has them. */
static void check_blocks(const grid_case *g, backend_paper_counters before,
                         backend_paper_counters after) {
    uint64_t n = g->sets.n, pairs = n > 0 ? n * (n - 1) / 2 : 0;
    CHECK_EQUAL(after.work_items - before.work_items, grid_square(g) ? n * n : pairs);
    CHECK_EQUAL(after.idle_blocks - before.idle_blocks, grid_square(g) ? n * n - pairs : 0);
    CHECK_EQUAL(after.intersected, before.intersected);
    CHECK(after.grid_seconds >= before.grid_seconds && (n < 2 || after.grid_seconds > 0));
}

/* The whole grid in tiles of at most so many blocks and rows. */
static void check_grid(const device *d, grid_case *g, backend_grid_cut cut) {
    static backend_pair pairs[MAX_PAIRS + 1];
    static uint8_t seen[MAX_PAIRS];
    backend_paper_counters before = d->ops->counters(d->papers);
    size_t n = g->sets.n, words = g->sets.words;
    backend_grid_tile whole = backend_grid_whole(grid_square(g), (uint32_t)n), tile = {0};
    g->sets.data = g->data;
    CHECK(d->ops->use_sets(d->papers, &g->sets, NULL, NULL) == LODE_OK);
    memset(seen, 0, sizeof seen);
    while (backend_grid_next(whole, cut, &tile)) {
        uint64_t blocks = backend_grid_blocks(tile);
        size_t found = 0;
        CHECK(blocks <= cut.blocks && tile.height <= cut.rows);
        pairs[blocks] = (backend_pair){77, 77};
        backend_grid_part part = {g->grid, g->k, tile};
        CHECK(d->ops->or_pairs(d->papers, &part, pairs, &found) == LODE_OK);
        CHECK(found <= blocks && pairs[blocks].a == 77);
        mark_pairs(pairs, found, n, seen);
    }
    check_blocks(g, before, d->ops->counters(d->papers));
    for (size_t x = 0; x < n; x++) {
        for (size_t y = x + 1; y < n; y++) {
            bool want = slow_size(g->data + x * words, g->data + y * words, words) == g->k;
            if (!CHECK_EQUAL(seen[x * MAX_SETS + y], want))
                fprintf(stderr, "  %zu and %zu of %zu, tiles of %llu blocks, %u rows\n", x, y, n,
                        (unsigned long long)cut.blocks, cut.rows);
        }
    }
}

static void test_grids(void) {
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        device d = device_open(threads);
        for (size_t n = 0; n <= 65; n++) {
            for (size_t words = 1; words <= MAX_SET_W; words++) {
                lode_grid grid = words % 2 ? LODE_GRID_FOLDED : LODE_GRID_SQUARE;
                if (threads == 3) grid = !grid;
                grid_case g = grid_make(n, words, 1, grid);
                const uint64_t steps[] = {1, 2, n / 2 + 1, n + 1, n + 2, 3 * n + 1};
                check_grid(&d, &g, (backend_grid_cut){MAX_PAIRS, UINT32_MAX});
                check_grid(&d, &g, (backend_grid_cut){steps[(n + words) % 6], UINT32_MAX});
                check_grid(&d, &g, (backend_grid_cut){MAX_PAIRS, 1 + (uint32_t)n / 3});
            }
        }
        device_close(&d);
    }
}

/* Every pair of both grids, by sets whose unions are all of one size. */
static void test_every_pair(void) {
    device d = device_open(1);
    for (size_t n = 2; n <= 65; n++) {
        for (int grid = 0; grid < 2; grid++) {
            grid_case g = {.sets = {.n = n, .words = 2}, .k = 2, .grid = (lode_grid)grid};
            for (size_t i = 0; i < n; i++) g.data[i * 2 + i / 64] = (uint64_t)1 << (i % 64);
            check_grid(&d, &g, (backend_grid_cut){1 + n / 3, UINT32_MAX});
        }
    }
    device_close(&d);
}

/* The order of pairs, from which the numbers of sets come, is that of the blocks, however a grid is
 * cut, and on every device. The shapes are the paper's: 5 * 2 for five sets, 5 * 3 for six. */
static void test_order(void) {
    static const backend_pair odd[] = {{3, 4}, {0, 1}, {0, 2}, {0, 3}, {0, 4},
                                       {2, 4}, {2, 3}, {1, 2}, {1, 3}, {1, 4}};
    static const backend_pair even[] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5},
                                        {4, 5}, {1, 2}, {1, 3}, {1, 4}, {1, 5},
                                        {3, 5}, {3, 4}, {2, 3}, {2, 4}, {2, 5}};
    for (size_t n = 5; n <= 6; n++) {
        device d = device_open(2);
        grid_case g = {.sets = {.n = n, .words = 1}, .k = 2};
        backend_grid_tile whole = backend_grid_whole(false, (uint32_t)n);
        const backend_pair *want = n == 5 ? odd : even;
        for (size_t i = 0; i < n; i++) g.data[i] = (uint64_t)1 << i;
        g.sets.data = g.data;
        CHECK(whole.width == 5 && whole.height == n / 2);
        CHECK(d.ops->use_sets(d.papers, &g.sets, NULL, NULL) == LODE_OK);
        for (uint64_t step = 1; step <= 16; step++) {
            backend_pair pairs[16];
            backend_grid_tile tile = {0};
            size_t at = 0, found;
            while (backend_grid_next(whole, (backend_grid_cut){step, 3}, &tile)) {
                backend_grid_part part = {LODE_GRID_FOLDED, 2, tile};
                CHECK(d.ops->or_pairs(d.papers, &part, pairs + at, &found) == LODE_OK);
                at += found;
            }
            CHECK_EQUAL(at, n * (n - 1) / 2);
            CHECK(memcmp(pairs, want, at * sizeof *pairs) == 0);
        }
        device_close(&d);
    }
}

/* So many that threads share the work: 1,100 single items, 604,450 pairs. */
static void test_large_grid(void) {
    const size_t n = 1100, words = 18;
    const uint64_t size = (uint64_t)n * (n - 1) / 2;
    uint64_t *rows = calloc(n * words, sizeof *rows);
    backend_pair *pairs = malloc(n * n * sizeof *pairs);
    uint8_t *seen = calloc(n * n, 1);
    if (!rows || !pairs || !seen) exit(2);
    for (size_t i = 0; i < n; i++) rows[i * words + i / 64] = (uint64_t)1 << (i % 64);
    backend_sets sets = {.data = rows, .n = n, .words = words};
    for (int grid = 0; grid < 2; grid++) {
        device d = device_open(2);
        size_t found = 0, wrong = 0;
        memset(seen, 0, n * n);
        CHECK(d.ops->use_sets(d.papers, &sets, NULL, NULL) == LODE_OK);
        backend_grid_part part = {(lode_grid)grid, 2, backend_grid_whole(grid, (uint32_t)n)};
        CHECK(d.ops->or_pairs(d.papers, &part, pairs, &found) == LODE_OK);
        CHECK_EQUAL(found, size);
        for (size_t i = 0; i < found; i++) {
            uint8_t *at = &seen[pairs[i].a * n + pairs[i].b];
            wrong += pairs[i].a >= pairs[i].b || *at;
            *at = 1;
        }
        CHECK_EQUAL(wrong, 0);
        device_close(&d);
    }
    free(rows);
    free(pairs);
    free(seen);
}

/* Two columns of a grid of more rows than a launch may have, 65,535. Set i has one item, i % 64:
 * two sets that have the same have a union of one item, which is not wanted. */
static void check_tall(const device *d, const backend_sets *sets, lode_grid grid) {
    bool square = grid == LODE_GRID_SQUARE;
    uint32_t n = (uint32_t)sets->n, a, b;
    backend_grid_tile whole = backend_grid_whole(square, n);
    backend_grid_part part = {grid, 2, {whole.width / 2, 0, 2, whole.height}};
    size_t most = (size_t)backend_grid_blocks(part.tile), found = 0, at = 0, wrong = 0;
    uint64_t idle = 0, before = d->ops->counters(d->papers).idle_blocks;
    backend_pair *pairs = malloc(most * sizeof *pairs);
    if (!pairs) exit(2);
    CHECK(whole.height > 65535);
    CHECK(d->ops->or_pairs(d->papers, &part, pairs, &found) == LODE_OK);
    for (uint32_t block = 0; block < most; block++) {
        bool is = backend_grid_pair(square, n, part.tile.x + block % 2, block / 2, &a, &b);
        idle += !is;
        if (!is || a % 64 == b % 64) continue;
        wrong += at >= found || pairs[at].a != a || pairs[at].b != b || a >= b || b >= n;
        at++;
    }
    CHECK_EQUAL(wrong, 0);
    CHECK_EQUAL(found, at);
    CHECK_EQUAL(d->ops->counters(d->papers).idle_blocks - before, idle);
    free(pairs);
}

static void test_tall_grids(void) {
    const size_t n = 2 * 65536 + 3;
    uint64_t *rows = malloc(n * sizeof *rows);
    device d = device_open(2);
    if (!rows) exit(2);
    for (size_t i = 0; i < n; i++) rows[i] = (uint64_t)1 << (i % 64);
    for (size_t less = 0; less < 2; less++) { /* odd and even */
        backend_sets sets = {.data = rows, .n = n - less, .words = 1};
        CHECK(d.ops->use_sets(d.papers, &sets, NULL, NULL) == LODE_OK);
        check_tall(&d, &sets, LODE_GRID_FOLDED);
        check_tall(&d, &sets, LODE_GRID_SQUARE);
    }
    device_close(&d);
    free(rows);
}

/* With rows: the same pairs, and those of which both sets have a row are intersected. Set i is item
 * i, its row is row i; every third set has none. */
static void check_grid_rows(size_t words, lode_grid grid) {
    enum { N = 9 };
    uint64_t *bits = aligned_alloc(64, N * words * sizeof *bits), sets_data[N];
    uint32_t numbers[N];
    backend_pair pairs[N * N];
    size_t found = 0;
    if (!bits) exit(2);
    memset(bits, 0x5a, N * words * sizeof *bits);
    for (uint32_t i = 0; i < N; i++) {
        sets_data[i] = (uint64_t)1 << i;
        numbers[i] = i % 3 == 2 ? BACKEND_NO_ROW : i;
    }
    device d = device_open(2);
    backend_sets sets = {.data = sets_data, .n = N, .words = 1};
    CHECK(d.backend->set_rows(d.device, bits, N, words) == LODE_OK);
    CHECK(d.ops->use_sets(d.papers, &sets, NULL, numbers) == LODE_OK);
    backend_grid_part part = {grid, 2, backend_grid_whole(grid == LODE_GRID_SQUARE, N)};
    CHECK(d.ops->or_pairs(d.papers, &part, pairs, &found) == LODE_OK);
    backend_paper_counters c = d.ops->counters(d.papers);
    CHECK_EQUAL(found, N * (N - 1) / 2);
    CHECK_EQUAL(c.intersected, 6 * 5 / 2);
    CHECK_EQUAL(d.backend->counters(d.device).rows_written, 0); /* these are the candidates' */
    device_close(&d);
    free(bits);
}

static void test_grid_rows(void) {
    static const size_t widths[] = {8, 16, 80, 520, 2048};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        check_grid_rows(widths[i], LODE_GRID_FOLDED);
        check_grid_rows(widths[i], LODE_GRID_SQUARE);
    }
}

/* ---- joins --------------------------------------------------------------------------------- */

/* Sets of `size` items out of 14, in lexicographic order, each with a chance in per cent. */
typedef struct join_case {
    uint64_t data[MAX_SETS * 8 * MAX_SET_W];
    uint32_t group_end[MAX_SETS * 8];
    uint32_t masks[MAX_SETS * 8];
    backend_sets sets;
} join_case;

static size_t item_bit(uint32_t item, size_t words) {
    return item * (words * 64 - 1) / 13; /* across all words */
}

/* Masks have item 0 in the highest bit, so that falling numbers are lexicographic order. */
static void join_make(join_case *c, size_t words, unsigned size, unsigned percent, rng *r) {
    memset(c, 0, sizeof *c);
    c->sets = (backend_sets){.data = c->data, .words = words};
    for (uint32_t mask = 1u << 14; mask-- > 0;) {
        if ((unsigned)__builtin_popcount(mask) != size || rng_below(r, 100) >= percent) continue;
        if (c->sets.n == MAX_SETS * 8) break;
        uint64_t *row = c->data + c->sets.n * words;
        for (uint32_t item = 0; item < 14; item++) {
            size_t bit = item_bit(item, words);
            if (mask >> (13 - item) & 1) row[bit / 64] |= (uint64_t)1 << (bit % 64);
        }
        c->masks[c->sets.n++] = mask;
    }
    for (size_t i = c->sets.n; i-- > 0;) {
        uint32_t end = (uint32_t)i + 1;
        bool same = end < c->sets.n &&
                    (c->masks[i] & (c->masks[i] - 1)) == (c->masks[end] & (c->masks[end] - 1));
        c->group_end[i] = same ? c->group_end[end] : end;
    }
}

static bool join_known(const join_case *c, uint32_t mask) {
    for (size_t i = 0; i < c->sets.n; i++) {
        if (c->masks[i] == mask) return true;
    }
    return false;
}

static bool join_all_known(const join_case *c, uint32_t joined) {
    for (uint32_t rest = joined; rest; rest &= rest - 1) {
        if (!join_known(c, joined ^ (rest & -rest))) return false;
    }
    return true;
}

static void check_join(const device *d, const join_case *c, size_t first, size_t end) {
    static backend_pair pairs[MAX_SETS * 8 * 14];
    backend_joined out = {.pairs = pairs};
    size_t n = 0;
    uint64_t generated = 0;
    CHECK(d->ops->use_sets(d->papers, &c->sets, c->group_end, NULL) == LODE_OK);
    CHECK(d->ops->join_sets(d->papers, first, end, &out) == LODE_OK);
    for (size_t i = first; i < end; i++) {
        for (uint32_t j = (uint32_t)i + 1; j < c->group_end[i]; j++, generated++) {
            if (!join_all_known(c, c->masks[i] | c->masks[j])) continue;
            if (!CHECK(n < out.n && pairs[n].a == i && pairs[n].b == j)) return;
            n++;
        }
    }
    CHECK_EQUAL(out.n, n);
    CHECK_EQUAL(out.generated, generated);
    CHECK_EQUAL(out.pruned, generated - n);
}

static void test_joins(void) {
    static join_case c;
    size_t most = 0;
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        device d = device_open(threads);
        rng r = rng_make(21, threads);
        for (unsigned round = 0; round < 36; round++) {
            join_make(&c, 1 + round % 3, 1 + round % 5, round < 3 ? 0 : 40 + round, &r);
            check_join(&d, &c, 0, c.sets.n);
            check_join(&d, &c, c.sets.n / 3, c.sets.n / 2);
            check_join(&d, &c, c.sets.n, c.sets.n);
            if (c.sets.n > most) most = c.sets.n;
        }
        device_close(&d);
    }
    CHECK(most >= 512); /* enough for more than one thread */
}

/* Joined and counted in one go: set i has row i, of random bits. */
static void check_join_count(const device *d, const join_case *c, const uint64_t *rows,
                             size_t words, uint32_t min_count) {
    static backend_pair pairs[MAX_SETS * 8 * 14];
    static uint32_t counts[MAX_SETS * 8 * 14], numbers[MAX_SETS * 8];
    backend_joined out = {.pairs = pairs, .counts = counts};
    size_t n = 0, candidates = 0;
    for (uint32_t i = 0; i < c->sets.n; i++) numbers[i] = i;
    CHECK(d->ops->use_sets(d->papers, &c->sets, c->group_end, numbers) == LODE_OK);
    CHECK(d->ops->join_count(d->papers, 0, c->sets.n, min_count, &out) == LODE_OK);
    for (size_t i = 0; i < c->sets.n; i++) {
        for (uint32_t j = (uint32_t)i + 1; j < c->group_end[i]; j++) {
            if (!join_all_known(c, c->masks[i] | c->masks[j])) continue;
            uint32_t count = 0;
            for (size_t w = 0; w < words; w++) {
                count += (uint32_t)__builtin_popcountll(rows[i * words + w] & rows[j * words + w]);
            }
            candidates++;
            if (count < min_count) continue;
            if (!CHECK(n < out.n && pairs[n].a == i && pairs[n].b == j && counts[n] == count))
                return;
            n++;
        }
    }
    CHECK_EQUAL(out.n, n);
    CHECK_EQUAL(out.generated - out.pruned, candidates);
}

static void test_join_counts(void) {
    static join_case c;
    static const size_t widths[] = {8, 72, 264, 1032, 4160};
    if (!tested->papers->join_count) return; /* a device that gains nothing by it */
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        size_t words = widths[i], n = (size_t)MAX_SETS * 8;
        rng r = rng_make(23, i);
        uint64_t *rows = malloc(n * words * sizeof *rows);
        if (!rows) exit(2);
        for (size_t w = 0; w < n * words; w++) rows[w] = rng_u64(&r);
        for (unsigned round = 0; round < 6; round++) {
            device d = device_open(1);
            join_make(&c, 1 + round % 3, 1 + round % 4, 55 + 8 * round, &r);
            CHECK(tested->set_rows(d.device, rows, (uint32_t)c.sets.n, words) == LODE_OK);
            check_join_count(&d, &c, rows, words, (uint32_t)words * 16 * (round % 3 ? 1 : 0));
            device_close(&d);
        }
        free(rows);
    }
}

/* ---- levels that stay on the device --------------------------------------------------------- */

#define LEVEL_ITEMS 80u
#define LEVEL_LISTS 6000u

/* One level: all joins in pieces of `step`; what is found and kept must be the model's. */
static bool check_level(const device *d, level_model *m, uint64_t step, uint32_t min_count) {
    const backend_level_ops *levels = d->ops->levels;
    for (uint64_t first = 0, end; first < m->level.n_joins; first = end) {
        backend_joined got, want;
        end = m->level.n_joins - first < step ? m->level.n_joins : first + step;
        CHECK(levels->join(d->papers, first, end, min_count, &got) == LODE_OK);
        model_join(m, first, end, min_count, &want);
        bool fine = CHECK_EQUAL(got.generated, want.generated) &
                    CHECK_EQUAL(got.pruned, want.pruned) & CHECK_EQUAL(got.n, want.n);
        if (!fine) return false;
        backend_pair *pairs = model_alloc(NULL, got.n, sizeof *pairs);
        uint32_t *counts = model_alloc(NULL, got.n, sizeof *counts);
        CHECK(levels->found(d->papers, pairs, counts) == LODE_OK);
        fine = CHECK(memcmp(pairs, m->found, got.n * sizeof *pairs) == 0) &
               CHECK(memcmp(counts, m->counts, got.n * sizeof *counts) == 0) &
               CHECK(levels->keep(d->papers, (uint32_t)got.n) == LODE_OK);
        model_keep(m);
        free(pairs);
        free(counts);
        if (!fine) return false;
    }
    backend_pair *kept = model_alloc(NULL, m->n_kept, sizeof *kept);
    CHECK(levels->kept(d->papers, kept) == LODE_OK);
    bool fine = CHECK(m->n_kept == 0 || memcmp(kept, m->kept, m->n_kept * sizeof *kept) == 0);
    free(kept);
    return fine;
}

/* A search to its end. Items are in row i with a chance that grows with i. */
static void check_levels(size_t words, uint32_t n_items, uint64_t step, uint32_t min_count) {
    device d = device_open(1);
    level_model m = {.ops = d.ops, .papers = d.papers};
    const backend_level_ops *levels = d.ops->levels;
    backend_level level;
    uint32_t granted = 0;
    size_t set_words = (n_items + 127) / 128 * 2;
    rng r = rng_make(51, words + n_items);
    uint64_t *rows = aligned_alloc(64, n_items * words * sizeof *rows);
    if (!rows) exit(2);
    for (size_t i = 0; i < n_items * words; i++) {
        rows[i] = rng_u64(&r) | (i / words % 3 ? rng_u64(&r) : 0);
    }
    CHECK(tested->set_rows(d.device, rows, n_items, words) == LODE_OK);
    CHECK(tested->reserve_lists(d.device, LEVEL_LISTS, &granted) == LODE_OK);
    CHECK(tested->back_lists(d.device, granted) == LODE_OK);
    CHECK(levels->start(d.papers, n_items, set_words, &level) == LODE_OK);
    CHECK(levels->most(d.papers) > 0);
    model_start(&m, n_items, set_words);
    for (bool fine = true; fine && m.level.n_sets > 0;) {
        fine = CHECK_EQUAL(level.n_sets, m.level.n_sets) &
               CHECK_EQUAL(level.n_joins, m.level.n_joins) &
               CHECK(m.level.n_sets < LEVEL_LISTS / 2);
        uint64_t *table = model_alloc(NULL, m.level.n_sets * set_words, sizeof *table);
        CHECK(levels->table(d.papers, table) == LODE_OK);
        fine =
            fine && CHECK(memcmp(table, m.data, m.level.n_sets * set_words * sizeof *table) == 0);
        free(table);
        fine = fine && check_level(&d, &m, step, min_count);
        fine = fine && CHECK(levels->advance(d.papers, &level) == LODE_OK);
        model_advance(&m);
    }
    CHECK(m.size >= 3);
    model_free(&m);
    free(rows);
    device_close(&d);
}

static void test_resident_levels(void) {
    if (!tested->papers->levels) return; /* a device that gains nothing by it */
    check_levels(8, 2, 100, 100);
    check_levels(8, 14, UINT64_MAX, 180);
    check_levels(8, 14, 1, 180);
    check_levels(72, 20, 37, 1900);
    check_levels(264, LEVEL_ITEMS, 1000, 8200);
    check_levels(1032, 16, UINT64_MAX, 22000);
    check_levels(4160, 12, 50, 80000);
}

/* More joins than 32 bits can number: the last ones are those of the last sets. */
static void test_many_joins(void) {
    const uint32_t n = 93000, last = 1000;
    const size_t words = 8, set_words = (n + 127) / 128 * 2;
    static backend_pair pairs[1000];
    static uint32_t counts[1000];
    if (!tested->papers->levels) return;
    device d = device_open(1);
    backend_level level;
    backend_joined joined;
    uint64_t *rows = model_alloc(NULL, n * words, sizeof *rows);
    for (size_t i = 0; i < n * words; i++) rows[i] = UINT64_MAX;
    CHECK(tested->set_rows(d.device, rows, n, words) == LODE_OK);
    if (CHECK(d.ops->levels->start(d.papers, n, set_words, &level) == LODE_OK)) {
        CHECK_EQUAL(level.n_joins, (uint64_t)n * (n - 1) / 2);
        uint64_t first = level.n_joins - last;
        CHECK(d.ops->levels->join(d.papers, first, level.n_joins, 1, &joined) == LODE_OK);
        CHECK_EQUAL(joined.n, last);
        CHECK(d.ops->levels->found(d.papers, pairs, counts) == LODE_OK);
        uint32_t a = n - 1, b = n; /* backwards from the last pair */
        for (uint32_t i = last; i-- > 0;) {
            if (--b == a) {
                a--;
                b = n - 1;
            }
            if (!CHECK(pairs[i].a == a && pairs[i].b == b && counts[i] == 512)) break;
        }
    }
    free(rows);
    device_close(&d);
}

/* ---- lists and classes of rows ------------------------------------------------------------- */

#define N_ROWS  20u
#define N_CACHE 4u
#define MAX_K   6u
#define MAX_N   64000u

typedef struct rows_case {
    device d;
    size_t words;
    uint64_t *rows;
    uint32_t cache[N_CACHE];
} rows_case;

/* Dense rows, rows with few lines, an empty one. */
static rows_case rows_open(size_t words, unsigned threads) {
    rows_case c = {.d = device_open(threads), .words = words};
    rng r = rng_make(41, words);
    uint32_t granted = 0;
    c.rows = aligned_alloc(64, N_ROWS * words * sizeof *c.rows);
    if (!c.rows) exit(2);
    memset(c.rows, 0, N_ROWS * words * sizeof *c.rows);
    for (uint32_t row = 1; row < N_ROWS; row++) {
        for (size_t i = 0; i < words; i++) {
            bool empty = row % 3 == 0 && i / 8 % 4 != row % 4;
            c.rows[row * words + i] = empty ? 0 : rng_u64(&r) | rng_u64(&r);
        }
    }
    const lode_backend *b = c.d.backend;
    CHECK(b->set_rows(c.d.device, c.rows, N_ROWS, words) == LODE_OK);
    CHECK(b->reserve_lists(c.d.device, N_CACHE, &granted) == LODE_OK && granted == N_CACHE);
    CHECK(b->back_lists(c.d.device, N_CACHE) == LODE_OK);
    for (uint32_t i = 0; i < N_CACHE; i++) c.cache[i] = N_ROWS + i;
    return c;
}

static void rows_close(rows_case *c) {
    device_close(&c->d);
    free(c->rows);
}

static uint32_t slow_list(const rows_case *c, const uint32_t *rows, uint32_t k) {
    uint32_t n = 0;
    for (size_t i = 0; i < c->words; i++) {
        uint64_t all = UINT64_MAX;
        for (uint32_t j = 0; j < k; j++) all &= c->rows[rows[j] * c->words + i];
        for (; all; all &= all - 1) n++;
    }
    return n;
}

static void check_lists(const rows_case *c, uint32_t k, size_t n, rng *r) {
    static uint32_t rows[MAX_N * MAX_K], counts[MAX_N];
    uint64_t before = c->d.backend->counters(c->d.device).rows_read;
    for (size_t i = 0; i < n * k; i++) rows[i] = (uint32_t)rng_below(r, N_ROWS);
    CHECK(c->d.ops->and_count_lists(c->d.papers, rows, k, n, counts) == LODE_OK);
    for (size_t i = 0; i < n; i++) CHECK_EQUAL(counts[i], slow_list(c, rows + i * k, k));
    CHECK_EQUAL(c->d.backend->counters(c->d.device).rows_read - before, n * k);
}

/* Classes of 1 to 7 members; the model writes each candidate out. A device with memory of its own
 * needs no lists for prefixes. */
static void check_classes(const rows_case *c, uint32_t k, size_t n_classes, size_t n_cache,
                          rng *r) {
    static uint32_t prefixes[MAX_N * MAX_K], members[MAX_N], counts[MAX_N];
    static uint32_t whole[MAX_N * MAX_K];
    size_t n = 0;
    for (size_t i = 0; i < n_classes; i++) {
        uint32_t *prefix = prefixes + i * (k - 1);
        for (uint32_t j = 0; j + 1 < k; j++) prefix[j] = (uint32_t)rng_below(r, N_ROWS);
        for (uint64_t left = 1 + rng_below(r, 7); left > 0; left--, n++) {
            uint32_t item = (uint32_t)rng_below(r, N_ROWS);
            memcpy(whole + n * k, prefix, (k - 1) * sizeof *whole);
            whole[n * k + k - 1] = item;
            members[n] = item | (left == 1 ? BACKEND_LAST_MEMBER : 0);
        }
    }
    backend_classes classes = {.prefixes = prefixes,
                               .members = members,
                               .n_prefix = k - 1,
                               .n_classes = n_classes,
                               .n_members = n};
    CHECK(c->d.ops->and_count_classes(c->d.papers, &classes, c->cache, n_cache, counts) == LODE_OK);
    for (size_t i = 0; i < n; i++) {
        if (!CHECK_EQUAL(counts[i], slow_list(c, whole + i * k, k))) return;
    }
}

static void test_lists_and_classes(void) {
    static const size_t widths[] = {8, 32, 264, 520};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            rows_case c = rows_open(widths[w], threads);
            rng r = rng_make(42, w);
            for (uint32_t k = 1; k <= MAX_K; k++) {
                check_lists(&c, k, 0, &r);
                check_lists(&c, k, 37, &r);
                if (widths[w] <= 32) check_lists(&c, k, 3500, &r);
                if (k == 1) continue;
                check_classes(&c, k, 0, 1, &r);
                check_classes(&c, k, 25, 1 + k % N_CACHE, &r);
                if (widths[w] == 8) check_classes(&c, k, 550, 1 + (k + 1) % N_CACHE, &r);
                if (widths[w] == 8) check_classes(&c, k, 550, 3, &r); /* shared among threads */
            }
            rows_close(&c);
        }
    }
}

/* Rows of every length that a GPU counts in its own way, without lists for prefixes. */
static void test_class_rows(void) {
    static const size_t widths[] = {8, 64, 104, 200, 264, 1024, 1544, 3080, 4168};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        rows_case c = rows_open(widths[w], 1);
        rng r = rng_make(43, w);
        bool is_host = c.d.backend->list_room(c.d.device) == SIZE_MAX;
        size_t n_cache = is_host ? 1 : 0;
        for (uint32_t k = 2; k <= MAX_K; k += 2) {
            check_classes(&c, k, 1, n_cache, &r);
            check_classes(&c, k, 14, n_cache, &r);
            if (k != 4 || widths[w] > 1544) continue;
            check_classes(&c, k, widths[w] <= 200 ? 9000 : 900, n_cache, &r); /* several a span */
        }
        rows_close(&c);
    }
}

/* ---- trees --------------------------------------------------------------------------------- */

static uint64_t power_of_two(uint64_t n) {
    uint64_t power = 1;
    while (power < n) power *= 2;
    return power;
}

/* Additions of a padded tree over P leaves whose right operand is padding: in each round the
 * leaves that hold something are the first min(n, P). */
static uint64_t padded_adds(uint64_t n) {
    uint64_t idle = 0, power = power_of_two(n);
    bool real[2048];
    for (uint64_t i = 0; i < power; i++) real[i] = i < n;
    for (uint64_t half = power / 2; half > 0; half /= 2) {
        for (uint64_t i = 0; i < half; i++) {
            idle += !real[i + half];
            real[i] = real[i] || real[i + half];
        }
    }
    return idle;
}

/* One candidate over so many 32-bit words, with its row stored or not. */
static void check_tree(uint64_t n_words, lode_reduce reduce, unsigned threads) {
    size_t words = (size_t)(n_words + 15) / 16 * 8;
    uint64_t *rows = aligned_alloc(64, 2 * words * sizeof *rows);
    uint32_t count = 0;
    uint64_t columns = n_words * 32 - (n_words % 5), want = 0;
    if (!rows) exit(2);
    memset(rows, 0, 2 * words * sizeof *rows);
    for (uint64_t bit = 0; bit < columns; bit++) {
        rows[bit / 64] |= (uint64_t)1 << (bit % 64);
        if (bit % 3 == 0) rows[words + bit / 64] |= (uint64_t)1 << (bit % 64);
        want += bit % 3 == 0;
    }
    backend_paper_config config = {.trees = true, .reduce = reduce, .n_columns = columns};
    device d = device_open_as(threads, &config);
    backend_work work = {0, 1, BACKEND_NO_ROW};
    CHECK(d.backend->set_rows(d.device, rows, 2, words) == LODE_OK);
    CHECK(d.ops->and_count(d.papers, &work, 1, 1, &count) == LODE_OK);
    CHECK_EQUAL(count, want);
    backend_counters c = d.backend->counters(d.device);
    backend_paper_counters p = d.ops->counters(d.papers);
    uint64_t partials = n_words < 1024 ? n_words : 1024;
    bool any = reduce == LODE_REDUCE_ANY;
    bool fine = CHECK_EQUAL(p.reduce_adds, (any ? partials : power_of_two(partials)) - 1) &
                CHECK_EQUAL(p.reduce_idle, any ? 0 : padded_adds(partials)) &
                CHECK_EQUAL(c.rows_read, 2) & CHECK_EQUAL(c.rows_written, 0);
    if (!fine) fprintf(stderr, "  %llu words\n", (unsigned long long)n_words);
    device_close(&d);
    free(rows);
}

static void test_trees(void) {
    for (uint64_t n = 1; n <= 130; n++) {
        check_tree(n, LODE_REDUCE_ANY, 1);
        check_tree(n, LODE_REDUCE_POW2, 1);
    }
    static const uint64_t lengths[] = {511, 513, 1023, 1024, 1025, 3000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        check_tree(lengths[i], LODE_REDUCE_ANY, 3);
        check_tree(lengths[i], LODE_REDUCE_POW2, 3);
    }
}

int main(void) {
    unsetenv("LODE_CPU");
    for (size_t i = 0; backend_at(i); i++) {
        char detail[LODE_REPORT_TEXT] = "";
        tested = backend_at(i);
        if (!tested->probe(detail, sizeof detail)) continue;
        printf("  %s: %s\n", tested->name, detail);
        CHECK_RUN(test_grids);
        CHECK_RUN(test_every_pair);
        CHECK_RUN(test_order);
        CHECK_RUN(test_large_grid);
        CHECK_RUN(test_tall_grids);
        CHECK_RUN(test_grid_rows);
        CHECK_RUN(test_joins);
        CHECK_RUN(test_join_counts);
        CHECK_RUN(test_resident_levels);
        CHECK_RUN(test_many_joins);
        CHECK_RUN(test_lists_and_classes);
        CHECK_RUN(test_class_rows);
        CHECK_RUN(test_trees);
    }
    return check_result();
}
