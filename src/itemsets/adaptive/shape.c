/* shape.c - chooses the shape of a database from its counts
 *
 * Words are fast where transactions repeat, because equal ones are merged, and where most of many
 * sets are in well-filled lattices; but every node looks at all its words. Rows are faster where
 * there are very many transactions, which hardly repeat then, and few sets for each. Lists are
 * smaller and faster than rows where few bits would be set; and the strips of their children with
 * few transactions cost nothing, because counting makes them (strips.h). Whatever the shape above,
 * a strip is the fastest shape for up to 64 transactions: the AND of two words and its number of
 * bits give the support of a set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/shape.h"

#include "base/bits.h"

/* ---- checks ---------------------------------------------------------------------------------- */

#if LODE_DEBUG
#define VALIDATE_ALL    512 /* databases that are all checked, … */
#define VALIDATE_ONE_IN 64  /* … and later one in this many */

static uint64_t shape_validate_words(const words_db *w, uint32_t item) {
    uint64_t sum = 0;
    for (size_t k = 0; k < w->all.n; k++) {
        sum += (w->all.words[k] >> item & 1) * w->all.weights[k];
    }
    return sum;
}

static uint64_t shape_validate_row(const uint64_t *row, size_t words, size_t step) {
    uint64_t sum = 0;
    for (size_t k = 0; k < words; k++) sum += bits_count(row[k * step]);
    return sum;
}

/* Each place of an item holds the item, after a smaller one or the start of a transaction. */
static uint64_t shape_validate_places(const lists_db *l, uint32_t item) {
    uint64_t n = l->starts[item + 1] - (uint64_t)l->starts[item];
    for (uint32_t k = l->starts[item]; k < l->starts[item + 1]; k++) {
        uint32_t place = l->places[k], before = l->lists[place - 1], after = l->lists[place + 1];
        LODE_DEBUG_CHECK(place > 0 && l->lists[place] == item,
                         "expected item %u here, found item %u", item, l->lists[place]);
        LODE_DEBUG_CHECK((before >= LISTS_END || before < item) && after > item,
                         "a list has item %u between %u and %u; expected ascending items", item,
                         before, after);
    }
    return n;
}

static uint64_t shape_validate_support(const database *db, uint32_t item) {
    uint64_t known = db->items.supports[item];
    switch (db->shape) {
    case SHAPE_WORDS: return shape_validate_words(&db->words, item);
    case SHAPE_ROWS: return shape_validate_row(rows_at(db, item), db->rows.words, 1);
    case SHAPE_STRIPS:
        return shape_validate_row(db->strips.words + item, db->strips.n, db->items.n);
    case SHAPE_LISTS: {
        uint64_t n = shape_validate_places(&db->lists, item);
        /* Items of another slice have no places; with weights, places are no supports. */
        return n == 0 || db->lists.weights ? known : n;
    }
    default: return known;
    }
}

void shape_validate(const adaptive *a, const database *db) {
    if (a->progress.nodes > VALIDATE_ALL && a->progress.nodes % VALIDATE_ONE_IN != 0) return;
    const item_list *items = &db->items;
    LODE_DEBUG_CHECK(items->addable <= items->n,
                     "the branch lists %u items to add, but there are only %u", items->addable,
                     items->n);
    for (uint32_t i = 0; i < items->addable; i++) {
        uint64_t support = shape_validate_support(db, i);
        LODE_DEBUG_CHECK(support == items->supports[i],
                         "item %u of shape %d has support %llu, but %u is recorded", i,
                         (int)db->shape, (unsigned long long)support, items->supports[i]);
    }
}
#endif

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

/* Whether rows are faster than lists. If most occurrences are in children that are too large to be
 * gathered as strips, lists would have to be rebuilt at many levels below. Then rows pay as soon as
 * they take no more memory than lists, which need two numbers per item and transaction. */
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

/* Whether there are so few transactions that strips are better than rows: they are smaller, and a
 * single strip can use lattices. Rules are not made from strips. */
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

/* In a strip, it takes less time to find out which sets are closed or maximal. */
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
