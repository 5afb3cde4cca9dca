/* popcounts.cuh - ways to count the bits of a word, as the papers have them
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_CUDA_POPCOUNTS_CUH
#define LODE_PAPERS_CUDA_POPCOUNTS_CUH

#include "device/cuda/device_code.cuh"
#include "papers/cuda/paper_kernels.h"

/* The paper's table; 64 KB of it live in the first-level cache. */
struct popcount_table16 {
    const uint8_t *table;
    __device__ __forceinline__ uint32_t operator()(uint32_t word) const {
        return (uint32_t)__ldg(table + (word & 0xffff)) + (uint32_t)__ldg(table + (word >> 16));
    }
};

/* The same in constant memory, where the paper has it: 64 KB are all that a module may have there.
 * Each file that counts is a module of its own. */
#define POPCOUNT_2(n)  (n), (n) + 1, (n) + 1, (n) + 2
#define POPCOUNT_4(n)  POPCOUNT_2(n), POPCOUNT_2((n) + 1), POPCOUNT_2((n) + 1), POPCOUNT_2((n) + 2)
#define POPCOUNT_6(n)  POPCOUNT_4(n), POPCOUNT_4((n) + 1), POPCOUNT_4((n) + 1), POPCOUNT_4((n) + 2)
#define POPCOUNT_8(n)  POPCOUNT_6(n), POPCOUNT_6((n) + 1), POPCOUNT_6((n) + 1), POPCOUNT_6((n) + 2)
#define POPCOUNT_10(n) POPCOUNT_8(n), POPCOUNT_8((n) + 1), POPCOUNT_8((n) + 1), POPCOUNT_8((n) + 2)
#define POPCOUNT_12(n)                                                                             \
    POPCOUNT_10(n), POPCOUNT_10((n) + 1), POPCOUNT_10((n) + 1), POPCOUNT_10((n) + 2)
#define POPCOUNT_14(n)                                                                             \
    POPCOUNT_12(n), POPCOUNT_12((n) + 1), POPCOUNT_12((n) + 1), POPCOUNT_12((n) + 2)
#define POPCOUNT_16(n)                                                                             \
    POPCOUNT_14(n), POPCOUNT_14((n) + 1), POPCOUNT_14((n) + 1), POPCOUNT_14((n) + 2)
static __constant__ uint8_t popcount_bytes[65536] = {POPCOUNT_16(0)};

struct popcount_constant16 {
    __device__ __forceinline__ uint32_t operator()(uint32_t word) const {
        return (uint32_t)popcount_bytes[word & 0xffff] + (uint32_t)popcount_bytes[word >> 16];
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
    case CUDA_POPCOUNT_CONSTANT16: f(popcount_constant16()); break;
    default: f(popcount_native()); break;
    }
    return cudaGetLastError();
}

#endif
