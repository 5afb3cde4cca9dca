/* graph_together.h - joins graphs of which several processes have each read a part
 *
 * Each process has the graphs of its part in columns, with its own labels. All exchange their label
 * names, and number them in the same way; then column after column is exchanged in pieces, with as
 * few bytes per number as the largest needs (runtime/peers.h).
 *
 *     column of process 0 | 1 | 2        exchange 1:  0a 1a 2a    exchange 2:  0b 1b 2b    …
 *     the data set    0a 0b … | 1a 1b … | 2a 2b …
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_GRAPHS_GRAPH_TOGETHER_H
#define LODE_DATA_GRAPHS_GRAPH_TOGETHER_H

#include "data/graphs/graphs.h"
#include "runtime/peers.h"

/* Makes the data set of all parts; `part` loses its own labels. The result is the same in all
 * processes. */
LODE_NODISCARD lode_status graphs_join_peers(peers *p, lode_graphs *part, lode_graphs **out);

#endif
