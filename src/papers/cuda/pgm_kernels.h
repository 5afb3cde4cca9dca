/* pgm_kernels.h - the kernels for one pattern at a time, seen from C
 *
 * As in device/cuda/kernels.h: a launch function queues work on a stream and returns what
 * cudaGetLastError() says; pointers are to device memory. A scratch of NULL asks for its size.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_CUDA_PGM_KERNELS_H
#define LODE_PAPERS_CUDA_PGM_KERNELS_H

#include <cuda_runtime_api.h>

#include "device/api/pgm_shapes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The occurrences of a pattern, and their extensions: a pgm_record each, and with it a pgm_entry of
 * the row that it extends and the vertex where it ends. Both lie as the layout says: vectors of 16
 * and of 8 bytes, or four and two arrays of n_records one after the other. */
typedef struct cuda_pgm {
    backend_graphs graphs;
    pgm_labels labels;
    pgm_layout layout;
    const pgm_column *columns;
    const uint16_t *path;
    uint32_t n_columns, n_path, n_rows;
    uint32_t *matrix;   /* n_columns * n_rows: the rows, written out */
    uint32_t *counts;   /* n_path * n_rows */
    uint64_t *places;   /* likewise: where the records of each begin */
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

/* Writes out the rows, counts the extensions of each (row, path vertex), and adds the counts up. */
cudaError_t cuda_pgm_count_scratch(size_t n, size_t *bytes);
cudaError_t cuda_launch_pgm_count(const cuda_pgm *p, cudaStream_t stream);
/* Writes the records. */
cudaError_t cuda_launch_pgm_records(const cuda_pgm *p, cudaStream_t stream);
/* Sorts their numbers by code; the scratch is enough for the supports, too. */
cudaError_t cuda_pgm_sort_scratch(uint32_t n_records, uint32_t key_bits, size_t *bytes);
cudaError_t cuda_launch_pgm_sort(const cuda_pgm *p, cudaStream_t stream);
/* Sums up each extension. */
cudaError_t cuda_launch_pgm_supports(const cuda_pgm *p, cudaStream_t stream);
/* Writes the column of an extension. */
cudaError_t cuda_launch_pgm_column(const cuda_pgm *p, const pgm_extension *e, void *block,
                                   cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
