/* suggest_draw.c - draws curves in the terminal, with logarithmic axes; each letter is a point
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "suggest.h"
#include "svg_text.h"

#define DRAW_WIDTH  64
#define DRAW_HEIGHT 17
#define DRAW_MARGIN 9 /* columns for the numbers at the left */

static const char draw_marks[SUGGEST_TARGETS] = {'a', 'c', 'm', 'r'};

static bool suggest_find_axes(const suggest_view *v, suggest_axes *out) {
    double most = 1;
    if (v->n == 0) return false;
    for (size_t i = 0; i < v->n; i++) {
        for (unsigned t = 0; t < SUGGEST_TARGETS; t++) {
            const lode_suggest_point *p = &v->rows[i].points[t];
            if (p->min_count && p->patterns > most) most = p->patterns;
        }
    }
    out->left = log10((double)v->rows[v->n - 1].min_count);
    out->right = log10((double)v->rows[0].min_count);
    if (out->right - out->left < 0.1) out->right = out->left + 0.1;
    out->bottom = 0;
    out->top = ceil(log10(most * 1.01));
    if (out->top < 1) out->top = 1;
    return true;
}

typedef struct draw_grid {
    suggest_axes axes;
    char cells[DRAW_HEIGHT][DRAW_WIDTH + 1];
} draw_grid;

static int draw_row(const draw_grid *g, double n) {
    double share = (log10(n) - g->axes.bottom) / (g->axes.top - g->axes.bottom);
    return DRAW_HEIGHT - 1 - (int)lround(share * (DRAW_HEIGHT - 1));
}

static int draw_column(const draw_grid *g, uint64_t min_count) {
    double share = (log10((double)min_count) - g->axes.left) / (g->axes.right - g->axes.left);
    return (int)lround(share * (DRAW_WIDTH - 1));
}

static void draw_put_mark(draw_grid *g, uint64_t min_count, double n, char mark) {
    int row = draw_row(g, n < 1 ? 1 : n), column = draw_column(g, min_count);
    if (row < 0 || row >= DRAW_HEIGHT || column < 0 || column >= DRAW_WIDTH) return;
    char *cell = &g->cells[row][column];
    bool busy = *cell != ' ' && *cell != '-' && *cell != ':';
    if (!busy) *cell = mark;
}

/* The interval of an estimate, as dots. */
static void draw_interval(draw_grid *g, const lode_suggest_point *p) {
    int from = draw_row(g, p->high), to = draw_row(g, p->low < 1 ? 1 : p->low);
    int column = draw_column(g, p->min_count);
    if (column < 0 || column >= DRAW_WIDTH) return;
    for (int row = from < 0 ? 0 : from; row <= to && row < DRAW_HEIGHT; row++) {
        if (g->cells[row][column] == ' ') g->cells[row][column] = ':';
    }
}

static void draw_fill_grid(draw_grid *g, const suggest_view *v) {
    for (int row = 0; row < DRAW_HEIGHT; row++) {
        memset(g->cells[row], ' ', DRAW_WIDTH);
        g->cells[row][DRAW_WIDTH] = 0;
    }
    int wanted = v->want ? draw_row(g, (double)v->want) : -1;
    if (wanted >= 0 && wanted < DRAW_HEIGHT) memset(g->cells[wanted], '-', DRAW_WIDTH);
    for (size_t i = 0; i < v->n * SUGGEST_TARGETS; i++) {
        const lode_suggest_point *p = &v->rows[i / SUGGEST_TARGETS].points[i % SUGGEST_TARGETS];
        if (p->min_count) draw_put_mark(g, p->min_count, p->patterns, draw_marks[p->target]);
    }
    for (size_t i = 0; i < v->n * SUGGEST_TARGETS; i++) {
        const lode_suggest_point *p = &v->rows[i / SUGGEST_TARGETS].points[i % SUGGEST_TARGETS];
        if (p->min_count && !p->exact) draw_interval(g, p);
    }
}

/* The power of ten whose line this is; negative: none. */
static int draw_power(const draw_grid *g, int row) {
    for (int power = 0; power <= (int)g->axes.top; power++) {
        int step = g->axes.top > 8 ? 2 : 1;
        if (power % step == 0 && draw_row(g, pow(10, power)) == row) return power;
    }
    return -1;
}

void suggest_draw(const suggest_view *v, FILE *f) {
    draw_grid g;
    if (!suggest_find_axes(v, &g.axes)) return;
    draw_fill_grid(&g, v);
    fprintf(f, "%*s\n", DRAW_MARGIN, "patterns");
    for (int row = 0; row < DRAW_HEIGHT; row++) {
        int power = draw_power(&g, row), end = DRAW_WIDTH;
        while (end > 0 && g.cells[row][end - 1] == ' ') end--;
        fprintf(f, "%*s %c%.*s\n", DRAW_MARGIN - 1, power < 0 ? "" : suggest_number(pow(10, power)),
                power < 0 ? '|' : '+', end, g.cells[row]);
    }
    fprintf(f, "%*s+", DRAW_MARGIN, "");
    for (int i = 0; i < DRAW_WIDTH; i++) fputc('-', f);
    const char *low = suggest_percent(v, v->rows[v->n - 1].min_count);
    const char *high = suggest_percent(v, v->rows[0].min_count);
    int gap = DRAW_WIDTH - (int)strlen(low) - (int)strlen(high);
    fprintf(f, "\n%*s%s%*s%s\n", DRAW_MARGIN + 1, "", low, (gap + 15) / 2, "minimum support", "");
    fprintf(f, "%*s%*s\n", DRAW_MARGIN + 1, "", DRAW_WIDTH, high);
}

/* ---- the curves as an SVG picture: logarithmic axes, and bands for the intervals ------------- */

/* The colours are those of Okabe and Ito, which colour-blind people can tell apart as well. */

#define WIDTH  960
#define HEIGHT 600
#define LEFT   96
#define RIGHT  770
#define TOP    96
#define BOTTOM 520

static const char *const svg_colours[SUGGEST_TARGETS] = {"#0072b2", "#d55e00", "#009e73",
                                                         "#cc79a7"};
static const char *const svg_names[SUGGEST_TARGETS] = {"all itemsets", "closed", "maximal",
                                                       "rules"};

static double svg_x(const suggest_axes *a, double count) {
    return LEFT + (log10(count) - a->left) / (a->right - a->left) * (RIGHT - LEFT);
}

static double svg_y(const suggest_axes *a, double n) {
    double at = log10(n < 1 ? 1 : n);
    if (at > a->top) at = a->top;
    return BOTTOM - (at - a->bottom) / (a->top - a->bottom) * (BOTTOM - TOP);
}

static void svg_put_start(const suggest_view *v, FILE *f) {
    char title[512], note[256];
    const char *input = cli_input(v->args), *slash = strrchr(input, '/');
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\">\n<style>"
            "text{font-family:system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif;font-size:14px;"
            "fill:#222}"
            ".title{font-size:20px;font-weight:600}.note{font-size:13px;fill:#555}"
            ".x{text-anchor:middle;font-size:13px;fill:#555}"
            ".y{text-anchor:end;font-size:13px;fill:#555}"
            ".axis{text-anchor:middle}.strong{font-weight:600}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    snprintf(title, sizeof title, "Patterns in %s", slash ? slash + 1 : input);
    snprintf(note, sizeof note,
             "%s transactions. Bands show confidence intervals. Rules have a confidence of %g%% "
             "or more and one item in the consequent",
             cli_count(v->n_transactions), 100 * v->confidence);
    svg_put_label(f, LEFT, 40, "title", title);
    svg_put_label(f, LEFT, 64, "note", note);
}

/* ---- the axes -------------------------------------------------------------------------------- */

static void svg_put_line(FILE *f, double x1, double y1, double x2, double y2, const char *style) {
    fprintf(f, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2,
            style);
}

static void svg_put_numbers(const suggest_axes *a, FILE *f) {
    int step = a->top > 12 ? 3 : a->top > 8 ? 2 : 1;
    for (int power = 0; power <= (int)a->top; power += step) {
        double y = svg_y(a, pow(10, power));
        svg_put_line(f, LEFT, y, RIGHT, y, power ? "stroke=\"#e4e4e4\"" : "stroke=\"#888\"");
        svg_put_label(f, LEFT - 10, y + 4.5, "y", suggest_number(pow(10, power)));
    }
}

/* 1, 2 and 5 times the powers of ten, in percent, as far as they do not crowd. */
static void svg_put_supports(const suggest_view *v, const suggest_axes *a, FILE *f) {
    static const double rounds[] = {1, 2, 5};
    double n = (double)v->n_transactions, last = -100;
    bool wide = a->right - a->left > 2;
    for (int i = -27; i < 9; i++) {
        double percent = rounds[(i + 27) % 3] * pow(10, floor(i / 3.0));
        double count = percent / 100 * n, x = count > 0 ? svg_x(a, count) : 0;
        char text[32];
        if (x < LEFT - 0.5 || x > RIGHT + 0.5 || (wide && (i + 27) % 3 == 1)) continue;
        svg_put_line(f, x, TOP, x, BOTTOM, "stroke=\"#f0f0f0\"");
        svg_put_line(f, x, BOTTOM, x, BOTTOM + 5, "stroke=\"#888\"");
        snprintf(text, sizeof text, "%g%%", percent);
        if (x - last > 44) {
            svg_put_label(f, x, BOTTOM + 22, "x", text);
            last = x;
        }
    }
    svg_put_label(f, (LEFT + RIGHT) / 2.0, BOTTOM + 52, "axis", "minimum support");
    fprintf(f,
            "<text transform=\"translate(28 %.1f) rotate(-90)\" class=\"axis\">patterns</text>\n",
            (TOP + BOTTOM) / 2.0);
}

/* ---- a curve --------------------------------------------------------------------------------- */

static const lode_suggest_point *svg_point(const suggest_view *v, size_t i, unsigned t) {
    const lode_suggest_point *p = &v->rows[i].points[t];
    return p->min_count ? p : NULL;
}

static void svg_put_band(const suggest_view *v, const suggest_axes *a, unsigned t, FILE *f) {
    fprintf(f, "<path fill=\"%s\" fill-opacity=\"0.16\" d=\"", svg_colours[t]);
    char step = 'M';
    for (size_t i = 0; i < v->n; i++) {
        const lode_suggest_point *p = svg_point(v, i, t);
        if (p) fprintf(f, "%c%.1f %.1f", step, svg_x(a, (double)p->min_count), svg_y(a, p->high));
        if (p) step = 'L';
    }
    for (size_t i = v->n; i-- > 0;) {
        const lode_suggest_point *p = svg_point(v, i, t);
        if (p) fprintf(f, "L%.1f %.1f", svg_x(a, (double)p->min_count), svg_y(a, p->low));
    }
    fputs("Z\"/>\n", f);
}

static void svg_put_curve(const suggest_view *v, const suggest_axes *a, unsigned t, FILE *f) {
    char step = 'M';
    fprintf(f, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", svg_colours[t]);
    for (size_t i = 0; i < v->n; i++) {
        const lode_suggest_point *p = svg_point(v, i, t);
        if (!p) continue;
        fprintf(f, "%c%.1f %.1f", step, svg_x(a, (double)p->min_count), svg_y(a, p->patterns));
        step = 'L';
    }
    fputs("\"/>\n", f);
    for (size_t i = 0; i < v->n; i++) {
        const lode_suggest_point *p = svg_point(v, i, t);
        if (!p) continue;
        fprintf(f,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\" stroke=\"%s\" "
                "stroke-width=\"1.5\"><title>%llu: %s%s</title></circle>\n",
                svg_x(a, (double)p->min_count), svg_y(a, p->patterns), p->answer ? "6" : "3.2",
                p->exact ? svg_colours[t] : "#fff", svg_colours[t],
                (unsigned long long)p->min_count, p->exact ? "" : "about ",
                suggest_number(p->patterns));
    }
}

static void svg_put_legend(const suggest_view *v, FILE *f) {
    double y = TOP + 10;
    for (unsigned t = 0; t < SUGGEST_TARGETS; t++) {
        if (!v->has[t]) continue;
        svg_put_line(f, RIGHT + 24, y, RIGHT + 52, y, "stroke-width=\"2\" stroke=\"#bbb\"");
        fprintf(f, "<circle cx=\"%d\" cy=\"%.1f\" r=\"5\" fill=\"%s\"/>\n", RIGHT + 38, y,
                svg_colours[t]);
        svg_put_label(f, RIGHT + 62, y + 5, "strong", svg_names[t]);
        y += 28;
    }
    fprintf(f, "<circle cx=\"%d\" cy=\"%.1f\" r=\"4\" fill=\"#555\"/>\n", RIGHT + 38, y);
    svg_put_label(f, RIGHT + 62, y + 5, "note", "exact");
    fprintf(f,
            "<circle cx=\"%d\" cy=\"%.1f\" r=\"4\" fill=\"#fff\" stroke=\"#555\" "
            "stroke-width=\"1.5\"/>\n",
            RIGHT + 38, y + 24);
    svg_put_label(f, RIGHT + 62, y + 29, "note", "estimated");
}

static void svg_put_wanted(const suggest_view *v, const suggest_axes *a, FILE *f) {
    char text[64];
    double y = svg_y(a, (double)v->want);
    if (!v->want || log10((double)v->want) > a->top) return;
    svg_put_line(f, LEFT, y, RIGHT, y, "stroke=\"#222\" stroke-dasharray=\"5 4\"");
    snprintf(text, sizeof text, "wanted: %s", suggest_number((double)v->want));
    svg_put_label(f, RIGHT + 8, y + 5, "note", text);
}

void suggest_svg(const suggest_view *v, FILE *f) {
    suggest_axes a;
    svg_put_start(v, f);
    if (suggest_find_axes(v, &a)) {
        svg_put_numbers(&a, f);
        svg_put_supports(v, &a, f);
        svg_put_wanted(v, &a, f);
        for (unsigned t = 0; t < SUGGEST_TARGETS; t++) {
            if (v->has[t]) svg_put_band(v, &a, t, f);
        }
        for (unsigned t = 0; t < SUGGEST_TARGETS; t++) {
            if (v->has[t]) svg_put_curve(v, &a, t, f);
        }
        svg_put_legend(v, f);
    }
    fputs("</svg>\n", f);
}
