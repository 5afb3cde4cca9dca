/* open.h - reading with blocks of a given size, so that tests can put a block's end anywhere
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_FORMAT_OPEN_H
#define LODE_FORMAT_OPEN_H

#include "format/read.h"

/* lode_dataset_parse() with blocks of about `block_bytes`; 0 = what suits the budget. */
LODE_NODISCARD lode_status open_parse(lode_job *job, lode_dataset **out, const void *text,
                                      size_t text_bytes, const char *name,
                                      const lode_read_options *options, size_t block_bytes);

/* Texts in memory as several files. */
LODE_NODISCARD lode_status open_parse_all(lode_job *job, lode_dataset **out,
                                          const read_source *texts, size_t n_texts,
                                          const lode_read_options *options, size_t block_bytes);

#endif
