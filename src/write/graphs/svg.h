/* svg.h - a pattern as a drawing
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_GRAPHS_SVG_H
#define LODE_WRITE_GRAPHS_SVG_H

#include "base/mem.h"
#include "data/graphs/graphs.h"

/* Appends a whole SVG document. */
LODE_NODISCARD lode_status svg_put(mem *m, vec_char *text, const lode_graphs *data,
                                   const lode_graph_pattern *p);
/* Whether a file that starts with this text (200 bytes are enough) is such a document. */
bool svg_is_drawing(const char *text, size_t n);

/* ---- where the vertices of a small pattern go on paper --------------------------------------- */

/* Vertices start on a circle, in their order, and are moved by forces: edges pull to one length,
 * all pairs push. Only + - * / and square roots, so that a pattern is drawn alike everywhere. */

typedef struct layout_point {
    double x, y;
} layout_point;

/* Places the vertices; an edge has a length of about 1. `at` has room for twice as many points, the
 * second half being scratch. box[0] and box[1] become the lower left and the upper right corner. */
void layout_make(const lode_graph *g, layout_point *at, layout_point box[2]);

#endif
