/* job_report.h - how a job's calls become its report
 *
 * One report covers the reading before a search, the search, and finishing its sink. The next call
 * after that begins a new report. Owner thread only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_JOB_REPORT_H
#define LODE_RUNTIME_JOB_REPORT_H

#include "runtime/job.h"

/* Around a call that reads. Functions that take a status return it. */
void job_report_begin_read(lode_job *job);
lode_status job_report_end_read(lode_job *job, lode_status status);

/* Around a call that mines, which fills in the options and data in between. */
void job_report_begin_mine(lode_job *job, lode_pattern_kind kind, const void *sink);
lode_status job_report_end_mine(lode_job *job, double start, lode_status status);

/* The threshold as text, "250" or "0.5%". */
void job_report_threshold(lode_job *job, lode_threshold threshold);

/* The content of a sink; by_size: the numbers of patterns of size 0, 1, 2, … Does nothing if it is
 * not the sink of the report. Errors: NOMEM. */
LODE_NODISCARD lode_status job_report_result(lode_job *job, const void *sink,
                                             const report_result *result, const uint64_t *by_size,
                                             size_t n_sizes);
/* The sink was finished in a call that began at `start`. */
lode_status job_report_end_finish(lode_job *job, const void *sink, double start,
                                  lode_status status);

/* For the job: starts with an empty report, and frees the memory of the last. */
void job_report_init(lode_job *job);
void job_report_free(lode_job *job);

#endif
