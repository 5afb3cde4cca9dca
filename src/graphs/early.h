/* early.h - early termination: skips branches without closed or maximal patterns
 *
 * Let P be a pattern, and e an edge that can be added to every row (occurrence) of P at the same
 * place of P: to a new vertex, or between two vertices of P. Let Q be a pattern that grows from P
 * without e. Each row of Q contains a row of P, so the data have an edge like e there. If Q can be
 * extended by e in all its rows, then Q with e has the same support as Q. So Q is neither closed
 * nor maximal, and need not be visited.
 *
 * When can Q be extended by e? There are two cases.
 *     e is between two vertices   Always: both are in the row of Q, and the edge is not in Q.
 *     e leads to a new vertex v   Not always. Q may have reached v on another path, so that v is no
 *                                 longer new. Ignoring this is the known error of early
 *                                 termination:
 *
 *         a - b        P = a-b, e = b-c. If the data are a square, Q = a-b, a-d, d-c reaches c from
 *         |   |        the other side, and b-c is an edge between two vertices of Q. If the data
 *         d - c        are a path of five vertices, the edge from b leads to a new vertex. These
 *                      are two different extensions of Q, so Q may be closed.
 *
 *                                 But Q can always be extended by e if e is a bridge (bridge.h) in
 *                                 every row: Q is connected, so Q can have v only if Q has e.
 *
 * Which patterns grow from P without e? Their codes begin with that of P.
 *     e is an extension of P         The patterns in the branches of later extensions: if they had
 *                                    e, the walk that takes e next would spell a smaller code.
 *     e cannot follow in any code    All that grow from P, and P itself. e cannot follow if its
 *     that begins with that of P     triple (store.h) is before that of the first edge, or if one
 *                                    end of e has left the right-most path.
 *
 * Rows: of rows that differ only by swapping leaves that look alike, one is enough
 *     (break_symmetry). The rows of Q grow from the rows of P that are kept, and every graph of Q
 *     has one of them.
 * Not for induced patterns: for them, adding an edge between two vertices of the pattern does not
 *     give a super-pattern.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_EARLY_H
#define LODE_GRAPHS_EARLY_H

#include "graphs/node.h"

/* Open and close what all workers share for early termination: the table of bridges. */
void early_open(search *s);
void early_close(search *s);

/* Sets *ends if neither the pattern of a node nor any that grows from it is closed. */
LODE_NODISCARD lode_status early_ends(worker *w, const node *x, bool *ends);
/* Changes the verdict of those extensions of an expanded node that need not be followed. */
LODE_NODISCARD lode_status early_cut(worker *w, node *x);

#endif
