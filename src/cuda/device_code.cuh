/* device_code.cuh - what the kernels on single rows share: rows, population counts, sums over
 * threads
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CUDA_DEVICE_CODE_CUH
#define LODE_CUDA_DEVICE_CODE_CUH

#include "cuda/kernels.h"
#include "cuda/launch.cuh"

__device__ __forceinline__ const uint4 *row_at(const cuda_rows &rows, uint32_t row) {
    if (row < rows.n_items) return rows.items + (size_t)row * rows.vectors;
    uint32_t list = row - rows.n_items;
    uint32_t within = list & ((1u << rows.slab_shift) - 1);
    return rows.slabs[list >> rows.slab_shift] + (size_t)within * rows.vectors;
}

__device__ __forceinline__ uint4 *list_at(const cuda_rows &rows, uint32_t row) {
    return const_cast<uint4 *>(row_at(rows, row));
}

__device__ __forceinline__ uint4 operator&(uint4 a, uint4 b) {
    return make_uint4(a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w);
}

/* ---- ways to count the bits of a word ---- */

struct popcount_native {
    __device__ explicit popcount_native(const cuda_config &) {}
    __device__ __forceinline__ uint32_t operator()(uint32_t word) const {
        return (uint32_t)__popc(word);
    }
};

/* The paper's table; 64 KB of it live in the first-level cache. */
struct popcount_table16 {
    const uint8_t *table;
    __device__ explicit popcount_table16(const cuda_config &config) : table(config.table) {}
    __device__ __forceinline__ uint32_t operator()(uint32_t word) const {
        return (uint32_t)__ldg(table + (word & 0xffff)) + (uint32_t)__ldg(table + (word >> 16));
    }
};

struct popcount_shift {
    __device__ explicit popcount_shift(const cuda_config &) {}
    __device__ __forceinline__ uint32_t operator()(uint32_t word) const {
        uint32_t n = 0;
        for (; word; word >>= 1) n += word % 2;
        return n;
    }
};

template <class Popcount>
__device__ __forceinline__ uint32_t count_vector(const Popcount &popcount, uint4 v) {
    return popcount(v.x) + popcount(v.y) + popcount(v.z) + popcount(v.w);
}

/* Calls `f` with a pointer to the Popcount type that the config names. */
template <class F> cudaError_t with_popcount(const cuda_config *config, F f) {
    switch (config->popcount) {
    case CUDA_POPCOUNT_TABLE16: f(static_cast<popcount_table16 *>(nullptr)); break;
    case CUDA_POPCOUNT_SHIFT: f(static_cast<popcount_shift *>(nullptr)); break;
    default: f(static_cast<popcount_native *>(nullptr)); break;
    }
    return cudaGetLastError();
}

/* ---- sums over the threads that work on one candidate ---- */

/* Over groups of N neighbouring lanes; every lane gets the sum. */
template <int N> __device__ __forceinline__ uint32_t sum_lanes(uint32_t n) {
    for (int step = N / 2; step > 0; step /= 2) n += __shfl_xor_sync(0xffffffffu, n, step);
    return n;
}

/* Over a block of N threads; every thread gets the sum. */
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
