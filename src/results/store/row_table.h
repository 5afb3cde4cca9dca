/* row_table.h - formats rows of a store as lines of text
 *
 *     text    count  support  items            jsonl   {"items":["a","b"],"count":45,…}
 *                45    0.045  a, b             csv     items,count,support
 *                                                      a|b,45,0.045
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_STORE_ROW_TABLE_H
#define LODE_RESULTS_STORE_ROW_TABLE_H

#include "results/store/stored_file.h"
#include "write/core/csv_style.h"

typedef struct table {
    lode_store *store;
    lode_store_format format;
    const stored_column **columns; /* the columns to show */
    uint32_t n_columns;
    size_t columns_bytes;
    uint32_t *widths; /* for text: the width of each column, in characters */
    size_t widths_bytes;
    stored_batch batch; /* the batch of the row that was read most recently … */
    bool has_batch;     /* … if there is one */
    vec_char line;      /* the line that was formatted last, or is being formatted */
    uint32_t n_cells;   /* number of cells written so far in the line */
    bool csv_safe;      /* protect csv text from being read as a formula; set after table_init() */
    csv_style csv;      /* may be set after table_init() */
} table;

/* Initialises a table that shows the columns of the file and the columns named in `others`, which
 * are separated by commas (NULL = none). table_clear() must be called even on failure.
 * Errors: INVALID (there is no such column), NOMEM, BUDGET. */
LODE_NODISCARD lode_status table_init(table *t, lode_store *s, lode_store_format format,
                                      const char *others);
void table_clear(table *t);

/* Formats a row of the store into t->line, including the line end. */
LODE_NODISCARD lode_status table_row(table *t, uint64_t row);

/* ---- for other lines of the same formats ----------------------------------------------------- */

/* Appends a text to the line as it is. */
LODE_NODISCARD lode_status table_put_text(table *t, const char *text);
/* Begins a new line: empties t->line. */
void table_begin(table *t);
/* Begins a cell of csv or jsonl: writes the separator, and for jsonl the name. */
LODE_NODISCARD lode_status table_put_key(table *t, const char *name);
/* Writes an item as part of a list. */
LODE_NODISCARD lode_status table_put_name(table *t, uint32_t item);
/* Writes a text as a complete cell. The text is not quoted in the format for people. */
LODE_NODISCARD lode_status table_put_string(table *t, const char *text, size_t n);
/* Writes the items that row `at` of the batch has in the list column `column` of the file. */
LODE_NODISCARD lode_status table_put_list(table *t, uint32_t column, uint32_t at);
/* Loads the batch of a row, and returns the row's position in the batch. */
uint32_t table_turn(table *t, uint64_t row);

#endif
