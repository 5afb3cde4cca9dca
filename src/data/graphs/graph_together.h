/* graph_together.h - joins the graphs that several processes have read, each one part of the file
 *
 * Each process has the graphs of its part in columns, with its own labels. First all processes
 * exchange their label names and number them in the same way. Then they exchange one column after
 * the other, in pieces, with as few bytes per number as the largest number needs (runtime/peers.h).
 *
 *     column of process 0 | 1 | 2        exchange 1:  0a 1a 2a    exchange 2:  0b 1b 2b    …
 *     the data set    0a 0b … | 1a 1b … | 2a 2b …
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_GRAPHS_GRAPH_TOGETHER_H
#define LODE_DATA_GRAPHS_GRAPH_TOGETHER_H

#include "data/graphs/graphs.h"
#include "runtime/peers.h"

/* Makes the data set of all parts. `part` loses its own labels. All processes get the same
 * result. */
LODE_NODISCARD lode_status graphs_join_peers(peers *p, lode_graphs *part, lode_graphs **out);

#endif
