/* bridge.h - edges of the data that are on no cycle
 *
 * A bridge is an edge whose ends are not connected in any other way. The search from a triple
 * (store.h) uses only the edges of that triple and of later triples, so only paths of such edges
 * count. An edge may therefore be a bridge for that search, but not in the data.
 *
 * What:  a spanning forest that prefers the edges of the latest triples. For each edge of the
 *        forest, a number is stored: the latest triple with an edge that closes a cycle over it. In
 *        the searches from that triple and from earlier triples, the edge of the forest is on a
 *        cycle. Edges outside of the forest are never bridges, nor are edges parallel to another.
 * Why:   one forest serves every search: for each triple t, the edges of the forest that belong to
 *        t or a later triple are a spanning forest of all edges of the data that do so.
 * Cost:  O(log n) steps per edge; 8 bytes per vertex are kept. Built on first use.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_BRIDGE_H
#define LODE_GRAPHS_BRIDGE_H

#include "graphs/store.h"

typedef struct bridges {
    uint32_t *up;    /* by vertex: its parent in the forest; itself = it has none */
    uint32_t *cycle; /* by vertex: 1 + the triple stored for the edge to its parent; 0 = no cycle */
} bridges;

/* Errors: NOMEM, BUDGET, CANCELLED, STOPPED. Nothing is left behind after an error. */
LODE_NODISCARD lode_status bridges_build(bridges *b, const store *g, lode_job *job);
void bridges_free(bridges *b, const store *g, lode_job *job);

/* Whether the edge between u and v is a bridge in the search from this triple. */
static inline bool bridge_is(const bridges *b, uint32_t u, uint32_t v, uint32_t triple) {
    if (b->up[u] == v) return b->cycle[u] <= triple;
    return b->up[v] == u && b->cycle[v] <= triple;
}

#endif
