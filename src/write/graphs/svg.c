/* svg.c - see svg.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/graphs/svg.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

#define SVG_EDGE   44.0 /* length of an edge */
#define SVG_RADIUS 15.0
#define SVG_MARGIN 28.0

typedef struct svg {
    mem *mem;
    vec_char *text;
    const lode_graphs *data;
    const lode_graph *g;
    const layout_point *at;
    layout_point origin;
} svg;

static lode_status svg_printf(svg *s, const char *format, ...) {
    char piece[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    return vec_char_append(s->mem, s->text, piece, (size_t)n);
}

static lode_status svg_put_name(svg *s, const dict *names, uint32_t id) {
    size_t n;
    const char *name = dict_name(names, id, &n);
    return utf8_put_xml(s->mem, s->text, name, n);
}

static layout_point svg_on_paper(const svg *s, uint32_t v) {
    return (layout_point){SVG_MARGIN + SVG_EDGE * (s->at[v].x - s->origin.x),
                          SVG_MARGIN + SVG_EDGE * (s->at[v].y - s->origin.y)};
}

static lode_status svg_put_edge(svg *s, uint32_t e) {
    lode_status status = LODE_OK;
    const lode_graph *g = s->g;
    layout_point a = svg_on_paper(s, g->from[e]), b = svg_on_paper(s, g->to[e]);
    bool directed = s->data->profile.directed;
    LODE_TRY(svg_printf(s, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"%s/>\n", a.x, a.y,
                        b.x, b.y, directed ? " marker-end=\"url(#arrow)\"" : ""));
    size_t n;
    dict_name(s->data->edge_names, g->edge_labels[e], &n);
    if (n == 0) goto done;
    /* Nearer to the target, so that the labels of two arrows do not meet. */
    double share = directed ? 0.62 : 0.5;
    LODE_TRY(svg_printf(s, "<text class=\"e\" x=\"%.1f\" y=\"%.1f\">", a.x + share * (b.x - a.x),
                        a.y + share * (b.y - a.y)));
    LODE_TRY(svg_put_name(s, s->data->edge_names, g->edge_labels[e]));
    LODE_TRY(svg_printf(s, "</text>\n"));
done:
    return status;
}

static lode_status svg_put_vertex(svg *s, uint32_t v) {
    static const char *const colours[] = {"#d9e8f5", "#fbe3d0", "#dff0d8", "#f5d9e3",
                                          "#ece4f7", "#fdf3c8", "#d5efec", "#e6e6e6"};
    lode_status status = LODE_OK;
    uint32_t label = s->g->vertex_labels[v];
    layout_point p = svg_on_paper(s, v);
    LODE_TRY(svg_printf(s, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\" fill=\"%s\"/>", p.x, p.y,
                        SVG_RADIUS, colours[label % (sizeof colours / sizeof *colours)]));
    LODE_TRY(svg_printf(s, "<text x=\"%.1f\" y=\"%.1f\">", p.x, p.y));
    LODE_TRY(svg_put_name(s, s->data->vertex_names, label));
    LODE_TRY(svg_printf(s, "</text>\n"));
done:
    return status;
}

#define SVG_START "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""
#define SVG_TITLE "<title>in "

bool svg_is_drawing(const char *text, size_t n) {
    size_t start = strlen(SVG_START), title = strlen(SVG_TITLE);
    if (n < start || memcmp(text, SVG_START, start) != 0) return false;
    const char *newline = memchr(text, '\n', n);
    size_t left = newline ? n - (size_t)(newline + 1 - text) : 0;
    return left >= title && memcmp(newline + 1, SVG_TITLE, title) == 0;
}

static lode_status svg_put_head(svg *s, const layout_point box[2], uint64_t support) {
    lode_status status = LODE_OK;
    double width = 2 * SVG_MARGIN + SVG_EDGE * (box[1].x - box[0].x);
    double height = 2 * SVG_MARGIN + SVG_EDGE * (box[1].y - box[0].y);
    LODE_TRY(svg_printf(s,
                        SVG_START "%.0f\" height=\"%.0f\" "
                                  "viewBox=\"0 0 %.0f %.0f\">\n",
                        width, height, width, height));
    LODE_TRY(svg_printf(s, SVG_TITLE "%llu of %llu graphs</title>\n", (unsigned long long)support,
                        (unsigned long long)s->data->n));
    LODE_TRY(svg_printf(s, "<style>line{stroke:#555;stroke-width:1.6}circle{stroke:#333}"
                           "text{font:13px sans-serif;text-anchor:middle;dominant-baseline:central}"
                           ".e{font-size:11px;fill:#a00;stroke:#fff;stroke-width:4px;"
                           "paint-order:stroke}</style>\n"));
    if (s->data->profile.directed) {
        LODE_TRY(svg_printf(s,
                            "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"19\" refY=\"4\" "
                            "markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
                            "<path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker></defs>\n"));
    }
done:
    return status;
}

lode_status svg_put(mem *m, vec_char *text, const lode_graphs *data, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    const lode_graph *g = p->graph;
    layout_point *at = NULL, box[2];
    size_t bytes = 2 * (size_t)g->n_vertices * sizeof *at;
    svg s = {.mem = m, .text = text, .data = data, .g = g};
    LODE_TRY(mem_resize(m, (void **)&at, 0, bytes));
    layout_make(g, at, box);
    s.at = at;
    s.origin = box[0];
    LODE_TRY(svg_put_head(&s, box, p->support));
    for (uint32_t e = 0; e < g->n_edges; e++) LODE_TRY(svg_put_edge(&s, e));
    for (uint32_t v = 0; v < g->n_vertices; v++) LODE_TRY(svg_put_vertex(&s, v));
    LODE_TRY(svg_printf(&s, "</svg>\n"));
done:
    mem_free(m, at, at ? bytes : 0);
    return status;
}

/* ---- where the vertices of a small pattern go on paper --------------------------------------- */

#define LAYOUT_ROUNDS 300
#define LAYOUT_PAIRS  ((double)300 * 400 * 400 / 2) /* pairs of vertices, over all rounds */
#define LAYOUT_PUSH   0.35
#define LAYOUT_PULL   0.25

/* By Newton's method: the library need not be linked with the mathematics library. */
static double square_root(double x) {
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
    double length = square_root(p.x * p.x + p.y * p.y);
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
        double length = square_root(x * x + y * y) + 0.01;
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
void layout_make(const lode_graph *g, layout_point *at, layout_point box[2]) {
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
    box[0] = box[1] = at[0];
    for (uint32_t v = 1; v < g->n_vertices; v++) {
        if (at[v].x < box[0].x) box[0].x = at[v].x;
        if (at[v].y < box[0].y) box[0].y = at[v].y;
        if (at[v].x > box[1].x) box[1].x = at[v].x;
        if (at[v].y > box[1].y) box[1].y = at[v].y;
    }
}
