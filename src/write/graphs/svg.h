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

#endif
