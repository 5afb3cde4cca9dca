/* walk.h - the search below an item of the root, or below a branch that was handed over
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_WALK_H
#define LODE_ITEMSETS_ADAPTIVE_WALK_H

#include "itemsets/adaptive/shape.h"

/* Searches everything below the present prefix, whose conditional database this is. */
LODE_NODISCARD lode_status walk_search(adaptive *a, const database *db);
/* Searches what is below one item of the database of the empty prefix. `reports`: also reports the
 * item alone, which else was done before. */
LODE_NODISCARD lode_status walk_root(adaptive *a, const database *db, uint32_t item, bool reports);
/* Counts what is below one item of the root as if it were searched, and says what work is expected
 * there; the worker is at the empty prefix, and stays there. */
LODE_NODISCARD lode_status walk_probe(adaptive *a, const database *db, uint32_t item, double *work);

/* Searches a branch that has a prefix; the worker is at the empty prefix, and returns there. */
LODE_NODISCARD lode_status walk_branch(adaptive *a, const database *root, const engine_branch *b);

/* What there is below the prefix of a branch: items that may be added, and the work expected below
 * each. */
typedef struct walk_found {
    item_list items;
    double *weights;
    lode_status (*add)(struct walk_found *found); /* called with these, which are lent */
    void *user;
} walk_found;

/* Goes to the prefix of a branch as if it were searched, and says what is below it. */
LODE_NODISCARD lode_status walk_survey(adaptive *a, const database *root, const engine_branch *b,
                                       walk_found *found);

/* ---- branches that change hands -------------------------------------------------------------- */

/* What:  a branch of the search as a record of its own: prefix, perfect extensions and a copy of
 *        the conditional database. Whoever takes it needs nothing of the worker that gave it.
 * When:  only while another worker has nothing to do; otherwise asking costs one relaxed load. */

typedef struct share_record share_record;

/* Whether another worker has nothing to do. */
static inline bool share_is_wanted(const adaptive *a) {
    return a->sharing.tasks && tasks_is_hungry(a->sharing.tasks);
}

/* Gives the branch below the present prefix away. False: keep it (nobody takes it any more, or
 * there is no memory for a copy). */
bool share_give(adaptive *a, const database *db);

/* Makes the worker's place that of a branch, and returns the database to search there; it lives as
 * long as the record. */
const database *share_take(adaptive *a, const share_record *record);
void share_free(mem *m, share_record *record);

#endif
