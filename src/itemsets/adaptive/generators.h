/* generators.h - tests which sets are generators: no proper subset has the same support
 *
 * Every subset of a generator is a generator, so the search never goes below a set that is not a
 * generator. A set is tested by comparing it with each of its subsets that have one item less:
 *
 *   subset                                           how the set is compared with the subset
 *   without the item added last, or the one before   the databases have its support: child_add()
 *   without another item                             the tree of generators found so far has it …
 *   … but if the subset is not in the tree yet       a witness in the data proves that the subset
 *                                                    has a higher support, or there is no witness
 *
 * The search takes the more frequent items first, so that a single thread finds all subsets in the
 * tree; several threads find most of them. The tree lacks a subset if it has stopped growing
 * because memory is short, or if another thread has not added the subset yet (no thread waits for
 * another). In both cases, witnesses in the data replace what the tree lacks.
 *
 *     node of {a}:  b 17, c 12, …       {a, b} and {a, c} are generators, with these supports
 *
 * Once other threads can see a node, only its links to nodes below change. Each prefix stores the
 * nodes of its own subsets with one item less, so that a look-up is a search in one node.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_GENERATORS_H
#define LODE_ITEMSETS_ADAPTIVE_GENERATORS_H

#include <pthread.h>

#include "itemsets/adaptive/child.h"
#include "itemsets/adaptive/occurrences.h"

/* ---- witnesses: transactions that prove that a subset has a higher support ------------------- */

/* The item x of a set has a witness if a transaction has all items of the set except x: then the
 * set without x has a higher support. Witnesses are searched in the occurrences of the root, one
 * line of columns after the other, and mostly found in one of the first lines. */

/* A search for a transaction that has n given items and lacks another given item. Items are given
 * by their numbers in the root. */
typedef struct witness_search {
    const adaptive *a;
    const occurrences *where;
    uint32_t *items;       /* the items that it must have, the rarest first */
    const uint64_t **rows; /* of these items; used only if the rarest (and so each) has a row */
    uint32_t n, lacks;     /* number of these items; the item that it must not have */
} witness_search;

/* Adds an item that witnesses must have. */
static inline void witness_add(witness_search *s, uint32_t item) {
    s->items[s->n] = item;
    if (item < s->where->n_rows) s->rows[s->n] = occurrences_row(s->where, item);
    s->n++;
}

/* ---- the test -------------------------------------------------------------------------------- */

/* Data shared by all workers. */
typedef struct generators_tree {
    const adaptive_root *of;
    arena arena;                  /* holds the nodes */
    size_t left;                  /* bytes that the arena may still allocate */
    pthread_mutex_t lock;         /* guards `arena`, `left`, and making `where` */
    bool open;                    /* generators_tree_open() was called */
    generators_node *root;        /* of the empty set */
    occurrences where;            /* where witnesses are searched; made when first needed */
    _Atomic bool has_occurrences; /* `where` is made */
} generators_tree;

/* The data of a worker. */
typedef struct generators {
    generators_tree *tree;
    generators_place place; /* of the current prefix */
    char *block;            /* memory for nodes, taken from the arena of the tree … */
    size_t block_left;      /* … with this many bytes left */
    uint32_t *items;        /* buffer of a witness_search */
    const uint64_t **rows;  /* likewise */
} generators;

/* `sure`: the occurrences will be needed, so they are made now. A single thread that searches
 * everything needs them only if the tree stops growing. */
LODE_NODISCARD lode_status generators_tree_open(generators_tree *t, const adaptive_root *root,
                                                const engine_task *task, bool sure);
void generators_tree_close(generators_tree *t);

/* Makes a->generators, in the arena of the worker. A prefix has at most n_frequent items. */
LODE_NODISCARD lode_status generators_open(adaptive *a, generators_tree *t, uint32_t n_frequent);

/* Moves to a child: keeps only those of its items that make a generator with it. */
LODE_NODISCARD lode_status generators_enter(adaptive *a, child_items *c);
/* Moves to the prefix of a branch that another worker has given. */
LODE_NODISCARD lode_status generators_jump(adaptive *a);

#endif
