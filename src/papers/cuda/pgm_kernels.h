/* pgm_kernels.h - C interface of the kernels for batches of patterns
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

#define CUDA_PGM_TILE 256u /* rows, work items or entries of one pattern that a block works on */

/* A pattern of a batch. Tiles of all patterns are numbered through: those of rows, of work items,
 * which are (path vertex, row), and of cells of the matrix. After the last pattern comes one more,
 * with the totals. All numbers have 32 bits, so that no compiler makes vectors of their loads
 * (tools/check_loads.py). */
typedef struct cuda_pgm_pattern {
    pgm_pattern of;
    uint32_t n_rows;
    uint32_t first_row_tile, first_item_tile;
    uint32_t first_cell_tile; /* it has n_columns times n_rows cells */
} cuda_pgm_pattern;

/* An extension that is in enough graphs: the records sorted[first], sorted[first + 1], … */
typedef struct cuda_pgm_run {
    uint64_t key;
    uint32_t first, n_rows, support, unused;
} cuda_pgm_run;

/* In front of the list of runs. */
typedef struct cuda_pgm_head {
    uint32_t n_runs, n_listed, unused[2];
} cuda_pgm_head;

/* A column that is written. */
typedef struct cuda_pgm_child {
    void *block;
    uint32_t pattern, backward;
    uint32_t first, n_rows;
    uint32_t first_tile, unused;
} cuda_pgm_child;

/* The occurrences of the patterns of a batch, and their extensions. An extension has a pgm_record,
 * and a pgm_entry with the row that it extends and the vertex where it ends. The layout says how
 * both are stored: as vectors of 16 and 8 bytes, or as four and two arrays of n_records. */
typedef struct cuda_pgm {
    backend_graphs graphs;
    pgm_labels labels;
    pgm_layout layout;
    const cuda_pgm_pattern *patterns;
    const pgm_column *columns;
    const uint16_t *paths;
    uint32_t n_patterns, n_row_tiles, n_item_tiles;
    uint32_t *matrix;   /* the rows, written out */
    uint32_t *counts;   /* by work item, CUDA_PGM_TILE for each tile */
    uint64_t *places;   /* likewise: where the records of each begin */
    uint64_t *ends;     /* by pattern: where its records end */
    uint32_t n_records; /* once it is known */
    void *records, *entries;
    uint64_t *keys, *sorted_keys;    /* pattern and code of the extension, by record and in order */
    uint32_t *order, *sorted;        /* numbers of records, likewise */
    uint64_t *values;                /* number in order << 32 | (first of its graph) */
    uint64_t *run_keys, *run_values; /* of each extension: key; first number, sum of the rest */
    cuda_pgm_head *head;
    cuda_pgm_run *list; /* in no order */
    uint32_t list_cap, min_support;
    uint32_t column_bits, key_bits; /* of a key: the two columns; all */
    void *scratch;
    size_t scratch_bytes;
} cuda_pgm;

/* Writes out the rows, counts the extensions of each work item, and adds the counts up. */
cudaError_t cuda_pgm_count_scratch(size_t n_items, size_t *bytes);
cudaError_t cuda_launch_pgm_count(const cuda_pgm *p, cudaStream_t stream);
/* Writes the records. */
cudaError_t cuda_launch_pgm_records(const cuda_pgm *p, cudaStream_t stream);
/* Sorts their numbers by key; the scratch is enough for the supports, too. */
cudaError_t cuda_pgm_sort_scratch(uint32_t n_records, uint32_t key_bits, size_t *bytes);
cudaError_t cuda_launch_pgm_sort(const cuda_pgm *p, cudaStream_t stream);
/* Sums up each extension, and lists those in enough graphs. */
cudaError_t cuda_launch_pgm_supports(const cuda_pgm *p, cudaStream_t stream);
/* Writes the columns of n extensions, which have n_tiles tiles in all. */
cudaError_t cuda_launch_pgm_columns(const cuda_pgm *p, const cuda_pgm_child *children, uint32_t n,
                                    uint32_t n_tiles, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
