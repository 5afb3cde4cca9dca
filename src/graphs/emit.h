/* emit.h - sends patterns to the sink
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_EMIT_H
#define LODE_GRAPHS_EMIT_H

#include "graphs/node.h"

/* Emits the pattern of a node if its size, its support and, for closed and maximal patterns, the
 * closure check show that it is to be reported. The worker's code must be that of the node. */
LODE_NODISCARD lode_status emit_node(worker *w, node *x);
/* The same for all single-vertex patterns. */
LODE_NODISCARD lode_status emit_vertices(worker *w);
void emit_free(worker *w);

#endif
