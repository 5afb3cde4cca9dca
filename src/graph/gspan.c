/* gspan.c - gSpan (Yan and Han, 2002) with occurrences in columns, as GPU miners keep them
 *
 * Every pattern looks for its extensions in the data again, at all vertices of its right-most path.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/pgm.h"

static lode_status gspan_run(graph_task *task) {
    bool cpu = task->slot->backend == backend_at(0);
    return cpu ? workers_search(task, false) : pgm_run(task);
}

const graph_engine graph_engine_gspan = {
    .name = "gspan",
    .summary = "gSpan: right-most extension and minimal DFS codes, neighbours looked up anew.",
    .devices = true,
    .ranges = true,
    .run = gspan_run,
};
