/* graph_branch.h - searches selected branches, and divides a search into branches
 *
 * A branch (engine.h) is a code, with three numbers per edge, and everything that grows from it; or
 * a range of triples, by rank. Triples are ranked from the most frequent here, because their
 * numbers then stay the same when the threshold rises. Branches with the same parent are searched
 * together, and consecutive ones share their prefix, so that its nodes are made only once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_GRAPH_BRANCH_H
#define LODE_GRAPHS_GRAPH_BRANCH_H

#include "graphs/node.h"
#include "pipeline/engine/branches.h"

/* Takes the branches of the task, if it has any. Errors: INVALID, for an invalid one. */
LODE_NODISCARD lode_status branch_open_groups(search *s);
void branch_close_groups(search *s);

/* Divides the search with one open worker, which reports nothing. */
LODE_NODISCARD lode_status branch_divide_graphs(worker *w, branch_list *into);

#endif
