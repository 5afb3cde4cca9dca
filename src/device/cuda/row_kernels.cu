/* row_kernels.cu - the kernels of the operations on rows that all miners use; see kernels.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/row_code.cuh"

extern "C" cudaError_t cuda_launch_and_count(const cuda_rows *rows, const cuda_count_config *config,
                                             const cuda_work *work, size_t n, uint32_t *counts,
                                             cudaStream_t stream) {
    return launch_and_count(rows, config, popcount_native(), from_work{work, n}, counts, stream);
}

/* Blocks (x: row, y: piece of it). */
__global__ void __launch_bounds__(BLOCK)
    rows_kernel(const __grid_constant__ cuda_rows rows, const uint32_t *dst, const uint32_t *lists,
                uint32_t k) {
    size_t i = blockIdx.x;
    if (dst[i] == CUDA_NO_ROW) return;
    uint4 *to = list_at(rows, dst[i]);
    uint32_t step = BLOCK * gridDim.y;
    for (uint32_t v = blockIdx.y * BLOCK + threadIdx.x; v < rows.vectors; v += step) {
        to[v] = and_list(rows, lists + i * k, k, v);
    }
}

extern "C" cudaError_t cuda_launch_list_rows(const cuda_rows *rows, const uint32_t *dst,
                                             const uint32_t *lists, uint32_t k, size_t n,
                                             cudaStream_t stream) {
    if (n == 0 || rows->vectors == 0) return cudaSuccess;
    unsigned pieces = blocks_for(rows->vectors, BLOCK * 4);
    if (pieces > 64) pieces = 64;
    rows_kernel<<<dim3((unsigned)n, pieces), BLOCK, 0, stream>>>(*rows, dst, lists, k);
    return cudaGetLastError();
}
