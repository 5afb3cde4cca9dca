/* join.h - the sibling join: extensions inherited from the parent
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_JOIN_H
#define LODE_GRAPHS_JOIN_H

#include "graphs/node.h"

/* Adds to x->extensions those extensions of the parent that are also frequent extensions of x. x is
 * the parent's i-th extension; x->extensions must have room for the parent's extensions from the
 * i-th on. */
LODE_NODISCARD lode_status join_siblings(worker *w, node *x, const node *parent, uint32_t i);

#endif
