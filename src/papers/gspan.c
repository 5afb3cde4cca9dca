/* gspan.c - gSpan (Yan and Han, 2002) with occurrences in columns, as GPU miners keep them
 *
 * Every pattern looks for its extensions in the data again, at all vertices of its right-most path.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/pgm.h"

static lode_status gspan_run(engine_task *task) {
    bool cpu = task->plan->slots[0].backend == backend_at(0);
    return cpu ? workers_search(task, false) : pgm_run(task);
}

const lode_engine lode_engine_gspan = {
    .kind = LODE_GRAPHS,
    .name = "gspan",
    .summary = "gSpan: right-most extension and minimal DFS codes; looks up neighbours again for "
               "each pattern.",
    .ranges = true,
    .targets = 1u << LODE_TARGET_CLOSED | 1u << LODE_TARGET_MAXIMAL,
    .uses = ENGINE_DEVICES | ENGINE_GPU_LAYOUTS,
    .prepare = store_prepare,
    .run = gspan_run,
};
