/* kernels.h - C interface of the kernels on rows (row_kernels.cu): one launch function each
 *
 * A launch function queues work on a stream and returns the result of cudaGetLastError(). The
 * structs passed to it are in host memory, the arrays are in device memory. This header is included
 * by C and by CUDA C++, so it includes nothing of lode, but repeats some definitions of backend.h.
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

/* Where the rows are. Lists are allocated in slabs, as the search needs them. This struct is passed
 * to kernels by value: 2 KB of the 4 KB that parameters may have. */
typedef struct cuda_rows {
    const uint4 *items; /* the permanent rows, one after the other */
    uint32_t n_items;
    uint32_t vectors;             /* 16-byte vectors of a row */
    uint32_t slab_shift;          /* a slab has 1 << slab_shift lists */
    uint4 *slabs[CUDA_MAX_SLABS]; /* slabs that have memory come first */
} cuda_rows;

/* As backend_work. */
typedef struct cuda_work {
    uint32_t a, b, dst;
} cuda_work;

/* Parameters of a launch over pairs of rows. */
typedef struct cuda_count_config {
    uint32_t min_count; /* results with lower counts need not be stored */
    int late;           /* long rows: first count all, then store the frequent ones */
    unsigned n_sm;      /* multiprocessors of the device */
} cuda_count_config;

/* counts[i] = |a AND b| of work[i]; if the count reaches min_count and dst is not CUDA_NO_ROW, dst
 * = a AND b. */
cudaError_t cuda_launch_and_count(const cuda_rows *rows, const cuda_count_config *config,
                                  const cuda_work *work, size_t n, uint32_t *counts,
                                  cudaStream_t stream);
/* dst[i] = lists[i * k] AND … AND lists[i * k + k - 1], where dst and lists are row numbers. If
 * dst[i] is CUDA_NO_ROW, nothing is done for i. */
cudaError_t cuda_launch_list_rows(const cuda_rows *rows, const uint32_t *dst, const uint32_t *lists,
                                  uint32_t k, size_t n, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
