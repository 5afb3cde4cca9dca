/* census.h - what the columns of a table hold: numbers, dates, empty cells, frequent values
 *
 *     InvoiceNo   517,314 cells, 509,629 of them numbers; 7,685 begin with C (3,252 values)
 *     Quantity    517,314 numbers, from -80995 to 80995; 9,725 below zero
 *
 * What:  a reading task with a census shows every cell to census_look() and drops every row, so the
 *        table takes no memory. census_json() then describes the columns.
 * Why:   people choose the rows to leave out by what they see in a column; a proposal must state
 *        exact numbers.
 * Cost:  each thread has its own figures, which are added up at the end. Values are remembered
 *        until a column has more than CENSUS_VALUES of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_CENSUS_H
#define LODE_READ_CENSUS_H

#include "base/vec.h"
#include "read/csv.h"

#define CENSUS_COLUMNS     64     /* columns that are described: the first ones */
#define CENSUS_VALUES      1000   /* distinct values of a column that are remembered */
#define CENSUS_LISTED      200    /* values of a column that are listed, the most frequent ones */
#define CENSUS_VALUE_BYTES 200    /* longest value that is remembered */
#define CENSUS_STARTS      100000 /* distinct cells that begin with a letter that are remembered */
#define CENSUS_START_BYTES 40     /* longest one */

typedef struct census census;

LODE_NODISCARD lode_status census_create(mem *m, unsigned n_threads, census **out);
void census_free(census *s);
/* Takes the header, or the first row of a table without one, whose columns have no names. */
LODE_NODISCARD lode_status census_take_header(census *s, csv_cursor header, bool has_names);
/* Looks at a cell. `number` is its value if it is_number. Errors: NOMEM, BUDGET; the thread stops
 * looking, and census_json() returns the error. */
void census_look(census *s, unsigned thread, size_t column, const char *cell, size_t n,
                 const double *number);
/* Counts a row. */
void census_count_row(census *s, unsigned thread);
/* Notes which columns are those of transactions and items. */
void census_note_use(census *s, size_t tid_column, size_t item_column);
/* Appends one JSON object, which include/lode/data.h describes. Without columns, if none were
 * seen. */
LODE_NODISCARD lode_status census_json(census *s, vec_char *to);

#endif
