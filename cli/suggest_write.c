/* suggest_write.c - the points for programs: csv, and a JSON object a line
 * SPDX-License-Identifier: Apache-2.0 */
#include "suggest.h"

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
