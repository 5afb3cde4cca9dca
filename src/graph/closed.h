/* closed.h - the closure check: does a super-pattern rule a pattern out?
 *
 * A pattern is closed if no super-pattern has the same support, and maximal if none is frequent.
 * Supports only fall as patterns grow, so that super-patterns of one edge more (induced: of one
 * vertex more) are enough. All of them are extensions of the occurrences, which are at hand.
 *
 * Every row must be looked at, including those that differ only by a symmetry of the pattern,
 * because a super-pattern is identified by the position that is extended.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPH_CLOSED_H
#define LODE_GRAPH_CLOSED_H

#include "graph/node.h"

/* Sets *ruled_out if the pattern of the node, which has this support, is not what the target asks
 * for (closed or maximal). Also called, on the host, for patterns found on a GPU. */
LODE_NODISCARD lode_status closed_is_ruled_out(worker *w, const node *x, uint64_t support,
                                               bool *ruled_out);

#endif
