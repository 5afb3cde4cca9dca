/* closed.h - the closure check: does a super-pattern rule a pattern out?
 *
 * A pattern is closed if no super-pattern has the same support, and maximal if none is frequent.
 * Supports only fall as patterns grow, so that super-patterns of one edge more (induced: of one
 * vertex more) are enough. All of them are extensions of the occurrences, which are at hand.
 *
 * All rows are needed, also those that differ only by a symmetry of the pattern: a super-pattern is
 * told by the position where the pattern is extended, which must be the same in all its graphs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPH_CLOSED_H
#define LODE_GRAPH_CLOSED_H

#include "graph/node.h"

/* Whether the pattern of a node, which has this support, is not closed, or not maximal: whatever
 * the job asks for. */
LODE_NODISCARD lode_status closed_is_ruled_out(worker *w, const node *x, uint64_t support,
                                               bool *ruled_out);

#endif
