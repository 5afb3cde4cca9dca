/* sort_fold.h - families of patterns that stay folded until they are unfolded in order
 *
 * Dense data have few families of many patterns: the 6.4 million itemsets of chess at 40% are 4,000
 * families, half of the 3.8 million of mushroom at 5% are 427 cubes of 2^12. So what is sorted are
 * the families, by a walk over the items in print order. Below a node of the walk are the sets that
 * begin with the items chosen so far, and the families that have such sets:
 *
 *     item 1 in     families that have 1       item 2 in …   item 2 out …
 *     item 1 out    families that can do without it …
 *
 * "In" comes first, so that the sets of one size appear in their order, whatever family they come
 * from; see sort_keys.h. A family that is alone below a node is multiplied out in a loop. All in
 * all, the walk visits a family about as often as it has sets, and most often far less.
 *
 * Only for keys that are masks of at most FOLD_WORDS words.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSINK_SORT_FOLD_H
#define LODE_ITEMSINK_SORT_FOLD_H

#include "base/sort.h"
#include "itemsink/item_sink.h"
#include "itemsink/sort_keys.h"

#define FOLD_WORDS KEYS_ALWAYS_MASK
#define FOLD_FIXED UINT32_MAX

/* An item of a family, and the bit that it sets in the index into the supports: 0 for a perfect
 * extension, FOLD_FIXED for an item that every set has. */
typedef struct fold_item {
    uint32_t rank, bit;
} fold_item;

/* Families; all zero is none. */
typedef struct fold_log {
    vec_u32 words; /* of each: fold_head, its items by rank, its supports */
    size_t n;
    uint32_t longest; /* the most items of one */
} fold_log;

/* Where the sets go: the pile of rows of their size. */
typedef struct fold_out {
    const sort_keys *keys;
    vec_u64 *piles;
    /* Makes room in the pile of a size; the piles may be empty afterwards. */
    lode_status (*room)(void *user, uint32_t size);
    void *user;
    const sort_stop *stop; /* asked now and then: ends the walk, with LODE_CANCELLED */
} fold_out;

/* Whether a family has enough sets to be kept as one, and not too many gaps. */
bool fold_is_worth(const sink_lattice *family);
/* Adds one of so many items, sorted by rank. Errors: NOMEM, BUDGET, and then nothing is added. */
LODE_NODISCARD lode_status fold_add(fold_log *log, mem *m, const sink_lattice *family,
                                    const fold_item *items, size_t n);
/* Puts out the sets of all families, for which there are piles. *in_order is false if there is no
 * memory for a walk: then it is one family after the other. Errors: NOMEM, CANCELLED, and what
 * `room` returns. */
LODE_NODISCARD lode_status fold_walk(const fold_log *log, const fold_out *out, bool *in_order);
void fold_free(fold_log *log, mem *m);

#endif
