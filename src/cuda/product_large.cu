/* product_large.cu - cubes of up to 16 rows, where there are many columns
 *
 * What a cube costs is a pass over the columns, hardly more for more rows; and every cube that is
 * large enough spares the class below, with its rows, products and cubes. So where columns are many,
 * cubes and tails have 16 rows. Their histograms take two passes:
 *
 *     count    a block takes 64 K columns. Its histogram has 2^16 numbers of 16 bits, which is what
 *              shared memory holds; they are added to numbers of 32 bits in memory.
 *     sums     a block takes the sets with the same last 3 rows, a slice of 2^13. Adding slices up
 *              that have rows more does for those 3 what sum_supersets() does for the others.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cuda/product_tails.cuh"

#define ROWS CUDA_LARGE_DIMS
#define SETS (1u << ROWS)

/* ---- count --------------------------------------------------------------------------------- */

#define COUNT_BLOCK  1024
#define COUNT_SHARED (SETS / 2 * sizeof(uint32_t))

/* Rows as a thread reads them: 16 pointers would not fit its registers. */
struct large_rows {
    const uint32_t *key, *base, *locals;
    size_t stride;
    uint32_t n;

    __device__ __forceinline__ bool has(int p) const {
        return p < n;
    }
    __device__ __forceinline__ uint32_t word(int p, uint32_t w) const {
        return __ldg(base + locals[p] * stride + w);
    }
};

/* Adds what a block counted to what all did. */
__device__ void add_halves(const uint32_t *halves, uint32_t n_sets, uint32_t *histogram) {
    for (uint32_t i = threadIdx.x; i < n_sets / 2; i += COUNT_BLOCK) {
        uint32_t two = halves[i];
        if (two & 0xffff) atomicAdd(&histogram[2 * i], two & 0xffff);
        if (two >> 16) atomicAdd(&histogram[2 * i + 1], two >> 16);
    }
}

__global__ void __launch_bounds__(COUNT_BLOCK)
    large_count_kernel(const cuda_frame f, const cuda_found found, const cuda_tail *large,
                       const cuda_cube_work work) {
    extern __shared__ __align__(16) uint32_t halves[];
    __shared__ tail_memory<ROWS> m;
    uint64_t n_tasks = (uint64_t)work.n * work.n_parts;
    for (uint64_t task = blockIdx.x; task < n_tasks; task += gridDim.x) {
        uint32_t number = (uint32_t)(task / work.n_parts), part = (uint32_t)(task % work.n_parts);
        cuda_tail tail = large[number];
        class_view c(f, tail.of);
        uint32_t n_words = c.vectors * 4, from = part * CUDA_LARGE_WORDS;
        if (from >= n_words) continue;
        uint32_t to = from + CUDA_LARGE_WORDS < n_words ? from + CUDA_LARGE_WORDS : n_words;
        read_tail_rows(f, c, found, tail, m);
        for (uint32_t i = threadIdx.x; i < 1u << (m.n - 3); i += COUNT_BLOCK) {
            ((uint4 *)halves)[i] = zero_vector();
        }
        __syncthreads();
        const uint32_t *key = tail.key == CUDA_NO_KEY ? nullptr : c.words(tail.key);
        large_rows rows = {key, c.words(0), m.locals, (size_t)c.vectors * 4, m.n};
        count_columns<ROWS, COUNT_BLOCK>(rows, histogram_halves{halves}, (1u << m.n) - 1, from, to);
        __syncthreads();
        add_halves(halves, 1u << m.n, work.histograms + (size_t)number * SETS);
        __syncthreads();
    }
}

/* ---- sums ---------------------------------------------------------------------------------- */

#define SUMS_BLOCK 1024
#define LOW        13 /* rows of a slice */
#define LOW_SETS   (1u << LOW)
#define SLICES     (SETS / LOW_SETS)

/* Adds the slices that contain all rows of this one, into shared memory. Returns how many columns
 * do; all threads. */
__device__ uint32_t add_slices(const uint32_t *from, uint32_t slice, uint32_t n_slices,
                               uint32_t *histogram, uint32_t *columns) {
    uint32_t total = 0;
    if (threadIdx.x == 0) *columns = 0;
    __syncthreads();
    for (uint32_t s = threadIdx.x; s < LOW_SETS; s += SUMS_BLOCK) {
        uint32_t sum = 0;
#pragma unroll
        for (uint32_t with = 0; with < SLICES; with++) { /* reads that need not wait for others */
            bool has = (with & slice) == slice && with < n_slices;
            sum += has ? __ldg(&from[with * LOW_SETS + s]) : 0;
        }
        histogram[s] = sum;
        total += sum;
    }
    total = warp_sum(total);
    if (lane_id() == 0) atomicAdd(columns, total);
    __syncthreads();
    return *columns;
}

__global__ void __launch_bounds__(SUMS_BLOCK)
    large_sums_kernel(const cuda_frame f, const cuda_ask ask, const cuda_found found,
                      const cuda_tail *large, uint32_t first, uint32_t end,
                      const cuda_cube_results results, const uint32_t *histograms) {
    __shared__ uint32_t histogram[LOW_SETS], columns;
    __shared__ tail_memory<ROWS> m;
    uint32_t number = blockIdx.x / SLICES, slice = blockIdx.x % SLICES;
    cuda_tail tail = large[number];
    class_view c(f, tail.of);
    read_tail_rows(f, c, found, tail, m);
    uint32_t n_slices = 1u << (m.n - LOW);
    if (slice >= n_slices) return;
    const uint32_t *from = histograms + (size_t)number * SETS;
    if (add_slices(from, slice, n_slices, histogram, &columns) < ask.min_count) return;
    read_tail_cubes(f, c, found, tail, m);
    sum_supersets<SUMS_BLOCK>(histogram, LOW);
    uint32_t first_set = slice * LOW_SETS;
    if (results.tally) {
        tally_tail(f, tail.of, ask, histogram, first_set, LOW_SETS, m, results.tally);
    } else {
        list_tail(ask, found, results, first, end, histogram, first_set, LOW_SETS, m);
    }
}

cudaError_t cuda_launch_large(const cuda_frame *frame, const cuda_ask *ask, const cuda_found *found,
                              const cuda_tail *large, uint32_t first, uint32_t end,
                              const cuda_cube_results *results, const cuda_cube_work *work,
                              unsigned n_sm, cudaStream_t stream) {
    cudaError_t error = cudaFuncSetAttribute(
        large_count_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)COUNT_SHARED);
    if (error != cudaSuccess) return error;
    large_count_kernel<<<n_sm, COUNT_BLOCK, COUNT_SHARED, stream>>>(*frame, *found, large, *work);
    large_sums_kernel<<<work->n * SLICES, SUMS_BLOCK, 0, stream>>>(
        *frame, *ask, *found, large, first, end, *results, work->histograms);
    return cudaGetLastError();
}

cudaError_t cuda_large_fits(int device, int *fits) {
    int most = 0;
    cudaFuncAttributes kernel;
    cudaError_t error =
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error == cudaSuccess) error = cudaFuncGetAttributes(&kernel, large_count_kernel);
    *fits = error == cudaSuccess && (size_t)most >= COUNT_SHARED + kernel.sharedSizeBytes;
    return error;
}

cudaError_t cuda_load_large(void) {
    return load_kernels(large_count_kernel, large_sums_kernel);
}
