/* growth.h - what can grow from the new vertex of an extension, known from a sibling branch
 *
 * Children of a node are searched from the last to the first. So when the search comes to the node
 * P + f + e, it has been at P + e before, where f and e are extensions of P, and f comes before e:
 *
 *           P
 *          / \
 *     P + f   P + e        searched first. The scan at the vertex of e finds the frequent edges E
 *       |         \        there. E is the growth of e
 *     P + f + e    E
 *         searched later. All frequent edges at the vertex of e are in E
 *
 * Why:   a row (occurrence) of P + f + e with an edge from the vertex of e is a row of P + e with
 *        that edge, plus the vertex of f. The vertex of f is no longer on the right-most path, so
 *        no edge to it can be added. An edge that was infrequent in P + e is infrequent in
 *        P + f + e and in all nodes below.
 * Use:   the scan of P + f + e looks only for those edges of E that have enough graphs in common
 *        with P + f + e, and only in these graphs. Often there are no such edges.
 * Below: the same holds for what grew from the edges of E, and so on: in P + f + e + g, nothing
 *        grows from the vertex of g that did not grow in P + e + g. So each edge of a growth refers
 *        to its own growth, and everything reachable from a growth lives as long as the growth.
 * Layout: growths are on their own stack (worker.growths), because the growth of P + e is needed
 *        until P is left, longer than P + e itself. If a sibling inherits an extension (join.h), it
 *        inherits the growth of the extension, too. When P + e is left, the growths of its children
 *        are kept if they take little memory (GROWTH_KEPT_BYTES, GROWTH_SHARE); other workers can
 *        see them from then on.
 * Threads: a worker publishes only the growths of its own children. If another worker takes a
 *        child, it keeps the growth of that child on its own stack, and drops the growth when it
 *        leaves the child. That costs only time, since growths only save time.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_GROWTH_H
#define LODE_GRAPHS_GROWTH_H

#include "graphs/node.h"

/* One edge of a growth: to a new vertex, or to an earlier vertex of the right-most path. */
typedef struct growth_edge {
    uint32_t type;
    bool forward;
    const uint64_t *graphs; /* bit set of the graphs that have this edge */
    /* What grew from its new vertex; NULL = unknown. Other workers read it, too. */
    _Atomic(const growth *) below;
} growth_edge;

struct growth {
    uint32_t n;
    growth_edge edges[];
};

#define GROWTH_FORWARD  1 /* there may be an edge of this type to a new vertex … */
#define GROWTH_BACKWARD 2 /* … or to an earlier vertex */

/* What a scan looks for. */
typedef struct growth_filter {
    const uint8_t *by_type; /* GROWTH_…, one or both; 0 = edges of this type are ignored */
    const uint64_t *graphs; /* only in these graphs; NULL = in all */
    bool nothing;           /* the scan is unnecessary */
    const growth *from;     /* the source of the filter; NULL = it accepts everything */
} growth_filter;

/* Makes the filter for the scan of the rows of an extension. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status growth_set_filter(worker *w, const extension *e, growth_filter *out);
/* Returns a table by type, all 0, for the scan to use; the scan must set it to 0 again. Call this
 * after growth_set_filter(). */
uint8_t *growth_left_table(const worker *w);
/* The growth of the new vertex of the forward edge of this type in `found`; NULL = unknown. */
const growth *growth_below(const growth *found, uint32_t type);
/* Call this when the search leaves a node. Links the growths of the node's children to the edges of
 * `found`, which is the growth of the node. */
void growth_note_below(growth *found, const node *x);
/* Call this after the scan. */
void growth_clear_filter(worker *w, const growth_filter *f);
void growth_free(worker *w);

static inline bool growth_has_graph(const uint64_t *graphs, uint32_t graph) {
    return graphs[graph / 64] >> graph % 64 & 1;
}

#endif
