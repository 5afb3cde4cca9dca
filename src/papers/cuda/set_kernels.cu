/* set_kernels.cu - joins of itemsets as rows of bits
 *
 * In a row, bit r stands for the item of rank r; rows of equal size are in lexicographic order when
 * they are compared by the lowest bit in which they differ: the one that has it comes first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "device/cuda/device_code.cuh"
#include "papers/cuda/paper_kernels.h"

#define BLOCK 256

/* ---- joining and pruning ---- */

/* How the union of rows i and j without one of its items compares with a row: < 0, 0, > 0. */
__device__ int compare_subset(const cuda_sets &s, const uint64_t *x, const uint64_t *y,
                              uint32_t without, const uint64_t *row) {
    for (uint32_t w = 0; w < s.words; w++) {
        uint64_t set = x[w] | y[w];
        if (w == without / 64) set &= ~((uint64_t)1 << (without % 64));
        uint64_t differ = set ^ row[w];
        if (differ) return set & (differ & (0 - differ)) ? -1 : 1;
    }
    return 0;
}

__device__ bool subset_is_row(const cuda_sets &s, const uint64_t *x, const uint64_t *y,
                              uint32_t without) {
    uint32_t low = 0, high = s.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = compare_subset(s, x, y, without, s.data + (size_t)middle * s.words);
        if (order == 0) return true;
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return false;
}

__device__ uint32_t union_size(const cuda_sets &s, const uint64_t *x, const uint64_t *y) {
    uint32_t n = 0;
    for (uint32_t w = 0; w < s.words; w++) n += (uint32_t)__popcll(x[w] | y[w]);
    return n;
}

/* All subsets of the union with one item less; the two without one of the last two items are the
 * rows it was joined from. */
__device__ bool is_candidate(const cuda_sets &s, const uint64_t *x, const uint64_t *y) {
    uint32_t size = union_size(s, x, y), seen = 0;
    for (uint32_t w = 0; w < s.words && seen + 2 < size; w++) {
        for (uint64_t rest = x[w] | y[w]; rest && seen + 2 < size; rest &= rest - 1, seen++) {
            uint32_t item = w * 64 + (uint32_t)__ffsll((long long)rest) - 1;
            if (!subset_is_row(s, x, y, item)) return false;
        }
    }
    return true;
}

/* The left set of a join: the last whose place is not after it. */
__device__ uint32_t find_left(const uint64_t *places, uint32_t n, uint64_t join) {
    uint32_t low = 0, high = n;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (places[middle] <= join) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

__global__ void __launch_bounds__(BLOCK)
    join_kernel(const __grid_constant__ cuda_sets s, const __grid_constant__ cuda_join j) {
    uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= j.n_joins) return;
    uint64_t join = j.first_join + i;
    uint32_t left = find_left(j.places, j.n_left, join), a = j.first + left;
    cuda_pair p = {a, a + 1 + (uint32_t)(join - j.places[left])};
    j.all[i] = p;
    j.keep[i] = is_candidate(s, s.data + (size_t)p.a * s.words, s.data + (size_t)p.b * s.words);
}

/* How many joins a left set makes; 64 bits, as that is what they are added up in. The set after the
 * last one makes none. */
struct joins_of {
    const uint32_t *group_end;
    uint32_t n_sets;
    __host__ __device__ uint64_t operator()(uint32_t i) const {
        return i < n_sets ? group_end[i] - i - 1 : 0;
    }
};

extern "C" cudaError_t cuda_launch_places(const cuda_places *p, void *scratch,
                                          size_t *scratch_bytes, cudaStream_t stream) {
    auto joins = thrust::make_transform_iterator(thrust::counting_iterator<uint32_t>(p->first),
                                                 joins_of{p->group_end, p->n_sets});
    return cub::DeviceScan::ExclusiveSum(scratch, *scratch_bytes, joins, p->places, p->n, stream);
}

extern "C" cudaError_t cuda_join_scratch(size_t n_joins, size_t *bytes) {
    size_t pairs = 0, counts = 0;
    cudaError_t error =
        cub::DeviceSelect::Flagged(nullptr, pairs, (cuda_pair *)nullptr, (uint8_t *)nullptr,
                                   (cuda_pair *)nullptr, (uint32_t *)nullptr, (int)n_joins);
    if (error != cudaSuccess) return error;
    error = cub::DeviceSelect::Flagged(nullptr, counts, (uint32_t *)nullptr, (uint8_t *)nullptr,
                                       (uint32_t *)nullptr, (uint32_t *)nullptr, (int)n_joins);
    *bytes = pairs > counts ? pairs : counts;
    return error;
}

extern "C" cudaError_t cuda_launch_join(const cuda_sets *sets, const cuda_join *join,
                                        cudaStream_t stream) {
    join_kernel<<<blocks_for(join->n_joins, BLOCK), BLOCK, 0, stream>>>(*sets, *join);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    size_t bytes = join->scratch_bytes;
    return cub::DeviceSelect::Flagged(join->scratch, bytes, join->all, join->keep, join->pairs,
                                      join->totals, (int)join->n_joins, stream);
}

__global__ void __launch_bounds__(BLOCK)
    frequent_kernel(const uint32_t *counts, const uint32_t *n, uint32_t most, uint32_t min_count,
                    uint8_t *keep) {
    uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < most) keep[i] = i < *n && counts[i] >= min_count;
}

extern "C" cudaError_t cuda_launch_keep_frequent(uint32_t min_count, const cuda_join *join,
                                                 cudaStream_t stream) {
    size_t most = join->n_joins;
    frequent_kernel<<<blocks_for(most, BLOCK), BLOCK, 0, stream>>>(
        join->counts, join->totals, (uint32_t)most, min_count, join->keep);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    size_t bytes = join->scratch_bytes;
    error = cub::DeviceSelect::Flagged(join->scratch, bytes, join->pairs, join->keep, join->all,
                                       join->totals + 1, (int)most, stream);
    if (error != cudaSuccess) return error;
    bytes = join->scratch_bytes;
    return cub::DeviceSelect::Flagged(join->scratch, bytes, join->counts, join->keep,
                                      join->kept_counts, join->totals + 1, (int)most, stream);
}
