/* cross_choose.c - see cross_choose.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/rows/cross_choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/transactions/rank.h"
#include "itemsets/rows/cross_dive.h"
#include "itemsets/rows/cross_tuning.h"

/* ---- by shape -------------------------------------------------------------------------------- */

/* Whether the search can do the job at all. */
static bool choose_can(const engine_task *task) {
    lode_target target = task->options->target;
    bool closed = target == LODE_TARGET_CLOSED || target == LODE_TARGET_MAXIMAL;
    return closed && !task->rules && !task->sample && !engine_wants_range(&task->request) &&
           !task->request.divided;
}

cross_choice cross_choose_by_shape(const engine_task *task) {
    const char *forced = getenv("LODE_CROSSWISE");
    if (!choose_can(task) || (forced && strcmp(forced, "never") == 0)) return CROSS_NEVER;
    uint32_t rows = cross_count_rows(task->data);
    if (rows == 0 || rows > CROSS_ROWS) return CROSS_NEVER;
    uint32_t items = rank_count(task->data, task->data->item_supports, task->min_count);
    if (items == 0) return CROSS_NEVER;
    /* The table takes less than another walker, and so does what dives need. */
    if (3 * cross_walker_need(rows, items) > mem_left(&task->job->mem)) return CROSS_NEVER;
    if (forced && strcmp(forced, "always") == 0) return CROSS_ALWAYS;
    return items >= CROSS_ITEMS_PER_ROW * (uint64_t)rows ? CROSS_PERHAPS : CROSS_NEVER;
}

/* ---- by probing ------------------------------------------------------------------------------ */

/* What a search takes, in nanoseconds. */
static double choose_rows_ns(const cross_work *work, unsigned words) {
    bool one = words == 1;
    return work->nodes * CROSS_NODE_NS + work->tries * (one ? CROSS_TRY_NS : CROSS_TRY_WORDS_NS) +
           work->words * CROSS_WORD_NS;
}

static double choose_items_ns(const cross_work *work, bool dense) {
    return work->nodes * CROSS_SET_NS + work->tries * CROSS_CHILD_NS +
           work->words * (dense ? CROSS_DENSE_NS : CROSS_SPARSE_NS);
}

/* More and more dives of both kinds, until it is clear or has taken its share. */
lode_status cross_choose_by_probing(engine_task *task, const cross_table *table, bool *pays) {
    lode_status status = LODE_OK;
    cross_diver d = {0};
    cross_work rows = {0}, items = {0};
    bool enough = false;
    LODE_TRY(cross_diver_open(&d, task, table));
    for (unsigned n = 0, until = CROSS_DIVES_LEAST; !enough; until *= 2) {
        for (; n < until; n++) {
            LODE_TRY(cross_dive_rows(&d, &rows));
            LODE_TRY(cross_dive_items(&d, &items));
        }
        double by_rows = choose_rows_ns(&rows, table->rows.words) / n;
        double by_items = choose_items_ns(&items, d.dense) / n;
        double less = by_rows < by_items ? by_rows : by_items, more = by_rows + by_items - less;
        *pays = by_rows < by_items;
        enough = n >= CROSS_DIVES_MOST || more > less * (1 + CROSS_CLEAR / sqrt(n)) ||
                 d.looked * CROSS_WORD_NS > less * CROSS_DIVES_SHARE * (less / more);
    }
done:
    cross_diver_close(&d, &task->job->mem);
    return status;
}
