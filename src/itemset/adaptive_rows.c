/* adaptive_rows.c - dense and more than 64 items: a row of bits for each item
 *
 * Eclat: the rows of the items below an item are intersected with its row and counted in one sweep.
 * The rows of a child keep only the columns that hold the item where that is worth the effort, so
 * rows shrink as the search goes down. Children of few items and many expected sets become words.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "itemset/adaptive.h"
#include "itemset/adaptive_share.h"
#include "itemset/adaptive_words.h"

#define COMPACT_COLUMNS 3    /* columns are dropped if so many times fewer are left */
#define COMPACT_ITEMS   8    /* and at least so many rows are there to profit */
#define WORDS_SETS      4000 /* expected sets from which on words are worth the turning */

typedef struct rows_child {
    const uint64_t *row; /* of the item that leads here */
    uint32_t support;
    uint32_t *items; /* numbers in the parent */
    uint32_t *ids, *supports;
    uint32_t n;
} rows_child;

/* Counts the extensions of an item; perfect ones go to the worker's list at once. */
static lode_status child_count(adaptive *a, const rows_db *db, uint32_t item, rows_child *c) {
    lode_status status = LODE_OK;
    uint32_t min = adaptive_threshold(a), *counts;
    size_t bytes = (item + (size_t)1) * sizeof *counts;
    c->row = db->rows + item * db->words;
    c->support = db->items.supports[item];
    c->n = 0;
    LODE_TRY(arena_take(&a->arena, bytes, (void **)&counts));
    LODE_TRY(arena_take(&a->arena, bytes, (void **)&c->items));
    LODE_TRY(arena_take(&a->arena, bytes, (void **)&c->ids));
    c->supports = counts; /* those kept move to the front */
    a->kernels->and_counts(c->row, db->rows, item, db->words, counts);
    for (uint32_t i = 0; i < item; i++) {
        uint32_t support = counts[i];
        if (support < min) continue;
        if (support == c->support) {
            a->perfect[a->n_perfect++] = db->items.ids[i];
            continue;
        }
        c->items[c->n] = i;
        c->ids[c->n] = db->items.ids[i];
        c->supports[c->n++] = support;
    }
done:
    return status;
}

/* ---- the conditional database ---------------------------------------------------------------- */

/* Rows that hold the columns of the child only. */
static lode_status child_compact(adaptive *a, const rows_db *db, const rows_child *c,
                                 rows_db *below) {
    size_t words = ((size_t)c->support + 511) / 512 * 8;
    uint64_t *rows; /* a line more, because picking may write one word too many */
    lode_status status = arena_take(&a->arena, (c->n * words + 8) * sizeof *rows, (void **)&rows);
    if (status != LODE_OK) return status;
    for (uint32_t i = 0; i < c->n; i++) {
        const uint64_t *from = db->rows + c->items[i] * db->words;
        a->kernels->pick_bits(rows + i * words, from, c->row, db->words, words);
    }
    *below = (rows_db){{c->n, c->ids, c->supports}, rows, words};
    return LODE_OK;
}

/* Searches a database, or lets somebody else do it. */
static lode_status rows_pass(adaptive *a, const rows_db *db) {
    return share_is_wanted(a) && share_rows(a, db) ? LODE_OK : rows_search(a, db);
}

static lode_status child_as_rows(adaptive *a, const rows_db *db, const rows_child *c) {
    lode_status status = LODE_OK;
    rows_db below;
    uint64_t *rows;
    if (db->words * 64 >= COMPACT_COLUMNS * (uint64_t)c->support + 512 && c->n >= COMPACT_ITEMS) {
        LODE_TRY(child_compact(a, db, c, &below));
        return rows_pass(a, &below);
    }
    LODE_TRY(arena_take(&a->arena, c->n * db->words * sizeof *rows, (void **)&rows));
    for (uint32_t i = 0; i < c->n; i++) {
        const uint64_t *from = db->rows + c->items[i] * db->words;
        a->kernels->and_store(rows + i * db->words, c->row, from, db->words);
    }
    below = (rows_db){{c->n, c->ids, c->supports}, rows, db->words};
    status = rows_pass(a, &below);
done:
    return status;
}

/* Turns a square of 64 x 64 bits: bit j of word i becomes bit i of word j. */
static void turn_square(uint64_t square[64]) {
    uint64_t mask = 0x00000000ffffffff;
    for (unsigned step = 32; step != 0; step /= 2, mask ^= mask << step) {
        for (unsigned i = 0; i < 64; i = (i + step + 1) & ~step) {
            uint64_t swap = (square[i] >> step ^ square[i + step]) & mask;
            square[i] ^= swap << step;
            square[i + step] ^= swap;
        }
    }
}

static lode_status child_as_words(adaptive *a, const rows_db *db, const rows_child *c) {
    lode_status status = LODE_OK;
    rows_db compact;
    uint64_t *words, square[64];
    uint32_t *weights;
    size_t n = c->support, room = (n + 63) / 64 * 64;
    LODE_TRY(child_compact(a, db, c, &compact));
    LODE_TRY(arena_take(&a->arena, room * sizeof *words, (void **)&words));
    LODE_TRY(arena_take(&a->arena, room * sizeof *weights, (void **)&weights));
    for (size_t at = 0; at < room; at += 64) {
        for (uint32_t i = 0; i < 64; i++) {
            square[i] = i < c->n ? compact.rows[i * compact.words + at / 64] : 0;
        }
        turn_square(square);
        memcpy(words + at, square, sizeof square);
    }
    for (size_t i = 0; i < n; i++) weights[i] = 1;
    LODE_TRY(words_merge(&a->arena, words, weights, &n));
    words_db below = {compact.items, words, weights, n};
    if (!share_is_wanted(a) || !share_words(a, &below)) status = words_search(a, &below);
done:
    return status;
}

/* How many sets there are if items occur independently of each other: a low estimate. */
static double expected_sets(const rows_child *c, uint32_t min) {
    double sum = 0, support = c->support, sets = 1, all = 0;
    for (uint32_t i = 0; i < c->n; i++) sum += c->supports[i];
    double share = sum / c->n / c->support;
    for (uint32_t size = 1; size <= c->n && (support *= share) >= min; size++) {
        sets = sets * (c->n - size + 1) / size;
        all += sets;
    }
    return all;
}

static lode_status child_search(adaptive *a, const rows_db *db, const rows_child *c) {
    if (c->n == 1) return adaptive_emit_one(a, c->ids[0], c->supports[0]);
    bool words = c->n <= WORD_ITEMS && expected_sets(c, adaptive_threshold(a)) >= WORDS_SETS;
    return words ? child_as_words(a, db, c) : child_as_rows(a, db, c);
}

/* ---- the search ---------------------------------------------------------------------------- */

static lode_status rows_extend(adaptive *a, const rows_db *db, uint32_t item, pending *plain) {
    lode_status status = LODE_OK;
    rows_child c;
    uint32_t n_perfect = a->n_perfect, id = db->items.ids[item];
    arena_mark mark = arena_here(&a->arena);
    LODE_TRY(child_count(a, db, item, &c));
    if (a->n_perfect == n_perfect) {
        pending_add(plain, id, c.support);
    } else {
        LODE_TRY(adaptive_emit_one(a, id, c.support));
    }
    if (c.n > 0 && adaptive_goes_on(a, 1)) {
        a->prefix[a->n_prefix++] = id;
        status = child_search(a, db, &c);
        a->n_prefix--;
    }
done:
    a->n_perfect = n_perfect;
    arena_return(&a->arena, mark);
    return status;
}

lode_status rows_search(adaptive *a, const rows_db *db) {
    lode_status status = LODE_OK;
    pending plain;
    LODE_TRY(adaptive_check(a));
    LODE_TRY(pending_take(a, db->items.n, &plain));
    for (uint32_t item = db->items.n; item-- > 0;) {
        if (db->items.supports[item] < adaptive_threshold(a)) continue;
        LODE_TRY(rows_extend(a, db, item, &plain));
    }
    status = pending_emit(a, &plain);
done:
    return status;
}
