/* cpu_graphs.h - the operations on graphs of the CPU backend
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CPU_CPU_GRAPHS_H
#define LODE_CPU_CPU_GRAPHS_H

#include "backend/graph_ops.h"

extern const backend_graph_ops cpu_graph_ops;

#endif
