/* query_histogram.c - histograms of lode query, drawn in the terminal
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "query.h"

#define BAR_CHARACTERS 40
#define NAME_BYTES     96

/* "NAME", "NAME:30" or "log:NAME:30". */
typedef struct axis_text {
    char name[NAME_BYTES];
    uint32_t bins;
    bool log;
} axis_text;

static bool read_axis(const char *text, size_t n, axis_text *out) {
    *out = (axis_text){0};
    if (n > 4 && strncmp(text, "log:", 4) == 0) {
        out->log = true;
        text += 4;
        n -= 4;
    }
    const char *colon = memchr(text, ':', n);
    size_t name = colon ? (size_t)(colon - text) : n;
    uint32_t bins = 0;
    for (size_t i = name + 1; i < n; i++) {
        if (text[i] < '0' || text[i] > '9' || bins > 6553) return false;
        bins = bins * 10 + (uint32_t)(text[i] - '0');
    }
    if (name == 0 || name >= NAME_BYTES || (colon && bins == 0)) return false;
    memcpy(out->name, text, name);
    out->bins = bins;
    return true;
}

static bool read_axes(const char *text, axis_text *x, axis_text *y) {
    const char *comma = strchr(text, ',');
    return comma && read_axis(text, (size_t)(comma - text), x) &&
           read_axis(comma + 1, strlen(comma + 1), y);
}

bool query_check_histograms(const cli_args *args) {
    axis_text x, y;
    const char *one = cli_given(args, "histogram"), *two = cli_given(args, "histogram2");
    if (one && !read_axis(one, strlen(one), &x)) {
        cli_error("--histogram '%s': expected NAME, NAME:BINS or log:NAME", one);
        return false;
    }
    if (two && !read_axes(two, &x, &y)) {
        cli_error("--histogram2 '%s': expected two columns, such as support,confidence:10", two);
        return false;
    }
    return true;
}

static void print_outside(const lode_histogram *h) {
    if (h->outside)
        printf("  not shown: %s (infinite, or not above zero on a logarithmic scale)\n",
               cli_count(h->outside));
    if (h->undefined) printf("  without a value: %s\n", cli_count(h->undefined));
}

static uint64_t most_of(const lode_histogram *h) {
    uint64_t most = 0;
    for (size_t i = 0; i < (size_t)h->x_bins * h->y_bins; i++) {
        if (h->counts[i] > most) most = h->counts[i];
    }
    return most;
}

lode_status query_histogram(const cli_args *args, lode_store *store, const char *text) {
    axis_text x;
    lode_histogram h = LODE_INIT(lode_histogram);
    if (!read_axis(text, strlen(text), &x)) return LODE_INVALID;
    lode_histogram_options o = {.size = sizeof o, .x = x.name, .x_bins = x.bins, .x_log = x.log};
    lode_status status = lode_store_histogram(store, lode_options_query(args->options), &o, &h);
    if (status != LODE_OK) return status;
    cli_progress_end();
    uint64_t most = most_of(&h);
    printf("%s of %s rows\n", x.name, cli_count(h.inside + h.outside + h.undefined));
    for (uint32_t i = 0; i < h.x_bins; i++) {
        printf("  %12.5g %12s  ", h.x_edges[i], cli_count(h.counts[i]));
        uint64_t width = most ? (h.counts[i] * BAR_CHARACTERS + most - 1) / most : 0;
        for (uint64_t k = 0; k < width; k++) putchar('#');
        putchar('\n');
    }
    printf("  %12.5g\n", h.x_edges[h.x_bins]);
    print_outside(&h);
    return LODE_OK;
}

/* One character for a count: the more, the darker; nothing for none. */
static char shade_of(uint64_t n, uint64_t most) {
    static const char shades[] = ".:-=+*%@#";
    unsigned level = 0;
    while (n > 0 && most > 0 && n < most && level < sizeof shades - 2) { /* by factors of two */
        most /= 2;
        level++;
    }
    return n == 0 ? ' ' : shades[sizeof shades - 2 - level];
}

static void print_plane(const lode_histogram *h, const axis_text *x, const axis_text *y) {
    uint64_t most = most_of(h);
    printf("%s (up) and %s (right) of %s rows\n", y->name, x->name,
           cli_count(h->inside + h->outside + h->undefined));
    printf("  %12.5g\n", h->y_edges[h->y_bins]);
    for (uint32_t row = h->y_bins; row-- > 0;) {
        printf("  %12.5g |", h->y_edges[row]);
        for (uint32_t i = 0; i < h->x_bins; i++) {
            char shade = shade_of(h->counts[(size_t)row * h->x_bins + i], most);
            printf("%c%c", shade, shade);
        }
        printf("|\n");
    }
    printf("  %12s  %-*.5g%.5g\n", "", (int)(2 * h->x_bins > 10 ? 2 * h->x_bins - 5 : 10),
           h->x_edges[0], h->x_edges[h->x_bins]);
    printf("  # means %s rows; each of the next characters, @ %% * + = - : ., means half as many "
           "as the one before\n",
           cli_count(most));
    print_outside(h);
}

lode_status query_histogram2(const cli_args *args, lode_store *store, const char *text) {
    axis_text x, y;
    lode_histogram h = LODE_INIT(lode_histogram);
    if (!read_axes(text, &x, &y)) return LODE_INVALID;
    lode_histogram_options o = {.size = sizeof o,
                                .x = x.name,
                                .y = y.name,
                                .x_bins = x.bins ? x.bins : 30,
                                .y_bins = y.bins ? y.bins : 15,
                                .x_log = x.log,
                                .y_log = y.log};
    lode_status status = lode_store_histogram(store, lode_options_query(args->options), &o, &h);
    if (status != LODE_OK) return status;
    cli_progress_end();
    print_plane(&h, &x, &y);
    return LODE_OK;
}
