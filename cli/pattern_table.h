/* pattern_table.h - the best patterns as a table for people
 *
 *     if                              then              count  support  confidence  lift
 *     citrus fruit, root vegetables   other vegetables    102    1.04%       58.6%  3.03
 *
 * The table receives patterns as the lines of -w jsonl, from whichever function of the library
 * writes them. So it has the same rows, values and order as a file, and every column of the format.
 * Of a result in no order, it keeps the best rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_PATTERN_TABLE_H
#define LODE_CLI_PATTERN_TABLE_H

#include "best_rows.h"
#include "cli.h"

#define PATTERN_TABLE_ROWS 20     /* by default */
#define PATTERN_TABLE_MOST 100000 /* of --rows */

#define CLI_ROWS_OPTION                                                                            \
    {                                                                                              \
        "rows", 0, "N", "20 on a terminal",                                                        \
            "print a table of the best N patterns, or of all (N = all); without this option, "     \
            "only a "                                                                              \
            "terminal gets a table, and files and pipes get lines"                                 \
    }

typedef struct pattern_table_options {
    uint64_t rows; /* at most this many; of a result that has no order, the best */
    pattern_order order;
    bool all_columns;   /* also the counts of the sides of rules */
    const char *prefer; /* names of columns, separated by commas or line ends: if not all columns
                         * fit, others are left out first. NULL = none */
} pattern_table_options;

typedef struct pattern_table pattern_table;

/* Whether the result is to be shown as a table: --rows says so, or standard output is a terminal,
 * and no option says what else to write. */
bool pattern_table_wanted(const cli_args *args);
/* Checks --rows, and whether it can be combined with the other options. Returns false after
 * printing why not. */
bool pattern_table_check(const cli_args *args);
/* The rows that --rows asks for, or the default. */
uint64_t pattern_table_rows(const cli_args *args);

/* Creates a table; NULL: no memory. The options' text is lent. */
pattern_table *pattern_table_create(const pattern_table_options *options);
void pattern_table_free(pattern_table *t);
/* A lode_write_fn: receives lines of JSON. Fails if there is no memory. */
int pattern_table_write(void *table, const char *text, size_t bytes);
/* Prints the rows to standard output, fitted to the terminal; nothing if there are none. *printed
 * is the number of rows, *received that of all patterns. Returns false if there is no memory. */
bool pattern_table_print(pattern_table *t, uint64_t *printed, uint64_t *received);
/* Prints a line below the table, less bright than the table. */
void pattern_table_note(const char *format, ...) LODE_PRINTF(1, 2);

#endif
