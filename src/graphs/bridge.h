/* bridge.h - edges of the data that lie on no cycle
 *
 * A bridge is an edge whose ends have no other way to each other. The search from a triple does not
 * see the edges of earlier triples, so an edge may be a bridge for it that is none in the data:
 * what counts are ways of edges of that triple and of later ones.
 *
 * What:  a spanning forest that takes the edges of the latest triples first. An edge of the forest
 *        is on a cycle from the latest triple on whose edges close one over it, downwards; that
 *        triple is kept with the edge. Edges that are not in the forest count as no bridges, and so
 *        do edges that have another one beside them.
 * Why so: for the edges of triple t and later, the forest has a part that is a spanning forest of
 *        these, so one forest answers for every search.
 * Cost:  O(log n) steps an edge; 8 bytes a vertex stay. Built when it is first needed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_BRIDGE_H
#define LODE_GRAPHS_BRIDGE_H

#include "graphs/store.h"

typedef struct bridges {
    uint32_t *up;    /* by vertex: the other end of its edge of the forest; itself: it has none */
    uint32_t *cycle; /* by vertex: 1 + the latest triple that closes a cycle over that edge, or 0 */
} bridges;

/* Errors: NOMEM, BUDGET, CANCELLED, STOPPED. Nothing is left behind after an error. */
LODE_NODISCARD lode_status bridges_build(bridges *b, const store *g, lode_job *job);
void bridges_free(bridges *b, const store *g, lode_job *job);

/* Whether the ends of an edge have no other way, by edges of this triple and of later ones. */
static inline bool bridge_is(const bridges *b, uint32_t u, uint32_t v, uint32_t triple) {
    if (b->up[u] == v) return b->cycle[u] <= triple;
    return b->up[v] == u && b->cycle[v] <= triple;
}

#endif
