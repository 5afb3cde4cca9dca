/* graph_lines.h - a pattern as text, in the formats of lode_graph_write_format
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHSINK_GRAPH_LINES_H
#define LODE_GRAPHSINK_GRAPH_LINES_H

#include "graphdata/graphs.h"

/* The first line of a file, or "". */
const char *graph_lines_title(lode_graph_write_format format);

/* Appends pattern number `number`. */
LODE_NODISCARD lode_status graph_lines_put(mem *m, vec_char *text, const lode_graphs *data,
                                           lode_graph_write_format format, uint64_t number,
                                           const lode_graph_pattern *p);

#endif
