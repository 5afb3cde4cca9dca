/* frontier_extend.h - the extensions of all patterns of a group
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPH_FRONTIER_EXTEND_H
#define LODE_GRAPH_FRONTIER_EXTEND_H

#include "graph/frontier.h"

/* Extends all patterns of a group, and fills in their extensions. */
LODE_NODISCARD lode_status frontier_extend(frontier *f, group *g);
void frontier_free_part(frontier *f, part *p);

#endif
