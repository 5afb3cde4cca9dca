/* matrix.h - searches by the ranks of one launch, for tests: see matrix.c
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_MATRIX_H
#define LODE_MPI_MATRIX_H

#include "rank_run.h"

/* What the ranks have found together; valid only on rank 0. */
typedef struct matrix_found {
    uint64_t patterns, hash;
} matrix_found;

/* Makes the job and the data of a case, by calling `open` with the job and `from`. A failure ends
 * the launch. */
typedef lode_status matrix_open_fn(lode_job *job, const void *from, void **data);
void matrix_begin(rank_run *r, unsigned threads, matrix_open_fn *open, const void *from);
/* All ranks search r->asked together. */
matrix_found matrix_together(rank_run *r);
void matrix_end(rank_run *r);

/* matrix_files.c: does the searches that a file lists, one per line; rank 0 prints what was found.
 * Returns how many lines could not be parsed. */
int matrix_files(rank_run *r, const char *path);

#endif
