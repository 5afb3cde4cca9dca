/* lattice.c - all subsets of a few items at once
 *
 * A transaction of k items is a number below 2^k. Its weight is added to the counter of that
 * number; then every counter receives the counters of its supersets, one item after the other:
 *
 *     for each item b: for each set s without b: counter[s] += counter[s + b]
 *
 * which makes the counters supports. That takes k/2 additions for each set, sixteen at a time,
 * whether it is frequent or not: far less than any search spends on a set, so it pays even where
 * one set in a hundred is frequent.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/lattice.h"

#include "itemsets/adaptive/rules.h"

/* Keeps only the closed sets. A set is not closed if an earlier item is in all of its transactions;
 * `words` has the bits of the earlier items of from->earlier. */
static void lattice_keep_closed(adaptive *a, const lattice_words *from, const uint64_t *words,
                                uint32_t min) {
    unsigned k = (unsigned)__builtin_popcountll(from->mask);
    memset(a->scratch.lattice_common, 0xff, sizeof *a->scratch.lattice_common << k);
    a->kernels->lattice_meet(a->scratch.lattice_common, from, words);
    a->kernels->lattice_keep_closed(a->scratch.lattice, a->scratch.lattice_common, k, min);
}

/* Leaves only the maximal sets: those that are frequent with no other item, earlier or not. */
static void lattice_keep_maximal(adaptive *a, lattice_words from, uint32_t n_items, uint32_t min) {
    from.earlier &= n_items < WORD_ITEMS ? ((uint64_t)1 << n_items) - 1 : ~(uint64_t)0;
    a->kernels->lattice_keep_maximal(a->scratch.lattice, (unsigned)__builtin_popcountll(from.mask),
                                     min);
    if (from.earlier == 0) return;
    a->kernels->lattice_drop_earlier(a->scratch.lattice, a->scratch.earlier_counts, &from, min);
}

/* Turns the words into supports, of the sets that the target asks for. */
static void lattice_count_sets(adaptive *a, const database *db, uint32_t min) {
    const lattice_db *l = &db->lattice;
    lattice_words from = {l->words.all, l->mask, l->earlier[0]};
    unsigned k = (unsigned)__builtin_popcountll(l->mask);
    size_t entries = (size_t)1 << k;
    memset(a->scratch.lattice, 0,
           (entries < LATTICE_LANES ? LATTICE_LANES : entries) * sizeof *a->scratch.lattice);
    a->kernels->lattice_add(a->scratch.lattice, &from);
    a->kernels->lattice_sum(a->scratch.lattice, k);
    if (a->wanted.target == LODE_TARGET_CLOSED) {
        lattice_keep_closed(a, &from, l->words.all.words, min);
        from.earlier = l->earlier[1];
        if (l->words.earlier_words) lattice_keep_closed(a, &from, l->words.earlier_words, min);
    }
    if (a->wanted.target == LODE_TARGET_MAXIMAL) lattice_keep_maximal(a, from, db->items.n, min);
    a->scratch.lattice[0] = 0; /* the prefix itself has been reported */
}

/* Reports the sets of a->scratch.lattice, whose items these are. */
static lode_status lattice_emit(adaptive *a, const uint32_t *ids, uint32_t n, uint32_t min) {
    uint64_t sizes[LATTICE_ITEMS + 1 + 4] = {0};
    a->kernels->lattice_count(a->scratch.lattice, n, min, sizes);
    sink_lattice lattice = {.prefix = a->path.prefix,
                            .n_prefix = a->path.n_prefix,
                            .perfect = a->path.perfect,
                            .n_perfect = a->path.n_perfect,
                            .items = ids,
                            .n_items = n,
                            .supports = a->scratch.lattice,
                            .has_gaps = a->wanted.keeps_earlier,
                            .min = min,
                            .sizes = sizes};
    return sink_emit_lattice(a->out, &lattice);
}

static lode_status lattice_search(adaptive *a, const database *db) {
    uint32_t ids[LATTICE_ITEMS], n = 0, min = adaptive_threshold(a);
    a->progress.nodes++;
    lattice_count_sets(a, db, min);
    if (a->wanted.rules) return rules_emit_lattice(a, db);
    for (uint64_t rest = db->lattice.mask; rest != 0; rest &= rest - 1) {
        ids[n++] = db->items.ids[__builtin_ctzll(rest)];
    }
    return lattice_emit(a, ids, n, min);
}

/* Searches a lattice of a strip: the transactions of a set are those of the set without its last
 * item that also contain that item. */
static lode_status lattice_search_strip(adaptive *a, const database *db, uint32_t n) {
    const uint64_t *strip = db->strips.words;
    strip_sets of = {.strip = strip,
                     .n = db->items.n,
                     .k = n,
                     .sets = a->scratch.lattice_common,
                     .lattice = a->scratch.lattice,
                     .min = adaptive_threshold(a)};
    a->progress.nodes++;
    if (1u << n < LATTICE_LANES)
        memset(a->scratch.lattice, 0, LATTICE_LANES * sizeof *a->scratch.lattice);
    a->kernels->strips_lattice(strip, n, a->scratch.lattice_common, a->scratch.lattice);
    a->scratch.lattice[0] = 0; /* the prefix itself has been reported */
    if (a->wanted.target == LODE_TARGET_CLOSED) a->kernels->strips_keep_closed(&of);
    if (a->wanted.target == LODE_TARGET_MAXIMAL) a->kernels->strips_keep_maximal(&of);
    return lattice_emit(a, db->items.ids, n, of.min);
}

lode_status lattice_search_first(adaptive *a, const database *db, uint32_t n) {
    uint64_t mask = 0;
    if (db->shape == SHAPE_STRIPS) return lattice_search_strip(a, db, n);
    for (uint32_t i = 0; i < n; i++) {
        if (adaptive_may_add(a, db->items.ids[i])) mask |= (uint64_t)1 << i;
    }
    database first = {.shape = SHAPE_LATTICE,
                      .items = db->items,
                      .lattice = {db->words, mask, {~mask, ~(uint64_t)0}}};
    return lattice_search(a, &first);
}

const shape_ops lattice_shape = {.name = "a lattice", .search_whole = lattice_search};
