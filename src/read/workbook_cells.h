/* workbook_cells.h - the cells of one sheet as CSV text; see workbook.h
 *
 * A cell refers to a string of the table of shared strings, which is therefore read first, and to a
 * style, which says whether a number is a date. Both are optional parts of a workbook.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_WORKBOOK_CELLS_H
#define LODE_READ_WORKBOOK_CELLS_H

#ifdef LODE_ZIP_LIBRARY
#include "read/workbook_part.h"

typedef struct workbook_cells workbook_cells;

/* Where the parts are; "" = the workbook has no such part. The paths must stay valid. */
typedef struct cells_parts {
    const char *sheet, *strings, *styles;
    bool from_1904; /* days are counted from 1904, not from 1900 */
} cells_parts;

LODE_NODISCARD lode_status cells_open(workbook_archive *a, workbook_cells **out,
                                      const cells_parts *parts);
LODE_NODISCARD lode_status cells_run(workbook_cells *c, char *out, size_t room, size_t *n);
uint64_t cells_rows_above(const workbook_cells *c);
double cells_progress(const workbook_cells *c);
void cells_close(workbook_cells *c);

#endif
#endif
