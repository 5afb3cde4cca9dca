/* kernels.h - C interface of the kernels: one launch function each
 *
 * A launch function queues work on a stream and returns the result of cudaGetLastError().
 * Pointers are to device memory unless a name says otherwise. This header is included by C and by
 * CUDA C++, so it includes nothing of lode; it repeats some numbers of backend.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_KERNELS_H
#define LODE_DEVICE_CUDA_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_NO_ROW    UINT32_MAX /* BACKEND_NO_ROW */
#define CUDA_MAX_SLABS 256

/* The memory of rows. Lists are allocated in slabs, as the search needs them. Passed to kernels by
 * value: 2 KB of the 4 KB limit for parameters. */
typedef struct cuda_rows {
    const uint4 *items; /* the permanent rows */
    uint32_t n_items;
    uint32_t vectors;    /* of 16 bytes, in a row */
    uint32_t slab_shift; /* 1 << slab_shift lists in a slab */
    uint4 *slabs[CUDA_MAX_SLABS];
} cuda_rows;

/* As backend_work. */
typedef struct cuda_work {
    uint32_t a, b, dst;
} cuda_work;

/* Parameters of a launch over pairs of rows. */
typedef struct cuda_count_config {
    uint32_t min_count; /* candidates below it need not be written */
    int late;           /* for long rows: count first, then store what is frequent */
    unsigned n_sm;      /* multiprocessors of the device */
} cuda_count_config;

/* counts[i] = |a AND b|, and dst = a AND b where there is a dst and the count reaches min_count. */
cudaError_t cuda_launch_and_count(const cuda_rows *rows, const cuda_count_config *config,
                                  const cuda_work *work, size_t n, uint32_t *counts,
                                  cudaStream_t stream);
/* dst[i] = lists[i * k] AND …, k rows; where dst[i] is a row. */
cudaError_t cuda_launch_list_rows(const cuda_rows *rows, const uint32_t *dst, const uint32_t *lists,
                                  uint32_t k, size_t n, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
