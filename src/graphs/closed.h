/* closed.h - the closure check: does a super-pattern make a pattern not closed or not maximal?
 *
 * A pattern is closed if no super-pattern has the same support, and maximal if none is frequent.
 * Supports only fall as patterns grow, so it is enough to look at super-patterns with one more edge
 * (induced: one more vertex). All of them are found around the occurrences of the pattern, which
 * the search has.
 *
 * Order of the tests, from the cheapest to the most expensive; the first that succeeds decides:
 *     an extension that the search found    its support is known (search.c expands a node before
 *                                           it emits it)
 *     the witness edge of the parent        usually takes one row of each graph (super_try())
 *     all edges around the occurrences      super_find()
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_CLOSED_H
#define LODE_GRAPHS_CLOSED_H

#include "graphs/node.h"

/* Sets *ruled_out if the pattern of the node, which has this support, is not closed or maximal, as
 * the target requires; x->witness is then the edge that shows it (not for induced patterns). Also
 * called, on the host, for patterns found on a GPU, whose nodes have neither extensions nor a
 * parent's witness. */
LODE_NODISCARD lode_status closed_is_ruled_out(worker *w, node *x, uint64_t support,
                                               bool *ruled_out);

/* ---- super-patterns with one more edge ------------------------------------------------------- */

/* A super-pattern is identified by the edge that it adds: to a new vertex, or between two vertices
 * of the pattern, anywhere in it, not only where the search extends. Leaves that look alike count
 * as one place, since a symmetry of the pattern swaps them. So of rows that differ only by such a
 * swap, one is enough.
 *
 *     pattern of 9 graphs; needed: a super-pattern in at least 8
 *     graph 1, 2       all edges around the rows are gathered as candidates; the edge of a
 *                      super-pattern in at least 8 of the 9 graphs must be in one of these two
 *     graph 3, 4, …    only the candidates are looked for: all of them in the first row of the
 *                      graph, and in each next row those not found yet; a candidate that two graphs
 *                      lack is dropped
 *     the end          is reached when no candidate is left, or when one is in 8 graphs
 *
 * So most patterns are decided after a few graphs, even if no super-pattern is in 8 graphs. */

/* Looks for a super-pattern that is in at least `enough` graphs. If there is one, sets *found, and
 * sets *edge to the edge that it adds; an edge to a new vertex has CODE_NONE as `to`. */
LODE_NODISCARD lode_status super_find(worker *w, const node *x, uint64_t enough, bool *found,
                                      code_edge *edge);
/* Sets *found to whether the super-pattern with this edge is in at least `enough` graphs. */
LODE_NODISCARD lode_status super_try(worker *w, const node *x, uint64_t enough, code_edge edge,
                                     bool *found);

#endif
