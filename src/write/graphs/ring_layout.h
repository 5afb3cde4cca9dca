/* ring_layout.h - places the vertices of a pattern as chemists draw molecules
 *
 * Rings of up to 8 vertices are regular polygons, further rings are joined to their sides, and
 * chains zigzag at 120 degrees. Pieces that would overlap are turned or mirrored about an edge. The
 * page draws in the same way (page/src/graph/layout.ts). Only + - * / and square roots are used, so
 * drawings are the same on every machine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_GRAPHS_RING_LAYOUT_H
#define LODE_WRITE_GRAPHS_RING_LAYOUT_H

#include "base/mem.h"
#include "write/graphs/force_layout.h"

#define RING_LAYOUT_VERTICES 96
#define RING_LAYOUT_RINGS    32
#define RING_LAYOUT_LONGEST  8

typedef struct layout_ring {
    uint8_t n, at[RING_LAYOUT_LONGEST]; /* vertices, in order around the ring */
} layout_ring;

/* Finds the rings of a pattern of at most RING_LAYOUT_VERTICES vertices: for each edge, a shortest
 * one. Returns how many there are, at most RING_LAYOUT_RINGS. */
unsigned ring_layout_rings(const lode_graph *g, layout_ring *rings);

/* Places the vertices; edges have the length 1. *done: whether it could: the pattern is connected
 * and not too large, and its rings fit together as polygons. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status ring_layout_make(mem *m, const lode_graph *g, layout_point *at,
                                            bool *done);

#endif
