/* suggest_view.c - see suggest.h: the rows, and numbers for people
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
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

/* ---- the points for programs: csv, and a JSON object a line ---------------------------------- */

/* A number of patterns, whole where it is known to be. */
static void write_number(FILE *f, double n) {
    fprintf(f, n < 9e15 ? "%.0f" : "%.6e", n);
}

typedef void (*write_point_fn)(const suggest_view *v, const lode_suggest_point *p, FILE *f);

static void write_points(const suggest_view *v, FILE *f, write_point_fn write) {
    for (unsigned t = 0; t < SUGGEST_TARGETS; t++) {
        for (size_t i = 0; i < v->n; i++) {
            if (v->rows[i].points[t].min_count) write(v, &v->rows[i].points[t], f);
        }
    }
}

static double write_share(const suggest_view *v, const lode_suggest_point *p) {
    return (double)p->min_count / (double)v->n_transactions;
}

static void write_csv_point(const suggest_view *v, const lode_suggest_point *p, FILE *f) {
    fprintf(f, "%s,%llu,%.9g,", lode_suggest_target_name(p->target),
            (unsigned long long)p->min_count, write_share(v, p));
    write_number(f, p->patterns);
    fputc(',', f);
    write_number(f, p->low);
    fputc(',', f);
    write_number(f, p->high);
    fprintf(f, ",%s,%s\n", p->exact ? "true" : "false", p->answer ? "true" : "false");
}

void suggest_csv(const suggest_view *v, FILE *f) {
    fputs("target,count,support,patterns,low,high,exact,answer\n", f);
    write_points(v, f, write_csv_point);
}

static void write_json_point(const suggest_view *v, const lode_suggest_point *p, FILE *f) {
    fprintf(f, "{\"target\":\"%s\",\"count\":%llu,\"support\":%.9g,\"patterns\":",
            lode_suggest_target_name(p->target), (unsigned long long)p->min_count,
            write_share(v, p));
    write_number(f, p->patterns);
    fputs(",\"low\":", f);
    write_number(f, p->low);
    fputs(",\"high\":", f);
    write_number(f, p->high);
    fprintf(f, ",\"exact\":%s,\"answer\":%s}\n", p->exact ? "true" : "false",
            p->answer ? "true" : "false");
}

void suggest_jsonl(const suggest_view *v, FILE *f) {
    write_points(v, f, write_json_point);
}
