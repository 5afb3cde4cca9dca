/* csv_style.c - see csv_style.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/csv_style.h"

#include "results/arrow/sheet.h"

void csv_warn_rows(lode_job *job, uint64_t rows) {
    if (rows <= SHEET_ROWS) return;
    job_log(job, LODE_LOG_WARNING,
            "spreadsheets show only the first %d of these %llu rows; choose fewer patterns, or "
            "write xlsx, which goes on in further sheets",
            SHEET_ROWS, (unsigned long long)rows);
}
