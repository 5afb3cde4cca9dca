/* generators.h - tells which sets are generators: no proper subset has the same support
 *
 * Every subset of a generator is one, so the search never goes below a set that is not. Whether a
 * set is one is seen from its subsets of one item less:
 *
 *   without the item added last, or the one before   the databases have the supports: child_add()
 *   without another item                             the tree of the generators found so far …
 *   … if that subset is not in the tree yet          a witness, or none, in the data: generators.h
 *
 * The search takes the more frequent items first, so that one thread finds all subsets in the tree;
 * several threads find most of them. The tree may stop growing where memory is short, and nobody
 * waits for anybody: the data tell what the tree does not.
 *
 *     node of {a}:  b 17, c 12, …       a b and a c are generators, with these supports
 *
 * Nodes do not change any more when others can see them, but for their links to nodes below. Each
 * prefix keeps the nodes of its own subsets of one item less, so that a look-up is a search in one
 * node.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_GENERATORS_H
#define LODE_ITEMSETS_ADAPTIVE_GENERATORS_H

#include <pthread.h>

#include "itemsets/adaptive/child.h"
#include "itemsets/adaptive/occurrences.h"

/* ---- looks for a transaction that shows that a subset has more support ----------------------- */

/* The item x of a set has a witness if a transaction holds all of the set but x: then the set
 * without x has more support. Witnesses are looked for in the occurrences of the root, a line of
 * columns after the other, and mostly found in one of the first. */

/* What to look for: transactions that hold n items, the rarest of them first, and lack one. */
typedef struct witness_search {
    const adaptive *a;
    const occurrences *where;
    uint32_t *items;       /* by their numbers in the root */
    const uint64_t **rows; /* of these; if the first one has one, then all have */
    uint32_t n, lacks;
} witness_search;

/* Adds an item that witnesses must hold. */
static inline void witness_add(witness_search *s, uint32_t item) {
    s->items[s->n] = item;
    if (item < s->where->n_rows) s->rows[s->n] = occurrences_row(s->where, item);
    s->n++;
}

bool witness_exists(const witness_search *s);

/* ---- tells which sets are generators: no proper subset has the same support ------------------ */

/* What all workers share. */
typedef struct generators_tree {
    const adaptive_root *of;
    arena arena; /* holds the nodes */
    size_t left; /* bytes that it may still take */
    pthread_mutex_t lock;
    bool open;
    generators_node *root;
    occurrences where;
    _Atomic bool has_occurrences;
} generators_tree;

/* A worker's. */
typedef struct generators {
    generators_tree *tree;
    generators_place place; /* of the present prefix */
    char *block;            /* room for nodes: … */
    size_t block_left;      /* … this many bytes */
    uint32_t *items;        /* room for a witness_search */
    const uint64_t **rows;  /* likewise */
} generators;

/* `sure`: the data will be asked. A single thread that searches everything needs them only if the
 * tree stops growing. */
LODE_NODISCARD lode_status generators_tree_open(generators_tree *t, const adaptive_root *root,
                                                const engine_task *task, bool sure);
void generators_tree_close(generators_tree *t);

LODE_NODISCARD lode_status generators_open(adaptive *a, generators_tree *t, uint32_t n_frequent);

/* Goes to a child: keeps of its items those that make a generator with it. */
LODE_NODISCARD lode_status generators_enter(adaptive *a, child_items *c);
/* Goes to a prefix that another worker has found. */
LODE_NODISCARD lode_status generators_jump(adaptive *a);

#endif
