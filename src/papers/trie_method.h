/* trie_method.h - candidates from a trie, as tbi, gpapriori, eqclass and goethals take them
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_TRIE_METHOD_H
#define LODE_PAPERS_TRIE_METHOD_H

#include "papers/levelwise.h"
#include "papers/trie.h"

/* The state of such a method, or the start of it. */
typedef struct trie_method {
    trie trie;
    bool growing; /* the next level has been begun */
    vec_u32 candidate;
} trie_method;

LODE_NODISCARD lode_status trie_method_start(levelwise *w);
/* Joins the left sets [first, end) and prunes by subsets, into w->pairs. */
LODE_NODISCARD lode_status trie_method_generate(levelwise *w, uint32_t first, uint32_t end,
                                                size_t bound);
LODE_NODISCARD lode_status trie_method_keep(levelwise *w, backend_pair pair, size_t i);
LODE_NODISCARD lode_status trie_method_advance(levelwise *w);
void trie_method_items(const levelwise *w, uint32_t set, uint32_t *out);
void trie_method_stop(levelwise *w);

#endif
