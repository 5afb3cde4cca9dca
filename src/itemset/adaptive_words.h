/* adaptive_words.h - transactions of at most 64 items, as words with weights
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSET_ADAPTIVE_WORDS_H
#define LODE_ITEMSET_ADAPTIVE_WORDS_H

#include "itemset/adaptive_arena.h"

/* Merges equal words, adding up their weights, and drops the empty one; in place. The lender has
 * room for a table. */
LODE_NODISCARD lode_status words_merge(arena *lender, uint64_t *words, uint32_t *weights,
                                       size_t *n);

#endif
