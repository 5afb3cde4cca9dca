/* graph_engines.h - the list of graph miners
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_API_GRAPH_ENGINES_H
#define LODE_API_GRAPH_ENGINES_H

#include "graph/task.h"

/* The i-th miner; NULL past the end. */
const graph_engine *graph_engine_at(size_t i);
const graph_engine *graph_engine_find(const char *name);

#endif
