/* level_kernels.cu - levels that are made on the device: tables, groups and rows of their sets
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/launch.cuh"
#include "papers/cuda/paper_kernels.h"

#define BLOCK 256

__device__ __forceinline__ size_t thread_number() {
    return (size_t)blockIdx.x * BLOCK + threadIdx.x;
}

/* ---- single items ---- */

/* A thread per word of the table. */
__global__ void __launch_bounds__(BLOCK) item_table_kernel(const __grid_constant__ cuda_level l) {
    size_t at = thread_number();
    if (at >= (size_t)l.n * l.words) return;
    uint32_t item = (uint32_t)(at / l.words), word = (uint32_t)(at % l.words);
    l.data[at] = item / 64 == word ? (uint64_t)1 << (item % 64) : 0;
}

__global__ void __launch_bounds__(BLOCK) item_groups_kernel(const __grid_constant__ cuda_level l) {
    size_t i = thread_number();
    if (i >= l.n) return;
    l.group_end[i] = l.n;
    l.rows[i] = l.first_row + (uint32_t)i * l.step;
}

extern "C" cudaError_t cuda_launch_level_items(const cuda_level *level, cudaStream_t stream) {
    if (level->n == 0) return cudaSuccess;
    size_t words = (size_t)level->n * level->words;
    item_table_kernel<<<blocks_for(words, BLOCK), BLOCK, 0, stream>>>(*level);
    item_groups_kernel<<<blocks_for(level->n, BLOCK), BLOCK, 0, stream>>>(*level);
    return cudaGetLastError();
}

/* ---- unions ---- */

/* A thread per word of the table. */
__global__ void __launch_bounds__(BLOCK)
    union_table_kernel(const __grid_constant__ cuda_sets s, const cuda_pair *pairs,
                       const __grid_constant__ cuda_level l) {
    size_t at = thread_number();
    if (at >= (size_t)l.n * l.words) return;
    cuda_pair p = pairs[at / l.words];
    size_t word = at % l.words;
    l.data[at] = s.data[(size_t)p.a * l.words + word] | s.data[(size_t)p.b * l.words + word];
}

/* A group is a run of equal left sets. They ascend, so a binary search finds the end of the run:
 * the first pair after i with another one. */
__global__ void __launch_bounds__(BLOCK)
    union_groups_kernel(const cuda_pair *pairs, const __grid_constant__ cuda_level l) {
    size_t i = thread_number();
    if (i >= l.n) return;
    uint32_t left = pairs[i].a, low = (uint32_t)i + 1, high = l.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (pairs[middle].a == left) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    l.group_end[i] = low;
    l.rows[i] = l.first_row + (uint32_t)i * l.step;
}

extern "C" cudaError_t cuda_launch_level_unions(const cuda_sets *sets, const cuda_pair *pairs,
                                                const cuda_level *level, cudaStream_t stream) {
    if (level->n == 0) return cudaSuccess;
    size_t words = (size_t)level->n * level->words;
    union_table_kernel<<<blocks_for(words, BLOCK), BLOCK, 0, stream>>>(*sets, pairs, *level);
    union_groups_kernel<<<blocks_for(level->n, BLOCK), BLOCK, 0, stream>>>(pairs, *level);
    return cudaGetLastError();
}

/* ---- rows ---- */

__global__ void __launch_bounds__(BLOCK)
    level_rows_kernel(const __grid_constant__ cuda_level_rows r) {
    size_t i = thread_number();
    if (i >= r.n) return;
    cuda_pair p = r.pairs[i];
    r.dst[i] = r.first_row + (uint32_t)i * r.step;
    r.lists[2 * i] = r.set_rows[p.a];
    r.lists[2 * i + 1] = r.set_rows[p.b];
}

extern "C" cudaError_t cuda_launch_level_rows(const cuda_level_rows *rows, cudaStream_t stream) {
    if (rows->n == 0) return cudaSuccess;
    level_rows_kernel<<<blocks_for(rows->n, BLOCK), BLOCK, 0, stream>>>(*rows);
    return cudaGetLastError();
}
