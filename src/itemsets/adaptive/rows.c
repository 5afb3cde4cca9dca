/* rows.c - dense and more than 64 items: a row of bits for each item
 *
 * As in Eclat, the rows of all other items are intersected with the row of the item to be added,
 * and counted in one sweep. Where it is worth the effort, the rows of a child keep only the columns
 * that contain the item, so rows get shorter as the search goes down.
 *
 * The closure check can use a sample of the transactions. An earlier item makes a set non-closed if
 * it is in *all* transactions of the set. Its exact count is not needed, and a few columns usually
 * show that it is not in all. So, if there are many columns, the rows of earlier items are kept for
 * the first columns only. This is an optimisation of the rows shape; the plain check is in
 * child_add().
 *
 *     columns           0 1 2 3 4 5 6 7 8 …
 *     item to be added  0 1 1 0 1 0 1 0 1 …
 *     earlier item      1 0 1 1 1               lacks column 1: not in all transactions
 *     earlier item      1 1 1 0 1               possible: the rows of the root decide
 *
 * The supports of earlier items are then unknown, so no earlier item is dropped for being
 * infrequent. When too few columns of the sample are left, the rows of the child are made again
 * from those of the root.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "itemsets/adaptive/merge.h"
#include "itemsets/adaptive/shape.h"
#include "itemsets/adaptive/strips.h"
#include "itemsets/adaptive/turn.h"

/* The part of the rows of earlier items that a child has. */
typedef struct closure_part {
    size_t from_words; /* words read of each earlier row of the parent */
    size_t words;      /* words of each earlier row of the child */
    size_t columns;    /* columns covered by the child's earlier rows */
    bool sampled;      /* these are only a sample */
    bool spent;        /* too little of the parent's sample is left: take a new one from the root */
} closure_part;

/* ---- the closure check of rows by a sample of the transactions ------------------------------- */

/* Whether to sample the earlier rows of a child, and of all databases below it. */
static bool closure_uses_sample(const adaptive *a, const rows_db *db, const child_items *c) {
    if (a->wanted.target != LODE_TARGET_CLOSED || !a->root.rows) return false;
    if (db->sampled) return true;
    if (adaptive_threshold(a) < SAMPLE_MIN_COUNT) return false;
    if (c->n > WIDE_ITEMS) return !shape_fills_lattices(a, c);
    return shape_rows_are_faster(a, c, shape_expected_sets(a, c, c->addable));
}

/* Chooses that part. `row`: the row of the item that is added, so the columns of the child. */
static closure_part closure_choose(const adaptive *a, const rows_db *db, const uint64_t *row,
                                   const child_items *c, bool compact) {
    size_t known = db->sampled ? db->sample_columns / 64 : db->words, n = 0, taken = 0;
    uint64_t wanted = (uint64_t)SAMPLE_COLUMNS * c->support / adaptive_threshold(a);
    for (; n < known && taken < wanted; n++) taken += (size_t)__builtin_popcountll(row[n]);
    bool spent = db->sampled && taken < wanted / SAMPLE_SPENT;
    if (!compact) return (closure_part){n, n, 64 * n, true, spent};
    return (closure_part){n, rows_words(taken), taken, true, spent};
}

/* Whether there is a column among the first that a has and b lacks. */
static bool has_column_beyond(const uint64_t *a, const uint64_t *b, size_t columns) {
    size_t words = columns / 64;
    uint64_t rest = ((uint64_t)1 << columns % 64) - 1;
    for (size_t i = 0; i < words; i++) {
        if (a[i] & ~b[i]) return true;
    }
    return rest != 0 && (a[words] & ~b[words] & rest) != 0;
}

/* The columns of the child, as a row of the root. */
static lode_status closure_cover(adaptive *a, const child_items *c, uint64_t **cover) {
    const database *root = a->root.rows;
    size_t words = root->rows.words;
    lode_status status = arena_take(&a->arena, words * sizeof **cover, (void **)cover);
    if (status != LODE_OK) return status;
    memcpy(*cover, rows_at(root, a->root.rank[c->id]), words * sizeof **cover);
    for (uint32_t i = 0; i < a->path.n_prefix; i++) {
        uint32_t number = a->root.rank[a->path.prefix[i]];
        if (number >= root->items.n) continue; /* in all transactions there are */
        a->kernels->and_store(*cover, *cover, rows_at(root, number), words);
    }
    return LODE_OK;
}

/* Adds the earlier items to a child of a sampled database, or finds that one of them is in all
 * transactions. */
static lode_status closure_add_earlier(adaptive *a, const database *db, child_items *c) {
    lode_status status = LODE_OK;
    const uint64_t *row = rows_at(db, c->item);
    uint64_t *cover = NULL;
    for (uint32_t i = c->item + 1; i < db->items.n && !c->subsumed; i++) {
        bool whole = i < db->items.addable; /* it may be added to the parent, so its row is whole */
        size_t columns = whole ? 64 * db->rows.words : db->rows.sample_columns;
        bool lacks = has_column_beyond(row, rows_at(db, i), columns);
        if (!lacks && !whole) {
            if (!cover) LODE_TRY(closure_cover(a, c, &cover));
            const uint64_t *earlier = rows_at(a->root.rows, a->root.rank[db->items.ids[i]]);
            lacks = has_column_beyond(cover, earlier, 64 * a->root.rows->rows.words);
        }
        if (lacks) {
            child_add(a, &db->items, c, i, 0); /* how often it occurs is not known */
        } else {
            c->subsumed = true;
        }
    }
done:
    return status;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Whether the pairs of an item of the root are counted with those of its block. */
static bool rows_are_in_block(const adaptive *a, const database *db, uint32_t item) {
    const root_block *b = &a->root.block;
    bool root = b->counts && db->rows.rows == a->root.rows->rows.rows;
    return root && item >= b->first && item < b->end && b->end - b->first > 1;
}

/* Counts all pairs of the block in one pass over the rows. */
static void rows_count_block(adaptive *a, const database *db) {
    root_block *b = &a->root.block;
    uint32_t n = a->wanted.keeps_earlier ? db->items.n : b->end;
    for (uint32_t i = 0; i < n && !b->counted; i++) {
        a->kernels->and_counts(rows_at(db, i), rows_at(db, b->first), b->end - b->first,
                               db->rows.words, b->counts + (size_t)i * ROOT_BLOCK);
    }
    b->counted = true;
}

/* Finds the counts of a range of rows: either consecutive, or every ROOT_BLOCK-th number. */
static lode_status rows_take_counts(adaptive *a, const database *db, uint32_t item,
                                    const uint32_t range[2], const uint32_t **out) {
    uint32_t n = range[1] - range[0], *counts;
    if (rows_are_in_block(a, db, item)) {
        rows_count_block(a, db);
        *out = a->root.block.counts + (size_t)range[0] * ROOT_BLOCK + (item - a->root.block.first);
        return LODE_OK;
    }
    lode_status status = arena_take(&a->arena, n * sizeof *counts, (void **)&counts);
    if (status != LODE_OK) return status;
    a->kernels->and_counts(rows_at(db, item), rows_at(db, range[0]), n, db->rows.words, counts);
    *out = counts;
    return LODE_OK;
}

/* Counts the rows from `first` to below `end`, and adds those that are frequent to the child. */
static lode_status rows_add(adaptive *a, const database *db, child_items *c, uint32_t first,
                            uint32_t end) {
    uint32_t min = adaptive_threshold(a);
    size_t step = rows_are_in_block(a, db, c->item) ? ROOT_BLOCK : 1;
    arena_mark mark = arena_here(&a->arena);
    const uint32_t *counts;
    lode_status status = rows_take_counts(a, db, c->item, (uint32_t[2]){first, end}, &counts);
    if (status != LODE_OK) return status;
    for (uint32_t i = first; i < end; i++, counts += step) {
        if (*counts >= min) child_add(a, &db->items, c, i, *counts);
    }
    arena_return(&a->arena, mark);
    return LODE_OK;
}

/* Whether an earlier item is in all transactions of the child. Looking for a transaction that lacks
 * it is much faster than counting, because usually one of the first lacks it. */
static bool rows_are_subsumed(const adaptive *a, const database *db, const child_items *c) {
    uint32_t first = c->item + 1, n = db->items.n - first;
    size_t words = db->rows.words;
    if (rows_are_in_block(a, db, c->item)) return false; /* the counts will tell */
    return a->kernels->find_cover(rows_at(db, c->item), rows_at(db, first), n, words) < n;
}

/* Adds the earlier items. If no item can be added to the child, maximal sets only need to know
 * whether an earlier item is frequent, and closed sets need none of them. */
static lode_status rows_add_earlier(adaptive *a, const database *db, child_items *c) {
    lode_status status = LODE_OK;
    uint32_t first = c->item + 1, n = db->items.n, step = n;
    bool leads_on = a->wanted.rules || c->addable > 0 || rows_are_in_block(a, db, c->item);
    if (!leads_on && a->wanted.target == LODE_TARGET_CLOSED) return LODE_OK;
    if (!leads_on) step = ROWS_AT_ONCE;
    while (first < n && (leads_on || (c->n == 0 && !c->subsumed))) {
        uint32_t end = n - first < step ? n : first + step;
        LODE_TRY(rows_add(a, db, c, first, end));
        first = end;
    }
done:
    return status;
}

/* Counts the items in the transactions of an item: those before it, and earlier ones. */
static lode_status rows_count(adaptive *a, const database *db, shape_child *in) {
    lode_status status = LODE_OK;
    child_items *c = &in->items;
    bool whole = a->wanted.keeps_earlier && !db->rows.sampled;
    LODE_TRY(child_take(a, a->wanted.keeps_earlier ? db->items.n : c->item, c));
    c->subsumed = whole && a->wanted.target == LODE_TARGET_CLOSED && !a->wanted.rules &&
                  rows_are_subsumed(a, db, c);
    if (c->subsumed) return LODE_OK;
    LODE_TRY(rows_add(a, db, c, 0, c->item));
    if (whole) LODE_TRY(rows_add_earlier(a, db, c));
    if (db->rows.sampled) status = closure_add_earlier(a, db, c);
done:
    return status;
}

/* ---- a child as rows ------------------------------------------------------------------------- */

/* How the rows of a child are cut out of others. */
typedef struct rows_cut {
    const database *from;
    const uint64_t *row;     /* the columns of the child */
    const uint32_t *numbers; /* of the child's rows */
    bool compact;         /* only these columns are kept; else all are, and the others are zero */
    closure_part earlier; /* the columns cut out of earlier rows */
} rows_cut;

static lode_status rows_cut_out(adaptive *a, const rows_cut *cut, const child_items *c,
                                rows_db *below) {
    const closure_part *earlier = &cut->earlier;
    size_t all = cut->from->rows.words, words = cut->compact ? rows_words(c->support) : all;
    uint64_t *to;
    size_t n_words = c->addable * words + (c->n - c->addable) * earlier->words;
    lode_status status = arena_take(&a->arena, n_words * sizeof *to, (void **)&to);
    if (status != LODE_OK) return status;
    *below = (rows_db){to, words, earlier->sampled, earlier->words, earlier->columns};
    for (uint32_t i = 0; i < c->n; i++) {
        const uint64_t *from = rows_at(cut->from, cut->numbers[i]);
        size_t from_words = i < c->addable ? all : earlier->from_words;
        size_t to_words = i < c->addable ? words : earlier->words;
        if (cut->compact) {
            a->kernels->pick_bits(to, from, cut->row, from_words, to_words);
        } else {
            a->kernels->and_store(to, cut->row, from, to_words);
        }
        to += to_words;
    }
    return LODE_OK;
}

/* Rows with all columns of earlier items. */
static lode_status rows_cut_whole(adaptive *a, const database *db, const child_items *c,
                                  bool compact, rows_db *below) {
    size_t all = db->rows.words, words = compact ? rows_words(c->support) : all;
    closure_part whole = {.from_words = all, .words = words, .columns = 64 * words};
    rows_cut cut = {db, rows_at(db, c->item), c->numbers, compact, whole};
    return rows_cut_out(a, &cut, c, below);
}

/* Cuts rows again, from the root, with a new sample of earlier ones. */
static lode_status rows_cut_anew(adaptive *a, const child_items *c, rows_db *below) {
    lode_status status = LODE_OK;
    uint64_t *cover;
    uint32_t *numbers;
    LODE_TRY(closure_cover(a, c, &cover));
    LODE_TRY(arena_take(&a->arena, c->n * sizeof *numbers, (void **)&numbers));
    for (uint32_t i = 0; i < c->n; i++) numbers[i] = a->root.rank[c->ids[i]];
    closure_part earlier = closure_choose(a, &a->root.rows->rows, cover, c, true);
    rows_cut cut = {a->root.rows, cover, numbers, true, earlier};
    status = rows_cut_out(a, &cut, c, below);
done:
    return status;
}

static lode_status rows_make_rows(adaptive *a, const database *db, const child_items *c,
                                  rows_db *below) {
    const uint64_t *row = rows_at(db, c->item);
    bool sampled = closure_uses_sample(a, &db->rows, c);
    uint32_t n = sampled ? c->addable : c->n; /* rows that get shorter */
    uint64_t fewer = COMPACT_COLUMNS * (uint64_t)c->support + 512;
    bool compact = db->rows.words * 64 >= fewer && n >= COMPACT_ITEMS;
    if (!sampled) return rows_cut_whole(a, db, c, compact, below);
    rows_cut cut = {db, row, c->numbers, compact, closure_choose(a, &db->rows, row, c, compact)};
    return cut.earlier.spent ? rows_cut_anew(a, c, below) : rows_cut_out(a, &cut, c, below);
}

/* ---- a child as words ------------------------------------------------------------------------ */

/* Packs the rows from `first` on, at most 64 of `n_rows`, as `n` words. */
static lode_status turn_rows(adaptive *a, const rows_db *db, uint32_t first, uint32_t n_rows,
                             size_t n, uint64_t **out) {
    size_t room = (n + 63) / 64 * 64;
    uint64_t square[64];
    lode_status status = arena_take(&a->arena, room * sizeof **out, (void **)out);
    for (size_t at = 0; at < room && status == LODE_OK; at += 64) {
        for (uint32_t i = 0; i < 64; i++) {
            bool there = first + i < n_rows;
            square[i] = there ? db->rows[(first + i) * db->words + at / 64] : 0;
        }
        turn_square(square);
        memcpy(*out + at, square, sizeof square);
    }
    return status;
}

static lode_status rows_make_words(adaptive *a, const database *db, const child_items *c,
                                   words_db *below) {
    lode_status status = LODE_OK;
    rows_db compact;
    word_buffer w = {.n = c->support};
    uint32_t n_second = c->n > WORD_ITEMS ? c->n - WORD_ITEMS : 0;
    LODE_TRY(rows_cut_whole(a, db, c, true, &compact));
    LODE_TRY(turn_rows(a, &compact, 0, c->n, w.n, &w.words));
    if (n_second > 0) LODE_TRY(turn_rows(a, &compact, WORD_ITEMS, c->n, w.n, &w.earlier_words));
    LODE_TRY(arena_take(&a->arena, w.n * sizeof *w.weights, (void **)&w.weights));
    for (size_t i = 0; i < w.n; i++) w.weights[i] = 1;
    LODE_TRY(merge_for_target(a, c->addable, &w));
    *below = (words_db){{w.words, w.weights, w.n}, w.earlier_words, n_second};
done:
    return status;
}

/* ---- a child as strips ----------------------------------------------------------------------- */

static lode_status rows_make_strips(adaptive *a, const database *db, const child_items *c,
                                    strips_db *below) {
    uint64_t *to;
    lode_status status = strips_take(a, c->n, c->support, below, &to);
    if (status != LODE_OK) return status;
    a->kernels->rows_strips(&(row_words){db->rows.rows, db->rows.words}, c->item, c->numbers, c->n,
                            to);
    return LODE_OK;
}

static lode_status rows_make(adaptive *a, const database *db, shape_child *c, database *below) {
    if (below->shape == SHAPE_STRIPS) return rows_make_strips(a, db, &c->items, &below->strips);
    if (below->shape == SHAPE_WORDS) return rows_make_words(a, db, &c->items, &below->words);
    return rows_make_rows(a, db, &c->items, &below->rows);
}

/* ---- the other operations -------------------------------------------------------------------- */

static lode_status rows_together(adaptive *a, const database *db, uint32_t *support,
                                 bool *earlier) {
    lode_status status = LODE_OK;
    const rows_db *r = &db->rows;
    uint32_t first = db->items.addable, n = db->items.n - first;
    uint32_t min = adaptive_threshold(a), *counts;
    uint64_t *all;
    *earlier = false;
    LODE_TRY(arena_take(&a->arena, r->words * sizeof *all, (void **)&all));
    LODE_TRY(arena_take(&a->arena, db->items.n * sizeof *counts, (void **)&counts));
    memcpy(all, r->rows, r->words * sizeof *all);
    for (uint32_t i = 1; i < first; i++) a->kernels->and_store(all, all, rows_at(db, i), r->words);
    a->kernels->and_counts(all, all, 1, r->words, support);
    if (*support < min) return LODE_OK;
    a->kernels->and_counts(all, rows_at(db, first), n, r->words, counts);
    for (uint32_t i = 0; i < n; i++) *earlier = *earlier || counts[i] >= min;
done:
    return status;
}

static void rows_copy(database *db, copier *c) {
    size_t words = (size_t)(rows_at(db, db->items.n) - db->rows.rows);
    db->rows.rows = copier_put(c, db->rows.rows, words * sizeof *db->rows.rows);
}

static double rows_open_cost(const database *db, const shape_child *c) {
    return SPAN_WORD * (double)db->rows.words * c->items.item;
}

const shape_ops rows_shape = {.name = "bit rows",
                              .gives_children = true,
                              .count = rows_count,
                              .make = rows_make,
                              .together = rows_together,
                              .copy = rows_copy,
                              .open_cost = rows_open_cost};
