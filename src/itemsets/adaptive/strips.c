/* strips.c - few transactions: a word of bits for each item and 64 transactions
 *
 * Where a set has few transactions, everything about an item fits into a few words: its support is
 * their bits, that it is in all transactions one comparison. The words of 64 transactions are a
 * strip, in which the items are side by side:
 *
 *                  item 0   item 1   item 2   …
 *     strip 0      word     word     word          transactions 0 to 63
 *     strip 1      word     word     word          transactions 64 to 127
 *
 * To add an item, its words are intersected with those of all others, item after item of a strip at
 * a time. Transactions that lack it are dropped as soon as that saves a strip. A database of one
 * strip leaves its first items to a lattice (lattice.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/strips.h"

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

/* How often an earlier item must occur to matter. Where nothing is left to add, closed sets ask for
 * those in all transactions only. */
static uint32_t earlier_min(const adaptive *a, const child_items *c, uint32_t min) {
    bool last = a->target == LODE_TARGET_CLOSED && !a->rules && c->addable == 0;
    return last ? c->support : min;
}

static lode_status strips_count(adaptive *a, const database *db, shape_child *in) {
    lode_status status = LODE_OK;
    child_items *c = &in->items;
    strip_words from = strips_of(db);
    uint32_t n = a->keeps_earlier ? db->items.n : c->item, *found, *counts;
    uint64_t chosen[STRIPS_MOST];
    strip_range before = {0, c->item, adaptive_threshold(a)};
    strips_choose(db, c->item, chosen);
    LODE_TRY(child_take(a, n, c));
    LODE_TRY(arena_take(&a->arena, (n + (size_t)1) * sizeof *found, (void **)&found));
    LODE_TRY(arena_take(&a->arena, (n + (size_t)1) * sizeof *counts, (void **)&counts));
    uint32_t reached = a->kernels->strips_reach(&from, chosen, &before, found, counts);
    for (uint32_t i = 0; i < reached; i++) child_add(a, &db->items, c, found[i], counts[i]);
    if (!a->keeps_earlier) return LODE_OK;
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

const shape_ops strips_shape = {.name = "strips",
                                .gives_children = true,
                                .count = strips_count,
                                .make = strips_make,
                                .together = strips_together,
                                .copy = strips_copy};
