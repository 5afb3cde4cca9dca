/* graph_classes.c - see graph_classes.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/graphs/graph_classes.h"

#include <math.h>
#include <stdio.h>

#include "base/reals.h"
#include "base/utf8.h"
#include "rules/measures/measure.h"
#include "runtime/valid.h"
#include "write/graphs/graph_text.h"

#define CLASSES_INTERVAL 0.95
#define CLASSES_DIGITS   9 /* of shares and odds; p-values have this many, too */

lode_status graph_classes_find(row_classes *c, lode_job *job, const lode_graphs *data,
                               const lode_class_options *o) {
    own_classes own = {data->class_names ? data->classes.data : NULL, data->class_names};
    return classes_of_file(c, job, data->n, "graphs", own, o);
}

void graph_classes_take(graph_classes *c, const row_classes *rows) {
    c->n = rows->n_classes;
    c->total = rows->n_rows;
    memcpy(c->sizes, rows->sizes, sizeof c->sizes);
    memcpy(c->names, rows->names, sizeof c->names);
}

lode_status graph_classes_read(graph_classes *c, lode_job *job, const lode_graphs *data,
                               const lode_class_options *o) {
    row_classes rows = {0};
    lode_class_options all = valid_classes(o);
    *c = (graph_classes){.total = data->n, .adjusted = all.significant > 0};
    if (!all.classes) return LODE_OK;
    all.strata = NULL; /* the search reads them */
    lode_status status = graph_classes_find(&rows, job, data, &all);
    if (status == LODE_OK) graph_classes_take(c, &rows);
    classes_free(&rows);
    return status;
}

/* ---- the numbers of a pattern ---------------------------------------------------------------- */

enum { GROWTH_RATE, ODDS_RATIO, ODDS_LOW, ODDS_HIGH, P, ADJUSTED_P, N_CLASS_NUMBERS };

static const char *const number_names[N_CLASS_NUMBERS] = {
    "growthRate", "oddsRatio", "oddsRatioLow", "oddsRatioHigh", "p", "adjustedP"};

/* The numbers, and how many there are. */
static unsigned classes_numbers(const graph_classes *c, const lode_graph_pattern *p,
                                double out[N_CLASS_NUMBERS]) {
    lode_counts counts = {.both = p->class_counts[p->tested_class],
                          .lhs = p->support,
                          .rhs = c->sizes[p->tested_class],
                          .total = c->total};
    double others = (double)(counts.lhs - counts.both) / (double)(counts.total - counts.rhs);
    out[GROWTH_RATE] = (double)counts.both / (double)counts.rhs / others;
    out[ODDS_RATIO] = measure_of_oddsRatio(&counts);
    lode_measure_interval(LODE_INTERVAL_ODDS_RATIO, &counts, CLASSES_INTERVAL, &out[ODDS_LOW],
                          &out[ODDS_HIGH]);
    out[P] = p->p;
    out[ADJUSTED_P] = p->adjusted_p;
    return c->adjusted ? N_CLASS_NUMBERS : ADJUSTED_P;
}

static lode_status classes_put_number(graph_text *o, const char *before, double value) {
    char text[REALS_BYTES];
    size_t n = reals_put(text, value, CLASSES_DIGITS);
    lode_status status = graph_text_put(o, before);
    return status == LODE_OK ? vec_char_append(o->mem, &o->text, text, n) : status;
}

static double classes_share(const graph_classes *c, const lode_graph_pattern *p, uint32_t k) {
    return (double)p->class_counts[k] / (double)c->sizes[k];
}

/* ---- a line ---------------------------------------------------------------------------------- */

lode_status graph_classes_put_line(graph_text *o, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    const graph_classes *c = o->classes;
    double numbers[N_CLASS_NUMBERS];
    if (!c || c->n == 0 || !p->class_counts) return LODE_OK;
    LODE_TRY(graph_text_put(o, "# class"));
    for (uint32_t k = 0; k < c->n; k++) {
        LODE_TRY(graph_text_put(o, " "));
        LODE_TRY(graph_text_put(o, c->names[k]));
        LODE_TRY(graph_text_number(o, " ", p->class_counts[k]));
        LODE_TRY(classes_put_number(o, " ", classes_share(c, p, k)));
    }
    unsigned n = classes_numbers(c, p, numbers);
    if (c->n > 2) {
        LODE_TRY(graph_text_put(o, " tested "));
        LODE_TRY(graph_text_put(o, c->names[p->tested_class]));
    }
    for (unsigned i = 0; i < n; i++) {
        LODE_TRY(graph_text_put(o, " "));
        LODE_TRY(graph_text_put(o, number_names[i]));
        LODE_TRY(classes_put_number(o, " ", numbers[i]));
    }
    status = graph_text_put(o, "\n");
done:
    return status;
}

/* ---- columns in memory ----------------------------------------------------------------------- */

void graph_classes_name_columns(const graph_classes *c, class_columns *out) {
    out->n = 0;
    for (uint32_t k = 0; k < c->n; k++) {
        snprintf(out->names[out->n++], CLASS_COLUMN_BYTES, "count_%s", c->names[k]);
        snprintf(out->names[out->n++], CLASS_COLUMN_BYTES, "share_%s", c->names[k]);
    }
    if (c->n > 2) snprintf(out->names[out->n++], CLASS_COLUMN_BYTES, "class");
    for (unsigned i = 0; i < (c->adjusted ? N_CLASS_NUMBERS : ADJUSTED_P); i++) {
        snprintf(out->names[out->n++], CLASS_COLUMN_BYTES, "%s", number_names[i]);
    }
}

void graph_classes_row(const graph_classes *c, const lode_graph_pattern *p, double *row) {
    double numbers[N_CLASS_NUMBERS];
    for (uint32_t k = 0; k < c->n; k++) {
        *row++ = (double)p->class_counts[k];
        *row++ = classes_share(c, p, k);
    }
    if (c->n > 2) *row++ = p->tested_class + 1;
    memcpy(row, numbers, classes_numbers(c, p, numbers) * sizeof *numbers);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static lode_status title_put(graph_text *o, vec_char *title, const char *before, const char *name) {
    vec_char text = {0};
    char comma = o->csv.comma;
    lode_status status = vec_char_printf(o->mem, &text, "%s%s", before, name);
    if (status == LODE_OK) status = vec_char_append(o->mem, title, &comma, 1);
    if (status == LODE_OK) {
        bool quote = memchr(text.data, comma, text.n) || memchr(text.data, '"', text.n);
        status = quote ? utf8_put_quoted(o->mem, title, text.data, text.n)
                       : vec_char_append(o->mem, title, text.data, text.n);
    }
    vec_char_free(o->mem, &text);
    return status;
}

lode_status graph_classes_put_title(graph_text *o, vec_char *title) {
    lode_status status = LODE_OK;
    const graph_classes *c = o->classes;
    if (!c || c->n == 0) return LODE_OK;
    for (uint32_t k = 0; k < c->n; k++) {
        LODE_TRY(title_put(o, title, "count_", c->names[k]));
        LODE_TRY(title_put(o, title, "share_", c->names[k]));
    }
    if (c->n > 2) LODE_TRY(title_put(o, title, "", "class"));
    for (unsigned i = 0; i < (c->adjusted ? N_CLASS_NUMBERS : ADJUSTED_P); i++) {
        LODE_TRY(title_put(o, title, "", number_names[i]));
    }
done:
    return status;
}

/* A number that is no number is an empty cell. */
static lode_status cells_put_number(graph_text *o, const char *comma, double value) {
    if (isnan(value)) return graph_text_put(o, comma);
    size_t from = o->text.n + 1;
    lode_status status = classes_put_number(o, comma, value);
    if (status == LODE_OK) csv_set_point(&o->csv, o->text.data + from, o->text.data + o->text.n);
    return status;
}

lode_status graph_classes_put_cells(graph_text *o, const lode_graph_pattern *p, char separator) {
    lode_status status = LODE_OK;
    const graph_classes *c = o->classes;
    const char comma[] = {separator, 0};
    double numbers[N_CLASS_NUMBERS];
    if (!c || c->n == 0 || !p->class_counts) return LODE_OK;
    for (uint32_t k = 0; k < c->n; k++) {
        LODE_TRY(graph_text_number(o, comma, p->class_counts[k]));
        LODE_TRY(cells_put_number(o, comma, classes_share(c, p, k)));
    }
    unsigned n = classes_numbers(c, p, numbers);
    if (c->n > 2) {
        LODE_TRY(title_put(o, &o->text, "", c->names[p->tested_class]));
    }
    for (unsigned i = 0; i < n; i++) LODE_TRY(cells_put_number(o, comma, numbers[i]));
done:
    return status;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static lode_status json_put_number(graph_text *o, double value) {
    return isfinite(value) ? classes_put_number(o, "", value) : graph_text_put(o, "null");
}

static lode_status json_put_text(graph_text *o, const char *before, const char *text) {
    lode_status status = graph_text_put(o, before);
    return status == LODE_OK ? graph_text_json(o, text, strlen(text)) : status;
}

lode_status graph_classes_put_json(graph_text *o, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    const graph_classes *c = o->classes;
    double numbers[N_CLASS_NUMBERS];
    if (!c || c->n == 0 || !p->class_counts) return LODE_OK;
    for (uint32_t k = 0; k < c->n; k++) {
        LODE_TRY(json_put_text(o, k ? "," : ",\"classes\":{", c->names[k]));
        LODE_TRY(graph_text_number(o, ":{\"count\":", p->class_counts[k]));
        LODE_TRY(graph_text_put(o, ",\"share\":"));
        LODE_TRY(json_put_number(o, classes_share(c, p, k)));
        LODE_TRY(graph_text_put(o, "}"));
    }
    LODE_TRY(json_put_text(o, "},\"class\":", c->names[p->tested_class]));
    unsigned n = classes_numbers(c, p, numbers);
    for (unsigned i = 0; i < n; i++) {
        LODE_TRY(json_put_text(o, ",", number_names[i]));
        LODE_TRY(graph_text_put(o, ":"));
        LODE_TRY(json_put_number(o, numbers[i]));
    }
done:
    return status;
}
