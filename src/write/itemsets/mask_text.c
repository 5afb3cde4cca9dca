/* mask_text.c - see mask_text.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/mask_text.h"

bool mask_text_suits(const sort_keys *keys, const lines *l) {
    return keys->mask_words <= MASK_WORDS && keys->n_ranks >= MASK_GROUPS * MASK_GROUP &&
           l->labels.longest <= MASK_LABEL;
}

void mask_text_free(mask_text *t, mem *m) {
    vec_char_free(m, &t->texts);
    t->stride = 0;
}

/* Makes the texts of all subsets of a group, whose items follow each other in the list of all. */
static void mask_text_group(mask_text *t, const lines *l, const uint32_t *items, unsigned group) {
    for (uint32_t s = 0; s < MASK_SUBSETS; s++) {
        char *from = t->texts.data + (group * MASK_SUBSETS + s) * t->stride, *to = from;
        for (unsigned i = 0; i < MASK_GROUP; i++) {
            bool there = s >> (MASK_GROUP - 1 - i) & 1;
            if (there) to = label_copy(&l->labels, to, items[i]);
        }
        t->bytes[group][s] = (uint32_t)(to - from);
    }
}

lode_status mask_text_make(mask_text *t, const sort_keys *keys, const lines *l) {
    size_t longest = MASK_GROUP * (size_t)l->labels.longest + LABEL_PAD;
    size_t stride = (longest + LABEL_PAD - 1) / LABEL_PAD * LABEL_PAD;
    uint32_t n_first = keys->n_ranks - MASK_GROUPS * MASK_GROUP;
    if (t->stride > 0) return LODE_OK;
    lode_status status =
        vec_char_reserve(l->labels.mem, &t->texts, MASK_GROUPS * MASK_SUBSETS * stride + LABEL_PAD);
    if (status != LODE_OK) return status;
    t->stride = stride;
    t->word = (keys->n_ranks - 1) / 64;
    t->up = 63 - (keys->n_ranks - 1) % 64;
    for (unsigned i = 0; i < MASK_WORDS; i++) t->first[i] = 0;
    for (uint32_t i = 0; i < n_first; i++) t->first[i / 64] |= (uint64_t)1 << (63 - i % 64);
    for (unsigned i = 0; i < MASK_GROUPS; i++) {
        mask_text_group(t, l, keys->items + n_first + (size_t)i * MASK_GROUP, i);
    }
    return LODE_OK;
}
