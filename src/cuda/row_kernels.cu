/* row_kernels.cu - AND two or more rows and count the bits
 *
 * What it costs: rows go through the processor once, so the floor is bytes over memory bandwidth.
 * The shape of a launch follows the length of a row:
 *     up to 2 KB    a group of 8, 16 or 32 lanes per candidate, the result in registers
 *     up to 32 KB   a block per candidate, the result in registers
 *     longer        a block per candidate walks along it; several blocks where candidates are few
 * With the result in registers a row is stored only once the count is known to reach the threshold;
 * longer rows are stored on the way (3 rows moved per candidate), or, while few candidates pass, in
 * a second launch (2 + 3f rows for a share f that passes).
 *
 * The paper (Frontier Expansion, 2013) has a block of 256 threads per candidate throughout.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cuda/device_code.cuh"

#define BLOCK          256
#define GROUP_VECTORS  4    /* in registers of a lane */
#define SHORT_VECTORS  128  /* 32 lanes, 4 each */
#define MEDIUM_VECTORS 2048 /* 256 threads, 8 each */
#define LONG_UNROLL    4

/* ---- where the two rows of a candidate come from ---- */

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

struct from_pairs {
    const cuda_pair *pairs;
    const uint32_t *set_rows;
    const uint32_t *n;
    __device__ size_t count() const {
        return *n;
    }
    __device__ cuda_work operator()(size_t i) const {
        return cuda_work{set_rows[pairs[i].a], set_rows[pairs[i].b], CUDA_NO_ROW};
    }
};

/* ---- results in registers ---- */

/* LANES neighbouring lanes per candidate. */
template <class Popcount, int LANES, class From>
__global__ void __launch_bounds__(BLOCK)
    group_kernel(const __grid_constant__ cuda_rows rows, const __grid_constant__ cuda_config config,
                 From from, uint32_t *counts) {
    const Popcount popcount(config);
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
    block_kernel(const __grid_constant__ cuda_rows rows, const __grid_constant__ cuda_config config,
                 From from, uint32_t *counts) {
    const Popcount popcount(config);
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

/* Blocks (x: candidate, y: piece of the row). With several pieces counts must start at 0. */
template <class Popcount, bool STORE, class From>
__global__ void __launch_bounds__(BLOCK)
    long_kernel(const __grid_constant__ cuda_rows rows, const __grid_constant__ cuda_config config,
                From from, uint32_t *counts) {
    const Popcount popcount(config);
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
__global__ void __launch_bounds__(BLOCK)
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

/* ---- launches of two rows ---- */

/* Pieces per candidate that fill the device when candidates are few. */
static unsigned pieces_for(const cuda_rows *rows, const cuda_config *config, size_t n) {
    size_t wanted = (size_t)config->n_sm * 16 / (n ? n : 1),
           most = blocks_for(rows->vectors, BLOCK * 2);
    if (wanted > most) wanted = most;
    return wanted > 1 ? (unsigned)wanted : 1;
}

/* What all launches for two rows need. */
struct two_rows {
    const cuda_rows *rows;
    const cuda_config *config;
    uint32_t *counts;
    cudaStream_t stream;
};

template <class Popcount, class From>
static void launch_long(const two_rows &l, From from, size_t n, bool store) {
    dim3 grid((unsigned)n, pieces_for(l.rows, l.config, n));
    if (grid.y > 1) cudaMemsetAsync(l.counts, 0, n * sizeof *l.counts, l.stream);
    auto kernel = store ? long_kernel<Popcount, true, From> : long_kernel<Popcount, false, From>;
    kernel<<<grid, BLOCK, 0, l.stream>>>(*l.rows, *l.config, from, l.counts);
}

template <class Popcount, int LANES, class From>
static void launch_group(const two_rows &l, From from, size_t n) {
    group_kernel<Popcount, LANES>
        <<<blocks_for(n, BLOCK / LANES), BLOCK, 0, l.stream>>>(*l.rows, *l.config, from, l.counts);
}

template <class Popcount, int THREADS, int EACH, class From>
static void launch_block(const two_rows &l, From from, size_t n) {
    block_kernel<Popcount, THREADS, EACH>
        <<<(unsigned)n, THREADS, 0, l.stream>>>(*l.rows, *l.config, from, l.counts);
}

template <class Popcount, class From>
static void launch_two(const two_rows &l, From from, size_t n, bool store) {
    uint32_t vectors = l.rows->vectors;
    if (vectors <= 8 * GROUP_VECTORS) {
        launch_group<Popcount, 8>(l, from, n);
    } else if (vectors <= 16 * GROUP_VECTORS) {
        launch_group<Popcount, 16>(l, from, n);
    } else if (vectors <= SHORT_VECTORS) {
        launch_group<Popcount, 32>(l, from, n);
    } else if (vectors <= 512) {
        launch_block<Popcount, 128, 4>(l, from, n);
    } else if (vectors <= 1024) {
        launch_block<Popcount, 256, 4>(l, from, n);
    } else if (vectors <= MEDIUM_VECTORS) {
        launch_block<Popcount, 256, 8>(l, from, n);
    } else {
        launch_long<Popcount>(l, from, n, store);
    }
}

extern "C" cudaError_t cuda_launch_and_count(const cuda_rows *rows, const cuda_config *config,
                                             const cuda_work *work, size_t n, uint32_t *counts,
                                             cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    bool late = config->late && rows->vectors > MEDIUM_VECTORS;
    cudaError_t error = with_popcount(config, [&](auto *which) {
        using popcount = std::remove_pointer_t<decltype(which)>;
        launch_two<popcount>({rows, config, counts, stream}, from_work{work, n}, n, !late);
    });
    if (late && error == cudaSuccess) {
        dim3 grid((unsigned)n, pieces_for(rows, config, n));
        store_kernel<<<grid, BLOCK, 0, stream>>>(*rows, work, config->min_count, counts);
        error = cudaGetLastError();
    }
    return error;
}

extern "C" cudaError_t cuda_launch_pair_count(const cuda_rows *rows, const cuda_config *config,
                                              const cuda_pairs *p, uint32_t *counts,
                                              cudaStream_t stream) {
    if (p->most == 0) return cudaSuccess;
    return with_popcount(config, [&](auto *which) {
        using popcount = std::remove_pointer_t<decltype(which)>;
        launch_two<popcount>({rows, config, counts, stream},
                             from_pairs{p->pairs, p->set_rows, p->n}, p->most, false);
    });
}

/* ---- lists of k rows ---- */

/* The AND of k rows at vector v. */
__device__ __forceinline__ uint4 and_list(const cuda_rows &rows, const uint32_t *list, uint32_t k,
                                          uint32_t v) {
    uint4 all = row_at(rows, list[0])[v];
#pragma unroll 4
    for (uint32_t r = 1; r < k; r++) all = all & row_at(rows, list[r])[v];
    return all;
}

/* THREADS per candidate: a warp for short rows, a block for others. */
template <class Popcount, int THREADS>
__global__ void __launch_bounds__(BLOCK)
    list_kernel(const __grid_constant__ cuda_rows rows, const __grid_constant__ cuda_config config,
                const uint32_t *lists, uint32_t k, size_t n_lists, uint32_t *counts) {
    const Popcount popcount(config);
    size_t i = ((size_t)blockIdx.x * BLOCK + threadIdx.x) / THREADS;
    if (i >= n_lists) return;
    uint32_t n = 0;
    for (uint32_t v = threadIdx.x % THREADS; v < rows.vectors; v += THREADS) {
        n += count_vector(popcount, and_list(rows, lists + i * k, k, v));
    }
    n = THREADS == WARP_THREADS ? sum_lanes<WARP_THREADS>(n) : sum_block<BLOCK>(n);
    if (threadIdx.x % THREADS == 0) counts[i] = n;
}

extern "C" cudaError_t cuda_launch_list_count(const cuda_rows *rows, const cuda_config *config,
                                              const cuda_row_lists *lists, uint32_t *counts,
                                              cudaStream_t stream) {
    size_t n = lists->n;
    if (n == 0) return cudaSuccess;
    return with_popcount(config, [&](auto *which) {
        using popcount = std::remove_pointer_t<decltype(which)>;
        if (rows->vectors <= SHORT_VECTORS) {
            list_kernel<popcount, WARP_THREADS>
                <<<blocks_for(n, BLOCK / WARP_THREADS), BLOCK, 0, stream>>>(
                    *rows, *config, lists->rows, lists->k, n, counts);
        } else {
            list_kernel<popcount, BLOCK><<<(unsigned)n, BLOCK, 0, stream>>>(
                *rows, *config, lists->rows, lists->k, n, counts);
        }
    });
}

/* Blocks (x: row, y: piece of it). */
__global__ void __launch_bounds__(BLOCK)
    rows_kernel(const __grid_constant__ cuda_rows rows, const uint32_t *dst, const uint32_t *lists,
                uint32_t k) {
    size_t i = blockIdx.x;
    if (dst[i] == CUDA_NO_ROW) return;
    uint4 *to = list_at(rows, dst[i]);
    uint32_t step = BLOCK * gridDim.y;
    for (uint32_t v = blockIdx.y * BLOCK + threadIdx.x; v < rows.vectors; v += step) {
        to[v] = and_list(rows, lists + i * k, k, v);
    }
}

extern "C" cudaError_t cuda_launch_list_rows(const cuda_rows *rows, const uint32_t *dst,
                                             const cuda_row_lists *lists, cudaStream_t stream) {
    if (lists->n == 0 || rows->vectors == 0) return cudaSuccess;
    unsigned pieces = blocks_for(rows->vectors, BLOCK * 4);
    if (pieces > 64) pieces = 64;
    dim3 grid((unsigned)lists->n, pieces);
    rows_kernel<<<grid, BLOCK, 0, stream>>>(*rows, dst, lists->rows, lists->k);
    return cudaGetLastError();
}
