/* share.h - branches that change hands
 *
 * What:  a branch of the search as a record of its own: prefix, perfect extensions and a copy of
 *        the conditional database. Whoever takes it needs nothing of the worker that gave it.
 * When:  only while another worker has nothing to do; otherwise asking costs one relaxed load.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_SHARE_H
#define LODE_ITEMSETS_ADAPTIVE_SHARE_H

#include "itemsets/adaptive/shape.h"

typedef struct share_record share_record;

/* Whether another worker has nothing to do. */
static inline bool share_is_wanted(const adaptive *a) {
    return a->tasks && tasks_is_hungry(a->tasks);
}

/* Gives the branch below the present prefix away. False: keep it (nobody takes it any more, or
 * there is no memory for a copy). */
bool share_give(adaptive *a, const database *db);

/* Makes the worker's place that of a branch, and returns the database to search there; it lives as
 * long as the record. */
const database *share_take(adaptive *a, const share_record *record);
void share_free(mem *m, share_record *record);

#endif
