/* graph_branch.h - searching some branches instead of everything, and dividing a search
 *
 * A branch (engine.h) is a code, three numbers an edge, and everything that grows from it; or a
 * range of triples, by rank. Triples are counted from the most frequent here, because their numbers
 * then stay the same when the threshold rises. Branches of one parent are searched together, and
 * those that follow share the way to them, so that the nodes on it are made once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_GRAPH_BRANCH_H
#define LODE_GRAPHS_GRAPH_BRANCH_H

#include "graphs/node.h"
#include "pipeline/engine/branches.h"

/* Takes the branches of the task, if it has any. Errors: INVALID, for one that is none. */
LODE_NODISCARD lode_status branch_open_groups(search *s);
void branch_close_groups(search *s);

/* Divides the search with one worker, which is open, and reports nothing. */
LODE_NODISCARD lode_status branch_divide_graphs(worker *w, branch_list *into);

#endif
