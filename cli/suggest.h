/* suggest.h - what lode suggest found, as rows: a threshold, and numbers of patterns
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_SUGGEST_H
#define LODE_CLI_SUGGEST_H

#include "cli.h"

#define SUGGEST_TARGETS 4
#define SUGGEST_ROWS    128

/* A threshold, and for each target the point (number of patterns) at this threshold. The point of a
 * target without one has min_count 0. */
typedef struct suggest_row {
    uint64_t min_count;
    lode_suggest_point points[SUGGEST_TARGETS];
} suggest_row;

typedef struct suggest_view {
    const cli_args *args;
    uint64_t n_transactions;
    uint64_t want;     /* 0: none */
    double confidence; /* of rules */
    size_t n;
    suggest_row rows[SUGGEST_ROWS]; /* from the highest threshold */
    bool has[SUGGEST_TARGETS];
    lode_suggest_point answers[SUGGEST_TARGETS]; /* min_count 0: none */
    bool pairs; /* --min-size 2: itemsets with one item are left out */
} suggest_view;

/* Sorts the points of a suggestion into the view. */
void suggest_collect(suggest_view *v, const lode_suggestion *s);

/* A number for people: "993", "12.3 k", "1.20 M", "3.4e+15"; in one of 16 static buffers. */
const char *suggest_number(double n);
/* A threshold as a percentage of the transactions, "0.364%"; in one of these buffers, too. */
const char *suggest_percent(const suggest_view *v, uint64_t min_count);

/* The axes of the picture: powers of ten. */
typedef struct suggest_axes {
    double left, right; /* logarithms of the lowest and the highest threshold */
    double bottom, top; /* … and of the numbers */
} suggest_axes;

void suggest_draw(const suggest_view *v, FILE *f);
void suggest_svg(const suggest_view *v, FILE *f);
void suggest_csv(const suggest_view *v, FILE *f);
void suggest_jsonl(const suggest_view *v, FILE *f);

#endif
