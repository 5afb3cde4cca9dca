/* bridge.h - edges of the data that are on no cycle
 *
 * A bridge is an edge whose ends are not connected in any other way. The search from a triple does
 * not use the edges of earlier triples, so an edge may be a bridge for that search but not in the
 * data: only paths of edges of that triple and of later ones count.
 *
 * What:  a spanning forest that prefers the edges of the latest triples. With each edge of the
 *        forest, the latest triple is stored whose edges close a cycle over it: in the searches
 *        from that triple and from earlier ones, the edge is on a cycle. Edges outside of the
 *        forest are never bridges, nor are edges with a parallel one.
 * Why:   for the edges of triple t and later, a part of the forest is a spanning forest of these,
 *        so one forest serves every search.
 * Cost:  O(log n) steps per edge; 8 bytes per vertex are kept. Built on first use.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_BRIDGE_H
#define LODE_GRAPHS_BRIDGE_H

#include "graphs/store.h"

typedef struct bridges {
    uint32_t *up;    /* by vertex: its parent in the forest; itself = it has none */
    uint32_t *cycle; /* by vertex: 1 + the latest triple that closes a cycle over that edge, or 0 */
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
