/* force_layout.h - places the vertices of any pattern by forces
 *
 * For patterns that ring_layout.h cannot place. Vertices start on a circle, in order. Edges pull
 * their vertices to a common distance, and all pairs of vertices repel each other. The code uses
 * only + - * / and square roots, so that drawings are the same on every machine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_GRAPHS_FORCE_LAYOUT_H
#define LODE_WRITE_GRAPHS_FORCE_LAYOUT_H

#include "data/graphs/graphs.h"

typedef struct layout_point {
    double x, y;
} layout_point;

/* Places the vertices; edges have a length of about 1. `at` must have room for twice as many points
 * as vertices; the second half is scratch. */
void layout_make(const lode_graph *g, layout_point *at);
/* box[0] and box[1] receive the corners of the smallest box around n points. */
void layout_box(const layout_point *at, uint32_t n, layout_point box[2]);
double layout_root(double x);

#endif
