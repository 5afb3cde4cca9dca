/* svg.h - draws a pattern as SVG
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_GRAPHS_SVG_H
#define LODE_WRITE_GRAPHS_SVG_H

#include "base/mem.h"
#include "data/graphs/graphs.h"

/* Appends a complete SVG document. */
LODE_NODISCARD lode_status svg_put(mem *m, vec_char *text, const lode_graphs *data,
                                   const lode_graph_pattern *p);
/* Returns whether a file that starts with this text (200 bytes are enough) is a document from
 * svg_put(). */
bool svg_is_drawing(const char *text, size_t n);

/* ---- layout of small patterns ---------------------------------------------------------------- */

/* A force-directed layout: vertices start on a circle, in order. Edges pull their vertices to a
 * common distance, and all pairs of vertices repel each other. The code uses only + - * / and
 * square roots, so that drawings are the same on every machine. */

typedef struct layout_point {
    double x, y;
} layout_point;

/* Places the vertices; edges have a length of about 1. `at` must have room for twice as many points
 * as vertices; the second half is scratch. box[0] and box[1] receive the lower left and upper right
 * corner. */
void layout_make(const lode_graph *g, layout_point *at, layout_point box[2]);

#endif
