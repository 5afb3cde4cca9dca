/* super.h - the super-patterns of one edge more, and whether one of them is in enough graphs
 *
 * A super-pattern is told by the edge that it adds: to a new vertex, or between two vertices of the
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
 * So patterns without such a super-pattern, too, are decided after a few graphs, mostly.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_SUPER_H
#define LODE_GRAPHS_SUPER_H

#include "graphs/node.h"

/* Looks for a super-pattern of at least `enough` graphs. If *found is set, *edge says which it is;
 * an edge to a new vertex has CODE_NONE as `to`. */
LODE_NODISCARD lode_status super_find(worker *w, const node *x, uint64_t enough, bool *found,
                                      code_edge *edge);
/* Whether the super-pattern by this edge has so many graphs. */
LODE_NODISCARD lode_status super_try(worker *w, const node *x, uint64_t enough, code_edge edge,
                                     bool *found);

#endif
