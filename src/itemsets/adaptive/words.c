/* words.c - at most 64 items to add: a transaction is a word, and equal ones are merged
 *
 * The rarest item is the highest bit. To add an item, the words that have its bit are selected, and
 * the weights of all their bits are counted in one pass. The bits of items that are no longer
 * frequent, or are perfect extensions, are squeezed out, and equal words are merged. The lowest
 * items are left to a lattice.
 *
 *     bits   n-1 … … … … … … … k | k-1 … … 0
 *            added one by one    | all subsets at once
 *
 * SPDX-License-Identifier: Apache-2.0 */

#include "itemsets/adaptive/merge.h"
#include "itemsets/adaptive/strips.h"

/* ---- counting -------------------------------------------------------------------------------- */

/* The second words of the transactions that have a bit in their first. */
static void select_earlier(const words_db *db, unsigned bit, uint64_t *to) {
    size_t kept = 0;
    for (size_t i = 0; i < db->all.n; i++) {
        to[kept] = db->earlier_words[i];
        kept += db->all.words[i] >> bit & 1;
    }
}

/* Selects the transactions that have the item. */
static lode_status words_select(adaptive *a, const words_db *db, uint32_t bit, word_buffer *c) {
    lode_status status = LODE_OK;
    uint64_t keep = a->wanted.keeps_earlier ? ~((uint64_t)1 << bit) : ((uint64_t)1 << bit) - 1;
    size_t room = db->all.n + LATTICE_LANES;
    LODE_TRY(arena_take(&a->arena, room * sizeof *c->words, (void **)&c->words));
    LODE_TRY(arena_take(&a->arena, room * sizeof *c->weights, (void **)&c->weights));
    c->n = a->kernels->select(&db->all, bit, keep, c->words, c->weights);
    c->earlier_words = NULL;
    if (!db->earlier_words) return LODE_OK;
    LODE_TRY(arena_take(&a->arena, room * sizeof *c->words, (void **)&c->earlier_words));
    select_earlier(db, bit, c->earlier_words);
done:
    return status;
}

/* Items in the first word of each transaction; the others are in the second. */
static uint32_t words_first_items(const database *db) {
    return db->items.n - db->words.n_in_earlier;
}

static lode_status words_count(adaptive *a, const database *db, shape_child *c) {
    lode_status status = LODE_OK;
    uint32_t bit = c->items.item, min = adaptive_threshold(a);
    uint32_t n = a->wanted.keeps_earlier ? words_first_items(db) : bit,
             n_earlier = db->words.n_in_earlier;
    uint32_t *counts = a->scratch.word_counts, *earlier_counts = counts + WORD_ITEMS;
    LODE_TRY(child_take(a, a->wanted.keeps_earlier ? db->items.n : bit, &c->items));
    LODE_TRY(words_select(a, &db->words, bit, &c->words));
    weighted_words chosen = {c->words.words, c->words.weights, c->words.n};
    a->kernels->count_bits(&chosen, n, counts);
    for (uint32_t b = 0; b < n; b++) {
        if (counts[b] >= min) child_add(a, &db->items, &c->items, b, counts[b]);
    }
    if (n_earlier == 0) return LODE_OK;
    chosen.words = c->words.earlier_words;
    a->kernels->count_bits(&chosen, n_earlier, earlier_counts);
    for (uint32_t b = 0; b < n_earlier; b++) {
        if (earlier_counts[b] >= min) child_add(a, &db->items, &c->items, n + b, earlier_counts[b]);
    }
done:
    return status;
}

/* ---- the child ------------------------------------------------------------------------------- */

/* The bits of the child's items in the words and in the earlier_words of the parent. */
static void words_masks(const database *db, const child_items *c, uint64_t masks[2]) {
    uint32_t n = words_first_items(db);
    masks[0] = masks[1] = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t b = c->numbers[i];
        masks[b >= n] |= (uint64_t)1 << (b < n ? b : b - n);
    }
}

/* Packs the bits of the remaining items. Items of the second word move to the first as soon as all
 * of them fit. Returns how many are still in the second. */
static uint32_t words_squeeze(const adaptive *a, uint32_t n_items, const uint64_t masks[2],
                              word_buffer *c) {
    a->kernels->squeeze(c->words, c->n, masks[0]);
    if (masks[1] != 0) {
        uint32_t n_second = (uint32_t)__builtin_popcountll(masks[1]), n_first = n_items - n_second;
        a->kernels->squeeze(c->earlier_words, c->n, masks[1]);
        if (n_items > WORD_ITEMS) return n_second;
        for (size_t i = 0; i < c->n; i++) c->words[i] |= c->earlier_words[i] << n_first;
    }
    c->earlier_words = NULL;
    return 0;
}

/* The bits of the items that may be added to the child, in the parent's words. */
static uint64_t words_addable(const adaptive *a, const child_items *c) {
    uint64_t bits = ((uint64_t)1 << c->item) - 1;
    for (uint32_t i = 0; i < c->addable && a->wanted.rules; i++) {
        if (!adaptive_may_add(a, c->ids[i])) bits &= ~((uint64_t)1 << c->numbers[i]);
    }
    return bits;
}

/* Groups transactions by their few distinct weights, consecutively; zeros follow. */
static void words_spread(const uint64_t *words, const uint32_t *weights, size_t n,
                         uint64_t to[WORD_ITEMS]) {
    size_t filled = 0;
    memset(to, 0, WORD_ITEMS * sizeof *to);
    for (size_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < weights[i]; k++) to[filled++] = words[i];
    }
}

static lode_status words_make_strips(adaptive *a, const database *db, const shape_child *c,
                                     strips_db *below) {
    lode_status status = LODE_OK;
    const child_items *k = &c->items;
    const word_buffer *w = &c->words;
    uint64_t spread[WORD_ITEMS], *to;
    uint32_t in_first = words_first_items(db), n = 0, *bits;
    LODE_TRY(strips_take(a, k->n, k->support, below, &to));
    while (n < k->n && k->numbers[n] < in_first) n++;
    words_spread(w->words, w->weights, w->n, spread);
    a->kernels->words_strip(spread, k->support, k->numbers, n, to);
    if (n == k->n) return LODE_OK;
    LODE_TRY(arena_take(&a->arena, (k->n - n) * sizeof *bits, (void **)&bits));
    for (uint32_t i = n; i < k->n; i++) bits[i - n] = k->numbers[i] - in_first;
    words_spread(w->earlier_words, w->weights, w->n, spread);
    a->kernels->words_strip(spread, k->support, bits, k->n - n, to + n);
done:
    return status;
}

/* The words are squeezed for words below, but not for a lattice, which picks the bits itself. */
static lode_status words_make(adaptive *a, const database *db, shape_child *c, database *below) {
    lode_status status = LODE_OK;
    word_buffer *w = &c->words;
    uint64_t masks[2];
    uint32_t n_second = db->words.n_in_earlier;
    bool lattice = below->shape == SHAPE_LATTICE;
    if (below->shape == SHAPE_STRIPS) return words_make_strips(a, db, c, &below->strips);
    words_masks(db, &c->items, masks);
    if (!lattice) n_second = words_squeeze(a, c->items.n, masks, w);
    if (!lattice && w->n >= MERGE_FROM) LODE_TRY(merge_for_target(a, c->items.addable, w));
    words_db words = {{w->words, w->weights, w->n}, w->earlier_words, n_second};
    if (lattice) {
        uint64_t addable = words_addable(a, &c->items);
        below->items = db->items;
        below->lattice = (lattice_db){words, masks[0] & addable, {masks[0] & ~addable, masks[1]}};
    } else {
        below->words = words;
    }
done:
    return status;
}

/* ---- the other operations -------------------------------------------------------------------- */

/* The weight of the words that have all bits of a mask. */
static uint32_t weight_of_all(const weighted_words *w, uint64_t mask) {
    uint32_t weight = 0;
    for (size_t i = 0; i < w->n; i++) weight += (w->words[i] & mask) == mask ? w->weights[i] : 0;
    return weight;
}

static lode_status words_together(adaptive *a, const database *db, uint32_t *support,
                                  bool *earlier) {
    uint32_t n = db->items.addable, min = adaptive_threshold(a);
    uint64_t all = n < WORD_ITEMS ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
    *support = weight_of_all(&db->words.all, all);
    *earlier = false;
    for (uint32_t b = n; b < db->items.n && *support >= min && !*earlier; b++) {
        *earlier = weight_of_all(&db->words.all, all | (uint64_t)1 << b) >= min;
    }
    return LODE_OK;
}

static void words_copy(database *db, copier *c) {
    words_db *w = &db->words;
    size_t bytes = w->all.n * sizeof *w->all.words;
    w->all.words = copier_put(c, w->all.words, bytes);
    w->all.weights = copier_put(c, w->all.weights, w->all.n * sizeof *w->all.weights);
    if (w->earlier_words) w->earlier_words = copier_put(c, w->earlier_words, bytes);
}

static double words_open_cost(const database *db, const shape_child *c) {
    (void)c;
    return SPAN_LOOK * (double)db->words.all.n;
}

const shape_ops words_shape = {.name = "merged words",
                               .gives_children = true,
                               .count = words_count,
                               .make = words_make,
                               .together = words_together,
                               .copy = words_copy,
                               .open_cost = words_open_cost};
