/* merge.h - merges equal transactions of words, adding their weights
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_MERGE_H
#define LODE_ITEMSETS_ADAPTIVE_MERGE_H

#include "itemsets/adaptive/shape.h"

/* Merges words that are equal in the bits of `low`, adding their weights, and drops those that have
 * none of these bits; in place. Of the other bits, and of earlier_words (which may be NULL), those
 * are kept that all of the merged words had. Uses scratch memory for a table. */
LODE_NODISCARD lode_status merge_words(arena *scratch, uint64_t low, word_buffer *c);

/* Merges what is equivalent for the target: for closed sets only earlier items in all transactions
 * matter, for maximal sets and rules their counts. The first `addable` bits may be added. */
LODE_NODISCARD lode_status merge_for_target(adaptive *a, uint32_t addable, word_buffer *c);

#endif
