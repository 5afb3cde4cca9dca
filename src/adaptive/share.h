/* share.h - subtrees that change hands
 *
 * What:  a branch of the search as a record of its own: prefix, perfect extensions and a copy of
 *        the conditional database. Whoever takes it needs nothing of the worker that gave it.
 * When:  only while another worker has nothing to do; otherwise asking costs one relaxed load.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ADAPTIVE_SHARE_H
#define LODE_ADAPTIVE_SHARE_H

#include "adaptive/adaptive.h"

typedef struct share_record share_record;

/* Whether a database of so many items and words is worth giving away now. */
static inline bool share_is_wanted(const adaptive *a) {
    return a->tasks && tasks_is_hungry(a->tasks);
}

/* Gives the branch below the present prefix away. False: keep it (nobody takes it any more, or
 * there is no memory for a copy). */
bool share_words(adaptive *a, const words_db *db);
bool share_rows(adaptive *a, const rows_db *db);

/* Searches a branch and frees the record. */
LODE_NODISCARD lode_status share_search(adaptive *a, share_record *record);
void share_free(mem *m, share_record *record);

#endif
