/* pgm_kernels.h - C interface of the kernels for one pattern at a time
 *
 * As in device/cuda/kernels.h: a launch function queues work on a stream and returns the result of
 * cudaGetLastError(); pointers are to device memory. With scratch NULL, only its size is returned.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_CUDA_PGM_KERNELS_H
#define LODE_PAPERS_CUDA_PGM_KERNELS_H

#include <cuda_runtime_api.h>

#include "device/api/pgm_shapes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The occurrences of a pattern, and their extensions: for each a pgm_record, and a pgm_entry with
 * the row that it extends and the vertex where it ends. Both are stored according to the layout:
 * vectors of 16 and of 8 bytes, or four and two arrays of n_records, concatenated. */
typedef struct cuda_pgm {
    backend_graphs graphs;
    pgm_labels labels;
    pgm_layout layout;
    const pgm_column *columns;
    const uint16_t *path;
    uint32_t n_columns, n_path, n_rows;
    uint32_t *matrix;   /* n_columns * n_rows: the rows, written out */
    uint32_t *counts;   /* n_path * n_rows */
    uint64_t *places;   /* likewise: start of the records of each */
    uint32_t n_records; /* once it is known */
    void *records, *entries;
    uint64_t *keys, *sorted_keys;    /* code of the extension, by record and in order */
    uint32_t *order, *sorted;        /* numbers of records, likewise */
    uint64_t *values;                /* 1 << 32 | (first of its graph), in sorted order */
    uint64_t *run_keys, *run_values; /* of each extension: code; sums of the values */
    uint32_t *n_runs;
    uint32_t key_bits;
    void *scratch;
    size_t scratch_bytes;
} cuda_pgm;

/* Writes out the rows, counts the extensions of each (row, path vertex), and sums the counts. */
cudaError_t cuda_pgm_count_scratch(size_t n, size_t *bytes);
cudaError_t cuda_launch_pgm_count(const cuda_pgm *p, cudaStream_t stream);
/* Writes the records. */
cudaError_t cuda_launch_pgm_records(const cuda_pgm *p, cudaStream_t stream);
/* Sorts the numbers of records by code; the scratch is enough for the supports, too. */
cudaError_t cuda_pgm_sort_scratch(uint32_t n_records, uint32_t key_bits, size_t *bytes);
cudaError_t cuda_launch_pgm_sort(const cuda_pgm *p, cudaStream_t stream);
/* Sums the records of each extension. */
cudaError_t cuda_launch_pgm_supports(const cuda_pgm *p, cudaStream_t stream);
/* Writes the column of an extension. */
cudaError_t cuda_launch_pgm_column(const cuda_pgm *p, const pgm_extension *e, void *block,
                                   cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
