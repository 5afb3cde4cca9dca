/* graft.c - the fast miner: extensions are inherited from siblings, not searched again
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/workers.h"

static lode_status graft_run(graph_task *task) {
    return workers_search(task, true);
}

const graph_engine graph_engine_graft = {
    .name = "graft",
    .summary = "Depth first over minimal DFS codes; occurrence lists of sibling extensions are "
               "joined.",
    .ranges = true,
    .run = graft_run,
};
