/* cross_give.h - branches that change hands
 *
 * What:  a node that has been reported, as a record of its own: rows, and a copy of its columns.
 * When:  only while another thread has nothing to do; otherwise asking costs one relaxed load.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ROWS_CROSS_GIVE_H
#define LODE_ITEMSETS_ROWS_CROSS_GIVE_H

#include "itemsets/rows/cross_tuning.h"
#include "itemsets/rows/cross_walk.h"

typedef struct cross_record cross_record;

/* Whether another thread should get the branch of a node. */
static inline bool cross_is_wanted(const cross_walker *w, const cross_node *node) {
    return w->tasks && node->list.n >= CROSS_GIVE_COLUMNS && tasks_is_hungry(w->tasks);
}

/* Gives the branch away, with its span. False: keep it (nobody takes it any more, or there is no
 * memory for a copy). */
bool cross_give(cross_walker *w, const cross_level *level);
/* Makes the record the first level of the walker; the record must outlive the search of it. */
void cross_take(cross_walker *w, cross_record *record);
void cross_record_free(mem *m, cross_record *record);

#endif
