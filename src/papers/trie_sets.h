/* trie_sets.h - the frequent sets of a level as a trie: tbi, gpapriori, eqclass and goethals
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_TRIE_SETS_H
#define LODE_PAPERS_TRIE_SETS_H

#include "papers/levelwise.h"
#include "papers/trie.h"

/* levelwise.sets of these methods. */
typedef struct trie_sets {
    trie trie;
    bool growing; /* the next level has been begun */
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
