/* svg.h - a pattern as a drawing
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_GRAPHS_SVG_H
#define LODE_WRITE_GRAPHS_SVG_H

#include "data/graphs/graphs.h"

/* Appends a whole SVG document. */
LODE_NODISCARD lode_status svg_put(mem *m, vec_char *text, const lode_graphs *data,
                                   const lode_graph_pattern *p);
/* Whether a file that starts with this text (200 bytes are enough) is such a document. */
bool svg_is_drawing(const char *text, size_t n);

#endif
