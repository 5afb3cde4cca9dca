/* sheet.h - tables as .xlsx files, for Excel, LibreOffice and other spreadsheets
 *
 * The library libxlsxwriter writes the file. lode is built with its header, but loads the library
 * only when a file is written, because the library takes longer to load than many searches take.
 * Without the header, sheet_begin() fails and says so.
 *
 * The table has a title row, which stays in view and has filters. Names are text, never formulas.
 * Counts have separators of thousands, shares are percentages. After SHEET_ROWS rows, the table
 * goes on in another sheet of the same file.
 *
 * The rows of all sheets are written to scratch files as they come, so memory does not depend on
 * their number. The finished file is then copied to the output.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_ARROW_SHEET_H
#define LODE_RESULTS_ARROW_SHEET_H

#include "base/vec.h"
#include "results/arrow/arrow.h"

#define SHEET_ROWS 1048575 /* a sheet has 2^20 rows; one is the title */

/* How the cells of a column look. */
typedef enum sheet_look { SHEET_TEXT, SHEET_COUNT, SHEET_SHARE, SHEET_REAL } sheet_look;

typedef struct sheet_column {
    const char *name;
    sheet_look look;
} sheet_column;

typedef struct sheet sheet;

/* Whether this build of lode can write such files. */
bool sheet_is_known(void);
/* Begins a file with sheets called `title`. Names are copied. `to` must be open, and the caller
 * keeps it. Errors: UNSUPPORTED (the library is missing), INVALID (`to` is a terminal), IO. */
LODE_NODISCARD lode_status sheet_begin(lode_job *job, output *to, const char *title,
                                       const sheet_column *columns, uint32_t n, sheet **out);
/* The following two write a cell of the row in the making. A number that is NaN is an empty cell.
 * Errors: UNSUPPORTED (the text is too long for a cell). */
LODE_NODISCARD lode_status sheet_put_text(sheet *s, uint32_t column, const char *text, size_t n);
LODE_NODISCARD lode_status sheet_put_number(sheet *s, uint32_t column, double value);
/* Ends the row. */
void sheet_next(sheet *s);
/* Drops all rows. */
LODE_NODISCARD lode_status sheet_restart(sheet *s);
/* Completes the file and writes it to the output. */
LODE_NODISCARD lode_status sheet_end(sheet *s);
void sheet_free(sheet *s);

/* How a column looks whose numbers are reals: shares of transactions are percentages. */
sheet_look sheet_look_of(const char *name);
/* A list of names for people: "a, b". A name is quoted if it would look like several names or like
 * nothing. */
LODE_NODISCARD lode_status sheet_add_name(mem *m, vec_char *list, const char *name, size_t n);

#endif
