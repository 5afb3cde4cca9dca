/* adaptive_root.h - from the data set to the database of the empty prefix
 *
 * Items that are not frequent are dropped, the others numbered from the most frequent, and those in
 * every transaction set aside. At most 64 items become words, with equal transactions merged; more
 * become lists.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSET_ADAPTIVE_ROOT_H
#define LODE_ITEMSET_ADAPTIVE_ROOT_H

#include "itemset/adaptive.h"

typedef struct adaptive_root {
    arena arena;            /* holds all that follows */
    uint32_t n_frequent;    /* with the perfect ones */
    const uint32_t *always; /* ids of the items in every transaction */
    uint32_t n_always;
    bool is_words;
    words_db words;
    sparse_db sparse;
} adaptive_root;

LODE_NODISCARD lode_status adaptive_root_make(adaptive_root *root, const engine_job *job);
void adaptive_root_clear(adaptive_root *root);

#endif
