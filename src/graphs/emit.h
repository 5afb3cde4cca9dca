/* emit.h - patterns for the sink
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_EMIT_H
#define LODE_GRAPHS_EMIT_H

#include "graphs/node.h"

/* Hands the pattern of a node, whose code is the worker's, to the sink, if it is wanted. */
LODE_NODISCARD lode_status emit_node(worker *w, node *x);
/* The same for all patterns of a single vertex. */
LODE_NODISCARD lode_status emit_vertices(worker *w);
void emit_free(worker *w);

#endif
