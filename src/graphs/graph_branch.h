/* graph_branch.h - searches selected branches, and divides a search into branches
 *
 * A branch (engine.h) is a code and everything that grows from it; its prefix has three numbers for
 * each edge (from, to, type). Or it is a range of triples, by rank. In branches, triples are ranked
 * from the most frequent one, other than in the store, because ranks then stay the same when the
 * threshold rises. Branches with the same parent are searched together, and consecutive ones share
 * their prefix, so that its nodes are made only once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_GRAPH_BRANCH_H
#define LODE_GRAPHS_GRAPH_BRANCH_H

#include "graphs/node.h"
#include "pipeline/engine/branches.h"

/* Fills in s->branches from the branches of the task, if it has any. Errors: INVALID, for a branch
 * that is not well formed. */
LODE_NODISCARD lode_status branch_open_groups(search *s);
void branch_close_groups(search *s);

/* Divides the search into branches, using one open worker, which reports nothing. */
LODE_NODISCARD lode_status branch_divide_graphs(worker *w, branch_list *into);

#endif
