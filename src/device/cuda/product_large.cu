/* product_large.cu - lattices of up to 16 rows, for many columns
 *
 * A lattice costs one pass over the columns, and hardly more if it has more rows. A row with a
 * lattice needs no class below it, with rows, products and lattices of its own. So if there are
 * many columns, single and joint lattices may have up to 16 rows. Such a lattice takes two kernels:
 *
 *     count    A block takes almost 64 K columns (CUDA_LARGE_WORDS). Its histogram in shared memory
 *              has 2^16 counts, of 16 bits because there is no room for more. They are added to
 *              counts of 32 bits in device memory.
 *     sums     A block takes a slice: the 2^13 sets with the same rows among the last 3. It adds up
 *              all slices that have at least these of the last 3 rows, and then sums over supersets
 *              for the other 13 rows with sum_supersets().
 *
 * For closed sets, the sums are kept and a third kernel goes through the slices once more, because
 * a superset with the same support may be in another slice.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/product_closure.cuh"

#define ROWS CUDA_LARGE_DIMS
#define SETS (1u << ROWS)

/* ---- count --------------------------------------------------------------------------------- */

#define COUNT_BLOCK  1024
#define COUNT_SHARED (SETS / 2 * sizeof(uint32_t))

/* Rows as a thread reads them. (16 pointers would not fit its registers.) */
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

/* Adds the counts of a block to those of all blocks. */
__device__ void add_halves(const uint32_t *halves, uint32_t n_sets, uint32_t *histogram) {
    for (uint32_t i = threadIdx.x; i < n_sets / 2; i += COUNT_BLOCK) {
        uint32_t two = halves[i];
        if (two & 0xffff) atomicAdd(&histogram[2 * i], two & 0xffff);
        if (two >> 16) atomicAdd(&histogram[2 * i + 1], two >> 16);
    }
}

__global__ void __launch_bounds__(COUNT_BLOCK)
    large_count_kernel(const cuda_frame f, const cuda_found found, const cuda_histogram *large,
                       const cuda_lattice_work work) {
    extern __shared__ __align__(16) uint32_t halves[];
    __shared__ histogram_memory<ROWS> m;
    uint64_t n_tasks = (uint64_t)work.n * work.n_parts;
    for (uint64_t task = blockIdx.x; task < n_tasks; task += gridDim.x) {
        uint32_t number = (uint32_t)(task / work.n_parts), part = (uint32_t)(task % work.n_parts);
        cuda_histogram h = large[number];
        class_view c(f, h.class_index);
        uint32_t n_words = c.vectors * 4, from = part * CUDA_LARGE_WORDS;
        if (from >= n_words) continue;
        uint32_t to = from + CUDA_LARGE_WORDS < n_words ? from + CUDA_LARGE_WORDS : n_words;
        read_histogram_rows(f, c, found, h, m);
        for (uint32_t i = threadIdx.x; i < 1u << (m.n - 3); i += COUNT_BLOCK) {
            ((uint4 *)halves)[i] = zero_vector();
        }
        __syncthreads();
        const uint32_t *key = h.key == CUDA_NO_KEY ? nullptr : c.words(h.key);
        large_rows rows = {key, c.words(0), m.locals, (size_t)c.vectors * 4, m.n};
        count_columns<ROWS, COUNT_BLOCK>(rows, histogram_halves{halves}, (1u << m.n) - 1, from, to);
        __syncthreads();
        add_halves(halves, 1u << m.n, work.histograms + (size_t)number * SETS);
        __syncthreads();
    }
}

/* ---- sums ---------------------------------------------------------------------------------- */

#define SUMS_BLOCK 1024
#define LOW        SLICE_ROWS
#define LOW_SETS   (1u << LOW)
#define SLICES     (SETS / LOW_SETS)

/* Adds up the slices that have all rows of this one, in shared memory. Returns how many columns
 * they have. All threads call it. */
__device__ uint32_t add_slices(const uint32_t *from, uint32_t slice, uint32_t n_slices,
                               uint32_t *histogram, uint32_t *columns) {
    uint32_t total = 0;
    if (threadIdx.x == 0) *columns = 0;
    __syncthreads();
    for (uint32_t s = threadIdx.x; s < LOW_SETS; s += SUMS_BLOCK) {
        uint32_t sum = 0;
#pragma unroll
        for (uint32_t with = 0; with < SLICES; with++) { /* independent reads */
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

/* With CLOSED, large_closed_kernel selects the results, and this kernel only writes all supports to
 * work.supports; those of skipped slices are zero. */
template <bool CLOSED>
__global__ void __launch_bounds__(SUMS_BLOCK)
    large_sums_kernel(const cuda_frame f, const cuda_request request, const cuda_found found,
                      const cuda_histogram *large, uint32_t first, uint32_t end,
                      const cuda_lattice_results results, const cuda_lattice_work work) {
    __shared__ uint32_t histogram[LOW_SETS], columns;
    __shared__ histogram_memory<ROWS> m;
    uint32_t number = blockIdx.x / SLICES, slice = blockIdx.x % SLICES;
    cuda_histogram h = large[number];
    class_view c(f, h.class_index);
    read_histogram_rows(f, c, found, h, m);
    uint32_t n_slices = 1u << (m.n - LOW);
    if (slice >= n_slices) return;
    const uint32_t *from = work.histograms + (size_t)number * SETS;
    bool any = add_slices(from, slice, n_slices, histogram, &columns) >= request.min_count;
    if (!any && !CLOSED) return;
    if (any) sum_supersets<SUMS_BLOCK>(histogram, LOW);
    if (CLOSED) {
        uint32_t *to = work.supports + (size_t)number * SETS + slice * LOW_SETS;
        for (uint32_t s = threadIdx.x; s < LOW_SETS; s += SUMS_BLOCK)
            to[s] = any ? histogram[s] : 0;
        return;
    }
    read_histogram_lattices(f, found, h, m);
    some_sets sets = {histogram, slice * LOW_SETS, LOW_SETS};
    deliver_histogram(f, h.class_index, wants_frequent<ROWS>{request, m}, sets, m,
                      lattice_places{found, results, first, end});
}

/* ---- closed sets --------------------------------------------------------------------------- */

/* A block takes a slice, as above; rows that may cover its sets are in other slices, too. */
__global__ void __launch_bounds__(CLOSURE_BLOCK)
    large_closed_kernel(const cuda_frame f, const cuda_request request, const cuda_found found,
                        const cuda_histogram *large, uint32_t first, uint32_t end,
                        const cuda_lattice_results results, const cuda_lattice_work work) {
    __shared__ closure_memory memory;
    __shared__ histogram_memory<ROWS> m;
    uint32_t number = blockIdx.x / SLICES, low = blockIdx.x % SLICES * LOW_SETS;
    const uint32_t *supports = work.supports + (size_t)number * SETS;
    cuda_histogram h = large[number];
    class_view c(f, h.class_index);
    read_histogram_rows(f, c, found, h, m);
    if (low >> m.n || (low > 0 && supports[low] < request.min_count)) return;
    read_histogram_lattices(f, found, h, m);
    some_sets sets = {supports + low, low, LOW_SETS};
    mark_closed(request, m, closure_rows(c, found, h, m), supports, sets, memory);
    deliver_histogram(f, h.class_index, wants_marked{memory.closed, low}, sets, m,
                      lattice_places{found, results, first, end});
}

cudaError_t cuda_launch_large(const cuda_lattice_call *call, const cuda_histogram *large,
                              const cuda_lattice_work *work) {
    cudaError_t error = cudaFuncSetAttribute(
        large_count_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)COUNT_SHARED);
    if (error != cudaSuccess) return error;
    large_count_kernel<<<call->n_sm, COUNT_BLOCK, COUNT_SHARED, call->stream>>>(
        *call->frame, *call->found, large, *work);
    bool closed = call->request->target == CUDA_CLOSED;
    auto sums = closed ? large_sums_kernel<true> : large_sums_kernel<false>;
    sums<<<work->n * SLICES, SUMS_BLOCK, 0, call->stream>>>(*call->frame, *call->request,
                                                            *call->found, large, call->first,
                                                            call->end, *call->results, *work);
    if (closed) {
        large_closed_kernel<<<work->n * SLICES, CLOSURE_BLOCK, 0, call->stream>>>(
            *call->frame, *call->request, *call->found, large, call->first, call->end,
            *call->results, *work);
    }
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
    return load_kernels(large_count_kernel, large_sums_kernel<false>, large_sums_kernel<true>,
                        large_closed_kernel);
}
