/* bins.c - histograms of the rows that a query finds, in one or two dimensions
 *
 * One pass finds the range of values of each column, unless the caller has given it; a second pass
 * counts. The bin of a value is found by comparing it with the same edges that the caller gets, so
 * that rounding cannot make them disagree.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "results/store/scan_rows.h"
#include "runtime/valid.h"

#define BINS_DEFAULT 20
#define BINS_MOST    65536 /* in all */

typedef struct bins_axis {
    const stored_column *column; /* NULL: there is no such axis */
    uint32_t bins;
    bool log, given;
    double low, high;
    double *edges; /* bins + 1 */
} bins_axis;

/* What a thread has of its own. */
typedef struct bins_tally {
    double values[2][SCAN_BLOCK];
    double low[2], high[2]; /* of the finite values that have a place on their axis */
    uint64_t outside, undefined;
} bins_tally;

typedef struct bins {
    const lode_histogram_options *options;
    bins_axis axes[2];
    bins_tally *tallies;
    uint64_t *counts; /* cells of one thread after those of the other */
    size_t cells;
    unsigned width;
    lode_histogram *out;
} bins;

/* ---- the range ------------------------------------------------------------------------------ */

static lode_status bins_values(bins *h, const scan_block *block) {
    lode_status status = LODE_OK;
    for (unsigned a = 0; a < 2; a++) {
        if (!h->axes[a].column) continue;
        LODE_TRY(stored_reals(block->batch, h->axes[a].column, block->range,
                              h->tallies[block->worker].values[a]));
    }
done:
    return status;
}

static lode_status bins_visit_range(void *user, const scan_block *block) {
    bins *h = user;
    bins_tally *t = &h->tallies[block->worker];
    lode_status status = bins_values(h, block);
    for (unsigned a = 0; status == LODE_OK && a < 2; a++) {
        const bins_axis *axis = &h->axes[a];
        for (uint32_t i = 0; axis->column && i < block->range.n; i++) {
            double v = t->values[a][i];
            if (!block->range.mask[i] || !isfinite(v) || (axis->log && v <= 0)) continue;
            if (v < t->low[a]) t->low[a] = v;
            if (v > t->high[a]) t->high[a] = v;
        }
    }
    return status;
}

static void bins_set_range(bins *h, unsigned a) {
    bins_axis *axis = &h->axes[a];
    if (axis->given || !axis->column) return;
    axis->low = INFINITY;
    axis->high = -INFINITY;
    for (unsigned w = 0; w < h->width; w++) {
        if (h->tallies[w].low[a] < axis->low) axis->low = h->tallies[w].low[a];
        if (h->tallies[w].high[a] > axis->high) axis->high = h->tallies[w].high[a];
    }
    if (axis->low > axis->high) { /* no value has a place: any range will do */
        axis->low = axis->high = axis->log ? 1 : 0;
    }
    if (axis->low == axis->high) axis->bins = 1;
}

/* Whole numbers in bins that are whole numbers wide. */
static bool bins_are_whole(const bins_axis *axis) {
    return axis->column->type == LODE_COLUMN_COUNT && !axis->log && !axis->given &&
           axis->high < 1e15;
}

static void bins_set_edges(bins_axis *axis) {
    uint32_t n = axis->bins;
    if (bins_are_whole(axis) && axis->low < axis->high) {
        double wide = ceil((axis->high - axis->low + 1) / n);
        n = axis->bins = (uint32_t)ceil((axis->high - axis->low + 1) / wide);
        for (uint32_t i = 0; i <= n; i++) axis->edges[i] = axis->low + i * wide;
        return;
    }
    for (uint32_t i = 0; i <= n; i++) {
        double t = (double)i / n;
        double edge = axis->log ? exp(log(axis->low) * (1 - t) + log(axis->high) * t)
                                : axis->low * (1 - t) + axis->high * t;
        axis->edges[i] = i > 0 && edge < axis->edges[i - 1] ? axis->edges[i - 1] : edge;
    }
    axis->edges[0] = axis->low;
    axis->edges[n] = axis->high;
    for (uint32_t i = n; i-- > 0;) { /* rounding must not put one beyond the last */
        if (axis->edges[i] > axis->high) axis->edges[i] = axis->high;
    }
}

/* ---- counting ------------------------------------------------------------------------------- */

/* The bin of a value; UINT32_MAX: it is outside. */
static uint32_t bins_find(const bins_axis *axis, double v) {
    uint32_t low = 0, high = axis->bins;
    if (!(v >= axis->edges[0]) || v > axis->edges[high]) return UINT32_MAX;
    while (high - low > 1) { /* the last edge that is not above it */
        uint32_t middle = low + (high - low) / 2;
        if (axis->edges[middle] <= v) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static lode_status bins_visit_count(void *user, const scan_block *block) {
    bins *h = user;
    bins_tally *t = &h->tallies[block->worker];
    uint64_t *counts = h->counts + block->worker * h->cells;
    bool two = h->axes[1].column != NULL;
    lode_status status = bins_values(h, block);
    for (uint32_t i = 0; status == LODE_OK && i < block->range.n; i++) {
        if (!block->range.mask[i]) continue;
        double x = t->values[0][i], y = two ? t->values[1][i] : 0;
        uint32_t at = bins_find(&h->axes[0], x), row = two ? bins_find(&h->axes[1], y) : 0;
        if (isnan(x) || isnan(y)) {
            t->undefined++;
        } else if (at == UINT32_MAX || row == UINT32_MAX) {
            t->outside++;
        } else {
            counts[(size_t)row * h->axes[0].bins + at]++;
        }
    }
    return status;
}

static void bins_finish(bins *h, uint64_t *counts) {
    lode_histogram found = {.size = sizeof found,
                            .x_bins = h->axes[0].bins,
                            .y_bins = h->axes[1].column ? h->axes[1].bins : 1,
                            .x_edges = h->axes[0].edges,
                            .y_edges = h->axes[1].edges,
                            .counts = counts};
    memset(counts, 0, h->cells * sizeof *counts);
    for (unsigned w = 0; w < h->width; w++) {
        for (size_t i = 0; i < h->cells; i++) {
            counts[i] += h->counts[w * h->cells + i];
            found.inside += h->counts[w * h->cells + i];
        }
        found.outside += h->tallies[w].outside;
        found.undefined += h->tallies[w].undefined;
    }
    *h->out = found;
}

/* ---- the question --------------------------------------------------------------------------- */

static lode_status bins_read_axis(bins *h, lode_store *s, unsigned a) {
    const lode_histogram_options *o = h->options;
    bins_axis *axis = &h->axes[a];
    const char *name = a ? o->y : o->x;
    uint32_t wanted = a ? o->y_bins : o->x_bins;
    *axis = (bins_axis){.bins = 1,
                        .log = a ? o->y_log : o->x_log,
                        .low = a ? o->y_low : o->x_low,
                        .high = a ? o->y_high : o->x_high};
    if (!name) return LODE_OK;
    axis->bins = wanted ? wanted : BINS_DEFAULT;
    axis->given = axis->low != 0 || axis->high != 0;
    bool sensible = isfinite(axis->low) && isfinite(axis->high) && axis->low < axis->high &&
                    (!axis->log || axis->low > 0);
    if (axis->given && !sensible) {
        return job_fail(s->job, LODE_INVALID,
                        "histogram: the range of '%s' must be finite%s, with the lower bound first",
                        name, axis->log ? " and above zero" : "");
    }
    return stored_need(s, "histogram", name, &axis->column);
}

static lode_status bins_read(bins *h, lode_store *s) {
    lode_status status = LODE_OK;
    if (!h->options->x) {
        return job_fail(s->job, LODE_INVALID,
                        "histogram: x is NULL; expected the name of a column");
    }
    for (unsigned a = 0; a < 2; a++) LODE_TRY(bins_read_axis(h, s, a));
    if ((uint64_t)h->axes[0].bins * h->axes[1].bins > BINS_MOST) {
        status = job_fail(s->job, LODE_INVALID, "histogram: more than %d bins", BINS_MOST);
    }
done:
    return status;
}

/* Makes room in the store for edges and counts; returns where the counts go. */
static lode_status bins_room(bins *h, lode_store *s, uint64_t **counts) {
    size_t edges = (h->axes[0].bins + (size_t)1) + (h->axes[1].bins + (size_t)1);
    size_t most = (size_t)h->axes[0].bins * h->axes[1].bins;
    size_t bytes = edges * sizeof(double) + most * sizeof(uint64_t);
    if (bytes != s->histogram_bytes) {
        mem_free(&s->job->mem, s->histogram, s->histogram_bytes);
        s->histogram = NULL;
        s->histogram_bytes = 0;
        lode_status status = mem_resize(&s->job->mem, &s->histogram, 0, bytes);
        if (status != LODE_OK) return status;
        s->histogram_bytes = bytes;
    }
    h->axes[0].edges = s->histogram;
    if (h->axes[1].column) h->axes[1].edges = h->axes[0].edges + h->axes[0].bins + 1;
    *counts = (uint64_t *)((double *)s->histogram + edges);
    return LODE_OK;
}

static lode_status bins_count(const query_plan *plan, bins *h) {
    lode_status status = LODE_OK;
    mem *m = &plan->store->job->mem;
    uint64_t *counts = NULL;
    size_t bytes = 0;
    bool search = !h->axes[0].given || (h->axes[1].column && !h->axes[1].given);
    if (search) LODE_TRY(scan_all(plan, bins_visit_range, h));
    for (unsigned a = 0; a < 2; a++) bins_set_range(h, a);
    LODE_TRY(bins_room(h, plan->store, &counts));
    for (unsigned a = 0; a < 2; a++) {
        if (h->axes[a].column) bins_set_edges(&h->axes[a]);
    }
    h->cells = (size_t)h->axes[0].bins * h->axes[1].bins;
    bytes = h->width * h->cells * sizeof *h->counts;
    LODE_TRY(mem_zalloc(m, (void **)&h->counts, bytes));
    LODE_TRY(scan_all(plan, bins_visit_count, h));
    bins_finish(h, counts);
done:
    if (h->counts) mem_free(m, h->counts, bytes);
    return status;
}

static lode_status bins_answer(const query_plan *plan, void *user) {
    lode_status status = LODE_OK;
    bins *h = user;
    mem *m = &plan->store->job->mem;
    size_t bytes;
    h->width = scan_width(plan->store);
    bytes = h->width * sizeof *h->tallies;
    LODE_TRY(bins_read(h, plan->store));
    LODE_TRY(mem_zalloc(m, (void **)&h->tallies, bytes));
    for (unsigned w = 0; w < h->width; w++) {
        for (unsigned a = 0; a < 2; a++) {
            h->tallies[w].low[a] = INFINITY;
            h->tallies[w].high[a] = -INFINITY;
        }
    }
    LODE_TRY(bins_count(plan, h));
done:
    if (h->tallies) mem_free(m, h->tallies, bytes);
    return status;
}

lode_status lode_store_histogram(lode_store *store, const lode_query_options *query,
                                 const lode_histogram_options *options, lode_histogram *out) {
    lode_histogram found = {0};
    lode_histogram_options copy;
    VALID_CALL(store ? store->job : NULL, VALID_NEEDS(options), VALID_NEEDS(out));
    lode_status status = valid_take(store->job, VALID_HISTOGRAM, options, &copy);
    if (status != LODE_OK) return status;
    bins h = {.options = &copy, .out = &found};
    status = scan_ask(store, query, bins_answer, &h);
    if (status != LODE_OK) return status;
    if (valid_fill(out, &found)) return LODE_OK;
    return job_fail(store->job, LODE_INVALID, "the size of a lode_histogram is not set");
}
