/* words.c - at most 64 items to add: a transaction is a word, and equal ones are merged
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

#include "adaptive/adaptive.h"
#include "adaptive/share.h"
#include "adaptive/span.h"
#include "adaptive/words.h"
#include "base/keyed.h"

#define MERGE_FROM 8 /* fewer words are not worth a table */

/* ---- merging ------------------------------------------------------------------------------- */

typedef struct merge_table {
    uint64_t low, factor;
    uint32_t *slots; /* number of a word + 1; 0: free */
    unsigned shift;
    size_t mask;
    int64_t patience; /* steps that may still be in vain */
} merge_table;

#define MERGE_FACTOR   0x9e3779b97f4a7c15u
#define MERGE_PATIENCE 8 /* steps for every word: many times what words that nobody chose take */

/* The slot of the word that has the same low bits, or a free one. */
static inline uint32_t *merge_slot(merge_table *t, const uint64_t *words, uint64_t word) {
    size_t at = (size_t)((word & t->low) * t->factor >> t->shift);
    while (t->slots[at] != 0 && ((words[t->slots[at] - 1] ^ word) & t->low) != 0) {
        at = (at + 1) & t->mask;
        t->patience--;
    }
    return &t->slots[at];
}

/* Enters the n different words again, by a factor that nobody can have chosen them for. */
static void merge_again(merge_table *t, const uint64_t *words, size_t n) {
    t->factor = keyed_process()->key[1];
    memset(t->slots, 0, (t->mask + 1) * sizeof *t->slots);
    for (size_t i = 0; i < n; i++) *merge_slot(t, words, words[i]) = (uint32_t)i + 1;
    t->patience = INT64_MAX;
}

lode_status words_merge(arena *lender, uint64_t low, uint64_t *words, uint64_t *beside,
                        uint32_t *weights, size_t *n) {
    unsigned log = 4;
    while (((size_t)1 << log) < 2 * *n) log++;
    size_t bytes = sizeof(uint32_t) << log, kept = 0;
    merge_table t = {.low = low,
                     .factor = MERGE_FACTOR,
                     .shift = 64 - log,
                     .mask = ((size_t)1 << log) - 1,
                     .patience = (int64_t)(MERGE_PATIENCE * *n)};
    arena_mark mark = arena_here(lender);
    lode_status status = arena_take(lender, bytes, (void **)&t.slots);
    if (status != LODE_OK) return status;
    memset(t.slots, 0, bytes);
    for (size_t i = 0; i < *n; i++) {
        uint64_t word = words[i];
        uint32_t weight = weights[i];
        if ((word & low) == 0) continue;
        uint32_t *slot = merge_slot(&t, words, word);
        if (*slot != 0) {
            words[*slot - 1] &= word | low;
            if (beside) beside[*slot - 1] &= beside[i];
            weights[*slot - 1] += weight;
            continue;
        }
        words[kept] = word;
        if (beside) beside[kept] = beside[i];
        weights[kept] = weight;
        *slot = (uint32_t)++kept;
        if (t.patience < 0) merge_again(&t, words, kept);
    }
    *n = kept;
    arena_return(lender, mark);
    return LODE_OK;
}

/* Merges what is alike for the target: closed sets need to know of the watched items only which are
 * in all transactions, maximal sets need their counts. */
lode_status words_merge_for(adaptive *a, const child_items *items, uint64_t *words,
                            uint64_t *beside, uint32_t *weights, size_t *n) {
    bool only_low = a->target != LODE_TARGET_MAXIMAL && items->low < WORD_ITEMS;
    uint64_t low = only_low ? ((uint64_t)1 << items->low) - 1 : ~(uint64_t)0;
    return words_merge(&a->arena, low, words, beside, weights, n);
}

/* ---- the search ---------------------------------------------------------------------------- */

/* The transactions that hold one item more, and what became of the items. */
typedef struct words_child {
    child_items items;
    uint64_t *words, *beside;
    uint32_t *weights;
    size_t n;
    uint64_t frequent, frequent_beside; /* items to go on with, and those to be watched */
} words_child;

/* What is beside the words that have a bit. */
static void select_beside(const words_db *db, unsigned bit, uint64_t *to) {
    size_t kept = 0;
    for (size_t i = 0; i < db->n; i++) {
        to[kept] = db->beside[i];
        kept += db->words[i] >> bit & 1;
    }
}

/* Selects the transactions. */
static lode_status child_select(adaptive *a, const words_db *db, words_child *c) {
    lode_status status = LODE_OK;
    uint32_t bit = c->items.item;
    uint64_t keep = a->watches ? ~((uint64_t)1 << bit) : ((uint64_t)1 << bit) - 1;
    size_t room = db->n + CUBE_LANES;
    LODE_TRY(arena_take(&a->arena, room * sizeof *c->words, (void **)&c->words));
    LODE_TRY(arena_take(&a->arena, room * sizeof *c->weights, (void **)&c->weights));
    c->n = a->kernels->select(db->words, db->weights, db->n, bit, keep, c->words, c->weights);
    c->beside = NULL;
    if (!db->beside) return LODE_OK;
    LODE_TRY(arena_take(&a->arena, room * sizeof *c->beside, (void **)&c->beside));
    select_beside(db, bit, c->beside);
done:
    return status;
}

/* Counts what is in them. */
static lode_status child_count(adaptive *a, const words_db *db, words_child *c) {
    uint32_t min = adaptive_threshold(a), *counts = a->word_counts, *beside = counts + WORD_ITEMS;
    uint32_t n = a->watches ? db->items.n - db->n_beside : c->items.item;
    a->kernels->count_bits(c->words, c->weights, c->n, n, counts);
    if (c->beside) a->kernels->count_bits(c->beside, c->weights, c->n, db->n_beside, beside);
    for (uint32_t b = 0; b < n; b++) {
        if (counts[b] >= min) child_add(a, &db->items, &c->items, b, counts[b]);
    }
    for (uint32_t b = 0; b < db->n_beside; b++) {
        if (beside[b] >= min) child_add(a, &db->items, &c->items, n + b, beside[b]);
    }
    lode_status status = child_filter(a, &c->items);
    c->frequent = c->frequent_beside = 0;
    for (uint32_t i = 0; i < c->items.n; i++) {
        uint32_t b = c->items.numbers[i];
        *(b < n ? &c->frequent : &c->frequent_beside) |= (uint64_t)1 << (b < n ? b : b - n);
    }
    return status;
}

/* Moves the bits of the items that are left together. What is beside moves into the words as soon
 * as it fits. Returns how many items are still beside. */
static uint32_t child_squeeze(const adaptive *a, words_child *c) {
    uint32_t n_beside = (uint32_t)__builtin_popcountll(c->frequent_beside);
    uint32_t n_here = c->items.n - n_beside;
    a->kernels->squeeze(c->words, c->n, c->frequent);
    if (n_beside > 0) a->kernels->squeeze(c->beside, c->n, c->frequent_beside);
    if (c->items.n > WORD_ITEMS) return n_beside;
    for (size_t i = 0; i < c->n && n_beside > 0; i++) c->words[i] |= c->beside[i] << n_here;
    c->beside = NULL;
    return 0;
}

static lode_status child_search(adaptive *a, const words_db *db, words_child *c) {
    lode_status status = LODE_OK;
    if (adaptive_uses_cubes(a) && c->items.low <= CUBE_ITEMS) {
        words_db all = {db->items, c->words, c->weights, c->n, db->n_beside, c->beside};
        uint64_t below = ((uint64_t)1 << c->items.item) - 1;
        return cube_search(a, &all, c->frequent & below, c->frequent & ~below, c->frequent_beside);
    }
    uint32_t n_beside = child_squeeze(a, c);
    if (c->n >= MERGE_FROM) {
        LODE_TRY(words_merge_for(a, &c->items, c->words, c->beside, c->weights, &c->n));
    }
    words_db below = {child_list(&c->items), c->words, c->weights, c->n, n_beside, c->beside};
    if (!share_is_wanted(a) || !share_words(a, &below)) status = words_search(a, &below);
done:
    return status;
}

static lode_status words_extend(adaptive *a, const words_db *db, uint32_t bit, pending *plain) {
    lode_status status = LODE_OK;
    if (adaptive_ends(a)) {
        if (plain) pending_add(plain, db->items.ids[bit], db->items.supports[bit]);
        return LODE_OK;
    }
    words_child c;
    arena_mark mark = arena_here(&a->arena);
    child_begin(a, &db->items, bit, &c.items);
    LODE_TRY(child_take(a, a->watches ? db->items.n : bit, &c.items)); /* not on the stack: deep */
    LODE_TRY(child_select(a, db, &c));
    LODE_TRY(child_count(a, db, &c));
    LODE_TRY(child_enter(a, &c.items, plain));
    if (child_leads_on(a, &c.items)) status = child_search(a, db, &c);
done:
    child_leave(a, &c.items);
    arena_return(&a->arena, mark);
    return status;
}

/* For maximal sets: if all items together are frequent, no other set below can be maximal, and this
 * one is if no watched item goes with it. */
static lode_status words_look_ahead(adaptive *a, const words_db *db, bool *done) {
    uint32_t low = db->items.low, min = adaptive_threshold(a), weight = 0, watched = 0;
    uint64_t all = low < WORD_ITEMS ? ((uint64_t)1 << low) - 1 : ~(uint64_t)0;
    for (size_t i = 0; i < db->n; i++) weight += (db->words[i] & all) == all ? db->weights[i] : 0;
    *done = weight >= min;
    if (!*done) return LODE_OK;
    for (uint32_t b = low; b < db->items.n && watched < min; b++) {
        uint64_t with = all | (uint64_t)1 << b;
        watched = 0;
        for (size_t i = 0; i < db->n; i++) {
            watched += (db->words[i] & with) == with ? db->weights[i] : 0;
        }
    }
    if (watched >= min) return LODE_OK;
    for (uint32_t b = 1; b < low; b++) a->prefix[a->n_prefix++] = db->items.ids[b];
    lode_status status = adaptive_emit_one(a, db->items.ids[0], weight);
    a->n_prefix -= low - 1;
    return status;
}

uint32_t words_cube_items(const adaptive *a, const words_db *db) {
    if (!adaptive_uses_cubes(a)) return 0;
    return db->items.low < CUBE_ITEMS ? db->items.low : CUBE_ITEMS;
}

lode_status words_search_root(adaptive *a, const words_db *db, uint32_t item) {
    lode_status status = adaptive_check(a);
    if (status != LODE_OK || db->items.supports[item] < adaptive_threshold(a)) return status;
    return words_extend(a, db, item, NULL);
}

lode_status words_probe_root(adaptive *a, const words_db *db, uint32_t item, double *work) {
    lode_status status = LODE_OK;
    words_child c;
    arena_mark mark = arena_here(&a->arena);
    child_begin(a, &db->items, item, &c.items);
    LODE_TRY(child_take(a, a->watches ? db->items.n : item, &c.items));
    LODE_TRY(child_select(a, db, &c));
    LODE_TRY(child_count(a, db, &c));
    LODE_TRY(span_weigh_child(a, &c.items, work));
    *work += SPAN_LOOK * (double)db->n;
done:
    child_leave(a, &c.items);
    arena_return(&a->arena, mark);
    return status;
}

lode_status words_search(adaptive *a, const words_db *db) {
    lode_status status = LODE_OK;
    uint32_t low = words_cube_items(a, db);
    arena_mark mark = arena_here(&a->arena);
    pending plain;
    span_split split;
    bool done = false;
    LODE_TRY(adaptive_check(a));
    if (a->target == LODE_TARGET_MAXIMAL && low < db->items.low) {
        LODE_TRY(words_look_ahead(a, db, &done));
    }
    if (done) return LODE_OK;
    LODE_TRY(pending_take(a, db->items.low - low, &plain));
    span_open(a, &split);
    for (uint32_t bit = low; bit < db->items.low; bit++) {
        if (db->items.supports[bit] < adaptive_threshold(a)) continue;
        span_enter(a, &split, &db->items, bit, db->items.low);
        LODE_TRY(words_extend(a, db, bit, &plain));
        span_leave(a);
    }
    span_close(a, &split);
    LODE_TRY(pending_emit(a, &plain));
    arena_return(&a->arena, mark);
    if (low > 0) {
        uint64_t mask = ((uint64_t)1 << low) - 1;
        status = cube_search(a, db, mask, ~mask, ~(uint64_t)0);
    }
done:
    return status;
}
