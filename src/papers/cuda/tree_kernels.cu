/* tree_kernels.cu - the trees over partial counts that the papers compare
 *
 * A block per candidate, a thread per 32-bit word (threads stride over longer rows), a partial count
 * each in shared memory, then rounds that fold the upper half onto the lower:
 *     pow2  over the next power of two, padded with zeros
 *     any   over any length: in an odd round the middle one waits for the next
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/cuda/popcounts.cuh"

#define TREE_PARTIALS 1024 /* threads of a block, at most: as on the CPU */

__device__ __forceinline__ void fold_any(uint32_t *partial, uint32_t n) {
    while (n > 1) {
        uint32_t half = n / 2, rest = n - half;
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + rest];
        __syncthreads();
        n = rest;
    }
}

__device__ __forceinline__ void fold_pow2(uint32_t *partial, uint32_t n) {
    uint32_t power = 1;
    while (power < n) power *= 2;
    for (uint32_t half = power / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
}

template <class Popcount, bool POW2>
__global__ void __launch_bounds__(TREE_PARTIALS)
    tree_kernel(const __grid_constant__ cuda_rows rows, const __grid_constant__ Popcount popcount,
                uint32_t n_words, uint32_t min_count,
                const __grid_constant__ cuda_paper_work work) {
    __shared__ uint32_t partial[TREE_PARTIALS];
    cuda_work w = work.work[blockIdx.x];
    const uint32_t *a = (const uint32_t *)row_at(rows, w.a);
    const uint32_t *b = (const uint32_t *)row_at(rows, w.b);
    uint32_t n = 0;
    for (uint32_t i = threadIdx.x; i < n_words; i += TREE_PARTIALS) n += popcount(a[i] & b[i]);
    partial[threadIdx.x] = n;
    __syncthreads();
    uint32_t n_partials = n_words < TREE_PARTIALS ? n_words : TREE_PARTIALS;
    if (POW2) {
        fold_pow2(partial, n_partials);
    } else {
        fold_any(partial, n_partials);
    }
    n = n_words > 0 ? partial[0] : 0;
    if (threadIdx.x == 0) work.counts[blockIdx.x] = n;
    if (w.dst == CUDA_NO_ROW || n < min_count) return;
    uint32_t *dst = (uint32_t *)list_at(rows, w.dst);
    for (uint32_t i = threadIdx.x; i < rows.vectors * 4; i += blockDim.x) dst[i] = a[i] & b[i];
}

/* Threads that hold a partial count each, padding included, in whole warps. */
static unsigned tree_threads(const cuda_paper_config *config) {
    unsigned n = config->n_words < TREE_PARTIALS ? config->n_words : TREE_PARTIALS,
             power = WARP_THREADS;
    if (!config->pow2) {
        return n ? blocks_for(n, WARP_THREADS) * WARP_THREADS : WARP_THREADS;
    }
    while (power < n) power *= 2;
    return power;
}

extern "C" cudaError_t cuda_launch_tree_count(const cuda_rows *rows,
                                              const cuda_paper_config *config,
                                              const cuda_paper_work *work, cudaStream_t stream) {
    unsigned n = (unsigned)work->n, threads = tree_threads(config);
    if (n == 0) return cudaSuccess;
    return with_popcount(config, [&](auto popcount) {
        using P = decltype(popcount);
        if (config->pow2) {
            tree_kernel<P, true><<<n, threads, 0, stream>>>(*rows, popcount, config->n_words,
                                                            config->count.min_count, *work);
        } else {
            tree_kernel<P, false><<<n, threads, 0, stream>>>(*rows, popcount, config->n_words,
                                                             config->count.min_count, *work);
        }
    });
}

__global__ void fill_table_kernel(uint8_t *table) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    table[i] = (uint8_t)__popc(i);
}

extern "C" cudaError_t cuda_launch_fill_table(uint8_t *table, cudaStream_t stream) {
    fill_table_kernel<<<65536 / 256, 256, 0, stream>>>(table);
    return cudaGetLastError();
}
