/* sort_keys.h - patterns as rows of words that sort like the patterns
 *
 * Sorted output is ordered by size, then by items. For patterns of one size, a row is
 *
 *     key | zeros | support        the first word is the most significant
 *
 * and rows compare as numbers. Items that can occur have ranks, in print order (dict.h). A key is a
 * mask or packed, whichever is shorter for its size; but if masks are short, all keys are masks:
 *
 *     mask      a bit for every rank, 0 if the set has the item     1 3 of 0..4    1 0 1 0 1
 *     packed    the ranks, concatenated                                            001 011
 *
 * Take two sets of one size, and the smallest item that is in only one of them. The set with this
 * item comes first, so the first bit that differs must be 0 in its mask. Dense data have masks: the
 * 40 items of chess at 40% and its supports fit into one word. Sparse data have packed keys.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_SORT_KEYS_H
#define LODE_WRITE_ITEMSETS_SORT_KEYS_H

#include "base/bits.h"
#include "data/transactions/dataset.h"

#define SORT_NO_RANK UINT32_MAX
/* Masks of at most this many words are used for every size, even if packing takes a word less,
 * because masks are made and read much faster. */
#define KEYS_ALWAYS_MASK 2

typedef struct sort_keys {
    mem *mem;
    /* Patterns have supports from `least` to `most`, and their items at least `least`. */
    uint64_t least, most;
    uint32_t item_bound;
    uint32_t n_ranks;
    uint32_t *ranks; /* rank of each item; SORT_NO_RANK = the item cannot occur */
    uint32_t *items; /* item of each rank */
    unsigned rank_bits, support_bits;
    unsigned mask_words;
    uint64_t *mask; /* the mask of the empty set, with a bit for every rank */
} sort_keys;

/* Ranks the items of a data set with at least this support. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status keys_init(sort_keys *k, mem *m, const lode_dataset *data, uint64_t least,
                                     uint64_t most);
void keys_free(sort_keys *k);

static inline unsigned keys_packed_words(const sort_keys *k, uint32_t size) {
    return (unsigned)(((uint64_t)size * k->rank_bits + k->support_bits + 63) / 64);
}

static inline bool keys_is_mask(const sort_keys *k, uint32_t size) {
    return k->mask_words <= KEYS_ALWAYS_MASK || k->mask_words <= keys_packed_words(k, size);
}

/* Returns the number of words per row of a size. */
static inline unsigned keys_words(const sort_keys *k, uint32_t size) {
    return keys_is_mask(k, size) ? k->mask_words : keys_packed_words(k, size);
}

/* Writes the row of a set, given by its ascending ranks. */
void keys_put(const sort_keys *k, const uint32_t *ranks, uint32_t size, uint64_t support,
              uint64_t *row);

/* Reads the items of a row. `before`, if not NULL, is another row of the same size. The items at
 * the beginning that both rows have in common are not written; returns the number of these
 * items. */
uint32_t keys_items_of_any(const sort_keys *k, uint32_t size, const uint64_t *row,
                           const uint64_t *before, uint32_t *items);

/* Writes the items of one word of a mask, and returns their end. */
static inline uint32_t *keys_word_items(const sort_keys *k, unsigned word, uint64_t there,
                                        uint32_t *items) {
    const uint32_t *names = k->items + (size_t)64 * word;
    while (there) {
        unsigned bit = (unsigned)__builtin_clzll(there);
        *items++ = names[bit];
        there ^= (uint64_t)1 << (63 - bit);
    }
    return items;
}

/* Does the same as keys_items_of_any(). Inline for masks of one word, because a call would take
 * nearly as long as writing the line. */
static inline uint32_t keys_items(const sort_keys *k, uint32_t size, const uint64_t *row,
                                  const uint64_t *before, uint32_t *items) {
    if (k->mask_words > 1) return keys_items_of_any(k, size, row, before, items);
    uint64_t there = ~*row & *k->mask, changed = before ? *row ^ *before : UINT64_MAX;
    if (changed == 0) return size;
    uint64_t rest = there & UINT64_MAX >> __builtin_clzll(changed);
    uint32_t same = (uint32_t)bits_count(there ^ rest);
    keys_word_items(k, 0, rest, items + same);
    return same;
}

/* Returns the support of a row with this many words. */
static inline uint64_t keys_support(const sort_keys *k, unsigned words, const uint64_t *row) {
    uint64_t last = row[words - 1];
    return k->support_bits < 64 ? last & (((uint64_t)1 << k->support_bits) - 1) : last;
}

#endif
