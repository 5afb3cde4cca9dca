/* adaptive_words.c - at most 64 items: a transaction is a word, and equal ones are merged
 *
 * The rarest item is the highest bit. For each item from there on: the words that have its bit are
 * selected, the weights of all lower bits counted in one go, the bits of items that are no longer
 * frequent (or perfect) squeezed out, and equal words merged. The lowest items are left for a cube.
 *
 *     bits   n-1 … … … … … … … k | k-1 … … 0
 *            searched one by one | all subsets at once
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/bits.h"
#include "itemset/adaptive.h"
#include "itemset/adaptive_share.h"
#include "itemset/adaptive_words.h"

#define CUBE_ITEMS 10 /* items of the cube at the end of every node */
#define MERGE_FROM 8  /* fewer words are not worth a table */

/* ---- merging ------------------------------------------------------------------------------- */

static size_t merge_slot(const uint64_t *words, const uint32_t *table, uint64_t word,
                         unsigned shift, size_t mask) {
    size_t slot = (size_t)((word * 0x9e3779b97f4a7c15u) >> shift);
    while (table[slot] != 0 && words[table[slot] - 1] != word) slot = (slot + 1) & mask;
    return slot;
}

lode_status words_merge(arena *lender, uint64_t *words, uint32_t *weights, size_t *n) {
    unsigned log = 4;
    while (((size_t)1 << log) < 2 * *n) log++;
    size_t slots = (size_t)1 << log, kept = 0;
    uint32_t *table;
    arena_mark mark = arena_here(lender);
    lode_status status = arena_take(lender, slots * sizeof *table, (void **)&table);
    if (status != LODE_OK) return status;
    memset(table, 0, slots * sizeof *table);
    for (size_t i = 0; i < *n; i++) {
        uint64_t word = words[i];
        uint32_t weight = weights[i];
        if (word == 0) continue;
        size_t slot = merge_slot(words, table, word, 64 - log, slots - 1);
        if (table[slot] != 0) {
            weights[table[slot] - 1] += weight;
            continue;
        }
        words[kept] = word;
        weights[kept] = weight;
        table[slot] = (uint32_t)++kept;
    }
    *n = kept;
    arena_return(lender, mark);
    return LODE_OK;
}

/* ---- the search ---------------------------------------------------------------------------- */

/* The transactions that hold one item more, and what became of the items. */
typedef struct words_child {
    child_items items;
    uint64_t *words;
    uint32_t *weights;
    size_t n;
    uint64_t frequent; /* items to go on with, and those to be watched */
} words_child;

/* Selects the transactions and counts what is in them. */
static lode_status child_select(adaptive *a, const words_db *db, words_child *c) {
    lode_status status = LODE_OK;
    uint32_t min = adaptive_threshold(a), counts[WORD_ITEMS], bit = c->items.item;
    uint32_t n = a->watches ? db->items.n : bit;
    uint64_t keep = a->watches ? ~((uint64_t)1 << bit) : ((uint64_t)1 << bit) - 1;
    size_t room = db->n + CUBE_LANES;
    LODE_TRY(arena_take(&a->arena, room * sizeof *c->words, (void **)&c->words));
    LODE_TRY(arena_take(&a->arena, room * sizeof *c->weights, (void **)&c->weights));
    c->n = a->kernels->select(db->words, db->weights, db->n, bit, keep, c->words, c->weights);
    a->kernels->count_bits(c->words, c->weights, c->n, n, counts);
    for (uint32_t b = 0; b < n; b++) {
        if (counts[b] >= min) child_add(a, &db->items, &c->items, b, counts[b]);
    }
    c->frequent = 0;
    for (uint32_t i = 0; i < c->items.n; i++) c->frequent |= (uint64_t)1 << c->items.numbers[i];
done:
    return status;
}

static lode_status child_search(adaptive *a, const words_db *db, words_child *c) {
    lode_status status = LODE_OK;
    if (!a->watches && c->items.n <= CUBE_ITEMS) {
        words_db all = {db->items, c->words, c->weights, c->n};
        return cube_search(a, &all, c->frequent);
    }
    a->kernels->squeeze(c->words, c->n, c->frequent);
    if (c->n >= MERGE_FROM) LODE_TRY(words_merge(&a->arena, c->words, c->weights, &c->n));
    words_db below = {child_list(&c->items), c->words, c->weights, c->n};
    if (!share_is_wanted(a) || !share_words(a, &below)) status = words_search(a, &below);
done:
    return status;
}

static lode_status words_extend(adaptive *a, const words_db *db, uint32_t bit, pending *plain) {
    lode_status status = LODE_OK;
    words_child c;
    uint32_t numbers[WORD_ITEMS], ids[WORD_ITEMS], supports[WORD_ITEMS];
    arena_mark mark = arena_here(&a->arena);
    child_begin(a, &db->items, bit, &c.items);
    c.items.numbers = numbers;
    c.items.ids = ids;
    c.items.supports = supports;
    LODE_TRY(child_select(a, db, &c));
    LODE_TRY(child_enter(a, &c.items, plain));
    if (child_leads_on(a, &c.items)) status = child_search(a, db, &c);
done:
    child_leave(a, &c.items);
    arena_return(&a->arena, mark);
    return status;
}

uint32_t words_cube_items(const adaptive *a, const words_db *db) {
    if (a->watches) return 0;
    return db->items.n < CUBE_ITEMS ? db->items.n : CUBE_ITEMS;
}

lode_status words_search_root(adaptive *a, const words_db *db, uint32_t item) {
    lode_status status = adaptive_check(a);
    if (status != LODE_OK || db->items.supports[item] < adaptive_threshold(a)) return status;
    return words_extend(a, db, item, NULL);
}

lode_status words_search(adaptive *a, const words_db *db) {
    lode_status status = LODE_OK;
    uint32_t low = words_cube_items(a, db);
    uint32_t ids[WORD_ITEMS];
    uint64_t supports[WORD_ITEMS];
    pending plain = {ids, supports, 0};
    LODE_TRY(adaptive_check(a));
    for (uint32_t bit = low; bit < db->items.low; bit++) {
        if (db->items.supports[bit] < adaptive_threshold(a)) continue;
        LODE_TRY(words_extend(a, db, bit, &plain));
    }
    LODE_TRY(pending_emit(a, &plain));
    if (low > 0) status = cube_search(a, db, ((uint64_t)1 << low) - 1);
done:
    return status;
}
