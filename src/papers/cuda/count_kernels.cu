/* count_kernels.cu - rows counted by any population count: of work items, of pairs of sets, of lists
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/row_code.cuh"
#include "papers/cuda/popcounts.cuh"

extern "C" cudaError_t cuda_launch_paper_count(const cuda_rows *rows,
                                               const cuda_paper_config *config,
                                               const cuda_paper_work *work, cudaStream_t stream) {
    from_work from = {work->work, work->n};
    switch (config->popcount) {
    case CUDA_POPCOUNT_TABLE16:
        return launch_and_count(rows, &config->count, popcount_table16{config->table}, from,
                                work->counts, stream);
    case CUDA_POPCOUNT_SHIFT:
        return launch_and_count(rows, &config->count, popcount_shift(), from, work->counts, stream);
    case CUDA_POPCOUNT_CONSTANT16:
        return launch_and_count(rows, &config->count, popcount_constant16(), from, work->counts,
                                stream);
    default:
        return cuda_launch_and_count(rows, &config->count, from.work, from.n, work->counts, stream);
    }
}

/* ---- pairs of sets ---- */

struct from_pairs {
    cuda_paper_pairs p;
    __device__ size_t count() const {
        return *p.n;
    }
    __device__ cuda_work operator()(size_t i) const {
        return cuda_work{p.set_rows[p.pairs[i].a], p.set_rows[p.pairs[i].b], CUDA_NO_ROW};
    }
};

extern "C" cudaError_t cuda_launch_pair_count(const cuda_rows *rows,
                                              const cuda_paper_config *config,
                                              const cuda_paper_pairs *pairs, cudaStream_t stream) {
    if (pairs->most == 0) return cudaSuccess;
    return with_popcount(config, [&](auto popcount) {
        two_rows<decltype(popcount), from_pairs>{
            rows,        &config->count, popcount,      from_pairs{*pairs},
            pairs->most, false,          pairs->counts, stream}
            .launch();
    });
}

/* ---- lists of k rows ---- */

/* THREADS per candidate: a warp for short rows, a block for others. */
template <class Popcount, int THREADS>
__global__ void __launch_bounds__(BLOCK)
    list_kernel(const __grid_constant__ cuda_rows rows, const __grid_constant__ Popcount popcount,
                const __grid_constant__ cuda_paper_lists lists) {
    size_t i = ((size_t)blockIdx.x * BLOCK + threadIdx.x) / THREADS;
    if (i >= lists.n) return;
    uint32_t n = 0;
    for (uint32_t v = threadIdx.x % THREADS; v < rows.vectors; v += THREADS) {
        n += count_vector(popcount, and_list(rows, lists.rows + i * lists.k, lists.k, v));
    }
    n = THREADS == WARP_THREADS ? sum_lanes<WARP_THREADS>(n) : sum_block<BLOCK>(n);
    if (threadIdx.x % THREADS == 0) lists.counts[i] = n;
}

extern "C" cudaError_t cuda_launch_list_count(const cuda_rows *rows,
                                              const cuda_paper_config *config,
                                              const cuda_paper_lists *lists, cudaStream_t stream) {
    if (lists->n == 0) return cudaSuccess;
    return with_popcount(config, [&](auto popcount) {
        using P = decltype(popcount);
        if (rows->vectors <= SHORT_VECTORS) {
            list_kernel<P, WARP_THREADS>
                <<<blocks_for(lists->n, BLOCK / WARP_THREADS), BLOCK, 0, stream>>>(*rows, popcount,
                                                                                   *lists);
        } else {
            list_kernel<P, BLOCK>
                <<<(unsigned)lists->n, BLOCK, 0, stream>>>(*rows, popcount, *lists);
        }
    });
}
