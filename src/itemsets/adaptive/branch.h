/* branch.h - searches selected branches, and divides a search into branches
 *
 * A branch (engine.h) is a prefix and a range of ranks. Ranks count the frequent items from the
 * most frequent, so that those of the items left stay the same when the threshold rises:
 *
 *     rank    0  1        2  3  4  5 …
 *     item    in every    the items of the root: rank = n_always + number
 *             transaction
 *
 * Branches without a prefix are searched like the root, with the selected items; the others by
 * walk_branch(), which rebuilds the databases of their prefixes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_BRANCH_H
#define LODE_ITEMSETS_ADAPTIVE_BRANCH_H

#include "itemsets/adaptive/root.h"
#include "pipeline/engine/branches.h"

/* The branches with a prefix to be searched. */
typedef struct adaptive_branches {
    pthread_mutex_t lock;
    bool open;
    const engine_branch **list;
    size_t n;
    size_t next, here, end; /* not begun: those of the slice, up to `here`, and others */
    double work;            /* of all that are searched, including those without a prefix */
    double at_root;         /* … of those without a prefix */
} adaptive_branches;

/* Also marks in the root which of its items are selected. */
LODE_NODISCARD lode_status branch_open(adaptive_branches *b, adaptive_root *root,
                                       const engine_task *task);
void branch_close(adaptive_branches *b, adaptive_root *root, mem *m);

/* Begins a slice: the branches that can use its databases come next. */
void branch_begin(adaptive_branches *b, const adaptive_root *root);
/* Takes one, or one for another process; NULL = there is none. */
const engine_branch *branch_take(adaptive_branches *b);
const engine_branch *branch_take_last(adaptive_branches *b);

struct adaptive_plan;

/* Divides the search: `a` is at the empty prefix, and reports nothing. */
LODE_NODISCARD lode_status branch_divide(adaptive *a, const adaptive_root *root,
                                         const struct adaptive_plan *plan, branch_list *into);

#endif
