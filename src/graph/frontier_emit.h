/* frontier_emit.h - the patterns of a group for the sink
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPH_FRONTIER_EMIT_H
#define LODE_GRAPH_FRONTIER_EMIT_H

#include "graph/frontier.h"

/* Hands the patterns of a group to the sink, with their occurrences where these are needed. */
LODE_NODISCARD lode_status frontier_emit(frontier *f, group *g);

#endif
