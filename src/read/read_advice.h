/* read_advice.h - notes about names that were read, after reading: lists, missing values, Latin-1
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_READ_ADVICE_H
#define LODE_READ_READ_ADVICE_H

#include "read/csv.h"
#include "read/read.h"

/* Warns if names look like several items with another separator than that of the options, and if
 * the data look like a matrix of 0 and 1. Says if there are names that look like missing values, or
 * are not UTF-8. `source` names the file in messages. */
void read_advise(lode_job *job, const char *source, const lode_dataset *data,
                 const lode_read_options *options);

/* Fails because a file has no column of this name; the message lists its columns. The cursor is at
 * the beginning of the header. */
LODE_NODISCARD lode_status read_no_column(const read_task *task, csv_cursor header,
                                          const char *option);

#endif
