/* rows.c - dense and more than 64 items: a row of bits for each item
 *
 * Eclat: the rows of the items below an item are intersected with its row and counted in one sweep.
 * The rows of a child keep only the columns that hold the item where that is worth the effort, so
 * rows shrink as the search goes down. Children of few items and many expected sets become words.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "adaptive/adaptive.h"
#include "adaptive/share.h"
#include "adaptive/span.h"
#include "adaptive/watch.h"
#include "adaptive/words.h"

#define COMPACT_COLUMNS 3 /* columns are dropped if so many times fewer are left */
#define COMPACT_ITEMS   8 /* and at least so many rows are there to profit */

/* A database in work, and the item of it whose branch is searched. */
typedef struct rows_node {
    struct rows_node *above; /* NULL: whoever has called */
    rows_db db;
    pending plain;
    uint32_t item;
    child_items child; /* what it led to */
    arena_mark mark;   /* before it */
    span_split split;
} rows_node;

/* Counts what is in the transactions of an item: the items before it, and those to be watched. */
static lode_status child_count(adaptive *a, const rows_db *db, child_items *c) {
    lode_status status = LODE_OK;
    uint32_t min = adaptive_threshold(a), *counts;
    uint32_t n = a->watches && !db->sampled ? db->items.n : c->item;
    LODE_TRY(child_take(a, a->watches ? db->items.n : n, c));
    LODE_TRY(arena_take(&a->arena, (n + (size_t)1) * sizeof *counts, (void **)&counts));
    a->kernels->and_counts(rows_at(db, c->item), db->rows, n, db->words, counts);
    for (uint32_t i = 0; i < n; i++) {
        if (counts[i] >= min && i != c->item) child_add(a, &db->items, c, i, counts[i]);
    }
    if (db->sampled) status = watch_add(a, db, c);
done:
    return status;
}

/* ---- the conditional database ---------------------------------------------------------------- */

static lode_status node_open(adaptive *a, const rows_db *db, rows_node **out);

/* The rows of the items of a child, restricted to its columns, those of `row`: all columns remain,
 * and hold zeros, or, if they are to be compact, those of the child only. */
static lode_status child_rows(adaptive *a, const rows_db *db, const uint64_t *row,
                              const child_items *c, bool compact, watch_part watched,
                              rows_db *below) {
    size_t words = compact ? rows_words(c->support) : db->words;
    uint64_t *to;
    size_t n_words = c->low * words + (c->n - c->low) * watched.words;
    lode_status status = arena_take(&a->arena, n_words * sizeof *to, (void **)&to);
    if (status != LODE_OK) return status;
    *below = (rows_db){child_list(c), to, words, watched.sampled, watched.words, watched.columns};
    for (uint32_t i = 0; i < c->n; i++) {
        const uint64_t *from = rows_at(db, c->numbers[i]);
        size_t from_words = i < c->low ? db->words : watched.from_words;
        size_t to_words = i < c->low ? words : watched.words;
        if (compact) {
            a->kernels->pick_bits(to, from, row, from_words, to_words);
        } else {
            a->kernels->and_store(to, row, from, to_words);
        }
        to += to_words;
    }
    return LODE_OK;
}

/* Rows with all there is to know of watched ones. */
static lode_status child_whole_rows(adaptive *a, const rows_db *db, const child_items *c,
                                    bool compact, rows_db *below) {
    size_t words = compact ? rows_words(c->support) : db->words;
    watch_part whole = {.from_words = db->words, .words = words, .columns = 64 * words};
    return child_rows(a, db, rows_at(db, c->item), c, compact, whole, below);
}

/* Rows with a new sample of watched ones, from the root. */
static lode_status child_rows_anew(adaptive *a, const child_items *c, rows_db *below) {
    lode_status status = LODE_OK;
    child_items moved = *c;
    uint64_t *cover;
    LODE_TRY(watch_cover(a, c, &cover));
    LODE_TRY(arena_take(&a->arena, c->n * sizeof *moved.numbers, (void **)&moved.numbers));
    for (uint32_t i = 0; i < c->n; i++) moved.numbers[i] = a->rank[c->ids[i]];
    watch_part watched = watch_choose(a, a->top, cover, c, true);
    status = child_rows(a, a->top, cover, &moved, true, watched, below);
done:
    return status;
}

static lode_status child_sampled_rows(adaptive *a, const rows_db *db, const child_items *c,
                                      bool compact, rows_db *below) {
    const uint64_t *row = rows_at(db, c->item);
    watch_part watched = watch_choose(a, db, row, c, compact);
    if (watched.spent) return child_rows_anew(a, c, below);
    return child_rows(a, db, row, c, compact, watched, below);
}

static lode_status child_as_rows(adaptive *a, const rows_db *db, const child_items *c,
                                 rows_node **out) {
    lode_status status = LODE_OK;
    bool sampled = watch_by_sample(a, db, c);
    uint32_t n = sampled ? c->low : c->n; /* rows that get shorter */
    bool compact =
        db->words * 64 >= COMPACT_COLUMNS * (uint64_t)c->support + 512 && n >= COMPACT_ITEMS;
    rows_db below;
    LODE_TRY(sampled ? child_sampled_rows(a, db, c, compact, &below)
                     : child_whole_rows(a, db, c, compact, &below));
    if (!share_is_wanted(a) || !share_rows(a, &below)) status = node_open(a, &below, out);
done:
    return status;
}

/* Turns a square of 64 x 64 bits: bit j of word i becomes bit i of word j. */
static void turn_square(uint64_t square[64]) {
    uint64_t mask = 0x00000000ffffffff;
    for (unsigned step = 32; step != 0; step /= 2, mask ^= mask << step) {
        for (unsigned i = 0; i < 64; i = (i + step + 1) & ~step) {
            uint64_t swap = (square[i] >> step ^ square[i + step]) & mask;
            square[i] ^= swap << step;
            square[i + step] ^= swap;
        }
    }
}

/* Rows from `first` on, 64 at the most, as words. */
static lode_status turn_rows(adaptive *a, const rows_db *db, uint32_t first, size_t n,
                             uint64_t **out) {
    size_t room = (n + 63) / 64 * 64;
    uint64_t square[64];
    lode_status status = arena_take(&a->arena, room * sizeof **out, (void **)out);
    for (size_t at = 0; at < room && status == LODE_OK; at += 64) {
        for (uint32_t i = 0; i < 64; i++) {
            bool there = first + i < db->items.n;
            square[i] = there ? db->rows[(first + i) * db->words + at / 64] : 0;
        }
        turn_square(square);
        memcpy(*out + at, square, sizeof square);
    }
    return status;
}

static lode_status child_as_words(adaptive *a, const rows_db *db, const child_items *c) {
    lode_status status = LODE_OK;
    rows_db compact;
    uint64_t *words, *beside = NULL;
    uint32_t *weights, n_beside = c->n > WORD_ITEMS ? c->n - WORD_ITEMS : 0;
    size_t n = c->support;
    LODE_TRY(child_whole_rows(a, db, c, true, &compact));
    LODE_TRY(turn_rows(a, &compact, 0, n, &words));
    if (n_beside > 0) LODE_TRY(turn_rows(a, &compact, WORD_ITEMS, n, &beside));
    LODE_TRY(arena_take(&a->arena, n * sizeof *weights, (void **)&weights));
    for (size_t i = 0; i < n; i++) weights[i] = 1;
    LODE_TRY(words_merge_for(a, c, words, beside, weights, &n));
    words_db below = {compact.items, words, weights, n, n_beside, beside};
    if (!share_is_wanted(a) || !share_words(a, &below)) status = words_search(a, &below);
done:
    return status;
}

double rows_expected_sets(const adaptive *a, const child_items *c, uint32_t n) {
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

/* Words are quick where transactions repeat, and where there are many sets, most of them in well
 * filled cubes; every node takes a look at all of them, though. With very many transactions, which
 * hardly repeat then, and few sets for each, rows are quicker. CPU seconds, one core:
 *
 *     well filled from so many sets on          20     400    never
 *     T40I10, 300 items, 1 M, 1 %              6.4     3.0      3.8
 *     T40I10, 300 items, 200 K, 1 %            1.3     0.5      0.6
 *     accidents-prefix x 20, 12 %              0.3     0.3      0.8
 *     accidents-prefix x 20, 5 %               1.8     1.8      7.2 */
#define ROWS_SUPPORT 16384
#define ROWS_SETS    10  /* expected, for every transaction */
#define FULL_CUBE    400 /* sets, of the first CUBE_ITEMS items */

bool rows_fill_cubes(const adaptive *a, const child_items *c) {
    uint32_t n = c->low < CUBE_ITEMS ? c->low : CUBE_ITEMS;
    return n > 0 && adaptive_uses_cubes(a) && rows_expected_sets(a, c, n) >= FULL_CUBE;
}

bool rows_stay_cheap(const adaptive *a, const child_items *c, double sets) {
    bool few = sets < (double)ROWS_SETS * c->support;
    return c->support >= ROWS_SUPPORT && few && !rows_fill_cubes(a, c);
}

/* Whether the items of a child fit words, for closed sets with some of the watched ones beside. */
static bool child_fits_words(const adaptive *a, const child_items *c) {
    if (c->n <= WORD_ITEMS) return true;
    return a->target == LODE_TARGET_CLOSED && c->low <= WORD_ITEMS && c->n <= WIDE_ITEMS;
}

/* Expected sets from which on words are worth the turning. Without cubes they gain less; for closed
 * sets, rows have more to do. */
static double least_sets(const adaptive *a) {
    if (!adaptive_uses_cubes(a)) return 4000;
    return a->target == LODE_TARGET_CLOSED ? 300 : 1000;
}

/* Searches below the child; if it becomes rows, these are the next to be worked on. */
static lode_status child_search(adaptive *a, const rows_db *db, const child_items *c,
                                rows_node **out) {
    bool can = !db->sampled && child_fits_words(a, c);
    double sets = can ? rows_expected_sets(a, c, c->n > WORD_ITEMS ? c->low : c->n) : 0;
    bool words = can && sets >= least_sets(a) && !rows_stay_cheap(a, c, sets);
    return words ? child_as_words(a, db, c) : child_as_rows(a, db, c, out);
}

/* ---- the search ---------------------------------------------------------------------------- */

/* Goes to the child of an item, and searches below it or leaves rows to be worked on in *out. */
static lode_status child_open(adaptive *a, const rows_db *db, uint32_t item, pending *plain,
                              child_items *c, rows_node **out) {
    lode_status status = LODE_OK;
    child_begin(a, &db->items, item, c);
    LODE_TRY(child_count(a, db, c));
    LODE_TRY(child_filter(a, c));
    LODE_TRY(child_enter(a, c, plain));
    if (child_leads_on(a, c)) status = child_search(a, db, c, out);
done:
    return status;
}

/* For maximal sets: if all items together are frequent, no other set below can be maximal, and this
 * one is if no watched item goes with it. */
static lode_status rows_look_ahead(adaptive *a, const rows_db *db, bool *done) {
    lode_status status = LODE_OK;
    uint32_t low = db->items.low, min = adaptive_threshold(a), support, *counts;
    uint64_t *all;
    bool watched = false;
    LODE_TRY(arena_take(&a->arena, db->words * sizeof *all, (void **)&all));
    LODE_TRY(arena_take(&a->arena, db->items.n * sizeof *counts, (void **)&counts));
    memcpy(all, db->rows, db->words * sizeof *all);
    for (uint32_t i = 1; i < low; i++) {
        a->kernels->and_store(all, all, db->rows + i * db->words, db->words);
    }
    a->kernels->and_counts(all, all, 1, db->words, &support);
    *done = support >= min;
    if (!*done) return LODE_OK;
    a->kernels->and_counts(all, db->rows + low * db->words, db->items.n - low, db->words, counts);
    for (uint32_t i = 0; i < db->items.n - low; i++) watched = watched || counts[i] >= min;
    if (watched) return LODE_OK;
    for (uint32_t i = 1; i < low; i++) a->prefix[a->n_prefix++] = db->items.ids[i];
    status = adaptive_emit_one(a, db->items.ids[0], support);
    a->n_prefix -= low - 1;
done:
    return status;
}

/* What is to be done with rows: nothing, or one item after the other. */
static lode_status node_open(adaptive *a, const rows_db *db, rows_node **out) {
    lode_status status = LODE_OK;
    rows_node *node;
    bool done = false;
    LODE_TRY(adaptive_check(a));
    if (a->target == LODE_TARGET_MAXIMAL) LODE_TRY(rows_look_ahead(a, db, &done));
    if (done) return LODE_OK;
    LODE_TRY(arena_take(&a->arena, sizeof *node, (void **)&node));
    node->above = NULL;
    node->db = *db;
    node->item = 0;
    span_open(a, &node->split);
    LODE_TRY(pending_take(a, db->items.low, &node->plain));
    *out = node;
done:
    return status;
}

static void node_leave_child(adaptive *a, rows_node *node) {
    span_leave(a);
    child_leave(a, &node->child);
    arena_return(&a->arena, node->mark);
    node->item++;
}

/* The next item of a node; *out is what to go on with, if that is not the node. */
static lode_status node_step(adaptive *a, rows_node *node, rows_node **out) {
    const item_list *items = &node->db.items;
    uint32_t item = node->item;
    if (items->supports[item] < adaptive_threshold(a) || adaptive_ends(a)) {
        if (items->supports[item] >= adaptive_threshold(a)) {
            pending_add(&node->plain, items->ids[item], items->supports[item]);
        }
        node->item++;
        return LODE_OK;
    }
    span_enter(a, &node->split, items, item, items->low);
    node->mark = arena_here(&a->arena);
    lode_status status = child_open(a, &node->db, item, &node->plain, &node->child, out);
    if (status == LODE_OK && !*out) node_leave_child(a, node);
    return status;
}

/* Works off a node and everything below it. */
static lode_status node_search(adaptive *a, rows_node *node) {
    lode_status status = LODE_OK;
    while (node) {
        rows_node *below = NULL;
        if (node->item < node->db.items.low) {
            LODE_TRY(node_step(a, node, &below));
            if (!below) continue;
            below->above = node;
            node = below;
        } else {
            LODE_TRY(pending_emit(a, &node->plain));
            span_close(a, &node->split);
            node = node->above;
            if (node) node_leave_child(a, node);
        }
    }
done:
    return status;
}

lode_status rows_search_root(adaptive *a, const rows_db *db, uint32_t item) {
    lode_status status = LODE_OK;
    child_items c;
    rows_node *below = NULL;
    arena_mark mark = arena_here(&a->arena);
    LODE_TRY(adaptive_check(a));
    if (db->items.supports[item] < adaptive_threshold(a) || adaptive_ends(a)) return LODE_OK;
    LODE_TRY(child_open(a, db, item, NULL, &c, &below));
    LODE_TRY(node_search(a, below));
    child_leave(a, &c);
    arena_return(&a->arena, mark);
done:
    return status;
}

lode_status rows_probe_root(adaptive *a, const rows_db *db, uint32_t item, double *work) {
    child_items c;
    arena_mark mark = arena_here(&a->arena);
    child_begin(a, &db->items, item, &c);
    lode_status status = child_count(a, db, &c);
    if (status == LODE_OK) status = span_weigh_child(a, &c, work);
    *work += SPAN_WORD * (double)db->words * item;
    child_leave(a, &c);
    arena_return(&a->arena, mark);
    return status;
}

lode_status rows_search(adaptive *a, const rows_db *db) {
    lode_status status = LODE_OK;
    rows_node *node = NULL;
    arena_mark mark = arena_here(&a->arena);
    LODE_TRY(node_open(a, db, &node));
    LODE_TRY(node_search(a, node));
    arena_return(&a->arena, mark);
done:
    return status;
}
