/* adaptive.h - the adaptive search from inside: one worker, and the shapes of a database
 *
 * A node of the search is a prefix and its conditional database: the transactions that hold the
 * prefix, with only the items that are still to be added and that are frequent in there. Depending
 * on what it looks like, it is kept as one of
 *
 *   sparse   lists of items and, for every item, where it occurs       any number of items
 *   rows     a row of bits per item, a column per transaction          dense, more than 64 items
 *   words    equal transactions merged: a word of bits and a weight    at most 64 items to add
 *   cube     the support of each of the 2^k subsets                    at most CUBE_ITEMS
 *
 * Each file adaptive_SHAPE.c searches its shape and turns the children into whatever fits them.
 * Items are numbered from the most frequent (0) to the rarest everywhere; the search takes the
 * rarest first and leaves the more frequent ones for the conditional database.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ADAPTIVE_ADAPTIVE_H
#define LODE_ADAPTIVE_ADAPTIVE_H

#include "adaptive/arena.h"
#include "adaptive/kernels.h"
#include "engine/engine.h"
#include "runtime/tasks.h"

#define CUBE_ITEMS    10 /* items that are not searched one by one, but as a cube */
#define WORD_ITEMS    64
#define WIDE_ITEMS    128 /* with those beside */
#define ADAPTIVE_TICK 256 /* nodes between looks at the clock */

struct generators;
struct generators_node;
typedef struct twins twins;

/* Where the search for generators is: see adaptive_generators.h. */
typedef struct generators_place {
    struct generators_node *node;
    struct generators_node **subsets; /* the prefix without its first item, its second, … */
    uint32_t n;                       /* items of the prefix */
} generators_place;

/* One thread of the search. */
typedef struct adaptive {
    engine_task *task;
    lode_job *job;
    const adaptive_kernels *kernels;
    sink_worker *out;
    lode_target target;
    bool watches;                  /* closed and maximal: see item_list */
    struct generators *generators; /* NULL: another target */
    uint32_t max_size;
    bool muted; /* what is found is of no class that is asked for */
    arena arena;
    uint32_t *prefix; /* item ids, in the order of the search */
    uint32_t n_prefix;
    uint32_t *perfect; /* items in every transaction of the prefix: any of them may be added */
    uint32_t n_perfect;
    uint32_t *cube;         /* a counter for each set of CUBE_ITEMS items */
    uint64_t *common;       /* closed: the watched items in all transactions of each set */
    uint32_t *watch_counts; /* maximal: what each set has of watched items, all zero */
    uint32_t *counts;       /* sparse: a counter for each item of the root, all zero */
    uint32_t word_counts[WIDE_ITEMS]; /* words: a counter for each bit */
    uint64_t *item_bits;              /* sparse: the bit of each item in a word, all zero */
    const struct rows_db *top;        /* rows: those of the root; NULL: it is no rows … */
    const uint32_t *rank;             /* … and by item id, which of them */
    const twins *twins;               /* items that are searched as one; NULL: none */
    uint32_t *twin_prefix, *twin_chosen, *twin_ids; /* room to report these */
    uint64_t *twin_supports;
    tasks *tasks; /* where branches change hands; NULL: this is the only worker */
    bool owner;   /* runs on the thread that called lode, and reports progress */
    unsigned until_tick;
    uint64_t nodes;
    double span;         /* of the branch that is searched, as far as nobody has retired it */
    uint32_t support;    /* of its prefix */
    uint64_t span_cost;  /* of dividing spans so far: see adaptive_span.h */
    progress_local told; /* what is done, and not yet told */
} adaptive;

/* How a database divides its span among its items. */
typedef struct span_split {
    double left;           /* that no branch has got */
    uint32_t support;      /* of the prefix */
    const double *weights; /* by item; NULL: it is not divided, or not yet */
    double sum;            /* of those that have got nothing */
} span_split;

/* Items of a database: what they are called outside, and their supports in it. The first `low` may
 * be added to the prefix; the others have been added before, in other branches, and are watched
 * where a target asks whether a set has a superset. */
typedef struct item_list {
    uint32_t n, low;
    const uint32_t *ids;
    const uint32_t *supports;
} item_list;

/* Where closed sets have more items to watch than fit, the last ones are beside the words. */
typedef struct words_db {
    item_list items;
    const uint64_t *words;
    const uint32_t *weights;
    size_t n;
    uint32_t n_beside;      /* items */
    const uint64_t *beside; /* their bits, for every word; NULL: there are none */
} words_db;

typedef struct rows_db {
    item_list items;
    const uint64_t *rows;
    size_t words; /* per row; a multiple of 8 */
    /* Of watched rows, some columns may do: see adaptive_watch.h. */
    bool sampled;
    size_t watch_words, watch_columns; /* then: per row, and how many columns are known */
} rows_db;

/* Words of a row of so many columns. */
static inline size_t rows_words(size_t columns) {
    return (columns + 511) / 512 * 8;
}

static inline const uint64_t *rows_at(const rows_db *db, uint32_t i) {
    if (!db->sampled || i < db->items.low) return db->rows + i * db->words;
    return db->rows + db->items.low * db->words + (i - db->items.low) * db->watch_words;
}

/* Every transaction is a sentinel, SPARSE_END + its number, followed by its items, ascending:
 *
 *     items   E0 0 2 5 | E1 1 2 | E2 0 …          places of item 2:  2, 5, …
 *
 * Those of the root may have been made for a lower threshold: then items from items.n on follow,
 * and nobody looks at these. */
#define SPARSE_END 0x80000000u

typedef struct sparse_db {
    item_list items;
    const uint32_t *lists;
    const uint32_t *places;  /* of every occurrence in `lists`, item by item */
    const uint32_t *starts;  /* items.n + 1: where an item's places begin */
    const uint32_t *weights; /* by transaction; NULL: 1 each */
} sparse_db;

/* Items to report together: they share the prefix and the perfect extensions. */
typedef struct pending {
    uint32_t *ids;
    uint64_t *supports;
    uint32_t n;
} pending;

LODE_NODISCARD lode_status pending_take(adaptive *a, uint32_t room, pending *out);

static inline void pending_add(pending *p, uint32_t id, uint32_t support) {
    p->ids[p->n] = id;
    p->supports[p->n++] = support;
}

LODE_NODISCARD lode_status pending_emit(adaptive *a, pending *p);

/* What became of the items of a database when one of them was added. */
typedef struct child_items {
    uint32_t item, id, support;   /* the one added, and the support with it */
    uint32_t n_prefix, n_perfect; /* of the worker, before */
    generators_place outer;       /* where it was */
    uint32_t *numbers;            /* of those that go on, in the parent; ascending */
    uint32_t *ids, *supports;
    uint32_t n, low;
    bool subsumed; /* a watched item is in all transactions: the branch is known from elsewhere */
} child_items;

void child_begin(const adaptive *a, const item_list *of, uint32_t item, child_items *c);
/* Makes room for n items. */
LODE_NODISCARD lode_status child_take(adaptive *a, uint32_t n, child_items *c);
/* Keeps what the target leaves of the items. */
LODE_NODISCARD lode_status child_filter(adaptive *a, child_items *c);
/* Takes over an item that is frequent in the child; perfect ones go to the worker's list. */
void child_add(adaptive *a, const item_list *of, child_items *c, uint32_t number, uint32_t support);
/* Reports what the target asks for, and makes prefix and perfect extensions those of the child.
 * With `plain` NULL, the item without perfect extensions has been reported. */
LODE_NODISCARD lode_status child_enter(adaptive *a, const child_items *c, pending *plain);
void child_leave(adaptive *a, const child_items *c);

static inline item_list child_list(const child_items *c) {
    return (item_list){c->n, c->low, c->ids, c->supports};
}

/* Whether there is anything below the child to search. */
static inline bool child_leads_on(const adaptive *a, const child_items *c) {
    return c->low > 0 && !c->subsumed && a->n_prefix < a->max_size;
}

/* Whether a set with one item more is all that is wanted of a branch: it has as many items as are
 * allowed, and nobody asks what else is in its transactions. */
static inline bool adaptive_ends(const adaptive *a) {
    return !a->watches && a->n_prefix + (uint64_t)1 >= a->max_size;
}

/* How many sets of the first n items of the child there are if items occur independently of each
 * other: a low estimate. */
double rows_expected_sets(const adaptive *a, const child_items *c, uint32_t n);
/* Whether cubes would be well filled below the child: nothing is quicker then. */
bool rows_fill_cubes(const adaptive *a, const child_items *c);
/* Whether a child with so many expected sets had better not become words. */
bool rows_stay_cheap(const adaptive *a, const child_items *c, double sets);

/* Search everything below the present prefix. Lists lead to lists, rows and words, rows to rows and
 * words, words to words of fewer items. The branch in work may be as deep as a transaction is long,
 * so lists and rows keep it in the arena; words go down by recursion, WORD_ITEMS levels at most. */
LODE_NODISCARD lode_status rows_search(adaptive *a, const rows_db *db);
LODE_NODISCARD lode_status words_search(adaptive *a, const words_db *db);
/* Reports all sets of the items of `mask`, at most CUBE_ITEMS; those of `watched` are watched, and
 * those of `watched_beside`. */
LODE_NODISCARD lode_status cube_search(adaptive *a, const words_db *db, uint64_t mask,
                                       uint64_t watched, uint64_t watched_beside);
/* Merges words that are alike for the target, in place: see words_merge(). */
LODE_NODISCARD lode_status words_merge_for(adaptive *a, const child_items *items, uint64_t *words,
                                           uint64_t *beside, uint32_t *weights, size_t *n);

/* Searches what is below one item of the database of the empty prefix, which was reported. */
LODE_NODISCARD lode_status sparse_search_root(adaptive *a, const sparse_db *db, uint32_t item);
LODE_NODISCARD lode_status rows_search_root(adaptive *a, const rows_db *db, uint32_t item);
LODE_NODISCARD lode_status words_search_root(adaptive *a, const words_db *db, uint32_t item);
/* Counts what is below one item as if it were searched, and says what work is expected there; the
 * worker is at the empty prefix, and stays there. */
LODE_NODISCARD lode_status sparse_probe_root(adaptive *a, const sparse_db *db, uint32_t item,
                                             double *work);
LODE_NODISCARD lode_status rows_probe_root(adaptive *a, const rows_db *db, uint32_t item,
                                           double *work);
LODE_NODISCARD lode_status words_probe_root(adaptive *a, const words_db *db, uint32_t item,
                                            double *work);
/* How many of the first items words_search_root() leaves to a cube. */
uint32_t words_cube_items(const adaptive *a, const words_db *db);

/* ---- what all shapes do ---------------------------------------------------------------------- */

static inline uint32_t adaptive_threshold(const adaptive *a) {
    uint64_t threshold = job_threshold(a->job);
    return threshold < UINT32_MAX ? (uint32_t)threshold : UINT32_MAX;
}

/* Whether all sets of a few items can be counted, and reported, together. */
static inline bool adaptive_uses_cubes(const adaptive *a) {
    return a->target != LODE_TARGET_GENERATORS && !a->twins;
}

/* Asked at every node. */
static inline LODE_NODISCARD lode_status adaptive_check(adaptive *a) {
    a->nodes++;
    if (a->owner && a->until_tick-- == 0) {
        a->until_tick = ADAPTIVE_TICK;
        return job_tick(a->job, 0, 0);
    }
    return job_check(a->job);
}

/* Reports prefix + id, with all perfect extensions. */
LODE_NODISCARD lode_status adaptive_emit_one(adaptive *a, uint32_t id, uint32_t support);

#endif
