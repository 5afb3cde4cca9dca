/* strips.c - few transactions: a word of bits for each item and 64 transactions
 *
 * If a set has few transactions, everything about an item fits into a few words: its support is the
 * number of bits set in them, and one comparison shows whether it is in all transactions. The words
 * of 64 transactions form a strip, in which the items are side by side:
 *
 *                  item 0   item 1   item 2   …
 *     strip 0      word     word     word          transactions 0 to 63
 *     strip 1      word     word     word          transactions 64 to 127
 *
 * To add an item, its words are intersected with those of all others; several neighbours in a strip
 * are processed at a time. Transactions that lack the item are dropped as soon as that saves a
 * strip. A database of one strip leaves its first items to a lattice (lattice.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/strips.h"

#include "base/sort.h"
#include "itemsets/adaptive/merge.h"
#include "itemsets/adaptive/turn.h"

/* ---- counting -------------------------------------------------------------------------------- */

static strip_words strips_of(const database *db) {
    return (strip_words){db->strips.words, db->items.n, db->strips.n};
}

/* The transactions of an item, strip by strip. */
static void strips_choose(const database *db, uint32_t item, uint64_t chosen[STRIPS_MOST]) {
    for (unsigned w = 0; w < db->strips.n; w++) {
        chosen[w] = db->strips.words[w * (size_t)db->items.n + item];
    }
}

/* Returns the support that an earlier item needs to matter. If nothing can be added, closed sets
 * need only the items in all transactions. */
static uint32_t earlier_min(const adaptive *a, const child_items *c, uint32_t min) {
    bool last = a->wanted.target == LODE_TARGET_CLOSED && !a->wanted.rules && c->addable == 0;
    return last ? c->support : min;
}

static lode_status strips_count(adaptive *a, const database *db, shape_child *in) {
    lode_status status = LODE_OK;
    child_items *c = &in->items;
    strip_words from = strips_of(db);
    uint32_t n = a->wanted.keeps_earlier ? db->items.n : c->item, *found, *counts;
    uint64_t chosen[STRIPS_MOST];
    strip_range before = {0, c->item, adaptive_threshold(a)};
    strips_choose(db, c->item, chosen);
    LODE_TRY(child_take(a, n, c));
    LODE_TRY(arena_take(&a->arena, (n + (size_t)1) * sizeof *found, (void **)&found));
    LODE_TRY(arena_take(&a->arena, (n + (size_t)1) * sizeof *counts, (void **)&counts));
    uint32_t reached = a->kernels->strips_reach(&from, chosen, &before, found, counts);
    for (uint32_t i = 0; i < reached; i++) child_add(a, &db->items, c, found[i], counts[i]);
    if (!a->wanted.keeps_earlier) return LODE_OK;
    strip_range behind = {c->item + 1, db->items.n, earlier_min(a, c, before.min)};
    reached = a->kernels->strips_reach(&from, chosen, &behind, found, counts);
    for (uint32_t i = 0; i < reached; i++) child_add(a, &db->items, c, found[i], counts[i]);
done:
    return status;
}

/* ---- the child ------------------------------------------------------------------------------- */

lode_status strips_take(adaptive *a, uint32_t n_items, uint32_t support, strips_db *below,
                        uint64_t **out) {
    below->n = strips_for(support);
    size_t words = (size_t)below->n * n_items + LATTICE_LANES;
    *out = NULL;
    lode_status status = arena_take(&a->arena, words * sizeof **out, (void **)out);
    below->words = *out;
    return status;
}

static lode_status strips_make_strips(adaptive *a, const database *db, const child_items *c,
                                      strips_db *below) {
    lode_status status = LODE_OK;
    strip_words from = strips_of(db);
    uint64_t chosen[STRIPS_MOST], *to;
    strips_choose(db, c->item, chosen);
    LODE_TRY(strips_take(a, c->n, c->support, below, &to));
    if (below->n < db->strips.n) {
        a->kernels->strips_pick(&from, chosen, c->numbers, c->n, to);
        return LODE_OK;
    }
    for (unsigned w = 0; w < below->n; w++) {
        const uint64_t *strip = from.words + w * from.stride;
        for (uint32_t i = 0; i < c->n; i++) to[i] = strip[c->numbers[i]] & chosen[w];
        to += c->n;
    }
done:
    return status;
}

static lode_status strips_make_words(adaptive *a, const database *db, const child_items *c,
                                     words_db *below) {
    lode_status status = LODE_OK;
    word_buffer w = {.n = c->support};
    uint64_t square[64];
    strips_db strips;
    LODE_TRY(strips_make_strips(a, db, c, &strips));
    size_t room = (size_t)strips.n * 64;
    LODE_TRY(arena_take(&a->arena, room * sizeof *w.words, (void **)&w.words));
    LODE_TRY(arena_take(&a->arena, room * sizeof *w.weights, (void **)&w.weights));
    w.n = 0;
    for (unsigned s = 0; s < strips.n; s++) {
        memset(square, 0, sizeof square);
        memcpy(square, strips.words + s * (size_t)c->n, c->n * sizeof *square);
        turn_square(square);
        for (unsigned i = 0; i < 64; i++) {
            w.words[w.n] = square[i];
            w.weights[w.n] = 1;
            w.n += square[i] != 0;
        }
    }
    LODE_TRY(merge_for_target(a, c->addable, &w));
    *below = (words_db){.all = {w.words, w.weights, w.n}};
done:
    return status;
}

static lode_status strips_make(adaptive *a, const database *db, shape_child *c, database *below) {
    if (below->shape == SHAPE_WORDS) return strips_make_words(a, db, &c->items, &below->words);
    return strips_make_strips(a, db, &c->items, &below->strips);
}

/* ---- the other operations -------------------------------------------------------------------- */

static lode_status strips_together(adaptive *a, const database *db, uint32_t *support,
                                   bool *earlier) {
    lode_status status = LODE_OK;
    strip_words from = strips_of(db);
    uint32_t addable = db->items.addable, n = db->items.n - addable, *found, *counts;
    uint64_t chosen[STRIPS_MOST];
    *earlier = false;
    for (unsigned w = 0; w < from.n; w++) {
        const uint64_t *strip = from.words + w * from.stride;
        chosen[w] = strip[0];
        for (uint32_t i = 1; i < addable; i++) chosen[w] &= strip[i];
    }
    strip_words all = {chosen, 1, from.n};
    a->kernels->strips_count(&all, &(uint32_t){0}, 1, support);
    if (*support < adaptive_threshold(a)) return LODE_OK;
    strip_range behind = {addable, db->items.n, adaptive_threshold(a)};
    LODE_TRY(arena_take(&a->arena, (n + (size_t)1) * sizeof *found, (void **)&found));
    LODE_TRY(arena_take(&a->arena, (n + (size_t)1) * sizeof *counts, (void **)&counts));
    *earlier = a->kernels->strips_reach(&from, chosen, &behind, found, counts) > 0;
done:
    return status;
}

static void strips_copy(database *db, copier *c) {
    size_t words = (size_t)db->strips.n * db->items.n + LATTICE_LANES;
    db->strips.words = copier_put(c, db->strips.words, words * sizeof *db->strips.words);
}

const shape_ops strips_shape = {.name = "short bit rows",
                                .gives_children = true,
                                .count = strips_count,
                                .make = strips_make,
                                .together = strips_together,
                                .copy = strips_copy};

/* ---- the strips of a child of lists, in one walk --------------------------------------------- */

/* The words are gathered in a table, a->scratch.item_codes, which holds strip after strip, each
 * with a word per item. The table is all zero before and after. */

bool gather_suits(const adaptive *a, const database *db, const lists_child *c) {
    if (c->n_places > GATHER_MOST || db->lists.weights || a->wanted.rules) return false;
    unsigned strips = strips_for(c->n_places);
    if (strips == 1) return true;
    bool deep = c->n_places >= (uint64_t)GATHER_DEEP * adaptive_threshold(a);
    return deep && (size_t)db->items.n * strips <= GATHER_TABLE;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static uint64_t gather_before(const database *db, const lists_child *c, uint64_t *table) {
    const uint32_t *lists = db->lists.lists;
    uint64_t visited = 0;
    for (uint32_t i = 0; i < c->n_places; i++) {
        uint32_t place = c->places[i], at = place - 1;
        uint64_t bit = (uint64_t)1 << i % 64, *strip = table + (size_t)(i / 64) * db->items.n;
        list_prefetch(&db->lists, c, i);
        for (uint32_t x = lists[at]; x < LISTS_END; x = lists[--at]) strip[x] |= bit;
        visited += place - at;
    }
    return visited;
}

static uint64_t gather_behind(const database *db, const lists_child *c, uint64_t *table) {
    const uint32_t *lists = db->lists.lists;
    uint32_t n = db->items.n;
    uint64_t visited = 0;
    for (uint32_t i = 0; i < c->n_places; i++) {
        uint32_t place = c->places[i], at = place + 1;
        uint64_t bit = (uint64_t)1 << i % 64, *strip = table + (size_t)(i / 64) * n;
        for (uint32_t x = lists[at]; x < n; x = lists[++at]) strip[x] |= bit;
        visited += at - place;
    }
    return visited;
}

/* ---- what is frequent ------------------------------------------------------------------------ */

/* The strips that are gathered, and their place. */
typedef struct gathering {
    const database *db;
    const lists_child *child;
    list_part part;
    strip_range range; /* the items of the part */
    uint64_t *table;
    strip_words words; /* … as the kernels see it */
} gathering;

/* Whether the i-th transaction is the first that has an item. */
static inline bool gather_is_new(const gathering *g, uint32_t item, uint32_t i) {
    const uint64_t *word = g->table + item;
    for (uint32_t w = 0; w < i / 64; w++, word += g->words.stride) {
        if (*word != 0) return false;
    }
    return (*word & (((uint64_t)1 << i % 64) - 1)) == 0;
}

/* All items of the part, by walking again. */
static uint32_t gather_touched(const gathering *g, uint32_t *found) {
    const lists_child *c = g->child;
    const uint32_t *lists = g->db->lists.lists;
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_places; i++) {
        uint32_t place = c->places[i];
        uint32_t end = g->part == LIST_BEFORE ? place : list_end(g->db, place);
        uint32_t stop = g->part == LIST_BEHIND ? place : 0;
        for (uint32_t at = end - 1; at != stop && lists[at] < LISTS_END; at--) {
            found[n] = lists[at];
            n += at != place && gather_is_new(g, lists[at], i);
        }
    }
    return n;
}

static void gather_clear_item(const gathering *g, uint32_t item) {
    for (unsigned w = 0; w < g->words.n; w++) g->table[w * g->words.stride + item] = 0;
}

/* Where few items were touched: looks at these. Clears the others. */
static uint32_t gather_few(const adaptive *a, const gathering *g, uint32_t *found,
                           uint32_t *counts) {
    uint32_t n = gather_touched(g, found), kept = 0;
    a->kernels->strips_count(&g->words, found, n, counts);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t item = found[i];
        if (counts[i] < g->range.min) gather_clear_item(g, item);
        found[kept] = item;
        kept += counts[i] >= g->range.min;
    }
    sort_u32(found, kept);
    a->kernels->strips_count(&g->words, found, kept, counts);
    return kept;
}

/* Takes the words of the new items out of the table, and notes their counts. */
static void gather_take(const adaptive *a, const gathering *g, found_items *found,
                        const uint32_t *items, const uint32_t *counts, uint32_t n) {
    unsigned strips = g->words.n;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t *to = found->words + (size_t)found->n * strips;
        for (unsigned w = 0; w < strips; w++) to[w] = g->table[w * g->words.stride + items[i]];
        gather_clear_item(g, items[i]);
        found->items[found->n++] = items[i];
        a->scratch.item_counts[items[i]] = counts[i];
    }
}

/* Makes room for n more items. */
static lode_status gather_extend(adaptive *a, found_items *found, uint32_t n, unsigned strips) {
    lode_status status = LODE_OK;
    size_t room = found->n + (size_t)n, words = (size_t)found->n * strips;
    found_items more = {.n = found->n};
    LODE_TRY(arena_take(&a->arena, room * strips * sizeof *more.words, (void **)&more.words));
    LODE_TRY(arena_take(&a->arena, room * sizeof *more.items, (void **)&more.items));
    if (found->n > 0) memcpy(more.words, found->words, words * sizeof *more.words);
    if (found->n > 0) memcpy(more.items, found->items, found->n * sizeof *more.items);
    *found = more;
done:
    return status;
}

static void gather_clear_range(const gathering *g) {
    size_t bytes = (g->range.end - g->range.first) * sizeof *g->table;
    for (unsigned w = 0; w < g->words.n; w++) {
        memset(g->table + w * g->words.stride + g->range.first, 0, bytes);
    }
}

lode_status gather_part(adaptive *a, const database *db, shape_child *c, list_part part,
                        found_items *found) {
    static const uint64_t all[STRIPS_MOST] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
                                              UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    lode_status status = LODE_OK;
    uint32_t *items, *counts, n;
    gathering g = {.db = db, .child = &c->lists, .part = part, .table = a->scratch.item_codes};
    g.range = (strip_range){.first = part == LIST_BEHIND ? c->items.item + 1 : 0,
                            .end = part == LIST_BEFORE ? c->items.item : db->items.n,
                            .min = adaptive_threshold(a)};
    g.words = (strip_words){g.table, db->items.n, strips_for(c->lists.n_places)};
    uint64_t visited = part != LIST_BEHIND ? gather_before(db, &c->lists, g.table) : 0;
    if (part != LIST_BEFORE) visited += gather_behind(db, &c->lists, g.table);
    size_t room = g.range.end - g.range.first;
    bool few = visited * GATHER_SWEEP < room * g.words.n;
    if (room > visited) room = (size_t)visited;
    LODE_TRY(arena_take(&a->arena, (room + 1) * sizeof *items, (void **)&items));
    LODE_TRY(arena_take(&a->arena, (room + 1) * sizeof *counts, (void **)&counts));
    n = few ? gather_few(a, &g, items, counts)
            : a->kernels->strips_reach(&g.words, all, &g.range, items, counts);
    LODE_TRY(gather_extend(a, found, n, g.words.n));
    gather_take(a, &g, found, items, counts, n);
    if (!few) gather_clear_range(&g);
    c->lists.visited += visited;
done:
    return status;
}

/* ---- the strips ------------------------------------------------------------------------------ */

lode_status gather_make_strips(adaptive *a, const shape_child *c, strips_db *below) {
    const found_items *found = &c->lists.gathered;
    const child_items *k = &c->items;
    uint64_t *to;
    lode_status status = strips_take(a, k->n, c->lists.n_places, below, &to);
    if (status != LODE_OK) return status;
    for (uint32_t i = 0, at = 0; i < k->n; i++) {
        while (found->items[at] != k->numbers[i]) at++;
        const uint64_t *words = found->words + (size_t)at * below->n;
        for (unsigned w = 0; w < below->n; w++) to[(size_t)w * k->n + i] = words[w];
    }
    return LODE_OK;
}
