/* row_code.cuh - kernels that AND two rows and count the bits, with any way to count bits
 *
 * A candidate is a pair of rows, and perhaps a list that receives the result. Rows are read once,
 * so the best possible time is their bytes divided by the memory bandwidth. The length of a row
 * decides the shape of a launch:
 *     up to 2 KB    a group of 8, 16 or 32 lanes per candidate, the result in registers
 *     up to 32 KB   a block per candidate, the result in registers
 *     longer        a block per candidate loops over the row; several blocks if candidates are few
 * If the result is in registers, it is stored only after the count is known to reach the threshold.
 * Longer results are stored while they are counted (3 rows moved per candidate). While few
 * candidates are frequent, only the results of frequent candidates are stored, in a second launch
 * (a late store: 2 + 3f rows moved per candidate, if a share f is frequent).
 *
 * The paper (Frontier Expansion, 2013) uses a block of 256 threads for each candidate, whatever the
 * length of a row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_ROW_CODE_CUH
#define LODE_DEVICE_CUDA_ROW_CODE_CUH

#include "device/cuda/device_code.cuh"

#define BLOCK          256
#define GROUP_VECTORS  4    /* in registers of a lane */
#define SHORT_VECTORS  128  /* 32 lanes, 4 each */
#define MEDIUM_VECTORS 2048 /* 256 threads, 8 each */
#define LONG_UNROLL    4

/* ---- where the two rows of a candidate come from ---- */

/* From a list of work. (from_pairs of src/papers/cuda takes the rows from another list.) */
struct from_work {
    const cuda_work *work;
    size_t n;
    __device__ size_t count() const {
        return n;
    }
    __device__ cuda_work operator()(size_t i) const {
        return work[i];
    }
};

/* ---- results in registers ---- */

/* LANES neighbouring lanes per candidate. */
template <class Popcount, int LANES, class From>
__global__ void __launch_bounds__(BLOCK)
    group_kernel(const __grid_constant__ cuda_rows rows,
                 const __grid_constant__ cuda_count_config config,
                 const __grid_constant__ Popcount popcount, From from, uint32_t *counts) {
    size_t i = ((size_t)blockIdx.x * BLOCK + threadIdx.x) / LANES;
    uint32_t lane = threadIdx.x % LANES;
    bool is_there = i < from.count();
    cuda_work w = is_there ? from(i) : cuda_work{0, 0, CUDA_NO_ROW};
    uint32_t vectors = is_there ? rows.vectors : 0;
    const uint4 *a = row_at(rows, w.a), *b = row_at(rows, w.b);
    uint4 both[GROUP_VECTORS];
    uint32_t n = 0;
#pragma unroll
    for (int j = 0; j < GROUP_VECTORS; j++) {
        uint32_t v = lane + j * LANES;
        both[j] = v < vectors ? a[v] & b[v] : make_uint4(0, 0, 0, 0);
    }
#pragma unroll
    for (int j = 0; j < GROUP_VECTORS; j++) n += count_vector(popcount, both[j]);
    n = sum_lanes<LANES>(n); /* all lanes of the warp take part */
    if (!is_there) return;
    if (lane == 0) counts[i] = n;
    if (w.dst == CUDA_NO_ROW || n < config.min_count) return;
    uint4 *dst = list_at(rows, w.dst);
#pragma unroll
    for (int j = 0; j < GROUP_VECTORS; j++) {
        uint32_t v = lane + j * LANES;
        if (v < vectors) dst[v] = both[j];
    }
}

/* A block of THREADS per candidate, EACH vectors in the registers of a thread. */
template <class Popcount, int THREADS, int EACH, class From>
__global__ void __launch_bounds__(THREADS)
    block_kernel(const __grid_constant__ cuda_rows rows,
                 const __grid_constant__ cuda_count_config config,
                 const __grid_constant__ Popcount popcount, From from, uint32_t *counts) {
    size_t i = blockIdx.x;
    if (i >= from.count()) return;
    cuda_work w = from(i);
    const uint4 *a = row_at(rows, w.a), *b = row_at(rows, w.b);
    uint4 both[EACH];
    uint32_t n = 0;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        uint32_t v = threadIdx.x + j * THREADS;
        both[j] = v < rows.vectors ? a[v] & b[v] : make_uint4(0, 0, 0, 0);
    }
#pragma unroll
    for (int j = 0; j < EACH; j++) n += count_vector(popcount, both[j]);
    n = sum_block<THREADS>(n);
    if (threadIdx.x == 0) counts[i] = n;
    if (w.dst == CUDA_NO_ROW || n < config.min_count) return;
    uint4 *dst = list_at(rows, w.dst);
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        uint32_t v = threadIdx.x + j * THREADS;
        if (v < rows.vectors) dst[v] = both[j];
    }
}

/* ---- long rows ---- */

/* blockIdx.x: the candidate; blockIdx.y: which piece of its rows. If there are several pieces,
 * counts must be zero at the start. */
template <class Popcount, bool STORE, class From>
__global__ void __launch_bounds__(BLOCK)
    long_kernel(const __grid_constant__ cuda_rows rows,
                const __grid_constant__ cuda_count_config config,
                const __grid_constant__ Popcount popcount, From from, uint32_t *counts) {
    size_t i = blockIdx.x;
    if (i >= from.count()) return;
    cuda_work w = from(i);
    const uint4 *a = row_at(rows, w.a), *b = row_at(rows, w.b);
    uint4 *dst = STORE && w.dst != CUDA_NO_ROW ? list_at(rows, w.dst) : nullptr;
    uint32_t step = BLOCK * gridDim.y, n = 0;
    uint32_t v = blockIdx.y * BLOCK + threadIdx.x;
    for (; v + (LONG_UNROLL - 1) * step < rows.vectors; v += LONG_UNROLL * step) {
        uint4 both[LONG_UNROLL];
#pragma unroll
        for (int j = 0; j < LONG_UNROLL; j++) both[j] = a[v + j * step] & b[v + j * step];
#pragma unroll
        for (int j = 0; j < LONG_UNROLL; j++) {
            n += count_vector(popcount, both[j]);
            if (STORE && dst) dst[v + j * step] = both[j];
        }
    }
    for (; v < rows.vectors; v += step) {
        uint4 both = a[v] & b[v];
        n += count_vector(popcount, both);
        if (STORE && dst) dst[v] = both;
    }
    n = sum_block<BLOCK>(n);
    if (threadIdx.x != 0) return;
    if (gridDim.y == 1) {
        counts[i] = n;
    } else {
        atomicAdd(&counts[i], n);
    }
}

/* The second launch of a late store: the rows of candidates that were found frequent. */
static __global__ void __launch_bounds__(BLOCK)
    store_kernel(const __grid_constant__ cuda_rows rows, const cuda_work *work, uint32_t min_count,
                 const uint32_t *counts) {
    cuda_work w = work[blockIdx.x];
    if (w.dst == CUDA_NO_ROW || counts[blockIdx.x] < min_count) return;
    const uint4 *a = row_at(rows, w.a), *b = row_at(rows, w.b);
    uint4 *dst = list_at(rows, w.dst);
    uint32_t step = BLOCK * gridDim.y;
    for (uint32_t v = blockIdx.y * BLOCK + threadIdx.x; v < rows.vectors; v += step) {
        dst[v] = a[v] & b[v];
    }
}

/* ---- launches ---- */

/* How many pieces a candidate is cut into, to keep the device busy if there are few candidates. */
static inline unsigned pieces_for(const cuda_rows *rows, const cuda_count_config *config,
                                  size_t n) {
    size_t wanted = (size_t)config->n_sm * 16 / (n ? n : 1),
           most = blocks_for(rows->vectors, BLOCK * 2);
    if (wanted > most) wanted = most;
    return wanted > 1 ? (unsigned)wanted : 1;
}

/* A launch over up to n candidates. */
template <class Popcount, class From> struct two_rows {
    const cuda_rows *rows;
    const cuda_count_config *config;
    Popcount popcount;
    From from;
    size_t n;
    bool store; /* long rows are stored on the way */
    uint32_t *counts;
    cudaStream_t stream;

    template <int LANES> void launch_group() const {
        group_kernel<Popcount, LANES><<<blocks_for(n, BLOCK / LANES), BLOCK, 0, stream>>>(
            *rows, *config, popcount, from, counts);
    }

    template <int THREADS, int EACH> void launch_block() const {
        block_kernel<Popcount, THREADS, EACH>
            <<<(unsigned)n, THREADS, 0, stream>>>(*rows, *config, popcount, from, counts);
    }

    template <bool STORE> void launch_long(dim3 grid) const {
        long_kernel<Popcount, STORE>
            <<<grid, BLOCK, 0, stream>>>(*rows, *config, popcount, from, counts);
    }

    void launch() const {
        uint32_t vectors = rows->vectors;
        if (vectors <= 8 * GROUP_VECTORS) {
            launch_group<8>();
        } else if (vectors <= 16 * GROUP_VECTORS) {
            launch_group<16>();
        } else if (vectors <= SHORT_VECTORS) {
            launch_group<32>();
        } else if (vectors <= 512) {
            launch_block<128, 4>();
        } else if (vectors <= 1024) {
            launch_block<256, 4>();
        } else if (vectors <= MEDIUM_VECTORS) {
            launch_block<256, 8>();
        } else {
            dim3 grid((unsigned)n, pieces_for(rows, config, n));
            if (grid.y > 1) cudaMemsetAsync(counts, 0, n * sizeof *counts, stream);
            store ? launch_long<true>(grid) : launch_long<false>(grid);
        }
    }
};

/* cuda_launch_and_count() of kernels.h, with any way to count bits. */
template <class Popcount>
static cudaError_t launch_and_count(const cuda_rows *rows, const cuda_count_config *config,
                                    Popcount popcount, from_work from, uint32_t *counts,
                                    cudaStream_t stream) {
    if (from.n == 0) return cudaSuccess;
    bool late = config->late && rows->vectors > MEDIUM_VECTORS;
    two_rows<Popcount, from_work>{rows, config, popcount, from, from.n, !late, counts, stream}
        .launch();
    if (late) {
        dim3 grid((unsigned)from.n, pieces_for(rows, config, from.n));
        store_kernel<<<grid, BLOCK, 0, stream>>>(*rows, from.work, config->min_count, counts);
    }
    return cudaGetLastError();
}

#endif
