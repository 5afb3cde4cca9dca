/* layout.h - where the vertices of a small pattern go on paper
 *
 * Vertices start on a circle, in their order, and are moved by forces: edges pull to one length,
 * all pairs push. Only + - * / and square roots, so that a pattern is drawn alike everywhere.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_GRAPHS_LAYOUT_H
#define LODE_WRITE_GRAPHS_LAYOUT_H

#include "base/mem.h"

typedef struct layout_point {
    double x, y;
} layout_point;

/* Places the vertices; an edge has a length of about 1. `at` has room for twice as many points, the
 * second half being scratch. box[0] and box[1] become the lower left and the upper right corner. */
void layout_make(const lode_graph *g, layout_point *at, layout_point box[2]);

#endif
