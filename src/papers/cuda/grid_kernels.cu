/* grid_kernels.cu - a grid over all pairs of itemsets as rows of bits
 *
 * Where rows are given, one block for each coordinate, as the paper has it: its threads take a 32-bit
 * word each (and stride over longer rows), OR the words of the two sets, and count the items of the
 * union together; if there are k, they also AND the words of the sets' two rows. A block without a
 * pair leaves at once; what remains is the cost of starting it.
 *
 * Where only sets are united, that is all cost there is: a device starts about one block a clock
 * (5.3e9 blocks of two to four words each took 3.2 s on an H200, 1.65e9 a second). So a thread takes
 * the place of a block there: the same coordinates, the same pairs, 256 of them in a block.
 *
 * Each coordinate writes to a place of its own, so nothing depends on the order in which blocks run. The
 * kept pairs are gathered by a second kernel, which is not part of the grid's time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include "device/cuda/device_code.cuh"
#include "papers/cuda/paper_kernels.h"

#define GRID_THREADS 1024 /* of a block, at most */
#define PAIR_THREADS 256  /* of a block, where each has a pair of its own */

/* Over all threads of a block, in whole warps; every thread gets the sum. To be called once. */
__device__ __forceinline__ uint32_t sum_threads(uint32_t n) {
    __shared__ uint32_t warps[GRID_THREADS / WARP_THREADS];
    n = sum_lanes<WARP_THREADS>(n);
    if (blockDim.x == WARP_THREADS) return n;
    if (threadIdx.x % WARP_THREADS == 0) warps[threadIdx.x / WARP_THREADS] = n;
    __syncthreads();
    n = 0;
    for (uint32_t i = 0; i < blockDim.x / WARP_THREADS; i++) n += warps[i];
    return n;
}

/* The items of the union of two sets. */
__device__ __forceinline__ uint32_t unite_sets(const cuda_sets &s, cuda_pair p) {
    const uint32_t *a = (const uint32_t *)(s.data + (size_t)p.a * s.words);
    const uint32_t *b = (const uint32_t *)(s.data + (size_t)p.b * s.words);
    uint32_t n = 0;
    for (uint32_t i = threadIdx.x; i < 2 * s.words; i += blockDim.x) n += __popc(a[i] | b[i]);
    return sum_threads(n);
}

/* The AND of the rows of two sets that have one, to the place of a block. */
__device__ __forceinline__ void intersect_rows(const cuda_rows &rows, const cuda_grid &g,
                                               cuda_pair p, size_t block) {
    uint32_t left = g.set_rows[p.a], right = g.set_rows[p.b], n_words = rows.vectors * 4;
    if (left == CUDA_NO_ROW || right == CUDA_NO_ROW) return;
    const uint32_t *a = (const uint32_t *)row_at(rows, left);
    const uint32_t *b = (const uint32_t *)row_at(rows, right);
    uint32_t *to = (uint32_t *)(g.united + block * rows.vectors);
    for (uint32_t i = threadIdx.x; i < n_words; i += blockDim.x) to[i] = a[i] & b[i];
}

__global__ void __launch_bounds__(GRID_THREADS)
    grid_kernel(const __grid_constant__ cuda_rows rows, const __grid_constant__ cuda_sets s,
                const __grid_constant__ cuda_grid g) {
    cuda_pair p;
    if (!backend_grid_pair(g.square != 0, s.n, g.tile.x + blockIdx.x, g.tile.y + blockIdx.y, &p.a,
                           &p.b)) {
        return; /* all threads of the block */
    }
    if (unite_sets(s, p) != g.k) return; /* likewise */
    size_t block = (size_t)blockIdx.y * g.tile.width + blockIdx.x;
    if (threadIdx.x == 0) g.keep[block] = 1;
    intersect_rows(rows, g, p, block);
}

/* The same for sets alone, a coordinate for each thread. */
__global__ void __launch_bounds__(PAIR_THREADS)
    grid_pairs_kernel(const __grid_constant__ cuda_sets s, const __grid_constant__ cuda_grid g) {
    uint32_t at = blockIdx.x * PAIR_THREADS + threadIdx.x;
    if (at >= g.tile.width * g.tile.height) return;
    cuda_pair p;
    if (!backend_grid_pair(g.square != 0, s.n, g.tile.x + at % g.tile.width,
                           g.tile.y + at / g.tile.width, &p.a, &p.b)) {
        return;
    }
    const uint64_t *a = s.data + (size_t)p.a * s.words, *b = s.data + (size_t)p.b * s.words;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s.words; i++) n += (uint32_t)__popcll(a[i] | b[i]);
    if (n == g.k) g.keep[at] = 1;
}

extern "C" cudaError_t cuda_grid_load(void) {
    cudaFuncAttributes attributes;
    cudaError_t error = cudaFuncGetAttributes(&attributes, grid_pairs_kernel);
    return error == cudaSuccess ? cudaFuncGetAttributes(&attributes, grid_kernel) : error;
}

/* A thread for each word of the longest row that a block reads, in whole warps. */
static unsigned grid_threads(size_t words) {
    if (words > GRID_THREADS) words = GRID_THREADS;
    return words > 0 ? blocks_for(words, WARP_THREADS) * WARP_THREADS : WARP_THREADS;
}

extern "C" cudaError_t cuda_launch_grid(const cuda_rows *rows, const cuda_sets *sets,
                                        const cuda_grid *grid, cudaStream_t stream) {
    size_t set_words = (size_t)2 * sets->words, row_words = (size_t)4 * rows->vectors;
    if (grid->set_rows) {
        size_t words = set_words > row_words ? set_words : row_words;
        dim3 blocks(grid->tile.width, grid->tile.height);
        grid_kernel<<<blocks, grid_threads(words), 0, stream>>>(*rows, *sets, *grid);
    } else {
        unsigned blocks = blocks_for((size_t)backend_grid_blocks(grid->tile), PAIR_THREADS);
        grid_pairs_kernel<<<blocks, PAIR_THREADS, 0, stream>>>(*sets, *grid);
    }
    return cudaGetLastError();
}

/* Block number → its pair. */
struct pair_of_block {
    bool square;
    uint32_t n;
    backend_grid_tile tile;
    __host__ __device__ cuda_pair operator()(uint32_t block) const {
        cuda_pair p;
        backend_grid_pair(square, n, tile.x + block % tile.width, tile.y + block / tile.width, &p.a,
                          &p.b);
        return p;
    }
};

extern "C" cudaError_t cuda_launch_grid_select(const cuda_sets *sets, cuda_grid *grid,
                                               cudaStream_t stream) {
    pair_of_block pair = {grid->square != 0, sets->n, grid->tile};
    auto blocks = thrust::counting_iterator<uint32_t>(0);
    auto out = thrust::make_transform_output_iterator(grid->pairs, pair);
    return cub::DeviceSelect::Flagged(grid->scratch, grid->scratch_bytes, blocks, grid->keep, out,
                                      grid->n_pairs, (int)backend_grid_blocks(grid->tile), stream);
}
