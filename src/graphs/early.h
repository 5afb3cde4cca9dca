/* early.h - early termination: skips branches without closed or maximal patterns
 *
 * Let P be a pattern, and e an edge that can be added at every row of P: at the same place of the
 * pattern, to a new vertex or between two of its vertices. Let Q be a pattern that grows from P
 * without e. Each row of Q contains a row of P, so the data have an edge as e there. If Q can be
 * extended by e at all its rows, then Q with e has the same support, so Q is neither closed nor
 * maximal, and need not be visited.
 *
 * When can it? There are two cases.
 *     between two vertices      Always: both are in the row of Q, and the edge is not in Q.
 *     to a new vertex v         Not always. Q may have reached v on another path, so that v is not
 *                               new any more. This is the known error of early termination:
 *
 *         a - b        P = a-b, e = b-c. In the rows of a square, Q = a-b, a-d, d-c reaches c
 *         |   |        around it: there Q is extended by the edge b-c between its own vertices, in
 *         d - c        rows that are a path of five by an edge to a new one. Q may be closed.
 *
 *                               But it always can if the edge is a bridge (bridge.h) in every row:
 *                               Q is connected, so to have v it would need the edge.
 *
 * Which patterns grow without e? The code of Q begins with that of P.
 *     e is an extension of P              those in the branches of later extensions: with e in Q,
 *                                         the walk that takes e next would spell a smaller code
 *     e cannot follow in any code that    all that grow from P, and P itself: e is before the
 *     code's begins with that of P               first triple, or where no edge can be added any
 *     more
 *
 * Rows: of rows that only swap leaves that look alike, one is enough (break_symmetry). The rows of
 *     Q grow from the rows of P that are there, and every graph of Q has one of them.
 * Not for induced patterns: there one more edge between two vertices is not a super-pattern.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_EARLY_H
#define LODE_GRAPHS_EARLY_H

#include "graphs/node.h"

void early_open(search *s);
void early_close(search *s);

/* Whether neither the pattern of a node nor any that grows from it is closed. */
LODE_NODISCARD lode_status early_ends(worker *w, const node *x, bool *ends);
/* Marks the extensions of an expanded node that need not be followed. */
LODE_NODISCARD lode_status early_cut(worker *w, node *x);

#endif
