/* job_report.h - how a job's calls become its report
 *
 * One report covers the reading before a search, the search, and finishing its sink. The next call
 * after these begins a new report. Only the owner thread may call these functions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_JOB_REPORT_H
#define LODE_RUNTIME_JOB_REPORT_H

#include "runtime/job.h"

/* Must be called at the start of a call that reads. */
void job_report_begin_read(lode_job *job);
/* Must be called at the end of a call that reads. Returns `status`. */
lode_status job_report_end_read(lode_job *job, lode_status status);

/* Must be called at the start of a call that mines. The call then fills in options and data. */
void job_report_begin_mine(lode_job *job, lode_pattern_kind kind, const void *sink);
/* Must be called at the end of a call that began at `start`. Returns `status`. */
lode_status job_report_end_mine(lode_job *job, double start, lode_status status);

/* Records the threshold as text, such as "250" or "0.5%". */
void job_report_threshold(lode_job *job, lode_threshold threshold);

/* Records the content of a sink. by_size[k] is the number of patterns of size k. Does nothing if
 * `sink` is not the sink of the report. Errors: NOMEM. */
LODE_NODISCARD lode_status job_report_result(lode_job *job, const void *sink,
                                             const report_result *result, const uint64_t *by_size,
                                             size_t n_sizes);
/* Records that the sink was finished in a call that began at `start`. Returns `status`. */
lode_status job_report_end_finish(lode_job *job, const void *sink, double start,
                                  lode_status status);

/* Gives a new job an empty report. */
void job_report_init(lode_job *job);
/* Frees the memory of the job's report. */
void job_report_free(lode_job *job);

#endif
