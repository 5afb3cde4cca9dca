/* scan.h - extensions found by looking at neighbours
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPH_SCAN_H
#define LODE_GRAPH_SCAN_H

#include "graph/node.h"

/* Finds the frequent extensions at all vertices of the right-most path, or at the newest vertex
 * only, and sets x->extensions, an array with room for `room` more than were found. */
LODE_NODISCARD lode_status scan_extensions(worker *w, node *x, bool whole_path, uint32_t room);
void scan_free(worker *w);

#endif
