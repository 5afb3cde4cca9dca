/* divide.h - one share of a search that is cut into several
 *
 * The engine divides the search into many branches (engine/branches.h), which are dealt out by the
 * work that is expected in them. Every process does this for itself, and searches the branches of
 * its own share only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_DIVIDE_H
#define LODE_PIPELINE_DIVIDE_H

#include "pipeline/engine/branches.h"

/* What a task points to while it searches a share. */
typedef struct divided_share {
    branch_list all;
    engine_branches branches;
    mem_kept kept;
} divided_share;

/* Whether the request can be divided; anything goes if it is not to be. */
LODE_NODISCARD lode_status divide_check(const engine_task *task);

/* How many branches a search is divided into for so many shares. */
uint32_t divide_goal(const engine_task *task, uint32_t n_shares);

/* Divides the search where the data are: in memory or on disk. */
LODE_NODISCARD lode_status divide_search(engine_task *task, const lode_engine *engine,
                                         branch_list *into);

LODE_NODISCARD lode_status divide_take_share(engine_task *task, const lode_engine *engine,
                                             divided_share *share);
void divide_drop_share(engine_task *task, divided_share *share);

#endif
