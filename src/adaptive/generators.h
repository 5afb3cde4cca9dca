/* generators.h - tells which sets are generators: no proper subset has the same support
 *
 * Every subset of a generator is one, so the search never goes below a set that is not. Whether a
 * set is one is seen from its subsets of one item less. The search takes the more frequent items
 * first, so all these have been looked at before. Generators are kept in a tree:
 *
 *     node of {a}:  b 17, c 12, …       a b and a c are generators, with these supports
 *
 * Each prefix keeps the nodes of its own subsets of one item less, so that a look-up is a binary
 * search in one node.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ADAPTIVE_GENERATORS_H
#define LODE_ADAPTIVE_GENERATORS_H

#include "adaptive/child.h"

typedef struct generators {
    arena arena;            /* holds the tree */
    generators_place place; /* of the present prefix */
} generators;

LODE_NODISCARD lode_status generators_open(generators *g, mem *m, const item_list *root);
void generators_close(generators *g);

/* Goes to a child: keeps of its items those that make a generator with it. */
LODE_NODISCARD lode_status generators_enter(adaptive *a, child_items *c);

#endif
