/* adbc.h - Parquet files and tables of databases, by a driver that is loaded when needed
 *
 * What:  ADBC is an interface of C functions between programs and databases. A driver is a shared
 *        library; DuckDB's own library is one, and also reads Parquet files. adbc_open() loads a
 *        driver, runs one query and lends the result as an Arrow stream (lode/arrow.h).
 * Where: the driver that the user named; otherwise LODE_ADBC (a driver, or a folder of drivers);
 *        otherwise the folder ../lib/lode of the program, and the libraries of the system.
 * Safe:  DuckDB gets the threads of the job and, if there is a memory budget, half of what is left
 *        of it. It installs and loads no extensions, so that it never uses the network. For a
 *        Parquet file it can open no other file.
 * Stop:  if the job is cancelled, a thread cancels the query. Drivers of ADBC 1.0.0 cannot cancel:
 *        their query runs to its end first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_ARROW_ADBC_H
#define LODE_RESULTS_ARROW_ADBC_H

#include <stdbool.h>

#include "base/status.h"
#include "lode.h"
#include "runtime/job.h"

typedef struct adbc adbc;

/* What to read: a Parquet file, or the result of a query. */
typedef struct adbc_request {
    const char *parquet; /* the path; NULL = run `sql` */
    const char *sql;
    const char *database; /* a URI, or the path of a DuckDB or SQLite file; NULL = none */
    const char *driver;   /* the path of a shared library; NULL = find one */
} adbc_request;

/* Whether a path is a regular file that begins as Parquet files do. */
bool adbc_is_parquet(const char *path);

/* Runs the query; of a Parquet file, reads only the first rows: adbc_read_parquet() then reads all
 * rows of the columns that are needed. Errors: UNSUPPORTED (there is no driver; the message says
 * how to get one), INVALID (the query, the driver or the database is wrong), PARSE (the Parquet
 * file is damaged, or there is no driver for it), BUDGET, NOMEM, CANCELLED. */
LODE_NODISCARD lode_status adbc_open(lode_job *job, adbc **out, const adbc_request *request);
/* Reads the Parquet file again: columns with these names, or all if n is 0. The stream is another
 * one then. Errors: as adbc_open(). */
LODE_NODISCARD lode_status adbc_read_parquet(adbc *a, const char *const *columns, size_t n);
/* The result, which adbc_close() releases. */
struct ArrowArrayStream *adbc_stream(adbc *a);
void adbc_close(adbc *a);

/* Writes a table to a Parquet file, with pairs of texts in its metadata: NULL ends them. The stream
 * is released in every case. Without a stream, only looks for the driver. `name` is that of the
 * file in messages. Errors: UNSUPPORTED (there is no driver), IO, BUDGET, NOMEM, CANCELLED. */
LODE_NODISCARD lode_status adbc_write_parquet(lode_job *job, struct ArrowArrayStream *table,
                                              const char *path, const char *name,
                                              const char *const *pairs);

#endif
