/* rowwise_give.h - branches that change hands
 *
 * What:  a node that has been reported, as a record of its own: rows, and a copy of its columns.
 * When:  only while another thread has nothing to do; otherwise asking costs one relaxed load.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ROWS_ROWWISE_GIVE_H
#define LODE_ITEMSETS_ROWS_ROWWISE_GIVE_H

#include "itemsets/rows/rowwise_tuning.h"
#include "itemsets/rows/rowwise_walk.h"

typedef struct rowwise_record rowwise_record;

/* Whether another thread should get the branch of a node. */
static inline bool rowwise_is_wanted(const rowwise_walker *w, const rowwise_node *node) {
    return w->tasks && node->list.n >= ROWWISE_GIVE_COLUMNS && tasks_is_hungry(w->tasks);
}

/* Gives the branch away, with its span. False: keep it (nobody takes it any more, or there is no
 * memory for a copy). */
bool rowwise_give(rowwise_walker *w, const rowwise_level *level);
/* Makes the record the first level of the walker; the record must outlive the search of it. */
void rowwise_take(rowwise_walker *w, rowwise_record *record);
void rowwise_record_free(mem *m, rowwise_record *record);

#endif
