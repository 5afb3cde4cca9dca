/* job_result.h - the result of all ranks together: numbers, the output in parts or as one file, and
 * the report
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_JOB_RESULT_H
#define LODE_MPI_JOB_RESULT_H

#include "rank_run.h"

typedef struct job_result {
    uint64_t patterns, hash;
    uint64_t *sizes;
    size_t n_sizes;
    rank_figures *ranks;    /* on rank 0: the figures of each rank */
    char output[RANK_PATH]; /* the path of the output; "": standard output */
    char base[RANK_PATH];   /* the parts are BASE.1 … BASE.N */
    bool output_named;      /* the output is a file */
    bool parts;             /* the parts are the result; otherwise they are joined */
    double seconds;
} job_result;

/* Determines the paths of output and parts; all ranks get the same BASE. Returns the exit code. */
int result_place(rank_run *r, job_result *j);
/* Adds up the numbers of all ranks, names or joins their parts, and prints the numbers. Returns the
 * exit code. */
int result_collect(rank_run *r, job_result *j);
/* Rank 0 writes the report. */
int result_report(const rank_run *r, const job_result *j, const cli_report_form *form, int code);
void result_free(job_result *j);

#endif
