/* closed.h - the closure check: does a super-pattern rule a pattern out?
 *
 * A pattern is closed if no super-pattern has the same support, and maximal if none is frequent.
 * Supports only fall as patterns grow, so that super-patterns of one edge more (induced: of one
 * vertex more) are enough. All of them are extensions of the occurrences, which are at hand.
 *
 * Order of the tests, from what costs nothing to what costs most; the first that succeeds decides:
 *     an extension that the search found    its support is known (search.c expands a node before
 *                                           it emits it)
 *     the edge that ruled the parent out    one row of each graph, mostly
 *     all edges around the occurrences      super.h
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_CLOSED_H
#define LODE_GRAPHS_CLOSED_H

#include "graphs/node.h"

/* Sets *ruled_out if the pattern of the node, which has this support, is not what the target asks
 * for (closed or maximal), and notes the edge that rules it out in the node. Also called, on the
 * host, for patterns found on a GPU, whose nodes have neither extensions nor a parent's edge. */
LODE_NODISCARD lode_status closed_is_ruled_out(worker *w, node *x, uint64_t support,
                                               bool *ruled_out);

#endif
