/* shape.c - decides which shape a database gets, from what was counted in it
 *
 * Words are fast where transactions repeat, because equal ones are merged, and where most of many
 * sets are in well-filled lattices; but every node looks at all its words. Rows are faster where
 * there are very many transactions, which hardly repeat then, and few sets for each. Lists are
 * smaller and faster than rows where few bits would be set; and the strips of their children with
 * few transactions cost nothing, because counting makes them (strips.h). Whatever the shape above,
 * strips are the fastest for one to 64 transactions: nothing else tells so many items of a set, and
 * its supersets, in so few steps.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/shape.h"

/* ---- estimates ------------------------------------------------------------------------------- */

double shape_expected_sets(const adaptive *a, const child_items *c, uint32_t n) {
    uint32_t min = adaptive_threshold(a);
    double sum = 0, support = c->support, sets = 1, all = 0;
    for (uint32_t i = 0; i < n; i++) sum += c->supports[i];
    double share = sum / n / c->support;
    for (uint32_t size = 1; size <= n && (support *= share) >= min; size++) {
        sets = sets * (n - size + 1) / size;
        all += sets;
    }
    return all;
}

bool shape_fills_lattices(const adaptive *a, const child_items *c) {
    uint32_t n = c->addable < LATTICE_ITEMS ? c->addable : LATTICE_ITEMS;
    return n > 0 && adaptive_uses_lattices(a) && shape_expected_sets(a, c, n) >= FULL_LATTICE;
}

bool shape_rows_are_faster(const adaptive *a, const child_items *c, double sets) {
    bool few = sets < (double)ROWS_SETS * c->support;
    return c->support >= ROWS_SUPPORT && few && !shape_fills_lattices(a, c);
}

uint32_t shape_lattice_items(const adaptive *a, const database *db) {
    bool strip = db->shape == SHAPE_STRIPS && db->strips.n == 1 && !a->wanted.rules;
    if (!adaptive_uses_lattices(a) || !(strip || db->shape == SHAPE_WORDS)) return 0;
    return db->items.addable < LATTICE_ITEMS ? db->items.addable : LATTICE_ITEMS;
}

/* ---- the root -------------------------------------------------------------------------------- */

shape_kind shape_of_root(const root_counts *counts) {
    if (counts->n <= WORD_ITEMS) return SHAPE_WORDS;
    bool dense = counts->occurrences * ROOT_ROWS_ONE_IN >= counts->transactions * counts->n;
    return dense && !counts->weighted && counts->rows_fit ? SHAPE_ROWS : SHAPE_LISTS;
}

/* ---- a child of few transactions ------------------------------------------------------------- */

/* Expected sets from which on words are worth the turning. */
static double least_sets_for_words(const adaptive *a) {
    if (!adaptive_uses_lattices(a)) return WORDS_SETS_NO_LATTICE;
    return a->wanted.target == LODE_TARGET_CLOSED ? WORDS_SETS_CLOSED : WORDS_SETS;
}

/* One strip has lattices, as words have; several become words if many sets are expected. */
static shape_kind shape_of_few(const adaptive *a, const child_items *c) {
    if (c->support <= 64 || c->n > WORD_ITEMS) return SHAPE_STRIPS;
    bool many = shape_expected_sets(a, c, c->n) >= least_sets_for_words(a);
    return many ? SHAPE_WORDS : SHAPE_STRIPS;
}

/* ---- a child of lists ------------------------------------------------------------------------ */

/* Whether rows are faster than lists. Where most occurrences are in children that are too large to
 * be gathered as strips, lists would have to be made again and again below, and rows are worth it
 * as soon as they take no more memory than lists: two numbers for each item and transaction. */
static bool lists_are_dense(const shape_child *c) {
    uint64_t bits = (uint64_t)c->items.n * c->lists.n_places, sum = 0, large = 0;
    for (uint32_t i = 0; i < c->items.n; i++) {
        uint32_t support = c->items.supports[i];
        sum += support;
        large += support > GATHER_MOST ? support : 0;
    }
    bool smaller = bits <= 64 * (c->lists.visited + c->lists.n_places);
    return sum * CHILD_ROWS_ONE_IN >= bits || (2 * large > sum && smaller);
}

static shape_kind shape_below_lists(const adaptive *a, const lists_db *db, const shape_child *c) {
    const child_items *k = &c->items;
    /* Closed sets, one item to add: there is one set below, and it needs no database. */
    bool single = a->wanted.target == LODE_TARGET_CLOSED && k->addable == 1 && !db->weights;
    if (single && !a->path.one_by_one) return SHAPE_SINGLES;
    if (c->lists.gathered.words) return shape_of_few(a, k);
    if (k->n <= FEW_ITEMS) return SHAPE_WORDS;
    bool dense = !db->weights && lists_are_dense(c);
    if (k->n > WORD_ITEMS) return dense ? SHAPE_ROWS : SHAPE_LISTS;
    bool rows = dense && shape_rows_are_faster(a, k, shape_expected_sets(a, k, k->n));
    return rows ? SHAPE_ROWS : SHAPE_WORDS;
}

/* ---- a child of rows ------------------------------------------------------------------------- */

/* Whether the items of a child fit words. Closed sets have second words for some earlier items. */
static bool fits_words(const adaptive *a, const child_items *c) {
    if (c->n <= WORD_ITEMS) return true;
    bool closed = a->wanted.target == LODE_TARGET_CLOSED;
    return closed && c->addable <= WORD_ITEMS && c->n <= WIDE_ITEMS;
}

/* Rows of few transactions are as strips: smaller, and with lattices, if one is enough. Rules are
 * not made from strips. */
static bool rows_are_few(const adaptive *a, const rows_db *db, const child_items *c) {
    return !db->sampled && !a->wanted.rules && c->support <= STRIPS_MOST * 64;
}

static shape_kind shape_below_rows(const adaptive *a, const rows_db *db, const child_items *c) {
    bool few = rows_are_few(a, db, c), wide = db->sampled || !fits_words(a, c);
    if (few && c->support <= 64) return SHAPE_STRIPS;
    double sets = wide ? 0 : shape_expected_sets(a, c, c->n > WORD_ITEMS ? c->addable : c->n);
    bool many = !wide && sets >= least_sets_for_words(a);
    if (many && !shape_rows_are_faster(a, c, sets)) return SHAPE_WORDS;
    return few ? SHAPE_STRIPS : SHAPE_ROWS;
}

/* ---- a child of words ------------------------------------------------------------------------ */

/* Closed and maximal sets are told faster from the others in a strip. */
static shape_kind shape_below_words(const adaptive *a, const child_items *c) {
    if (a->wanted.keeps_earlier && !a->wanted.rules && c->support <= 64) return SHAPE_STRIPS;
    bool few = adaptive_uses_lattices(a) && c->addable <= LATTICE_ITEMS;
    return few && !a->path.one_by_one ? SHAPE_LATTICE : SHAPE_WORDS;
}

/* ---- any child ------------------------------------------------------------------------------- */

shape_kind shape_of_child(const adaptive *a, const database *db, const shape_child *c) {
    switch (db->shape) {
    case SHAPE_LISTS: return shape_below_lists(a, &db->lists, c);
    case SHAPE_ROWS: return shape_below_rows(a, &db->rows, &c->items);
    case SHAPE_STRIPS: return shape_of_few(a, &c->items);
    default: return shape_below_words(a, &c->items);
    }
}
