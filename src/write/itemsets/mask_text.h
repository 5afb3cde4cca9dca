/* mask_text.h - the text of the last items of a set, looked up by their bits of its mask
 *
 * In a sorted result, neighbours differ in their last items. The last sixteen ranks are cut into
 * two groups of eight, and all subsets of each group are put into words once:
 *
 *     mask   0 1 1 … 1 0 | 1 0 1 1 1 1 0 1 | 0 1 1 1 1 1 1 0 | support       0: the item is there
 *            beginning     middle "40 52 "   end "58 66 "
 *
 * A line is then three copies and a tail, and which pieces it takes needs no branch. Its beginning
 * is the same for dozens of lines of dense data.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_MASK_TEXT_H
#define LODE_WRITE_ITEMSETS_MASK_TEXT_H

#include "write/itemsets/item_lines.h"
#include "write/itemsets/sort_keys.h"

#define MASK_GROUP   8
#define MASK_SUBSETS (1 << MASK_GROUP)
#define MASK_GROUPS  2
#define MASK_WORDS   KEYS_ALWAYS_MASK
#define MASK_LABEL   24 /* the longest label for which the texts of a group stay in the cache */

typedef struct mask_text {
    size_t stride;  /* bytes from one text to the next; 0: not made yet */
    vec_char texts; /* of all subsets of the middle, then of the end */
    uint32_t bytes[MASK_GROUPS][MASK_SUBSETS];
    unsigned word, up;          /* where the last rank is: a word, and its place in there */
    uint64_t first[MASK_WORDS]; /* bits of the ranks of the beginning */
} mask_text;

/* Whether there are masks that are long enough for two groups, and short labels. */
bool mask_text_suits(const sort_keys *keys, const lines *l);
/* Makes the texts. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status mask_text_make(mask_text *t, const sort_keys *keys, const lines *l);
void mask_text_free(mask_text *t, mem *m);

/* The bits of the last ranks of a row, 1 if the item is there. */
static inline uint32_t mask_text_bits(const mask_text *t, const uint64_t *row) {
    uint64_t bits = row[t->word] >> t->up;
    if (t->word > 0 && t->up > 0) bits |= row[t->word - 1] << (64 - t->up);
    return (uint32_t)~bits & (MASK_SUBSETS * MASK_SUBSETS - 1);
}

/* Writes the text of one group, and up to LABEL_PAD - 1 bytes more. */
static inline char *mask_text_copy(const mask_text *t, char *to, unsigned group, uint32_t subset) {
    const char *from = t->texts.data + (group * MASK_SUBSETS + subset) * t->stride;
    return label_copy_text(to, from, t->bytes[group][subset]);
}

#endif
