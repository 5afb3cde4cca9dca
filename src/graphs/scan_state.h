/* scan_state.h - the state of a scan (scan.c), and how a scan records hits
 *
 * A scan looks for candidates: edges that may extend a pattern. A hit is one occurrence (row) of
 * the pattern that a candidate extends. The functions here are part of the inner loops.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_SCAN_STATE_H
#define LODE_GRAPHS_SCAN_STATE_H

#include "graphs/growth.h"
#include "graphs/search_tuning.h"

/* One row of the candidate worker.slots[slot]: `row` is the row of the node, and vid the vertex
 * that the new column gets for it. In scans of the newest vertex, `slot` is the type of the edge
 * until the hit is counted, so the first two fields are like a half_edge. */
typedef struct hit {
    uint32_t vid, slot;
    uint32_t row;
} hit;

typedef struct scan {
    worker *w;
    node *x;
    uint32_t root;      /* edges of smaller types are ignored: they belong to earlier roots */
    uint16_t rightmost; /* position of the right-most vertex */
    bool forward;       /* new vertices are allowed */
    code_edge last;     /* the last edge of the code */
    hit *hits;          /* in w->scratch */
    size_t n_hits;
    /* The fields from here to `fresh` are only for scans of the newest vertex. The filter
     * (growth.h): */
    const uint8_t *by_type;
    const uint64_t *graphs;
    const growth *known; /* from an earlier search; NULL = none */
    uint8_t wanted;      /* GROWTH_…: what is looked for at all, for any type */
    /* A suspect is a neighbour that may already be in the row. Bit b is set if neighbours whose
     * type has by_type b are noted as suspects. */
    unsigned suspected;
    uint32_t origin;   /* type of the edge back to the vertex that the newest one was found from */
    bool origin_known; /* the vertex at the end of that edge is known, so it is no suspect */
    uint32_t graph;    /* of the previous row */
    uint32_t row;      /* the first row not scanned yet */
    uint64_t n_graphs; /* scanned so far */
    bool certain;      /* in this graph, a set bit of node.has is certain */
    size_t n_suspects; /* on top of w->lists */
    size_t n_counted;  /* hits that are counted, so that their slot is known */
    size_t hits_room, suspects_room;
    size_t fresh;    /* offset in slot_of of the edges from the newest vertex to new ones */
    growth *found;   /* what the scan finds */
    size_t check_at; /* sum of hits and rows at which to check for a stop */
} scan;

/* Makes a slot for a new candidate, and sets *place, its entry in worker.slot_of. */
LODE_NODISCARD lode_status scan_new_slot(worker *w, uint32_t *place, code_edge edge);
/* Makes room for twice as many lines of worker.slot_of. */
LODE_NODISCARD lode_status scan_grow_lines(worker *w);
/* Records an edge from the newest vertex to position `to`. There must be room for the hit. */
LODE_NODISCARD lode_status scan_add_backward(scan *s, uint16_t to, half_edge h, uint32_t row,
                                             uint32_t graph);

/* Whether an edge from the right-most vertex to position `to` may come next in the code. */
static inline bool scan_may_close(const scan *s, uint16_t to, uint32_t type) {
    const worker *w = s->w;
    if (!w->on_path[to] || code_has_arc(&w->code, s->rightmost, to, type)) return false;
    if (code_is_forward(s->last)) return true;
    return to > s->last.to || (to == s->last.to && type > s->last.type);
}

/* Sets *offset to where the line of a position begins in slot_of; makes the line if there is none.
 * `back`: for edges to this position, otherwise for edges from it to a new vertex. */
static inline lode_status scan_line(worker *w, uint16_t position, bool back, size_t *offset) {
    uint32_t *line = &w->line_of[2 * (size_t)position + back];
    if (*line == 0) {
        if (w->n_lines == w->lines_cap) {
            lode_status status = scan_grow_lines(w);
            if (status != LODE_OK) return status;
        }
        *line = (uint32_t)++w->n_lines;
    }
    *offset = (*line - 1) * (size_t)store_n_types(&w->s->store);
    return LODE_OK;
}

/* Records a hit of the candidate whose entry in slot_of is *place. There must be room for the
 * hit. */
static inline lode_status scan_add_hit(scan *s, uint32_t *place, code_edge edge, uint32_t row,
                                       uint32_t graph, uint32_t vid) {
    worker *w = s->w;
    if (*place == 0) {
        lode_status status = scan_new_slot(w, place, edge);
        if (status != LODE_OK) return status;
    }
    uint32_t k = *place - 1;
    slot *t = &w->slots[k];
    t->n++;
    if (t->last_graph != graph + 1) {
        t->last_graph = graph + 1;
        t->support++;
    }
    s->hits[s->n_hits++] = (hit){vid, k, row};
    return LODE_OK;
}

/* Prefetches what the scan needs some rows ahead. */
static inline void scan_prefetch(const node *x, const store *g, uint32_t row) {
    if (row + 2 * SCAN_AHEAD >= x->n) return;
    uint32_t far = x->vid[row + 2 * SCAN_AHEAD], near = x->vid[row + SCAN_AHEAD];
    __builtin_prefetch(&g->offsets[far]);
    __builtin_prefetch(&g->graph_of[far]);
    __builtin_prefetch(&g->half[g->offsets[near]]);
}

/* Checks for a stop after a number of hits and rows. */
static inline lode_status scan_check(scan *s, uint32_t row) {
    if (row % SCAN_ROWS != 0 || s->n_hits + row < s->check_at) return LODE_OK;
    s->check_at = s->n_hits + row + SCAN_CHECK_EVERY;
    return job_check(s->w->s->job);
}

#endif
