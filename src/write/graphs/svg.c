/* svg.c - see svg.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/graphs/svg.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"
#include "write/graphs/ring_layout.h"

#define SVG_MARGIN 16.0
#define SVG_WIDTH  190.0 /* at least */
#define SVG_HEIGHT 120.0
#define SVG_LABEL  6   /* characters of a label that are shown */
#define SVG_ARROW  11  /* between the tip of an arrow and its vertex */
#define SVG_APART  3.4 /* between the lines of a bond */
#define SVG_INSIDE 4.5 /* of the second line from the first, inside a ring */

typedef enum svg_look { SVG_BONDS, SVG_PLAIN, SVG_TEXT } svg_look;

typedef struct svg {
    mem *mem;
    vec_char *text;
    const lode_graphs *data;
    const lode_graph *g;
    layout_point *at; /* on paper */
    layout_ring rings[RING_LAYOUT_RINGS];
    unsigned n_rings;
    svg_look look;
    double bond, longest; /* length of an edge; characters of the longest label */
} svg;

static lode_status svg_printf(svg *s, const char *format, ...) {
    char piece[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    return vec_char_append(s->mem, s->text, piece, (size_t)n);
}

/* ---- labels --------------------------------------------------------------------------------- */

/* The number of characters that are shown; *bytes: their length. *cut: there are more. */
static unsigned svg_shown(const char *name, size_t n, size_t *bytes, bool *cut) {
    unsigned characters = 0;
    *cut = false;
    *bytes = n;
    for (size_t i = 0; i < n; i++) {
        if (((unsigned char)name[i] & 0xc0) == 0x80) continue;
        if (++characters == SVG_LABEL) *bytes = i;
        if (characters <= SVG_LABEL) continue;
        *cut = true;
        return SVG_LABEL;
    }
    *bytes = n;
    return characters;
}

static lode_status svg_put_name(svg *s, const dict *names, uint32_t id) {
    size_t n, bytes;
    bool cut;
    const char *name = dict_name(names, id, &n);
    svg_shown(name, n, &bytes, &cut);
    lode_status status = utf8_put_xml(s->mem, s->text, name, bytes);
    return status == LODE_OK && cut ? vec_char_append(s->mem, s->text, "\xe2\x80\xa6", 3) : status;
}

/* Names and numbers of bonds, and their orders; 4 = aromatic. */
static unsigned svg_order(const char *name, size_t n) {
    static const struct {
        const char *name;
        unsigned order;
    } rows[] = {{"1", 1},      {"2", 2},        {"3", 3}, {"4", 4}, {"single", 1}, {"double", 2},
                {"triple", 3}, {"aromatic", 4}, {"-", 1}, {"=", 2}, {"#", 3},      {":", 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strlen(rows[i].name) == n && memcmp(rows[i].name, name, n) == 0) return rows[i].order;
    }
    return 0;
}

/* Edges are bonds if all labels of the data set are. */
static svg_look svg_choose_look(const dict *names) {
    for (uint32_t id = 0; id < dict_count(names); id++) {
        size_t n;
        const char *name = dict_name(names, id, &n);
        if (svg_order(name, n) == 0 && dict_count(names) > 1) return SVG_TEXT;
    }
    return dict_count(names) > 1 ? SVG_BONDS : SVG_PLAIN;
}

/* The usual colours of elements; others have one of nine, by their label. */
static const char *svg_tone(const char *name, size_t n, uint32_t label) {
    static const struct {
        const char *name, *tone;
    } rows[] = {{"C", "#33302b"},  {"H", "#6a655c"},  {"N", "#1f4fb0"}, {"O", "#b3231b"},
                {"S", "#775a00"},  {"P", "#9a4a00"},  {"F", "#1d6b2c"}, {"Cl", "#1d6b2c"},
                {"Br", "#7c3a24"}, {"I", "#6a36a8"},  {"B", "#9a2f68"}, {"Si", "#0b6467"},
                {"Se", "#9a4a00"}, {"Na", "#6a36a8"}, {"K", "#6a36a8"}};
    static const char *const others[] = {"#1f4fb0", "#9a4a00", "#1d6b2c", "#6a36a8", "#b3231b",
                                         "#0b6467", "#775a00", "#9a2f68", "#7c3a24"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strlen(rows[i].name) == n && memcmp(rows[i].name, name, n) == 0) return rows[i].tone;
    }
    return others[label % (sizeof others / sizeof *others)];
}

/* ---- edges ---------------------------------------------------------------------------------- */

/* A line parallel to that between two vertices, `by` to its left, shorter by `less` at both
 * ends. */
static lode_status svg_put_stroke(svg *s, uint32_t e, double by, double less, bool dashed) {
    layout_point a = s->at[s->g->from[e]], b = s->at[s->g->to[e]];
    double x = b.x - a.x, y = b.y - a.y, length = layout_root(x * x + y * y);
    x = length > 0 ? x / length : 1;
    y = length > 0 ? y / length : 0;
    return svg_printf(s, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"%s/>\n",
                      a.x - y * by + x * less, a.y + x * by + y * less, b.x - y * by - x * less,
                      b.y + x * by - y * less, dashed ? " class=\"d\"" : "");
}

/* The side of an edge on which its smallest ring lies: 1, -1, or 0 if it is in none. */
static int svg_ring_side(const svg *s, uint32_t e) {
    uint32_t from = s->g->from[e], to = s->g->to[e];
    const layout_ring *least = NULL;
    for (unsigned k = 0; k < s->n_rings; k++) {
        const layout_ring *r = &s->rings[k];
        bool beside = false;
        for (unsigned i = 0; i < r->n; i++) {
            uint32_t u = r->at[i], v = r->at[(i + 1) % r->n];
            beside = beside || (u == from && v == to) || (u == to && v == from);
        }
        if (beside && (!least || r->n < least->n)) least = r;
    }
    if (!least) return 0;
    layout_point sum = {0, 0}, a = s->at[from], b = s->at[to];
    for (unsigned i = 0; i < least->n; i++) {
        sum.x += s->at[least->at[i]].x / least->n;
        sum.y += s->at[least->at[i]].y / least->n;
    }
    return (b.x - a.x) * (sum.y - a.y) - (b.y - a.y) * (sum.x - a.x) > 0 ? 1 : -1;
}

static lode_status svg_put_bond(svg *s, uint32_t e) {
    lode_status status = LODE_OK;
    size_t n;
    const char *name = dict_name(s->data->edge_names, s->g->edge_labels[e], &n);
    unsigned order = s->look == SVG_BONDS && !s->data->profile.directed ? svg_order(name, n) : 1;
    int side = svg_ring_side(s, e);
    if (order == 2 && side == 0) {
        LODE_TRY(svg_put_stroke(s, e, SVG_APART / 2, 0, false));
        return svg_put_stroke(s, e, -SVG_APART / 2, 0, false);
    }
    LODE_TRY(svg_put_stroke(s, e, 0, 0, false));
    if (order == 3) {
        LODE_TRY(svg_put_stroke(s, e, SVG_APART, 0, false));
        LODE_TRY(svg_put_stroke(s, e, -SVG_APART, 0, false));
    } else if (order != 1) {
        LODE_TRY(svg_put_stroke(s, e, (side < 0 ? -1 : 1) * SVG_INSIDE, 9, order == 4));
    }
done:
    return status;
}

static lode_status svg_put_arrow(svg *s, uint32_t e) {
    layout_point a = s->at[s->g->from[e]], b = s->at[s->g->to[e]];
    double x = b.x - a.x, y = b.y - a.y, length = layout_root(x * x + y * y);
    x = length > 0 ? x / length : 1;
    y = length > 0 ? y / length : 0;
    layout_point tip = {b.x - x * SVG_ARROW, b.y - y * SVG_ARROW};
    return svg_printf(s, "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\"/>\n", tip.x, tip.y,
                      tip.x - 8 * x - 4 * y, tip.y - 8 * y + 4 * x, tip.x - 8 * x + 4 * y,
                      tip.y - 8 * y - 4 * x);
}

static lode_status svg_put_edge_label(svg *s, uint32_t e) {
    lode_status status = LODE_OK;
    layout_point a = s->at[s->g->from[e]], b = s->at[s->g->to[e]];
    /* Nearer to the target, so that the labels of two arrows do not meet. */
    double share = s->data->profile.directed ? 0.62 : 0.5;
    LODE_TRY(svg_printf(s, "<text class=\"e\" x=\"%.1f\" y=\"%.1f\">", a.x + share * (b.x - a.x),
                        a.y + share * (b.y - a.y)));
    LODE_TRY(svg_put_name(s, s->data->edge_names, s->g->edge_labels[e]));
    LODE_TRY(svg_printf(s, "</text>\n"));
done:
    return status;
}

static lode_status svg_put_edges(svg *s) {
    lode_status status = LODE_OK;
    for (uint32_t e = 0; e < s->g->n_edges; e++) {
        LODE_TRY(svg_put_bond(s, e));
        if (s->data->profile.directed) LODE_TRY(svg_put_arrow(s, e));
    }
    for (uint32_t e = 0; e < s->g->n_edges && s->look == SVG_TEXT; e++) {
        LODE_TRY(svg_put_edge_label(s, e));
    }
done:
    return status;
}

static lode_status svg_put_vertex(svg *s, uint32_t v) {
    lode_status status = LODE_OK;
    size_t n, bytes;
    bool cut;
    uint32_t label = s->g->vertex_labels[v];
    const char *name = dict_name(s->data->vertex_names, label, &n);
    unsigned shown = svg_shown(name, n, &bytes, &cut);
    double width = shown <= 2 ? 20 : 8 + 7.0 * shown;
    const char *tone = svg_tone(name, n, label);
    layout_point p = s->at[v];
    LODE_TRY(svg_printf(s,
                        "<g fill=\"%s\"><rect class=\"b\" x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" "
                        "height=\"20\" rx=\"10\"/><rect class=\"t\" x=\"%.1f\" y=\"%.1f\" "
                        "width=\"%.0f\" height=\"20\" rx=\"10\"/><text x=\"%.1f\" y=\"%.1f\">",
                        tone, p.x - width / 2, p.y - 10, width, p.x - width / 2, p.y - 10, width,
                        p.x, p.y));
    LODE_TRY(n > 0 ? svg_put_name(s, s->data->vertex_names, label) : svg_printf(s, "?"));
    LODE_TRY(svg_printf(s, "</text></g>\n"));
done:
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */

#define SVG_START "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""
#define SVG_TITLE "<title>in "

bool svg_is_drawing(const char *text, size_t n) {
    size_t start = strlen(SVG_START), title = strlen(SVG_TITLE);
    if (n < start || memcmp(text, SVG_START, start) != 0) return false;
    const char *newline = memchr(text, '\n', n);
    size_t left = newline ? n - (size_t)(newline + 1 - text) : 0;
    return left >= title && memcmp(newline + 1, SVG_TITLE, title) == 0;
}

static lode_status svg_put_head(svg *s, double width, double height, uint64_t support) {
    lode_status status = LODE_OK;
    LODE_TRY(svg_printf(s,
                        SVG_START "%.0f\" height=\"%.0f\" "
                                  "viewBox=\"0 0 %.0f %.0f\">\n",
                        width, height, width, height));
    LODE_TRY(svg_printf(s, SVG_TITLE "%llu of %llu graphs</title>\n", (unsigned long long)support,
                        (unsigned long long)s->data->n));
    LODE_TRY(svg_printf(s, "<style>line{stroke:#1c1b19;stroke-width:1.7;stroke-linecap:round}"
                           ".d{stroke-dasharray:3 4}.b{fill:#fff}.t{fill-opacity:.13}"
                           "text{font:650 13px sans-serif;text-anchor:middle;"
                           "dominant-baseline:central}.e{font-size:11px;font-weight:500;"
                           "fill:#5a564f;stroke:#fff;stroke-width:4px;paint-order:stroke}"
                           "path{fill:#1c1b19}</style>\n"));
done:
    return status;
}

/* Chooses how the data set is drawn, by all its labels, so that all patterns are drawn alike. */
static void svg_begin(svg *s) {
    const lode_graph *g = s->g;
    s->look = svg_choose_look(s->data->edge_names);
    s->longest = 1;
    for (uint32_t v = 0; v < g->n_vertices; v++) {
        size_t n, bytes;
        bool cut;
        const char *name = dict_name(s->data->vertex_names, g->vertex_labels[v], &n);
        unsigned shown = svg_shown(name, n, &bytes, &cut);
        if (shown > s->longest) s->longest = shown;
    }
    double least = s->look == SVG_TEXT || s->data->profile.directed ? 46 : 32;
    s->bond = 18 + 7 * s->longest > least ? 18 + 7 * s->longest : least;
}

/* Moves the points onto a sheet, whose size is box[1] afterwards. */
static void svg_place(svg *s, layout_point box[2]) {
    const lode_graph *g = s->g;
    double margin = SVG_MARGIN + 3.4 * s->longest;
    layout_box(s->at, g->n_vertices, box);
    double width = s->bond * (box[1].x - box[0].x), height = s->bond * (box[1].y - box[0].y);
    layout_point size = {width + 2 * margin, height + 2 * margin};
    if (size.x < SVG_WIDTH) size.x = SVG_WIDTH;
    if (size.y < SVG_HEIGHT) size.y = SVG_HEIGHT;
    for (uint32_t v = 0; v < g->n_vertices; v++) {
        s->at[v].x = (size.x - width) / 2 + s->bond * (s->at[v].x - box[0].x);
        s->at[v].y = (size.y - height) / 2 + s->bond * (s->at[v].y - box[0].y);
    }
    box[1] = size;
}

lode_status svg_put(mem *m, vec_char *text, const lode_graphs *data, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    const lode_graph *g = p->graph;
    layout_point *at = NULL, box[2];
    size_t bytes = 2 * (size_t)g->n_vertices * sizeof *at;
    svg s = {.mem = m, .text = text, .data = data, .g = g};
    bool done;
    LODE_TRY(mem_resize(m, (void **)&at, 0, bytes));
    s.at = at;
    svg_begin(&s);
    LODE_TRY(ring_layout_make(m, g, at, &done));
    if (!done) layout_make(g, at);
    s.n_rings = ring_layout_rings(g, s.rings);
    svg_place(&s, box);
    LODE_TRY(svg_put_head(&s, box[1].x, box[1].y, p->support));
    LODE_TRY(svg_put_edges(&s));
    for (uint32_t v = 0; v < g->n_vertices; v++) LODE_TRY(svg_put_vertex(&s, v));
    LODE_TRY(svg_printf(&s, "</svg>\n"));
done:
    mem_free(m, at, at ? bytes : 0);
    return status;
}
