/* force_layout.c - see force_layout.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/graphs/force_layout.h"

#define LAYOUT_ROUNDS 300
#define LAYOUT_PAIRS  ((double)300 * 400 * 400 / 2) /* pairs of vertices, over all rounds */
#define LAYOUT_PUSH   0.35
#define LAYOUT_PULL   0.25

/* By Newton's method: the library need not be linked with the mathematics library. */
double layout_root(double x) {
    if (!(x > 0)) return 0;
    double r = x > 1 ? x : 1;
    for (unsigned i = 0; i < 60; i++) r = 0.5 * (r + x / r);
    return r;
}

/* Points on a square turned into a circle: no sines needed. */
static layout_point start_point(uint32_t i, uint32_t n) {
    double t = 4.0 * i / n, radius = 0.5 + 0.16 * n;
    unsigned side = (unsigned)t;
    double a = 2 * (t - side) - 1;
    layout_point p = side == 0   ? (layout_point){a, -1}
                     : side == 1 ? (layout_point){1, a}
                     : side == 2 ? (layout_point){-a, 1}
                                 : (layout_point){-1, -a};
    double length = layout_root(p.x * p.x + p.y * p.y);
    return (layout_point){radius * p.x / length, radius * p.y / length};
}

static void add_force(layout_point *force, uint32_t u, uint32_t v, double x, double y) {
    force[u].x += x;
    force[u].y += y;
    force[v].x -= x;
    force[v].y -= y;
}

static void push_apart(const lode_graph *g, const layout_point *at, layout_point *force) {
    for (uint32_t u = 0; u < g->n_vertices; u++) {
        for (uint32_t v = u + 1; v < g->n_vertices; v++) {
            double x = at[u].x - at[v].x, y = at[u].y - at[v].y;
            double d = x * x + y * y + 0.01;
            add_force(force, u, v, LAYOUT_PUSH * x / d, LAYOUT_PUSH * y / d);
        }
    }
}

static void pull_edges(const lode_graph *g, const layout_point *at, layout_point *force) {
    for (uint32_t e = 0; e < g->n_edges; e++) {
        uint32_t u = g->from[e], v = g->to[e];
        double x = at[v].x - at[u].x, y = at[v].y - at[u].y;
        double length = layout_root(x * x + y * y) + 0.01;
        double pull = LAYOUT_PULL * 3 * (length - 1) / length;
        add_force(force, u, v, pull * x, pull * y);
    }
}

static double limit(double step, double most) {
    return step > most ? most : step < -most ? -most : step;
}

/* Returns the number of rounds. A round takes time proportional to the square of the number of
 * vertices, so there are fewer rounds from 400 vertices on, and a drawing takes a fraction of a
 * second. Patterns of thousands of vertices keep their initial circle. */
static unsigned count_rounds(uint32_t n) {
    double rounds = LAYOUT_PAIRS / (0.5 * n * n + 1);
    return rounds < LAYOUT_ROUNDS ? (unsigned)rounds : LAYOUT_ROUNDS;
}

/* The force of a vertex is kept in the upper half of `at`. */
void layout_make(const lode_graph *g, layout_point *at) {
    layout_point *force = at + g->n_vertices;
    for (uint32_t v = 0; v < g->n_vertices; v++) at[v] = start_point(v, g->n_vertices);
    unsigned rounds = count_rounds(g->n_vertices);
    for (unsigned round = 0; round < rounds; round++) {
        double most = 0.3 * (rounds - round) / rounds;
        for (uint32_t v = 0; v < g->n_vertices; v++) force[v] = (layout_point){0, 0};
        push_apart(g, at, force);
        pull_edges(g, at, force);
        for (uint32_t v = 0; v < g->n_vertices; v++) {
            at[v].x += limit(force[v].x, most);
            at[v].y += limit(force[v].y, most);
        }
    }
}

void layout_box(const layout_point *at, uint32_t n, layout_point box[2]) {
    box[0] = box[1] = at[0];
    for (uint32_t v = 1; v < n; v++) {
        if (at[v].x < box[0].x) box[0].x = at[v].x;
        if (at[v].y < box[0].y) box[0].y = at[v].y;
        if (at[v].x > box[1].x) box[1].x = at[v].x;
        if (at[v].y > box[1].y) box[1].y = at[v].y;
    }
}
