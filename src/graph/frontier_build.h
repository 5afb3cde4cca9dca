/* frontier_build.h - the next group: children of a group, or single edges
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPH_FRONTIER_BUILD_H
#define LODE_GRAPH_FRONTIER_BUILD_H

#include "graph/frontier.h"

/* Builds the next children of a group, as many as fit; *out is NULL if none is left. */
LODE_NODISCARD lode_status frontier_children(frontier *f, group *g, group **out);
/* Builds the next patterns of a single edge. */
LODE_NODISCARD lode_status frontier_roots(frontier *f, group **out);
/* Divides the span of a pattern, whose extensions are known, among those that are built. */
void frontier_divide(frontier *f, pattern *x);

#endif
