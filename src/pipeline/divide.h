/* divide.h - searches one share of a divided search
 *
 * The engine divides the search into many branches (engine/branches.h), which are assigned to
 * shares by their expected work. Every process does this for itself, and searches only the branches
 * of its own share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_DIVIDE_H
#define LODE_PIPELINE_DIVIDE_H

#include "pipeline/engine/branches.h"

/* The share that a task searches. */
typedef struct divided_share {
    branch_list all;          /* the branches of all shares; owns their prefixes */
    engine_branches branches; /* the branches of this share */
    mem_kept kept;            /* owns the array of `branches` */
} divided_share;

/* Fails if the request should be divided but cannot be. */
LODE_NODISCARD lode_status divide_check(const engine_task *task);

/* The number of branches to divide a search into, for this number of shares. */
uint32_t divide_goal(const engine_task *task, uint32_t n_shares);

/* Divides the search into branches, which are added to `into`: by the engine, by
 * pipeline/partitions if the engine cannot do it, or by pipeline/spill if the data are on disk. */
LODE_NODISCARD lode_status divide_search(engine_task *task, const lode_engine *engine,
                                         branch_list *into);

/* Divides the search, and sets task->parts.branches to the branches of the requested share. `share`
 * must be zero, and stay valid until divide_drop_share(), which must be called after a failure,
 * too. */
LODE_NODISCARD lode_status divide_take_share(engine_task *task, const lode_engine *engine,
                                             divided_share *share);
void divide_drop_share(engine_task *task, divided_share *share);

#endif
