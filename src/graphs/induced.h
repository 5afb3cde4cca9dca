/* induced.h - induced occurrences: those whose vertices have no edges but the pattern's
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_INDUCED_H
#define LODE_GRAPHS_INDUCED_H

#include "graphs/node.h"

/* Whether the row that the cursor is at is an induced occurrence. */
bool induced_row(const worker *w);
/* How many neighbours the vertices of that row have in all: the work of induced_row(). */
size_t induced_work(const worker *w);
/* Counts the graphs with an induced occurrence of a node. */
LODE_NODISCARD lode_status induced_support(worker *w, const node *x, uint64_t *support);

#endif
