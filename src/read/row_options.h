/* row_options.h - options that drop rows, or give weights to transactions, according to cells
 *
 *     --drop-rows "Status=cancelled"   --drop-rows "Quantity<=0"   --drop-rows "Date<2011-06-01"
 *     --weight Times
 *
 * What:  these read options use columns other than the columns of transactions and items. A format
 *        finds these columns in its header (rows_find), and passes every cell of a record to
 *        rows_look(). Then rows_drops() returns whether to drop the record.
 * Why:   a row must be dropped before its transaction is made, so this happens while reading.
 * Cost:  formats check task->rows first; without these options no cell is examined.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_ROW_OPTIONS_H
#define LODE_READ_ROW_OPTIONS_H

#include "data/transactions/builder.h"
#include "read/csv.h"

typedef struct read_task read_task;
typedef struct read_worker read_worker;
typedef struct read_file read_file;

/* "Quantity<=0". Strings are lent from the options. */
typedef struct row_condition {
    const char *column, *value;
    size_t n_column, n_value;
    const char *text; /* the condition as given */
    size_t n_text;
    const char *lower; /* the value in lower case */
    char op; /* '=' or '!' (a glob), '<', 'l' (<=), '>', 'g' (>=); 'i': --ignore, drops nothing */
    double bound; /* the number or date to compare with, for '<', 'l', '>' and 'g' */
    bool is_date; /* the bound is a date, as date.h reads it; also for '=' and '!' */
    bool is_day;  /* the date has no time: it is a whole day */
} row_condition;

#define ROWS_VALUES      4    /* values of a column that are remembered; messages list one fewer */
#define ROWS_VALUE_BYTES 40   /* maximum bytes of a value, with its terminating zero */
#define ROWS_LIST_BYTES  192  /* maximum bytes of a list of values */
#define ROWS_LONGEST     4096 /* longest cell, in bytes, that is compared without regard to case */

/* A cell, for messages. */
typedef struct rows_value {
    uint64_t sequence; /* the number of its block */
    size_t n;          /* its full length; `text` has the first bytes */
    char text[ROWS_VALUE_BYTES];
} rows_value;

/* Figures of one thread about a condition. */
typedef struct rows_tally {
    uint64_t n_held; /* number of rows that met the condition */
    /* the first distinct values, while no row has met the condition */
    rows_value values[ROWS_VALUES];
    size_t n_values;
    /* whether numbers like 2,5 (has_comma) or like 1.000 (has_point) were read; only in files whose
     * separator is not a comma */
    bool has_comma, has_point;
} rows_tally;

/* The parsed options; one per task. */
typedef struct rows_plan {
    row_condition *conditions;
    size_t n, cap;
    char *lower; /* all conditions in lower case */
    size_t lower_bytes;
    rows_tally *tallies; /* tallies of each thread, by condition */
    size_t n_tallies;
    const char *weight; /* a column; NULL = none */
} rows_plan;

/* The columns of the options in a file. */
typedef struct rows_columns {
    size_t *conditions; /* the column of each condition, counted from 0 */
    size_t weight;      /* SIZE_MAX = none */
} rows_columns;

/* Results for the current record. */
typedef struct rows_state {
    bool drop, weighted;
    uint32_t weight;
    const char *weight_at;      /* the cell with the weight */
    const char *bad_weight;     /* the error in the weight; NULL = none */
    uint64_t n_rows, n_dropped; /* numbers of records and of dropped records so far */
    uint64_t n_lost;            /* transactions dropped so far, if each record is a transaction */
    /* cells that were compared with a number or a date but are none; the fields below describe the
     * first of them */
    uint64_t n_odd;
    rows_value odd;
    const read_file *odd_file;
    uint64_t odd_line, odd_column; /* the line within its block */
} rows_state;

/* Reads the conditions of the options. Errors: INVALID, NOMEM, BUDGET. */
LODE_NODISCARD lode_status rows_open(read_task *task);
void rows_close(read_task *task);
void rows_close_file(read_task *task, read_file *file);

/* Returns whether these options give a column by name, so that there must be a header. */
bool rows_need_header(const read_task *task);
/* Finds the columns of task->file in its first record. Errors: INVALID (no such column), PARSE,
 * NOMEM, BUDGET. */
LODE_NODISCARD lode_status rows_find(read_task *task, csv_cursor header, bool has_names);

/* Begins a record. */
void rows_begin(read_worker *w);
/* Examines a cell, which begins at `at` in the text. */
void rows_look(read_worker *w, size_t column, const char *cell, size_t n, const char *at);
/* Tests condition i of the plan on a cell. For formats that find fields themselves. */
void rows_test(read_worker *w, size_t i, const char *cell, size_t n, const char *at);
/* Reads a weight from a cell. For formats that find fields themselves. */
void rows_weigh(read_worker *w, const char *cell, size_t n, const char *at);
/* Counts the record, and returns whether to drop it. */
bool rows_drops(read_worker *w);
/* Returns the error in the weight of a record that is not dropped; NULL = none. */
const char *rows_wrong_weight(const read_worker *w);

/* Returns whether a column of a file has a condition or is the column of weights, and so is not an
 * item. */
bool rows_is_taken(const read_task *task, const read_file *file, size_t column);

/* The same for formats whose columns of conditions are items, too. */
bool rows_is_ignored(const read_task *task, const read_file *file, size_t column);

/* Logs how many rows were dropped, which conditions no row met, and which cells were not numbers.
 * Stores the number of rows in the profile. May read the inputs again, to find line numbers for the
 * messages; so afterwards they can only be closed. Errors: as read_lines_before(). */
LODE_NODISCARD lode_status rows_tell(read_task *task, lode_profile *profile);

#endif
