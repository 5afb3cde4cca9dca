/* workbook.h - a sheet of an Excel workbook (.xlsx, .xlsm) as CSV text
 *
 * What:  a workbook is a zip archive of XML parts. workbook_run() unpacks and parses one sheet and
 *        returns its rows as lines: cells are separated by commas and quoted where needed, so that
 *        the readers of tables, baskets and onehot files need not know of workbooks.
 *
 *          <row r="2"><c r="A2"><v>17</v></c><c r="C2" t="s"><v>4</v></c></row>
 *          17,,"bread, white"
 *
 * Lines: the line of a row is its number in the sheet: rows without cells become blank lines, and
 *        line ends within a cell become blanks. Blank rows above the first one are not returned;
 *        workbook_rows_above() counts them. Rows are padded with empty cells to the longest of the
 *        first rows.
 * Rules: only one piece of the sheet is in memory at a time, but all shared strings are; they count
 *        towards the memory budget. workbook_part.h says what hostile files cannot do.
 * Build: without libzip or expat, workbook_open() refuses workbooks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_WORKBOOK_H
#define LODE_READ_WORKBOOK_H

#include "runtime/job.h"

#define WORKBOOK_MAGIC "PK\3\4" /* of every zip archive */
/* What to do with a workbook that lode cannot read. */
#define WORKBOOK_ADVICE                                                                            \
    "save the sheet as CSV (File > Save As), or convert it with `xlsx2csv FILE OUT.csv`, and "     \
    "read that file"

typedef struct workbook workbook;

/* Where the archive is: a regular file, of which the descriptor is not taken over, or memory. */
typedef struct workbook_source {
    const char *name; /* for messages */
    int fd;           /* -1 = memory */
    const void *data;
    uint64_t bytes; /* of the file or the memory */
    bool certain;   /* the first bytes are those of a workbook, not of any archive */
} workbook_source;

/* Opens the sheet of this name or number (from 1); NULL = the first one that is not hidden. *out
 * receives NULL if the archive is not a workbook, or is damaged and not certainly one. If `sheet`
 * is NULL and there are several sheets, a note lists them. Errors: PARSE (damaged, encrypted, or no
 * library to read it), NOTFOUND (no such sheet), NOMEM, BUDGET. */
LODE_NODISCARD lode_status workbook_open(lode_job *job, workbook **out,
                                         const workbook_source *source, const char *sheet);
/* Writes up to `room` bytes of text; *n becomes 0 only at the end of the sheet. Errors: PARSE,
 * NOMEM, BUDGET, CANCELLED. */
LODE_NODISCARD lode_status workbook_run(workbook *b, char *out, size_t room, size_t *n);
void workbook_free(workbook *b);

/* Returns the name of the sheet. */
const char *workbook_sheet(const workbook *b);
/* Returns how many rows are above the first row of text. Known once text was returned. */
uint64_t workbook_rows_above(const workbook *b);
/* Returns the share of the sheet that was read, from 0 to 1. */
double workbook_progress(const workbook *b);
/* Returns whether this build can read workbooks. *why receives the reason if it cannot. */
bool workbook_is_readable(const char **why);

#endif
