/* compare_result.c - what came out of the runs of a comparison; see compare.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "compare.h"

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
        snprintf(text + n, COMPARE_TEXT - (size_t)n, ", or of one that takes %g s or more",
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
