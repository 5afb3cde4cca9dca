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
 *     all edges around the occurrences      closed.h
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

/* ---- the super-patterns of one edge more, and whether one of them is in enough graphs -------- */

/* A super-pattern is told by the edge that it adds: to a new vertex, or between two vertices of the
 * pattern, anywhere in it, not only where the search extends. Leaves that look alike are one place,
 * since a symmetry of the pattern swaps them; so it does not matter which of the rows that only
 * swap them are there.
 *
 *     pattern of 9 graphs, wanted: a super-pattern in at least 8
 *     graph 1, 2       all edges around the rows are gathered: every candidate is in one of them
 *     graph 3, 4, …    only the candidates are looked for, in the first row, then, those that were
 *                      not met, in the next; who is missed for the second time is struck off
 *     the end          is reached when no candidate is left, or one has 8 graphs
 *
 * So patterns without such a super-pattern, too, are decided after a few graphs, mostly. */

/* Looks for a super-pattern of at least `enough` graphs. If *found is set, *edge says which it is;
 * an edge to a new vertex has CODE_NONE as `to`. */
LODE_NODISCARD lode_status super_find(worker *w, const node *x, uint64_t enough, bool *found,
                                      code_edge *edge);
/* Whether the super-pattern by this edge has so many graphs. */
LODE_NODISCARD lode_status super_try(worker *w, const node *x, uint64_t enough, code_edge edge,
                                     bool *found);

#endif
