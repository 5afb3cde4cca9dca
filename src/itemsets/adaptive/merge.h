/* merge.h - equal transactions of words become one, with the sum of their weights
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_MERGE_H
#define LODE_ITEMSETS_ADAPTIVE_MERGE_H

#include "itemsets/adaptive/shape.h"

/* Merges words that are equal in the bits of `low`, adding up their weights, and drops those that
 * have none of these bits; in place. Of the other bits, and of the earlier_words (which may be
 * NULL), those are kept that all of the merged words had. Takes scratch memory for a table. */
LODE_NODISCARD lode_status merge_words(arena *scratch, uint64_t low, word_buffer *c);

/* Merges what is alike for the target: closed sets need to know of the earlier items only which are
 * in all transactions, maximal sets and rules need their counts. The first `addable` bits may be
 * added. */
LODE_NODISCARD lode_status merge_for_target(adaptive *a, uint32_t addable, word_buffer *c);

#endif
