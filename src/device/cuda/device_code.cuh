/* device_code.cuh - shared by the kernels on rows: where a row is, population counts, sums over
 * threads
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_DEVICE_CODE_CUH
#define LODE_DEVICE_CUDA_DEVICE_CODE_CUH

#include "device/cuda/kernels.h"
#include "device/cuda/launch.cuh"

/* The vectors of a row, which is a permanent row or a list that has memory. */
__device__ __forceinline__ const uint4 *row_at(const cuda_rows &rows, uint32_t row) {
    if (row < rows.n_items) return rows.items + (size_t)row * rows.vectors;
    uint32_t list = row - rows.n_items;
    uint32_t within = list & ((1u << rows.slab_shift) - 1);
    return rows.slabs[list >> rows.slab_shift] + (size_t)within * rows.vectors;
}

/* The vectors of a list, to write to. */
__device__ __forceinline__ uint4 *list_at(const cuda_rows &rows, uint32_t row) {
    return const_cast<uint4 *>(row_at(rows, row));
}

__device__ __forceinline__ uint4 operator&(uint4 a, uint4 b) {
    return make_uint4(a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w);
}

/* Vector v of the AND of k rows. */
__device__ __forceinline__ uint4 and_list(const cuda_rows &rows, const uint32_t *list, uint32_t k,
                                          uint32_t v) {
    uint4 all = row_at(rows, list[0])[v];
#pragma unroll 4
    for (uint32_t r = 1; r < k; r++) all = all & row_at(rows, list[r])[v];
    return all;
}

/* ---- bits ---- */

/* Counts the bits of a word by the GPU's instruction; src/papers/cuda has other ways to count. */
struct popcount_native {
    __device__ __forceinline__ uint32_t operator()(uint32_t word) const {
        return (uint32_t)__popc(word);
    }
};

template <class Popcount>
__device__ __forceinline__ uint32_t count_vector(const Popcount &popcount, uint4 v) {
    return popcount(v.x) + popcount(v.y) + popcount(v.z) + popcount(v.w);
}

/* ---- sums over the threads that work on one candidate ---- */

/* The sum over groups of N neighbouring lanes; every lane gets it. All lanes of a warp call it. */
template <int N> __device__ __forceinline__ uint32_t sum_lanes(uint32_t n) {
    for (int step = N / 2; step > 0; step /= 2) n += __shfl_xor_sync(0xffffffffu, n, step);
    return n;
}

/* The sum over a block of N threads; every thread gets it. All threads call it. */
template <int N> __device__ __forceinline__ uint32_t sum_block(uint32_t n) {
    __shared__ uint32_t warps[N / WARP_THREADS];
    n = sum_lanes<WARP_THREADS>(n);
    if (threadIdx.x % WARP_THREADS == 0) warps[threadIdx.x / WARP_THREADS] = n;
    __syncthreads();
    n = 0;
    for (int i = 0; i < N / WARP_THREADS; i++) n += warps[i];
    __syncthreads(); /* before the next candidate writes there */
    return n;
}

#endif
