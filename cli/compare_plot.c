/* compare_plot.c - the rows of a comparison as an SVG picture, with one stacked bar per row
 *
 *     label |████ read ████ preprocess ███ counting …|  1.23 s   45.6 MiB
 *
 * The colours are those of Okabe and Ito, which colour-blind people can tell apart as well.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "svg_text.h"

#define WIDTH      1000
#define BAR_LEFT   190
#define BAR_WIDTH  560
#define BAR_HEIGHT 22
#define ROW_HEIGHT 40
#define ROWS_TOP   128
#define AXIS_ROOM  64
#define MAX_TICKS  6
#define MAX_TEXT   100 /* letters that fit to the right of a label */

static const char *const part_colours[N_PARTS + 1] = {"#56b4e9", "#0072b2", "#cc79a7", "#e69f00",
                                                      "#009e73", "#d55e00", "#bbbbbb"};

/* ---- the axes and labels --------------------------------------------------------------------- */

/* "AMD EPYC 7B13 64-Core Processor, 2 cores" */
static void describe_machine(char *out, size_t bytes) {
    char line[256], model[160] = "unknown processor";
    FILE *cpuinfo = fopen("/proc/cpuinfo", "r");
    while (cpuinfo && fgets(line, sizeof line, cpuinfo)) {
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, "model name", 10) != 0) continue;
        colon[1 + strcspn(colon + 1, "\n")] = 0;
        snprintf(model, sizeof model, "%s", colon + 1 + strspn(colon + 1, " "));
        break;
    }
    if (cpuinfo) fclose(cpuinfo);
    lode_resources r = LODE_INIT(lode_resources);
    lode_resources_get(&r);
    snprintf(out, bytes, "%s, %u core%s", model, r.threads, r.threads == 1 ? "" : "s");
}

static void plot_put_title(const comparison *c, FILE *f) {
    char title[512], machine[256], runs[COMPARE_TEXT], line[512];
    const char *input = cli_input(c->args), *slash = strrchr(input, '/');
    snprintf(title, sizeof title, "%s, minimum support %s", slash ? slash + 1 : input,
             c->args->min_support ? c->args->min_support : "not given");
    describe_machine(machine, sizeof machine);
    compare_describe_runs(c, runs);
    snprintf(line, sizeof line, "lode %s, %s, %s", lode_version(), runs, machine);
    svg_put_label(f, 24, 36, "title", title);
    svg_put_label(f, 24, 58, "note", line);
}

static void plot_put_legend(FILE *f) {
    double x = BAR_LEFT;
    for (size_t i = 0; i <= N_PARTS; i++) {
        const char *name = i < N_PARTS ? compare_part_names[i] : "other";
        fprintf(f, "<rect x=\"%.1f\" y=\"82\" width=\"14\" height=\"14\" fill=\"%s\"/>\n", x,
                part_colours[i]);
        svg_put_label(f, x + 20, 94, "small", name);
        x += 34 + 7.2 * (double)strlen(name);
    }
}

static void plot_put_start(const comparison *c, FILE *f, double height) {
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
            "viewBox=\"0 0 %d %.0f\">\n<style>"
            "text{font-family:system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif;font-size:14px;"
            "fill:#222}"
            ".title{font-size:20px;font-weight:600}.note,.small{font-size:13px;fill:#555}"
            ".right{text-anchor:end}.tick{text-anchor:middle;font-size:13px;fill:#555}"
            ".strong{font-weight:600}.bad{fill:#b00020}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            WIDTH, height, WIDTH, height);
    plot_put_title(c, f);
    plot_put_legend(f);
}

/* ---- the axis ------------------------------------------------------------------------------ */

/* 1, 2 or 5 times a power of ten, so that the longest bar has at most MAX_TICKS steps. */
static double tick_step(double longest) {
    static const double rounds[] = {1, 2, 5};
    double power = 1e-6;
    for (unsigned i = 0; i < 45; i++) {
        double step = rounds[i % 3] * power;
        if (longest <= step * MAX_TICKS) return step;
        if (i % 3 == 2) power *= 10;
    }
    return longest;
}

static void plot_put_axis(FILE *f, double step, double scale, double bottom) {
    for (unsigned i = 0; i * step * scale <= BAR_WIDTH + 0.5; i++) {
        char text[32];
        double x = BAR_LEFT + i * step * scale;
        fprintf(f,
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%.1f\" stroke=\"%s\" "
                "stroke-width=\"1\"/>\n",
                x, x, ROWS_TOP - 14, bottom, i ? "#e4e4e4" : "#888");
        snprintf(text, sizeof text, "%g", i * step);
        svg_put_label(f, x, bottom + 18, "tick", text);
    }
    svg_put_label(f, BAR_LEFT + BAR_WIDTH / 2.0, bottom + 40, "tick", "seconds");
}

/* ---- the bars ------------------------------------------------------------------------------ */

static double longest_bar(const comparison *c) {
    double longest = 0;
    for (size_t i = 0; i < c->n_rows; i++) {
        const compare_row *row = &c->rows[i];
        if (row->trouble[0] || row->n_runs == 0) continue;
        if (compare_median(row)->total > longest) longest = compare_median(row)->total;
    }
    return longest;
}

static double plot_put_part(FILE *f, double x, double y, double width, size_t part,
                            double seconds) {
    const char *name = part < N_PARTS ? compare_part_names[part] : "other";
    if (width > 0.05) {
        fprintf(f,
                "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" fill=\"%s\">"
                "<title>%s %.3f s</title></rect>\n",
                x, y, width, BAR_HEIGHT, part_colours[part], name, seconds);
    }
    return x + width;
}

static void plot_put_bar(FILE *f, const compare_row *row, double y, double scale) {
    const compare_run *run = compare_median(row);
    double x = BAR_LEFT, rest = run->total;
    for (size_t i = 0; i < N_PARTS; i++) {
        x = plot_put_part(f, x, y, run->parts[i] * scale, i, run->parts[i]);
        rest -= run->parts[i];
    }
    if (rest > 0) x = plot_put_part(f, x, y, rest * scale, N_PARTS, rest);
    double text_y = y + BAR_HEIGHT - 6;
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\"><tspan class=\"strong\">%.3f s</tspan>", x + 8, text_y,
            run->total);
    fprintf(f, "<tspan dx=\"10\" fill=\"#555\">%s</tspan>", cli_bytes(row->memory));
    if (row->is_different) fputs("<tspan dx=\"10\" class=\"bad\">DIFFERENT</tspan>", f);
    fputs("</text>\n", f);
}

static void plot_put_remark(FILE *f, double y, const char *remark) {
    char text[COMPARE_TEXT + 8];
    bool fits = strlen(remark) <= MAX_TEXT;
    snprintf(text, sizeof text, "%.*s%s", MAX_TEXT, remark, fits ? "" : "…");
    svg_put_label(f, BAR_LEFT + 8, y, "bad", text);
}

static void plot_put_row(FILE *f, const compare_row *row, double y, double scale) {
    svg_put_label(f, BAR_LEFT - 12, y + 9, "right strong", row->algorithm);
    svg_put_label(f, BAR_LEFT - 12, y + 24, "right small", compare_device(row));
    if (row->trouble[0] || row->n_runs == 0) {
        plot_put_remark(f, y + BAR_HEIGHT - 6, row->trouble[0] ? row->trouble : "not run");
    } else {
        plot_put_bar(f, row, y, scale);
    }
}

void compare_plot(const comparison *c, FILE *f) {
    double bottom = ROWS_TOP + (double)c->n_rows * ROW_HEIGHT;
    double longest = longest_bar(c);
    double scale = longest > 0 ? BAR_WIDTH / longest : 0;
    plot_put_start(c, f, bottom + AXIS_ROOM);
    if (longest > 0) plot_put_axis(f, tick_step(longest), scale, bottom);
    for (size_t i = 0; i < c->n_rows; i++) {
        plot_put_row(f, &c->rows[i], ROWS_TOP + (double)i * ROW_HEIGHT, scale);
    }
    fputs("</svg>\n", f);
}

/* ---- what came out of the runs of a comparison ----------------------------------------------- */

const compare_run *compare_median(const compare_row *row) {
    return &row->runs[(row->n_runs - 1) / 2];
}

void compare_describe_runs(const comparison *c, char text[COMPARE_TEXT]) {
    bool once = false;
    for (size_t i = 0; i < c->n_rows && c->long_once; i++) {
        const compare_row *row = &c->rows[i];
        once = once || (row->n_runs == 1 && row->runs[0].total >= COMPARE_SHORT);
    }
    int n = snprintf(text, COMPARE_TEXT, "median of %u run%s", c->repeat, c->repeat > 1 ? "s" : "");
    if (once) {
        snprintf(text + n, COMPARE_TEXT - (size_t)n, " (of one run if it takes %g s or more)",
                 COMPARE_SHORT);
    }
}

double compare_best(const comparison *c) {
    double best = 0;
    for (size_t i = 0; i < c->n_rows; i++) {
        if (c->rows[i].n_runs == 0 || c->rows[i].trouble[0]) continue;
        double total = compare_median(&c->rows[i])->total;
        if (best == 0 || total < best) best = total;
    }
    return best;
}

const char *compare_device(const compare_row *row) {
    return row->n_runs > 0 ? compare_median(row)->device : row->device;
}

static bool same_result(const compare_run *a, const compare_run *b) {
    return a->patterns == b->patterns && strcmp(a->hash, b->hash) == 0;
}

static int by_time(const void *x, const void *y) {
    const compare_run *a = x, *b = y;
    return a->total < b->total ? -1 : a->total > b->total;
}

const compare_run *compare_common(const comparison *c) {
    const compare_run *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < c->n_rows; i++) {
        size_t n = 0;
        if (c->rows[i].n_runs == 0) continue;
        for (size_t k = 0; k < c->n_rows; k++) {
            n += c->rows[k].n_runs > 0 && same_result(c->rows[k].runs, c->rows[i].runs);
        }
        if (n > most) best = c->rows[i].runs;
        if (n > most) most = n;
    }
    return best;
}

bool compare_judge(comparison *c) {
    const compare_run *common = compare_common(c);
    compare_run expected = common ? *common : (compare_run){0};
    bool equal = true;
    for (size_t i = 0; i < c->n_rows; i++) {
        compare_row *row = &c->rows[i];
        for (unsigned k = 0; k < row->n_runs; k++) {
            if (!same_result(&row->runs[k], &expected)) row->is_different = true;
        }
        equal = equal && !row->is_different;
        qsort(row->runs, row->n_runs, sizeof *row->runs, by_time);
    }
    return equal;
}
