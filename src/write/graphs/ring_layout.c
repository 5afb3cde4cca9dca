/* ring_layout.c - see ring_layout.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/graphs/ring_layout.h"

#define RING_NEAR     0.75 /* vertices that are nearer are crowded */
#define RING_PASSES   3    /* over all edges that pieces can be turned about */
#define RING_NOTHING  0xff
#define RING_ONE_TURN 0.05 /* cost of a bend by one radian: 120 degrees stay unless they do harm */

typedef struct ring_layout {
    const lode_graph *g;
    layout_point *at;
    uint32_t n;
    layout_ring rings[RING_LAYOUT_RINGS];
    bool ring_done[RING_LAYOUT_RINGS];
    unsigned n_rings;
    bool placed[RING_LAYOUT_VERTICES], in_ring[RING_LAYOUT_VERTICES];
    layout_point dir[RING_LAYOUT_VERTICES]; /* in which the vertex was reached */
    int turn[RING_LAYOUT_VERTICES];         /* of the chain: the next one is the opposite */
    uint8_t order[RING_LAYOUT_VERTICES];    /* in which vertices were placed */
    uint32_t n_placed;
    bool exact; /* rings fit together */
    layout_point trial[RING_LAYOUT_VERTICES];
} ring_layout;

/* Cosines and sines of 180 degrees / k, for rings of k vertices. */
static const layout_point ring_halves[RING_LAYOUT_LONGEST + 1] = {
    {0, 0},
    {0, 0},
    {0, 0},
    {0.5, 0.86602540378443865},
    {0.70710678118654752, 0.70710678118654752},
    {0.80901699437494742, 0.58778525229247313},
    {0.86602540378443865, 0.5},
    {0.90096886790241913, 0.43388373911755812},
    {0.92387953251128676, 0.38268343236508977}};

static const layout_point turn_30 = {0.86602540378443865, 0.5};
static const layout_point turn_40 = {0.76604444311897804, 0.64278760968653933};
static const layout_point turn_60 = {0.5, 0.86602540378443865};
static const layout_point turn_90 = {0, 1};
static const layout_point turn_none = {1, 0};

static layout_point turned(layout_point d, layout_point by) {
    return (layout_point){d.x * by.x - d.y * by.y, d.x * by.y + d.y * by.x};
}

static layout_point turn_back(layout_point by) {
    return (layout_point){by.x, -by.y};
}

static layout_point plus(layout_point a, layout_point b) {
    return (layout_point){a.x + b.x, a.y + b.y};
}

static layout_point minus(layout_point a, layout_point b) {
    return (layout_point){a.x - b.x, a.y - b.y};
}

static double cross_of(layout_point a, layout_point b) {
    return a.x * b.y - a.y * b.x;
}

static double length_of(layout_point a) {
    return layout_root(a.x * a.x + a.y * a.y);
}

static layout_point unit_of(layout_point a) {
    double length = length_of(a);
    return length > 1e-6 ? (layout_point){a.x / length, a.y / length} : (layout_point){1, 0};
}

static uint32_t far_end(const lode_graph *g, uint32_t e, uint32_t v) {
    return g->from[e] == v ? g->to[e] : g->to[e] == v ? g->from[e] : RING_NOTHING;
}

/* ---- rings ---------------------------------------------------------------------------------- */

static bool ring_has(const layout_ring *r, uint32_t v) {
    for (unsigned i = 0; i < r->n; i++) {
        if (r->at[i] == v) return true;
    }
    return false;
}

static bool ring_is_same(const layout_ring *a, const layout_ring *b) {
    if (a->n != b->n) return false;
    for (unsigned i = 0; i < a->n; i++) {
        if (!ring_has(b, a->at[i])) return false;
    }
    return true;
}

/* The shortest way around through an edge, found from one end to the other without it. */
static bool ring_through(const lode_graph *g, uint32_t edge, layout_ring *r) {
    uint8_t parent[RING_LAYOUT_VERTICES], queue[RING_LAYOUT_VERTICES];
    uint32_t n = 0, from = g->from[edge], to = g->to[edge];
    memset(parent, RING_NOTHING, sizeof parent);
    parent[from] = (uint8_t)from;
    queue[n++] = (uint8_t)from;
    for (uint32_t i = 0; i < n && parent[to] == RING_NOTHING; i++) {
        for (uint32_t e = 0; e < g->n_edges; e++) {
            uint32_t next = far_end(g, e, queue[i]);
            if (e == edge || next == RING_NOTHING || parent[next] != RING_NOTHING) continue;
            parent[next] = queue[i];
            queue[n++] = (uint8_t)next;
        }
    }
    r->n = 0;
    if (parent[to] == RING_NOTHING) return false;
    for (uint32_t v = to;; v = parent[v]) {
        if (r->n == RING_LAYOUT_LONGEST) return false;
        r->at[r->n++] = (uint8_t)v;
        if (v == from) return r->n > 2;
    }
}

unsigned ring_layout_rings(const lode_graph *g, layout_ring *rings) {
    unsigned n = 0;
    if (g->n_vertices > RING_LAYOUT_VERTICES) return 0;
    for (uint32_t e = 0; e < g->n_edges && n < RING_LAYOUT_RINGS; e++) {
        bool known = !ring_through(g, e, &rings[n]);
        for (unsigned i = 0; i < n && !known; i++) known = ring_is_same(&rings[i], &rings[n]);
        n += !known;
    }
    return n;
}

static void ring_put(ring_layout *l, uint32_t v, layout_point p) {
    l->at[v] = p;
    l->placed[v] = true;
    l->order[l->n_placed++] = (uint8_t)v;
    l->turn[v] = 1;
}

/* Places a ring from vertex i on, which is placed: the first side leads into direction d, and each
 * further one turns left (sign 1) or right (-1). */
static void ring_walk(ring_layout *l, unsigned ring, unsigned i, layout_point d, int sign) {
    const layout_ring *r = &l->rings[ring];
    layout_point half = ring_halves[r->n], by = turned(half, half), p = l->at[r->at[i]];
    if (sign < 0) by = turn_back(by);
    for (unsigned k = 1; k < r->n; k++) {
        uint32_t v = r->at[(i + k) % r->n];
        p = plus(p, d);
        d = turned(d, by);
        if (!l->placed[v]) {
            ring_put(l, v, p);
        } else if (length_of(minus(l->at[v], p)) > 0.05) {
            l->exact = false;
        }
    }
    l->ring_done[ring] = true;
}

/* Places a ring whose vertex i is placed, with its centre in direction d from there. */
static void ring_place_at(ring_layout *l, unsigned ring, unsigned i, layout_point d) {
    layout_point half = ring_halves[l->rings[ring].n], inner = {half.y, half.x};
    ring_walk(l, ring, i, turned(d, inner), -1);
}

static layout_point ring_centre(const ring_layout *l, uint32_t a, uint32_t b) {
    layout_point sum = {0, 0};
    for (unsigned k = 0; k < l->n_rings; k++) {
        const layout_ring *r = &l->rings[k];
        if (!l->ring_done[k] || !ring_has(r, a) || !ring_has(r, b)) continue;
        for (unsigned i = 0; i < r->n; i++) sum = plus(sum, l->at[r->at[i]]);
        return (layout_point){sum.x / r->n, sum.y / r->n};
    }
    for (uint32_t i = 0; i < l->n_placed; i++) sum = plus(sum, l->at[l->order[i]]);
    return (layout_point){sum.x / l->n_placed, sum.y / l->n_placed};
}

/* Places a ring next to a side that it shares with a placed one; false if there is none. */
static bool ring_place_beside(ring_layout *l, unsigned ring) {
    const layout_ring *r = &l->rings[ring];
    for (unsigned i = 0; i < r->n; i++) {
        uint32_t a = r->at[i], b = r->at[(i + 1) % r->n];
        if (!l->placed[a] || !l->placed[b]) continue;
        layout_point d = minus(l->at[b], l->at[a]);
        bool left = cross_of(d, minus(ring_centre(l, a, b), l->at[a])) > 0;
        ring_walk(l, ring, i, d, left ? -1 : 1);
        return true;
    }
    return false;
}

/* The direction away from the placed neighbours of a vertex. */
static layout_point ring_outward(const ring_layout *l, uint32_t v) {
    layout_point sum = {0, 0}, last = {0, 1};
    for (uint32_t e = 0; e < l->g->n_edges; e++) {
        uint32_t u = far_end(l->g, e, v);
        if (u == RING_NOTHING || !l->placed[u]) continue;
        last = unit_of(minus(l->at[v], l->at[u]));
        sum = plus(sum, last);
    }
    return length_of(sum) > 1e-3 ? unit_of(sum) : turned(last, turn_90);
}

/* Places the rings that touch placed ones: along a side first, then those that share a vertex. */
static void ring_settle(ring_layout *l) {
    for (bool again = true; again;) {
        again = false;
        for (unsigned k = 0; k < l->n_rings; k++) {
            if (!l->ring_done[k] && ring_place_beside(l, k)) again = true;
        }
        for (unsigned k = 0; k < l->n_rings && !again; k++) {
            for (unsigned i = 0; i < l->rings[k].n && !l->ring_done[k]; i++) {
                uint32_t v = l->rings[k].at[i];
                if (!l->placed[v]) continue;
                ring_place_at(l, k, i, ring_outward(l, v));
                again = true;
            }
        }
    }
}

/* ---- chains --------------------------------------------------------------------------------- */

/* The vertices beyond an edge, from `to` on; returns how many, and how far the last one is. */
static uint32_t chain_beyond(const lode_graph *g, uint32_t from, uint32_t to, uint8_t *beyond,
                             uint32_t *far) {
    uint8_t steps[RING_LAYOUT_VERTICES];
    uint32_t n = 0;
    memset(steps, RING_NOTHING, sizeof steps);
    steps[from] = steps[to] = 0;
    beyond[n++] = (uint8_t)to;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t e = 0; e < g->n_edges; e++) {
            uint32_t next = far_end(g, e, beyond[i]);
            if (next == RING_NOTHING || steps[next] != RING_NOTHING) continue;
            steps[next] = (uint8_t)(steps[beyond[i]] + 1);
            beyond[n++] = (uint8_t)next;
        }
    }
    *far = steps[beyond[n - 1]];
    return n;
}

/* The neighbours that are not placed, the one with the longest branch first. */
static unsigned chain_next(const ring_layout *l, uint32_t v, uint8_t *next) {
    uint8_t beyond[RING_LAYOUT_VERTICES];
    uint32_t reach[RING_LAYOUT_VERTICES];
    unsigned n = 0;
    for (uint32_t e = 0; e < l->g->n_edges; e++) {
        uint32_t u = far_end(l->g, e, v), far;
        if (u == RING_NOTHING || l->placed[u]) continue;
        chain_beyond(l->g, v, u, beyond, &far);
        unsigned k = n++;
        for (; k > 0 && reach[k - 1] < far; k--) {
            next[k] = next[k - 1];
            reach[k] = reach[k - 1];
        }
        next[k] = (uint8_t)u;
        reach[k] = far;
    }
    return n;
}

/* The direction of the i-th of n next vertices. */
static layout_point chain_direction(const ring_layout *l, uint32_t v, unsigned i, unsigned n,
                                    layout_point outward) {
    layout_point bend = l->turn[v] > 0 ? turn_back(turn_60) : turn_60;
    if (l->in_ring[v]) {
        layout_point side = n == 2 ? turn_40 : turn_60;
        if (n == 1 || i == 2) return outward;
        return turned(outward, i % 2 ? side : turn_back(side));
    }
    if (n <= 2) return turned(l->dir[v], i == 0 ? bend : turn_back(bend));
    layout_point side = n == 3 ? turn_90 : turn_60;
    if (i == 0) return l->dir[v];
    if (i > 2) side = turned(side, turn_60);
    return turned(l->dir[v], i % 2 ? side : turn_back(side));
}

static void chain_grow(ring_layout *l) {
    uint8_t next[RING_LAYOUT_VERTICES];
    for (uint32_t i = 0; i < l->n_placed; i++) {
        uint32_t v = l->order[i];
        layout_point outward = ring_outward(l, v);
        unsigned n = chain_next(l, v, next);
        for (unsigned k = 0; k < n; k++) {
            uint32_t u = next[k];
            if (l->placed[u]) continue; /* by a ring */
            layout_point d = chain_direction(l, v, k, n, outward);
            ring_put(l, u, plus(l->at[v], d));
            l->dir[u] = d;
            if (!l->in_ring[v] && n <= 2) l->turn[u] = k == 0 ? -l->turn[v] : l->turn[v];
            for (unsigned r = 0; r < l->n_rings && l->in_ring[u]; r++) {
                for (unsigned at = 0; at < l->rings[r].n && !l->ring_done[r]; at++) {
                    if (l->rings[r].at[at] == u) ring_place_at(l, r, at, d);
                }
                if (ring_has(&l->rings[r], u)) break;
            }
            if (l->in_ring[u]) ring_settle(l);
        }
    }
}

/* A ring, or else the end of a longest path. */
static void chain_start(ring_layout *l) {
    uint8_t beyond[RING_LAYOUT_VERTICES];
    uint32_t start = 0, far, n;
    if (l->n_rings > 0) {
        ring_put(l, l->rings[0].at[0], (layout_point){0, 0});
        ring_place_at(l, 0, 0, (layout_point){1, 0});
        ring_settle(l);
        return;
    }
    for (unsigned k = 0; k < 2; k++) {
        n = chain_beyond(l->g, start, start, beyond, &far);
        start = beyond[n - 1];
    }
    ring_put(l, start, (layout_point){0, 0});
    l->dir[start] = turn_30;
}

/* ---- turning pieces that overlap ------------------------------------------------------------- */

static bool edges_cross(const lode_graph *g, const layout_point *at, uint32_t e, uint32_t f) {
    layout_point a = at[g->from[e]], b = at[g->to[e]], c = at[g->from[f]], d = at[g->to[f]];
    double c1 = cross_of(minus(b, a), minus(c, a)), c2 = cross_of(minus(b, a), minus(d, a));
    double c3 = cross_of(minus(d, c), minus(a, c)), c4 = cross_of(minus(d, c), minus(b, c));
    return c1 * c2 < -1e-9 && c3 * c4 < -1e-9;
}

static double crowd_score(const lode_graph *g, const layout_point *at) {
    double sum = 0;
    for (uint32_t u = 0; u < g->n_vertices; u++) {
        for (uint32_t v = 0; v < u; v++) {
            layout_point d = minus(at[u], at[v]);
            if (d.x * d.x + d.y * d.y < RING_NEAR * RING_NEAR) sum += RING_NEAR - length_of(d);
        }
    }
    for (uint32_t e = 0; e < g->n_edges; e++) {
        for (uint32_t f = 0; f < e; f++) sum += edges_cross(g, at, e, f) ? 2 : 0;
    }
    return sum;
}

/* Turns, and mirrors if asked, the vertices beyond an edge about its first end: into `trial`. */
static void crowd_turn(ring_layout *l, uint32_t from, const uint8_t *beyond, uint32_t n,
                       layout_point by, bool mirrored) {
    layout_point origin = l->at[from], axis = unit_of(minus(l->at[beyond[0]], origin));
    memcpy(l->trial, l->at, l->n * sizeof *l->at);
    for (uint32_t i = 0; i < n; i++) {
        layout_point p = minus(l->at[beyond[i]], origin);
        if (mirrored) {
            double along = 2 * (p.x * axis.x + p.y * axis.y);
            p = (layout_point){along * axis.x - p.x, along * axis.y - p.y};
        }
        l->trial[beyond[i]] = plus(origin, turned(p, by));
    }
}

/* Tries all turns about an edge, and keeps the best. */
static void crowd_improve(ring_layout *l, uint32_t from, uint32_t to, double *best) {
    const struct {
        layout_point by;
        double cost;
    } turns[] = {{turn_none, 0},
                 {turn_30, 0.5236 * RING_ONE_TURN},
                 {turn_back(turn_30), 0.5236 * RING_ONE_TURN},
                 {turn_60, 1.0472 * RING_ONE_TURN},
                 {turn_back(turn_60), 1.0472 * RING_ONE_TURN}};
    uint8_t beyond[RING_LAYOUT_VERTICES];
    uint32_t far, n = chain_beyond(l->g, from, to, beyond, &far);
    if (2 * n > l->n) return;
    for (unsigned i = 0; i < 2 * sizeof turns / sizeof *turns; i++) {
        crowd_turn(l, from, beyond, n, turns[i / 2].by, i % 2);
        double score = crowd_score(l->g, l->trial) + turns[i / 2].cost;
        if (score >= *best - 1e-6) continue;
        *best = score;
        memcpy(l->at, l->trial, l->n * sizeof *l->at);
    }
}

static bool edge_in_ring(const ring_layout *l, uint32_t e) {
    for (unsigned k = 0; k < l->n_rings; k++) {
        if (ring_has(&l->rings[k], l->g->from[e]) && ring_has(&l->rings[k], l->g->to[e])) {
            return true;
        }
    }
    return false;
}

static void crowd_unfold(ring_layout *l) {
    double best = crowd_score(l->g, l->at);
    for (unsigned pass = 0; pass < RING_PASSES && best > 1e-6; pass++) {
        double before = best;
        for (uint32_t e = 0; e < l->g->n_edges; e++) {
            if (edge_in_ring(l, e)) continue;
            crowd_improve(l, l->g->from[e], l->g->to[e], &best);
            crowd_improve(l, l->g->to[e], l->g->from[e], &best);
        }
        if (best > before - 1e-6) return;
    }
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* Turns by the multiple of 30 degrees that makes the picture lowest. */
static void ring_level(ring_layout *l) {
    layout_point by = turn_none, best = turn_none;
    double lowest = 0;
    for (unsigned i = 0; i < 6; i++, by = turned(by, turn_30)) {
        double low = 0, high = 0;
        for (uint32_t v = 0; v < l->n; v++) {
            double y = turned(l->at[v], by).y;
            if (v == 0 || y < low) low = y;
            if (v == 0 || y > high) high = y;
        }
        if (i > 0 && high - low >= lowest - 1e-6) continue;
        lowest = high - low;
        best = by;
    }
    for (uint32_t v = 0; v < l->n; v++) l->at[v] = turned(l->at[v], best);
}

lode_status ring_layout_make(mem *m, const lode_graph *g, layout_point *at, bool *done) {
    ring_layout *l = NULL;
    *done = false;
    if (g->n_vertices > RING_LAYOUT_VERTICES) return LODE_OK;
    lode_status status = mem_zalloc(m, (void **)&l, sizeof *l);
    if (status != LODE_OK) return status;
    l->g = g;
    l->at = at;
    l->n = g->n_vertices;
    l->exact = true;
    l->n_rings = ring_layout_rings(g, l->rings);
    for (unsigned k = 0; k < l->n_rings; k++) {
        for (unsigned i = 0; i < l->rings[k].n; i++) l->in_ring[l->rings[k].at[i]] = true;
    }
    chain_start(l);
    chain_grow(l);
    *done = l->exact && l->n_placed == l->n && l->n_rings < RING_LAYOUT_RINGS;
    if (*done) crowd_unfold(l);
    if (*done) ring_level(l);
    mem_free(m, l, sizeof *l);
    return LODE_OK;
}
