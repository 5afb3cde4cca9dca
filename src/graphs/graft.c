/* graft.c - the engine graft: extensions are inherited from siblings, not searched again (search.h)
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/workers.h"

static lode_status graft_run(engine_task *task) {
    return workers_search(task, true);
}

const lode_engine lode_engine_graft = {
    .kind = LODE_GRAPHS,
    .name = "graft",
    .summary = "Depth-first search over minimal DFS codes; joins the occurrence lists of sibling "
               "extensions.",
    .ranges = true,
    .targets = 1u << LODE_TARGET_CLOSED | 1u << LODE_TARGET_MAXIMAL,
    .prepare = store_prepare,
    .divide = workers_divide,
    .run = graft_run,
};
