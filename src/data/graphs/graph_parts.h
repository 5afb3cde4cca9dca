/* graph_parts.h - a text of graphs, read by all threads
 *
 * The text is cut in front of lines that begin a graph. Each thread reads one block after the other
 * into columns of its own, with dictionaries of its own; then the columns of the data set are made,
 * and all threads copy blocks to where they belong, with the labels' ids of the whole, and look at
 * each graph for the profile.
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

/* Whether a text of so many bytes is worth it, and memory suffices for two copies. block_bytes > 0:
 * of a test, which has little text. */
bool graph_parts_suit(lode_job *job, uint64_t bytes, size_t block_bytes);

/* Reads all of an input that is at its beginning. *done is false if the text has something that one
 * thread must look at, or if it did not fit: then there is no message. Errors: CANCELLED,
 * STOPPED. */
LODE_NODISCARD lode_status graph_parts_read(lode_job *job, lode_graphs **out, input *in,
                                            const lode_graph_read_options *options, bool *done);

/* lode_graphs_parse() with blocks of another length, for tests. */
LODE_NODISCARD lode_status graphs_parse_blocks(lode_job *job, lode_graphs **out, const char *text,
                                               size_t n, const lode_graph_read_options *options,
                                               size_t block_bytes);

#endif
