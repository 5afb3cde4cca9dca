/* merge.h - merges equal transactions of words, adding their weights
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_MERGE_H
#define LODE_ITEMSETS_ADAPTIVE_MERGE_H

#include "itemsets/adaptive/shape.h"

/* Merges, in place, words that are equal in the bits of `low`, adding their weights, and drops
 * words that have none of these bits. Of the other bits, and of the bits of earlier_words (which
 * may be NULL), a merged word keeps those that were set in all the words merged into it. Uses
 * `scratch` for a table. */
LODE_NODISCARD lode_status merge_words(arena *scratch, uint64_t low, word_buffer *c);

/* Merges words that are equivalent for the target. The first `addable` bits are items that may be
 * added. Words that differ only in earlier items are merged, except for maximal sets and rules,
 * which need the counts of these items. */
LODE_NODISCARD lode_status merge_for_target(adaptive *a, uint32_t addable, word_buffer *c);

#endif
