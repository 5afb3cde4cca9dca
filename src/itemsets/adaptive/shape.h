/* shape.h - the shapes of a conditional database: data, operations, and the choice among them
 *
 * The search (walk.c) knows a shape only by its table of operations, shape_ops. A shape knows only
 * the data structures of the others, which it fills in when a child gets another shape. shape.c
 * explains how a shape is chosen.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_SHAPE_H
#define LODE_ITEMSETS_ADAPTIVE_SHAPE_H

#include <string.h>

#include "itemsets/adaptive/child.h"

/* As the threshold falls, a root has the first three shapes in this order (root.c relies on that).
 * SINGLES: no database, because nothing is searched below the items. */
typedef enum shape_kind {
    SHAPE_WORDS,
    SHAPE_ROWS,
    SHAPE_LISTS,
    SHAPE_SINGLES,
    SHAPE_LATTICE,
    SHAPE_STRIPS,
    N_SHAPE_KINDS
} shape_kind;

/* ---- data ------------------------------------------------------------------------------------ */

/* Bit b of a word is item b. For closed sets, the last earlier items may be in a second word. */
typedef struct words_db {
    weighted_words all;
    const uint64_t *earlier_words; /* the second words, one for each of `all`; NULL = none */
    uint32_t n_in_earlier;         /* number of items in the second words */
} words_db;

/* The rows of earlier items may cover only the first columns: see rows.c. */
typedef struct rows_db {
    const uint64_t *rows; /* of the addable items, then of the earlier items: see rows_at() */
    size_t words;         /* per row; a multiple of 8 */
    bool sampled;         /* rows of earlier items have only these words and columns: */
    size_t sample_words, sample_columns;
} rows_db;

/* Every transaction is a sentinel, LISTS_END + its number, followed by its items, ascending:
 *
 *     items   E0 0 2 5 | E1 1 2 | E2 0 …          positions of item 2:  2, 6, …
 *
 * The lists of the root may have been made for a lower threshold. Then they also contain items
 * whose number is items.n or more; these are ignored. */
#define LISTS_END 0x80000000u

typedef struct lists_db {
    const uint32_t *lists;
    const uint32_t *places;  /* positions in `lists` of all occurrences, item by item */
    const uint32_t *starts;  /* by item: where its positions begin; items.n + 1 entries */
    const uint32_t *weights; /* by transaction; NULL = all are 1 */
} lists_db;

/* At most STRIPS_MOST * 64 transactions: see strips.c. */
typedef struct strips_db {
    const uint64_t *words; /* strip by strip, a word per item */
    unsigned n;            /* number of strips */
} strips_db;

/* A lattice of some items of words. Its masks select bits. */
typedef struct lattice_db {
    words_db words;
    uint64_t mask;       /* the items of the lattice, in words.all */
    uint64_t earlier[2]; /* earlier items, in words.all and in words.earlier_words */
} lattice_db;

typedef struct database {
    shape_kind shape;
    item_list items;
    union {
        lists_db lists;
        rows_db rows;
        words_db words;
        lattice_db lattice;
        strips_db strips;
    };
} database;

/* The number of words of a row with this many columns. */
static inline size_t rows_words(size_t columns) {
    return (columns + 511) / 512 * 8;
}

/* The row of item i. */
static inline const uint64_t *rows_at(const database *db, uint32_t i) {
    const rows_db *r = &db->rows;
    uint32_t addable = db->items.addable;
    if (!r->sampled || i < addable) return r->rows + i * r->words;
    return r->rows + addable * r->words + (i - addable) * r->sample_words;
}

/* ---- a child under construction -------------------------------------------------------------- */

/* Items that are frequent in a child of lists, by their numbers in the parent. */
typedef struct found_items {
    uint32_t *items;
    uint64_t *words; /* the words of the first item, of the second, …; NULL = only counted */
    uint32_t n;
} found_items;

/* The transactions of a child of lists. */
typedef struct lists_child {
    const uint32_t *places; /* positions of the item that was added */
    uint32_t n_places;
    bool whole;           /* some items after these positions (earlier items) are frequent */
    uint64_t visited;     /* number of items read */
    found_items gathered; /* for few transactions: the frequent items and their words (strips.h) */
} lists_child;

/* Words that are being made: the transactions of a child of words. */
typedef struct word_buffer {
    uint64_t *words, *earlier_words; /* as in words_db */
    uint32_t *weights;
    size_t n;
} word_buffer;

/* The union is used if the shape of the parent is lists or words. */
typedef struct shape_child {
    child_items items;
    union {
        lists_child lists;
        word_buffer words;
    };
} shape_child;

/* ---- operations ------------------------------------------------------------------------------ */

/* Copies the data of a database, one block after the other, or only adds up their bytes. */
typedef struct copier {
    char *to;     /* NULL = copy nothing */
    size_t bytes; /* so far */
} copier;

/* Copies a block, and returns its new address; without `to`, returns its old address. */
static inline const void *copier_put(copier *c, const void *from, size_t bytes) {
    char *at = c->to ? c->to + c->bytes : NULL;
    c->bytes += (bytes + MEM_ALIGN - 1) / MEM_ALIGN * MEM_ALIGN;
    if (!at) return from;
    if (bytes > 0) memcpy(at, from, bytes);
    return at;
}

/* The operations of a shape. `db` has that shape; the loops over words are in the kernels. */
typedef struct shape_ops {
    const char *name;    /* in the report */
    bool node_per_child; /* nodes are counted by child, not by database */
    bool gives_children; /* children may be given to other workers */
    /* Counts the items in the transactions of the child, and fills in the child's items. Before the
     * call, child_begin() has set the item to be added. */
    lode_status (*count)(adaptive *a, const database *db, shape_child *c);
    /* Makes the database of the child, after count(): below->shape and below->items are set. */
    lode_status (*make)(adaptive *a, const database *db, shape_child *c, database *below);
    /* For maximal sets, see walk.c: the support of all addable items together and, if they are
     * frequent together, whether an earlier item is frequent with them. NULL = not supported. */
    lode_status (*together)(adaptive *a, const database *db, uint32_t *support, bool *earlier);
    /* Reports everything below the prefix at once. NULL = items are added one by one. */
    lode_status (*search_whole)(adaptive *a, const database *db);
    /* Copies the data of the database elsewhere. NULL = never given to another worker. */
    void (*copy)(database *db, copier *c);
    /* The work of opening a child of the root, in units of SPAN_SECONDS (tuning.h). */
    double (*open_cost)(const database *db, const shape_child *c);
} shape_ops;

/* adaptive.shapes has these by shape_kind; a shape that is not searched is NULL there. */
extern const shape_ops words_shape, rows_shape, lists_shape, lattice_shape, strips_shape;

#if LODE_DEBUG
/* Checks that the database agrees with the supports of its items: always for the first databases of
 * a search, then for one in many. */
void shape_validate(const adaptive *a, const database *db);
#endif

/* ---- decisions ------------------------------------------------------------------------------- */

/* What determines the shape of the root. */
typedef struct root_counts {
    uint32_t n;          /* frequent items, without those in every transaction */
    double occurrences;  /* of these items */
    double transactions; /* all transactions, also those without these items */
    bool weighted;       /* transactions have weights, so rows are not possible */
    bool rows_fit;       /* rows fit into the memory budget */
} root_counts;

shape_kind shape_of_root(const root_counts *counts);
/* The best shape for a child whose items are counted. */
shape_kind shape_of_child(const adaptive *a, const database *db, const shape_child *c);
/* How many of the first items of a database are left to a lattice; 0 unless the shape is words or a
 * single strip. */
uint32_t shape_lattice_items(const adaptive *a, const database *db);

/* The expected number of frequent sets of the first n items of the child if items were independent:
 * an estimate that is usually too low. */
double shape_expected_sets(const adaptive *a, const child_items *c, uint32_t n);
/* Whether lattices below the child would be well filled. If they would, no other shape is faster
 * than words. */
bool shape_fills_lattices(const adaptive *a, const child_items *c);
/* Whether rows are faster than words for a child with this many expected sets. */
bool shape_rows_are_faster(const adaptive *a, const child_items *c, double sets);

#endif
