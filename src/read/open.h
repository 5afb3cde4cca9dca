/* open.h - reads with blocks of a given size, so that tests can choose block boundaries
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_OPEN_H
#define LODE_READ_OPEN_H

#include "read/read.h"

/* Reads texts in memory as if they were files, in blocks of about `block_bytes`; 0 = the budget
 * determines the length.
 */
LODE_NODISCARD lode_status open_parse(lode_job *job, lode_dataset **out, const read_source *texts,
                                      size_t n_texts, const lode_read_options *options,
                                      size_t block_bytes);

#endif
