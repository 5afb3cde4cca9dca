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

/* The transactions that hold one item more, and what became of the items below it. */
typedef struct words_child {
    uint64_t *words;
    uint32_t *weights;
    size_t n;
    uint32_t counts[WORD_ITEMS];
    uint64_t frequent; /* items to go on with */
    uint64_t perfect;  /* items in all of the transactions */
} words_child;

static lode_status child_select(adaptive *a, const words_db *db, unsigned bit, words_child *c) {
    lode_status status = LODE_OK;
    uint32_t min = adaptive_threshold(a), all = db->items.supports[bit];
    size_t room = db->n + CUBE_LANES;
    LODE_TRY(arena_take(&a->arena, room * sizeof *c->words, (void **)&c->words));
    LODE_TRY(arena_take(&a->arena, room * sizeof *c->weights, (void **)&c->weights));
    c->n = a->kernels->select(db->words, db->weights, db->n, bit, c->words, c->weights);
    a->kernels->count_bits(c->words, c->weights, c->n, bit, c->counts);
    c->frequent = c->perfect = 0;
    for (unsigned b = 0; b < bit; b++) {
        c->frequent |= (uint64_t)(c->counts[b] >= min) << b;
        c->perfect |= (uint64_t)(c->counts[b] == all) << b;
    }
    c->perfect &= c->frequent;
    c->frequent &= ~c->perfect;
done:
    return status;
}

/* Searches a child of too many items for a cube. */
static lode_status child_descend(adaptive *a, const words_db *db, words_child *c) {
    lode_status status = LODE_OK;
    uint32_t ids[WORD_ITEMS], supports[WORD_ITEMS], n = 0;
    for (uint64_t rest = c->frequent; rest != 0; rest &= rest - 1) {
        unsigned b = (unsigned)__builtin_ctzll(rest);
        ids[n] = db->items.ids[b];
        supports[n++] = c->counts[b];
    }
    a->kernels->squeeze(c->words, c->n, c->frequent);
    if (c->n >= MERGE_FROM) LODE_TRY(words_merge(&a->arena, c->words, c->weights, &c->n));
    words_db below = {{n, ids, supports}, c->words, c->weights, c->n};
    if (!share_is_wanted(a) || !share_words(a, &below)) status = words_search(a, &below);
done:
    return status;
}

/* Searches below one item; with `plain` NULL, the item itself has been reported. */
static lode_status words_extend(adaptive *a, const words_db *db, unsigned bit, pending *plain) {
    lode_status status = LODE_OK;
    words_child c;
    uint32_t id = db->items.ids[bit], support = db->items.supports[bit];
    uint32_t n_perfect = a->n_perfect;
    arena_mark mark = arena_here(&a->arena);
    LODE_TRY(child_select(a, db, bit, &c));
    for (uint64_t rest = c.perfect; rest != 0; rest &= rest - 1) {
        a->perfect[a->n_perfect++] = db->items.ids[__builtin_ctzll(rest)];
    }
    if (!plain) {
        LODE_TRY(adaptive_emit_perfect(a, id, support, n_perfect));
    } else if (c.perfect == 0) {
        pending_add(plain, id, support);
    } else {
        LODE_TRY(adaptive_emit_one(a, id, support));
    }
    if (c.frequent == 0 || !adaptive_goes_on(a, 1)) goto done;
    a->prefix[a->n_prefix++] = id;
    if (__builtin_popcountll(c.frequent) <= CUBE_ITEMS) {
        words_db all = {db->items, c.words, c.weights, c.n};
        status = cube_search(a, &all, c.frequent);
    } else {
        status = child_descend(a, db, &c);
    }
    a->n_prefix--;
done:
    a->n_perfect = n_perfect;
    arena_return(&a->arena, mark);
    return status;
}

uint32_t words_cube_items(const words_db *db) {
    return db->items.n < CUBE_ITEMS ? db->items.n : CUBE_ITEMS;
}

lode_status words_search_root(adaptive *a, const words_db *db, uint32_t item) {
    lode_status status = adaptive_check(a);
    if (status != LODE_OK || db->items.supports[item] < adaptive_threshold(a)) return status;
    return words_extend(a, db, item, NULL);
}

lode_status words_search(adaptive *a, const words_db *db) {
    lode_status status = LODE_OK;
    unsigned low = words_cube_items(db);
    uint32_t ids[WORD_ITEMS];
    uint64_t supports[WORD_ITEMS];
    pending plain = {ids, supports, 0};
    LODE_TRY(adaptive_check(a));
    for (unsigned bit = db->items.n; bit-- > low;) {
        if (db->items.supports[bit] < adaptive_threshold(a)) continue;
        LODE_TRY(words_extend(a, db, bit, &plain));
    }
    LODE_TRY(pending_emit(a, &plain));
    LODE_TRY(cube_search(a, db, ((uint64_t)1 << low) - 1));
done:
    return status;
}
