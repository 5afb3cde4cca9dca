/* suggest_view.c - see suggest.h: the rows, and numbers for people
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "suggest.h"

/* ---- numbers --------------------------------------------------------------------------------- */

static char *suggest_buffer(void) {
    static char buffers[16][32];
    static unsigned turn;
    return buffers[turn++ % 16];
}

const char *suggest_number(double n) {
    static const char *const units[] = {"", " k", " M", " G", " T"};
    char *text = suggest_buffer();
    double scaled = n;
    int unit = 0;
    while (scaled >= 999.5 && unit < 4) {
        scaled /= 1000;
        unit++;
    }
    int digits = unit == 0 || scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
    bool whole = scaled == floor(scaled);
    if (n >= 1e16) {
        snprintf(text, 32, "%.1e", n);
    } else {
        snprintf(text, 32, "%.*f%s", whole ? 0 : digits, scaled, units[unit]);
    }
    return text;
}

const char *suggest_percent(const suggest_view *v, uint64_t min_count) {
    char *text = suggest_buffer();
    snprintf(text, 32, "%.3g%%", 100 * (double)min_count / (double)v->n_transactions);
    return text;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The row of a threshold; rows stay in order. NULL: there are too many. */
static suggest_row *suggest_row_of(suggest_view *v, uint64_t min_count) {
    size_t at = 0;
    while (at < v->n && v->rows[at].min_count > min_count) at++;
    if (at < v->n && v->rows[at].min_count == min_count) return &v->rows[at];
    if (v->n == SUGGEST_ROWS) return NULL;
    memmove(&v->rows[at + 1], &v->rows[at], (v->n - at) * sizeof *v->rows);
    v->rows[at] = (suggest_row){.min_count = min_count};
    v->n++;
    return &v->rows[at];
}

void suggest_collect(suggest_view *v, const lode_suggestion *s) {
    lode_suggest_point p = {.size = sizeof p};
    for (size_t i = 0; lode_suggestion_point(s, i, &p); i++) {
        suggest_row *row = suggest_row_of(v, p.min_count);
        if (row) row->points[p.target] = p;
        v->has[p.target] = true;
    }
    for (unsigned t = 0; t < SUGGEST_TARGETS; t++) {
        v->answers[t].size = sizeof v->answers[t];
        if (!lode_suggestion_answer(s, (lode_suggest_target)t, &v->answers[t])) {
            v->answers[t].min_count = 0;
        }
    }
}
