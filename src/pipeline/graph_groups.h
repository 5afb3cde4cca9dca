/* graph_groups.h - subgraphs that differ between groups of graphs
 *
 * A sink between the search and the sink of the caller. Without a level, it passes every pattern
 * on, with the counts of its classes and a p-value. With a level, it gives the graphs of each
 * pattern to a test (groups/group_test.h) and keeps the patterns that may be significant; the
 * search follows the lowest support that can still be significant. At the end, the significant ones
 * go to the sink of the caller.
 *
 * A hypothesis is a set of graphs in which some pattern occurs. So patterns that occur in the same
 * graphs are tested once, and all of them are reported.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_GRAPH_GROUPS_H
#define LODE_PIPELINE_GRAPH_GROUPS_H

#include "pipeline/run.h"

/* Completes the options of a request for classes: a test needs no minimum support, and top:K are
 * those with the smallest p-values. Errors: INVALID. */
LODE_NODISCARD lode_status graph_groups_read(engine_task *task, lode_graph_options *o);
/* Whether a request has classes, and whether it has a level as well; false for itemsets. */
bool graph_groups_wanted(const engine_task *task);
bool graph_groups_tested(const engine_task *task);
/* Runs the engine for a request with classes. */
LODE_NODISCARD lode_status graph_groups_search(engine_task *task, const lode_engine *engine);

#endif
