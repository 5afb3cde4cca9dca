/* arrow_stream.h - a file of arrow.h as a stream of the Arrow C stream interface
 *
 * Each batch of the file is a batch of the stream. Its buffers are lent from the mapped file, so
 * the file must stay open until all batches have been released.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_ARROW_ARROW_STREAM_H
#define LODE_RESULTS_ARROW_ARROW_STREAM_H

#include "lode.h"
#include "results/arrow/arrow.h"

/* Memory is that of the job, which must live as long as the stream and its batches. Errors: PARSE,
 * NOMEM, BUDGET. */
LODE_NODISCARD lode_status arrow_stream_open(lode_job *job, arrow_file *file,
                                             struct ArrowArrayStream *out);

#endif
