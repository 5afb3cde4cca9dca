/* walk.h - the search below an item of the root, or below a branch from another worker
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_WALK_H
#define LODE_ITEMSETS_ADAPTIVE_WALK_H

#include "itemsets/adaptive/shape.h"

/* Searches everything below the current prefix, whose conditional database is `db`. */
LODE_NODISCARD lode_status walk_search(adaptive *a, const database *db);
/* Searches below one item of the root `db`. `reports`: also reports the item by itself; if false,
 * the item was reported before. */
LODE_NODISCARD lode_status walk_root(adaptive *a, const database *db, uint32_t item, bool reports);
/* Counts the items below one item of the root, as a search does first, and sets *work to the work
 * expected below that item. The worker must be at the empty prefix, and stays there. */
LODE_NODISCARD lode_status walk_probe(adaptive *a, const database *db, uint32_t item, double *work);

/* Searches a branch that has a prefix. The worker must be at the empty prefix, and returns
 * there. */
LODE_NODISCARD lode_status walk_branch(adaptive *a, const database *root, const engine_branch *b);

/* What is below the prefix of a branch: items that may be added, and the work expected below each.
 */
typedef struct walk_found {
    item_list items;
    double *weights;
    /* Called once `items` and `weights` are filled in; both are valid only during the call. */
    lode_status (*add)(struct walk_found *found);
    void *user;
} walk_found;

/* Moves to the prefix of a branch as the search would, calls found->add() with what is below it,
 * and returns to the empty prefix. */
LODE_NODISCARD lode_status walk_survey(adaptive *a, const database *root, const engine_branch *b,
                                       walk_found *found);

/* ---- branches given to other workers --------------------------------------------------------- */

/* What:  a branch of the search as a self-contained record: prefix, perfect extensions and a copy
 *        of the conditional database. The worker that takes the record needs no data of the worker
 *        that gave it.
 * When:  only while another worker is idle; otherwise checking costs one relaxed load. */

typedef struct share_record share_record;

/* Whether another worker is idle. */
static inline bool share_is_wanted(const adaptive *a) {
    return a->sharing.tasks && tasks_is_hungry(a->sharing.tasks);
}

/* Gives the branch below the current prefix, whose database is `db`, to another worker. Returns
 * false if the caller must search the branch itself, because no worker takes branches any more or
 * there is no memory for a copy. */
bool share_give(adaptive *a, const database *db);

/* Moves the worker to the prefix of a branch, and returns the database to search there, which is
 * valid as long as the record. */
const database *share_take(adaptive *a, const share_record *record);
void share_free(mem *m, share_record *record);

#endif
