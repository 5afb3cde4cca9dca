/* graph_parts.h - reads a text of graphs with all threads
 *
 * The text is divided into blocks; each block begins with a line that begins a graph. Each thread
 * reads blocks into its own columns, with its own dictionaries. Then the columns of the data set
 * are allocated; all threads copy their blocks to the final positions, with the final label ids,
 * and add each graph to the profile.
 *
 *     blocks of the text      0   1   2   3   4   5 …
 *     columns of thread a     0   2   5       of thread b   1   3   4
 *     the data set            0 | 1 | 2 | 3 | 4 | 5
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_GRAPHS_GRAPH_PARTS_H
#define LODE_DATA_GRAPHS_GRAPH_PARTS_H

#include "data/graphs/graphs.h"
#include "read/input.h"

/* Returns whether a text of this length is worth reading in parallel, and memory is enough for two
 * copies. Tests set block_bytes > 0 because their texts are short. */
bool graph_parts_suit(lode_job *job, uint64_t bytes, size_t block_bytes);

/* Reads a whole input. No part of it must have been read before. *done becomes false, without a
 * message, if a single thread must read the input because of its content, or because the input did
 * not fit into memory. Errors: CANCELLED, STOPPED. */
LODE_NODISCARD lode_status graph_parts_read(lode_job *job, lode_graphs **out, input *in,
                                            const lode_graph_read_options *options, bool *done);

/* Works like lode_graphs_parse() with the given block length; for tests. */
LODE_NODISCARD lode_status graphs_parse_blocks(lode_job *job, lode_graphs **out, const char *text,
                                               size_t n, const lode_graph_read_options *options,
                                               size_t block_bytes);

#endif
