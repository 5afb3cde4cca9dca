/* compare.h - lode compare: the runs, the rows of the table, and the picture
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_COMPARE_H
#define LODE_CLI_COMPARE_H

#include "cli.h"

#define COMPARE_ROWS   64
#define COMPARE_REPEAT 100
#define COMPARE_TEXT   200
#define COMPARE_SHORT  2.0 /* seconds below which a run is short */

/* The parts of the time of a run; the rest is starting and ending. */
enum { PART_READ, PART_PREPROCESS, PART_TRANSFER, PART_CANDIDATE, PART_COUNTING, PART_OUTPUT };
#define N_PARTS 6
extern const char *const compare_part_names[N_PARTS];

/* What one process reported. */
typedef struct compare_run {
    int code;                   /* its exit code; -1: it was killed */
    char trouble[COMPARE_TEXT]; /* why there is no result, or "" */
    char device[LODE_REPORT_TEXT];
    char hash[24];
    double total, parts[N_PARTS];
    uint64_t memory; /* largest resident size, as the system measures it */
    uint64_t candidates, patterns, transactions, min_count;
} compare_run;

/* An algorithm on a device, and its runs. */
typedef struct compare_row {
    const char *algorithm, *device; /* as requested */
    char trouble[COMPARE_TEXT];     /* the message of a run without a result, or "" */
    int code;                       /* the exit code of this run; 0 if all runs have a result */
    compare_run runs[COMPARE_REPEAT];
    unsigned n_runs;   /* runs with a result; compare_judge() sorts them by time */
    uint64_t memory;   /* the largest of the runs */
    bool is_different; /* its result differs from that of most rows, or between its runs */
} compare_row;

typedef struct comparison {
    const cli_args *args;
    double limit_seconds;
    unsigned repeat;
    bool long_once; /* if the first run of a row is not short, the row is run only once */
    compare_row *rows;
    size_t n_rows;
    bool interrupted;
    double read_seconds; /* the longest reading so far; 0 = not known */
} comparison;

/* Runs every row c->repeat times, in rounds of alternating direction, each run in its own process.
 * A row without a result is skipped in later rounds. Ctrl-C ends the comparison early. */
void compare_run_all(comparison *c);

/* A run with the result that most rows agree on; of equally common results, the first. NULL: no run
 * has a result. */
const compare_run *compare_common(const comparison *c);
/* Marks rows whose results differ from compare_common(), and sorts the runs of each row by time.
 * Returns whether all results are equal. */
bool compare_judge(comparison *c);
/* The median run of a row, which must have a run. */
const compare_run *compare_median(const compare_row *row);
/* Describes the times shown for each row: "median of 5 runs". */
void compare_describe_runs(const comparison *c, char text[COMPARE_TEXT]);
/* The time of the fastest row; 0 if no row has a result. */
double compare_best(const comparison *c);
/* The device that the row has used or, if that is not known, the one that was asked for. */
const char *compare_device(const compare_row *row);

/* Draws the rows as an SVG picture. */
void compare_plot(const comparison *c, FILE *f);

#endif
