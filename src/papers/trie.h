/* trie.h - the frequent itemsets of a level-wise search, one tree for all levels
 *
 *     level 1     A        B      C   D          items, sorted among siblings
 *                / \       |\     |
 *     level 2   B   C      C D    D              node 0 1 2 3 4: in lexicographic order
 *               |          |
 *     level 3   C          D
 *
 * What:  per level the items of its nodes, their parents, and the start of their children in the
 *        next level. Nodes of a level are appended in lexicographic order, so siblings are adjacent
 *        and binary search finds a child.
 * Load:  10^2 .. 10^7 nodes, 12 bytes each; appended once, traversed often.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_TRIE_H
#define LODE_PAPERS_TRIE_H

#include "base/vec.h"
#include "papers/levelwise.h"

typedef struct trie_level {
    vec_u32 items, parents;
    vec_u32 first; /* first child of each node, and the end; empty while there is no next level */
} trie_level;

typedef struct trie {
    mem *mem;
    trie_level *levels; /* levels[d] holds the itemsets of d + 1 items */
    uint32_t depth, cap;
} trie;

/* Level 1 with items 0 … n - 1. */
LODE_NODISCARD lode_status trie_init(trie *t, mem *m, uint32_t n);
void trie_clear(trie *t);

/* Starts the next level, appends its nodes in order of parent and item, and ends it. */
LODE_NODISCARD lode_status trie_begin_level(trie *t);
LODE_NODISCARD lode_status trie_append(trie *t, uint32_t parent, uint32_t item);
LODE_NODISCARD lode_status trie_end_level(trie *t);

/* Nodes of level k (itemsets of k items). */
static inline const trie_level *trie_at(const trie *t, uint32_t k) {
    return &t->levels[k - 1];
}

/* The items of a node of level k, k of them. */
void trie_path(const trie *t, uint32_t k, uint32_t node, uint32_t *items);

/* Whether all subsets of k - 1 items of this sorted candidate are in the trie. Skips the two that
 * it was joined from, which lack one of its last two items. */
bool trie_has_subsets(const trie *t, const uint32_t *items, uint32_t k);

/* Checks order and links; for tests. On false, *reason says what is broken. */
bool trie_validate(const trie *t, const char **reason);

/* ---- the frequent sets of a level as a trie: tbi, gpapriori, eqclass and goethals ------------ */

/* levelwise.sets of these methods. */
typedef struct trie_sets {
    trie trie;
    bool growing; /* the next level has begun */
    vec_u32 candidate;
} trie_sets;

extern const levelwise_sets levelwise_trie;

static inline const trie *trie_of(const levelwise *w) {
    const trie_sets *s = w->sets;
    return &s->trie;
}

/* Joins the left sets [first, end) and prunes by subsets, into w->pairs. */
LODE_NODISCARD lode_status trie_sets_join(levelwise *w, uint32_t first, uint32_t end, size_t bound);

#endif
