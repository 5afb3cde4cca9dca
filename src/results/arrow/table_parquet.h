/* table_parquet.h - the tables of arrow.h as Parquet files, which DuckDB writes (adbc.h)
 *
 * Rows are written to an unnamed scratch file in the form of arrow.h as they come, so memory does
 * not depend on their number. At the end DuckDB reads them and writes another scratch file, which
 * is copied to the output. The metadata of the Parquet file have the keys of arrow.h, except those
 * that only an Arrow file needs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_ARROW_TABLE_PARQUET_H
#define LODE_RESULTS_ARROW_TABLE_PARQUET_H

#include "results/arrow/arrow.h"

typedef struct table_parquet table_parquet;

/* Looks for the driver, and makes the scratch files. Errors: UNSUPPORTED (there is no driver), IO,
 * NOMEM, BUDGET. */
LODE_NODISCARD lode_status table_parquet_begin(lode_job *job, output *to, table_parquet **out);
/* Where the Arrow file is to be written. A failed write gives STOPPED; table_parquet_failed() then
 * returns IO, with a message. */
output *table_parquet_rows(table_parquet *t);
lode_status table_parquet_failed(const table_parquet *t);
/* Drops all bytes after the first `bytes`. */
void table_parquet_cut(table_parquet *t, uint64_t bytes);
/* Makes the Parquet file, when the Arrow file is complete. */
LODE_NODISCARD lode_status table_parquet_end(table_parquet *t);
void table_parquet_free(table_parquet *t);

#endif
