/* branch.h - searches selected branches, and divides a search into branches
 *
 * A branch (engine.h) is a prefix and a range of ranks. Ranks number the frequent items from the
 * most frequent on, so that items keep their ranks when the threshold rises and rarer items drop
 * out:
 *
 *     rank    0  1        2  3  4  5 …
 *     item    in every    the items of the root: rank = n_always + number
 *             transaction
 *
 * Branches without a prefix are searched like the root, with the selected items. Branches with a
 * prefix are searched by walk_branch(), which rebuilds the databases of their prefixes.
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
    const engine_branch **list; /* the branches belong to the task */
    size_t n;                   /* all branches of the task, also those without a prefix */
    size_t next, here, end; /* not begun: [next, here) of the slice, [here, end) of other slices */
    double work;            /* of all branches of the task */
    double at_root;         /* of the branches of the task without a prefix */
} adaptive_branches;

/* Lists the branches of the task that have a prefix, and marks the items of the others in
 * root->wanted. If the task selects no branches, the list stays empty and root->wanted NULL. */
LODE_NODISCARD lode_status branch_open(adaptive_branches *b, adaptive_root *root,
                                       const engine_task *task);
void branch_close(adaptive_branches *b, adaptive_root *root, mem *m);

/* Begins a slice: the branches that can be searched with the database of the slice come next. */
void branch_begin(adaptive_branches *b, const adaptive_root *root);
/* Takes the next branch of the slice for this process; NULL = none is left. */
const engine_branch *branch_take(adaptive_branches *b);
/* Takes the last branch of the slice, to be given to another process; NULL = none is left. */
const engine_branch *branch_take_last(adaptive_branches *b);

struct adaptive_plan;

/* Divides the search into branches, and adds them to `into`. `a` must be at the empty prefix, and
 * must have been opened to report nothing. */
LODE_NODISCARD lode_status branch_divide(adaptive *a, const adaptive_root *root,
                                         const struct adaptive_plan *plan, branch_list *into);

#endif
