/* words.h - transactions of few items, as words with weights
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ADAPTIVE_WORDS_H
#define LODE_ADAPTIVE_WORDS_H

#include "adaptive/arena.h"

/* Merges words that are equal in the bits of `low`, adding up their weights, and drops those that
 * have none of these bits; in place. Other bits, and those `beside` (which may be NULL), are kept
 * where all of them had them. The lender has room for a table. */
LODE_NODISCARD lode_status words_merge(arena *lender, uint64_t low, uint64_t *words,
                                       uint64_t *beside, uint32_t *weights, size_t *n);

#endif
