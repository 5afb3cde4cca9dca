/* graph_table.h - graphs from a table of edges, which comes as Arrow arrays
 *
 *     graph  from  to  label  from_label  to_label
 *     7      1     2   -      C           O          an edge of graph 7
 *     7      3                N                      a vertex without an edge
 *     8                                              a graph without a vertex
 *
 * What:  lode/arrow.h says which columns there are. Rows may be in any order: they are collected
 *        first, as numbers, and then grouped by graph. Each graph is checked as graph_lines.h
 *        checks it, so a table becomes the same data set as its graphs in gSpan text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_GRAPHS_GRAPH_TABLE_H
#define LODE_DATA_GRAPHS_GRAPH_TABLE_H

#include "data/graphs/graphs.h"
#include "read/input.h"

/* Reads a table from a stream, or from the Arrow file that begins at `in`, one of which is given.
 * Both are lent. Errors: as lode_graphs_from_arrow(). */
LODE_NODISCARD lode_status graph_table_read(lode_job *job, lode_graphs **out, const char *name,
                                            struct ArrowArrayStream *stream, input *in,
                                            const lode_graph_read_options *options);

#endif
