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

/* State of a task that searches a share. */
typedef struct divided_share {
    branch_list all;
    engine_branches branches;
    mem_kept kept;
} divided_share;

/* Whether the request can be divided; always OK if it need not be. */
LODE_NODISCARD lode_status divide_check(const engine_task *task);

/* The number of branches for this number of shares. */
uint32_t divide_goal(const engine_task *task, uint32_t n_shares);

/* Searches the share in memory or from disk, depending on the data. */
LODE_NODISCARD lode_status divide_search(engine_task *task, const lode_engine *engine,
                                         branch_list *into);

LODE_NODISCARD lode_status divide_take_share(engine_task *task, const lode_engine *engine,
                                             divided_share *share);
void divide_drop_share(engine_task *task, divided_share *share);

#endif
