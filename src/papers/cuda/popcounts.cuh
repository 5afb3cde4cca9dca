/* popcounts.cuh - ways to count the bits of a word, as the papers have them
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_CUDA_POPCOUNTS_CUH
#define LODE_PAPERS_CUDA_POPCOUNTS_CUH

#include "cuda/device_code.cuh"
#include "papers/cuda/paper_kernels.h"

/* The paper's table; 64 KB of it live in the first-level cache. */
struct popcount_table16 {
    const uint8_t *table;
    __device__ __forceinline__ uint32_t operator()(uint32_t word) const {
        return (uint32_t)__ldg(table + (word & 0xffff)) + (uint32_t)__ldg(table + (word >> 16));
    }
};

struct popcount_shift {
    __device__ __forceinline__ uint32_t operator()(uint32_t word) const {
        uint32_t n = 0;
        for (; word; word >>= 1) n += word % 2;
        return n;
    }
};

/* Calls `f` with the population count that the config names. */
template <class F> cudaError_t with_popcount(const cuda_paper_config *config, F f) {
    switch (config->popcount) {
    case CUDA_POPCOUNT_TABLE16: f(popcount_table16{config->table}); break;
    case CUDA_POPCOUNT_SHIFT: f(popcount_shift()); break;
    default: f(popcount_native()); break;
    }
    return cudaGetLastError();
}

#endif
