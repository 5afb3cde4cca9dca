/* job_result.h - what all ranks have found together: numbers, parts or one file, and the report
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_JOB_RESULT_H
#define LODE_MPI_JOB_RESULT_H

#include "rank_run.h"

typedef struct job_result {
    uint64_t patterns, hash;
    uint64_t *sizes;
    size_t n_sizes;
    rank_figures *ranks;    /* rank 0: of each */
    char output[RANK_PATH]; /* where it is; "" : standard output */
    char base[RANK_PATH];   /* parts are BASE.1 … BASE.N */
    bool output_named;      /* it is a file */
    bool parts;             /* they are the result; otherwise they are joined */
    double seconds;
} job_result;

/* Where the parts of this job are; every rank gets the same. Returns the exit code. */
int result_place(rank_run *r, job_result *j);
/* Adds up the numbers of all ranks, names or joins their parts, and prints the numbers. Returns the
 * exit code. */
int result_collect(rank_run *r, job_result *j);
/* Rank 0 writes the report. */
int result_report(const rank_run *r, const job_result *j, const cli_report_form *form, int code);
void result_free(job_result *j);

/* ---- the manifest of a part, in the form that `lode merge` reads ----------------------------- */

#endif
