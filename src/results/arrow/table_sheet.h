/* table_sheet.h - batches of an arrow_table as rows of a spreadsheet, for arrow_write.c
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_ARROW_TABLE_SHEET_H
#define LODE_RESULTS_ARROW_TABLE_SHEET_H

#include "results/arrow/arrow.h"

typedef struct table_sheet table_sheet;

/* As arrow_write_begin() and the others; the keys are not written. */
LODE_NODISCARD lode_status table_sheet_begin(lode_job *job, output *to, const arrow_table *table,
                                             table_sheet **out);
LODE_NODISCARD lode_status table_sheet_batch(table_sheet *t, uint32_t n_rows,
                                             const arrow_cells *cells);
void table_sheet_restart(table_sheet *t);
LODE_NODISCARD lode_status table_sheet_end(table_sheet *t);
void table_sheet_free(table_sheet *t);

#endif
