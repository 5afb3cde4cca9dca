/* best_rows.h - keeps the best of the lines of -w jsonl that a search writes
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_BEST_ROWS_H
#define LODE_CLI_BEST_ROWS_H

#include <stdint.h>

#include "json_line.h"

/* The order of the rows. */
typedef enum pattern_order {
    PATTERNS_AS_GIVEN, /* the order in which they come */
    PATTERNS_BY_COUNT, /* the most frequent first */
    PATTERNS_BY_CONFIDENCE
} pattern_order;

typedef struct best_row {
    double first, second; /* the row with the higher number comes first */
    uint64_t arrived;     /* its place in the order of arrival */
    char *line;           /* ends with a zero */
} best_row;

/* The caller sets `order` and `wanted`, and the others to zero. */
typedef struct best_rows {
    pattern_order order;
    size_t wanted; /* keep this many */
    best_row *rows;
    size_t n, cap;
    size_t bytes; /* of their lines */
    uint64_t received;
    bool in_order;     /* the rows have come in the requested order so far */
    bool has_cut;      /* rows were dropped: those that come after `worst` */
    best_row last;     /* the row that came last; its line is not set */
    best_row worst;    /* likewise, the worst row that was kept when rows were dropped last */
    growing_text rest; /* the beginning of a line whose end has not come yet */
} best_rows;

/* Receives a line of n bytes and a zero. Returns false if there is no memory. */
bool best_rows_add(best_rows *b, const char *line, size_t n);
/* A lode_write_fn: receives lines, in pieces of any size. Fails if there is no memory. */
int best_rows_write(void *rows, const char *text, size_t bytes);
/* Sorts the rows and drops all but the best. */
void best_rows_finish(best_rows *b);
void best_rows_free(best_rows *b);

#endif
