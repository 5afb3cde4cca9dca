/* graph_branch.h - searches selected branches, and divides a search into branches
 *
 * A branch (engine.h) is of one of two kinds:
 *     a DFS code and everything that grows from it   its prefix has three numbers (from, to, type)
 *                                                    for each edge of the code
 *     a range of triples (store.h), by rank          its prefix is empty
 * The ranks of triples in branches begin with the most frequent triple; the store begins with the
 * rarest. So ranks in branches stay the same when the threshold rises. Branches with the same
 * parent are searched together. Consecutive branches with a common prefix share the nodes of that
 * prefix.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_GRAPH_BRANCH_H
#define LODE_GRAPHS_GRAPH_BRANCH_H

#include "graphs/node.h"
#include "pipeline/engine/branches.h"

/* Fills in s->branches from the branches of the task, if the task has any. Errors: INVALID, for a
 * branch that is not well formed. */
LODE_NODISCARD lode_status branch_open_groups(search *s);
void branch_close_groups(search *s);

/* Divides the search into branches, using one open worker, which reports nothing. */
LODE_NODISCARD lode_status branch_divide_graphs(worker *w, branch_list *into);

#endif
