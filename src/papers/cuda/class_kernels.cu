/* class_kernels.cu - candidates by equivalence class: a prefix and its members
 *
 * Members travel without the number of their class: a scan over the marks of the last members gives
 * it back on the device, so that a candidate is 4 bytes on the way.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/transform_iterator.h>

#include "papers/cuda/popcounts.cuh"

#define BLOCK         256
#define SHORT_VECTORS 128 /* a warp per member, else a block */

struct is_last {
    __host__ __device__ uint32_t operator()(uint32_t member) const {
        return member >> 31;
    }
};

extern "C" cudaError_t cuda_launch_class_of(const uint32_t *members, size_t n, uint32_t *class_of,
                                            void *scratch, size_t *scratch_bytes,
                                            cudaStream_t stream) {
    auto marks = thrust::make_transform_iterator(members, is_last());
    return cub::DeviceScan::ExclusiveSum(scratch, *scratch_bytes, marks, class_of, (uint32_t)n,
                                         stream);
}

/* The prefix of a class at vector v: its cache row, or the AND of its rows. */
__device__ __forceinline__ uint4 prefix_vector(const cuda_rows &rows, const cuda_classes &c,
                                               uint32_t cls, uint32_t cached, uint32_t v) {
    if (cached != CUDA_NO_ROW) return row_at(rows, cached)[v];
    const uint32_t *prefix = c.prefixes + (size_t)cls * c.n_prefix;
    uint4 all = row_at(rows, prefix[0])[v];
#pragma unroll 4
    for (uint32_t r = 1; r < c.n_prefix; r++) all = all & row_at(rows, prefix[r])[v];
    return all;
}

template <class Popcount, int THREADS>
__global__ void __launch_bounds__(BLOCK)
    class_kernel(const __grid_constant__ cuda_rows rows, const __grid_constant__ Popcount popcount,
                 const __grid_constant__ cuda_classes c) {
    size_t i = c.first + ((size_t)blockIdx.x * BLOCK + threadIdx.x) / THREADS;
    if (i >= c.end) return;
    uint32_t cls = c.class_of[i], cached = c.cached[cls], n = 0;
    const uint4 *member = row_at(rows, c.members[i] & ~CUDA_LAST_MEMBER);
#pragma unroll 2
    for (uint32_t v = threadIdx.x % THREADS; v < rows.vectors; v += THREADS) {
        n += count_vector(popcount, prefix_vector(rows, c, cls, cached, v) & member[v]);
    }
    n = THREADS == WARP_THREADS ? sum_lanes<WARP_THREADS>(n) : sum_block<BLOCK>(n);
    if (threadIdx.x % THREADS == 0) c.counts[i] = n;
}

extern "C" cudaError_t cuda_launch_class_count(const cuda_rows *rows,
                                               const cuda_paper_config *config,
                                               const cuda_classes *classes, cudaStream_t stream) {
    size_t n = classes->end - classes->first;
    if (n == 0) return cudaSuccess;
    return with_popcount(config, [&](auto popcount) {
        using P = decltype(popcount);
        if (rows->vectors <= SHORT_VECTORS) {
            class_kernel<P, WARP_THREADS>
                <<<blocks_for(n, BLOCK / WARP_THREADS), BLOCK, 0, stream>>>(*rows, popcount,
                                                                            *classes);
        } else {
            class_kernel<P, BLOCK><<<(unsigned)n, BLOCK, 0, stream>>>(*rows, popcount, *classes);
        }
    });
}
