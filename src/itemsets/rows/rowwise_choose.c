/* rowwise_choose.c - see rowwise_choose.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/rows/rowwise_choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/transactions/rank.h"
#include "itemsets/rows/rowwise_probe.h"
#include "itemsets/rows/rowwise_tuning.h"

/* ---- by shape -------------------------------------------------------------------------------- */

/* Whether the search can do the job at all. */
static bool choose_can(const engine_task *task) {
    lode_target target = task->options->target;
    bool closed = target == LODE_TARGET_CLOSED || target == LODE_TARGET_MAXIMAL;
    return closed && !task->rules && !task->sample && !engine_wants_range(&task->request) &&
           !task->request.divided;
}

rowwise_choice rowwise_choose_by_shape(const engine_task *task) {
    const char *forced = getenv("LODE_CROSSWISE");
    if (!choose_can(task) || (forced && strcmp(forced, "never") == 0)) return ROWWISE_NEVER;
    uint32_t rows = rowwise_count_rows(task->data);
    if (rows == 0 || rows > ROWWISE_ROWS) return ROWWISE_NEVER;
    uint32_t items = rank_count(task->data, task->data->item_supports, task->min_count);
    if (items == 0) return ROWWISE_NEVER;
    /* The table takes less than another walker, and so does what probes need. */
    if (3 * rowwise_walker_need(rows, items) > mem_left(&task->job->mem)) return ROWWISE_NEVER;
    if (forced && strcmp(forced, "always") == 0) return ROWWISE_ALWAYS;
    return items >= ROWWISE_ITEMS_PER_ROW * (uint64_t)rows ? ROWWISE_PERHAPS : ROWWISE_NEVER;
}

/* ---- by probing ------------------------------------------------------------------------------ */

/* What a search takes, in nanoseconds. */
static double choose_rows_ns(const rowwise_work *work, unsigned words) {
    bool one = words == 1;
    return work->nodes * ROWWISE_NODE_NS +
           work->tries * (one ? ROWWISE_TRY_NS : ROWWISE_TRY_WORDS_NS) +
           work->words * ROWWISE_WORD_NS;
}

static double choose_items_ns(const rowwise_work *work, bool dense) {
    return work->nodes * ROWWISE_SET_NS + work->tries * ROWWISE_CHILD_NS +
           work->words * (dense ? ROWWISE_DENSE_NS : ROWWISE_SPARSE_NS);
}

/* More and more probes of both kinds, until it is clear or has taken its share. */
lode_status rowwise_choose_by_probing(engine_task *task, const rowwise_table *table, bool *pays) {
    lode_status status = LODE_OK;
    rowwise_prober d = {0};
    rowwise_work rows = {0}, items = {0};
    bool enough = false;
    LODE_TRY(rowwise_prober_open(&d, task, table));
    for (unsigned n = 0, until = ROWWISE_PROBES_LEAST; !enough; until *= 2) {
        for (; n < until; n++) {
            LODE_TRY(rowwise_probe_rows(&d, &rows));
            LODE_TRY(rowwise_probe_items(&d, &items));
        }
        double by_rows = choose_rows_ns(&rows, table->rows.words) / n;
        double by_items = choose_items_ns(&items, d.dense) / n;
        double less = by_rows < by_items ? by_rows : by_items, more = by_rows + by_items - less;
        *pays = by_rows < by_items;
        enough = n >= ROWWISE_PROBES_MOST || more > less * (1 + ROWWISE_CLEAR / sqrt(n)) ||
                 d.looked * ROWWISE_WORD_NS > less * ROWWISE_PROBES_SHARE * (less / more);
    }
done:
    rowwise_prober_close(&d, &task->job->mem);
    return status;
}
