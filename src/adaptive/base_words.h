/* base_words.h - the words of the empty prefix; see base.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ADAPTIVE_BASE_WORDS_H
#define LODE_ADAPTIVE_BASE_WORDS_H

#include "adaptive/base.h"

/* Makes the words of all items. */
LODE_NODISCARD lode_status adaptive_base_words(adaptive_base *base, const engine_task *task);

/* Copies words with only the first n of their items, and merges those that are equal then. */
LODE_NODISCARD lode_status adaptive_narrow_words(arena *to, uint32_t n, words_db *words);

#endif
