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

/* Counts what is in the transactions of an item: the items before it, and those to be watched. */
static lode_status child_count(adaptive *a, const rows_db *db, child_items *c) {
    lode_status status = LODE_OK;
    uint32_t min = adaptive_threshold(a), *counts;
    uint32_t n = a->watches ? db->items.n : c->item;
    LODE_TRY(child_take(a, n, c));
    LODE_TRY(arena_take(&a->arena, (n + (size_t)1) * sizeof *counts, (void **)&counts));
    a->kernels->and_counts(db->rows + c->item * db->words, db->rows, n, db->words, counts);
    for (uint32_t i = 0; i < n; i++) {
        if (counts[i] >= min && i != c->item) child_add(a, &db->items, c, i, counts[i]);
    }
done:
    return status;
}

/* ---- the conditional database ---------------------------------------------------------------- */

/* Rows that hold the columns of the child only. */
static lode_status child_compact(adaptive *a, const rows_db *db, const child_items *c,
                                 rows_db *below) {
    const uint64_t *row = db->rows + c->item * db->words;
    size_t words = ((size_t)c->support + 511) / 512 * 8;
    uint64_t *rows; /* a line more, because picking may write one word too many */
    lode_status status = arena_take(&a->arena, (c->n * words + 8) * sizeof *rows, (void **)&rows);
    if (status != LODE_OK) return status;
    for (uint32_t i = 0; i < c->n; i++) {
        const uint64_t *from = db->rows + c->numbers[i] * db->words;
        a->kernels->pick_bits(rows + i * words, from, row, db->words, words);
    }
    *below = (rows_db){child_list(c), rows, words};
    return LODE_OK;
}

/* Searches a database, or lets somebody else do it. */
static lode_status rows_pass(adaptive *a, const rows_db *db) {
    return share_is_wanted(a) && share_rows(a, db) ? LODE_OK : rows_search(a, db);
}

static lode_status child_as_rows(adaptive *a, const rows_db *db, const child_items *c) {
    lode_status status = LODE_OK;
    const uint64_t *row = db->rows + c->item * db->words;
    rows_db below;
    uint64_t *rows;
    if (db->words * 64 >= COMPACT_COLUMNS * (uint64_t)c->support + 512 && c->n >= COMPACT_ITEMS) {
        LODE_TRY(child_compact(a, db, c, &below));
        return rows_pass(a, &below);
    }
    LODE_TRY(arena_take(&a->arena, c->n * db->words * sizeof *rows, (void **)&rows));
    for (uint32_t i = 0; i < c->n; i++) {
        const uint64_t *from = db->rows + c->numbers[i] * db->words;
        a->kernels->and_store(rows + i * db->words, row, from, db->words);
    }
    below = (rows_db){child_list(c), rows, db->words};
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

static lode_status child_as_words(adaptive *a, const rows_db *db, const child_items *c) {
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
    LODE_TRY(words_merge_for(a, c, words, weights, &n));
    words_db below = {compact.items, words, weights, n};
    if (!share_is_wanted(a) || !share_words(a, &below)) status = words_search(a, &below);
done:
    return status;
}

/* How many sets there are if items occur independently of each other: a low estimate. */
static double expected_sets(const child_items *c, uint32_t min) {
    double sum = 0, support = c->support, sets = 1, all = 0;
    for (uint32_t i = 0; i < c->n; i++) sum += c->supports[i];
    double share = sum / c->n / c->support;
    for (uint32_t size = 1; size <= c->n && (support *= share) >= min; size++) {
        sets = sets * (c->n - size + 1) / size;
        all += sets;
    }
    return all;
}

static lode_status child_search(adaptive *a, const rows_db *db, const child_items *c) {
    bool words = c->n <= WORD_ITEMS && expected_sets(c, adaptive_threshold(a)) >= WORDS_SETS;
    return words ? child_as_words(a, db, c) : child_as_rows(a, db, c);
}

/* ---- the search ---------------------------------------------------------------------------- */

static lode_status rows_extend(adaptive *a, const rows_db *db, uint32_t item, pending *plain) {
    lode_status status = LODE_OK;
    child_items c;
    arena_mark mark = arena_here(&a->arena);
    child_begin(a, &db->items, item, &c);
    LODE_TRY(child_count(a, db, &c));
    LODE_TRY(child_filter(a, &c));
    LODE_TRY(child_enter(a, &c, plain));
    if (child_leads_on(a, &c)) status = child_search(a, db, &c);
done:
    child_leave(a, &c);
    arena_return(&a->arena, mark);
    return status;
}

lode_status rows_search(adaptive *a, const rows_db *db) {
    lode_status status = LODE_OK;
    pending plain;
    LODE_TRY(adaptive_check(a));
    LODE_TRY(pending_take(a, db->items.low, &plain));
    for (uint32_t item = 0; item < db->items.low; item++) {
        if (db->items.supports[item] < adaptive_threshold(a)) continue;
        LODE_TRY(rows_extend(a, db, item, &plain));
    }
    status = pending_emit(a, &plain);
done:
    return status;
}
