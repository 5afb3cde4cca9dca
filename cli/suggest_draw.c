/* suggest_draw.c - the curves in the terminal: both axes are logarithmic, a letter is a point
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "suggest.h"

#define DRAW_WIDTH  64
#define DRAW_HEIGHT 17
#define DRAW_MARGIN 9 /* columns for the numbers at the left */

static const char draw_marks[SUGGEST_TARGETS] = {'a', 'c', 'm', 'r'};

bool suggest_find_axes(const suggest_view *v, suggest_axes *out) {
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
