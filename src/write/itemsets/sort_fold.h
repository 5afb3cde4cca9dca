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
 * Files: fold_log.c keeps families, sort_fold.c walks, fold_alone.c multiplies one family out,
 * fold_words.c sorts the sets of a few.
 *
 * Only for keys that are masks of at most FOLD_WORDS words.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_SORT_FOLD_H
#define LODE_WRITE_ITEMSETS_SORT_FOLD_H

#include "write/itemsets/fold_run.h"

/* Puts out the sets of all families, for which there are piles. *in_order is false if there is no
 * memory for a walk: then it is one family after the other. Errors: NOMEM, CANCELLED, and what
 * `room` returns. After CANCELLED, the log knows what is left. */
LODE_NODISCARD lode_status fold_walk(fold_log *log, const fold_out *out, bool *in_order);
/* Puts out what a walk has left, in no order. Errors: NOMEM, BUDGET, CANCELLED, and what `room`
 * returns. */
LODE_NODISCARD lode_status fold_go_on(const fold_log *log, const fold_out *out);

#endif
