/* product_cubes.cu - rows with few partners: the supports of all sets of partners at once
 *
 * A block takes a row. Each of its columns is a number, with a bit for every partner that has the
 * column, and is counted in a histogram in shared memory; adding up what has a bit more, bit by
 * bit, turns it into supports:
 *
 *     columns of the row    101 111 001 101 …        histogram[101]++ …
 *     for each bit p        h[s] += h[s | p]  for every s without p
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cub/device/device_scan.cuh>

#include "cuda/product_code.cuh"

#define BLOCK     256
#define WARPS     (BLOCK / WARP_THREADS)
#define SETS      (1 << CUDA_CUBE_DIMS)
#define OWN_DIMS  8 /* up to here, each warp has a histogram of its own */
#define BLOCKS_SM 8

/* A cube, unpacked; the same in all threads. */
struct cube_view {
    class_view c;
    uint32_t number; /* its class */
    uint32_t local, support;
    uint32_t dims;    /* partners that are not perfect */
    uint32_t watched; /* of them, in front */
    uint32_t perfect;
    const uint32_t *rows; /* local, by partner: shared memory */

    __device__ cube_view(const cuda_frame &f, const cuda_found &found, uint32_t cube,
                         uint32_t *rows);
};

/* The first warp lists the partners. */
__device__ cube_view::cube_view(const cuda_frame &f, const cuda_found &found, uint32_t cube,
                                uint32_t *list)
    : c(f, f.row_class[found.cube_row[cube]]), number(f.row_class[found.cube_row[cube]]),
      local(found.cube_row[cube] - c.first), support(f.row_support[found.cube_row[cube]]), dims(0),
      watched(0), perfect(0), rows(list) {
    uint64_t at = found.cube_at[cube];
    uint32_t n = found.cube_partners[cube];
    for (uint32_t i = 0; i < n; i++) { /* a few at most, unless many are perfect */
        uint32_t row = found.partners[at + i] - c.first;
        if (found.supports[at + i] == support) {
            perfect++;
            continue;
        }
        if (row < local) watched++;
        if (threadIdx.x == 0) list[dims] = row;
        dims++;
    }
    __syncthreads();
}

/* ---- the histogram ------------------------------------------------------------------------- */

/* The row and its partners, as a thread reads them. DIMS: at least as many as there are. */
template <int DIMS> struct cube_words {
    const uint32_t *key, *partners[DIMS];

    __device__ explicit cube_words(const cube_view &v) : key(v.c.words(v.local)) {
#pragma unroll
        for (int p = 0; p < DIMS; p++) partners[p] = p < v.dims ? v.c.words(v.rows[p]) : nullptr;
    }
};

/* Counts the columns of word w. Columns without any partner are not needed, and those with all are
 * so many in dense data that they would queue up for their place: they are returned. */
template <int DIMS>
__device__ __forceinline__ uint32_t count_word(const cube_words<DIMS> &words, uint32_t *histogram,
                                               uint32_t w) {
    uint32_t key = __ldg(words.key + w), any = 0, every = key, x[DIMS];
    if (key == 0) return 0;
#pragma unroll
    for (int p = 0; p < DIMS; p++) {
        x[p] = words.partners[p] ? __ldg(words.partners[p] + w) : 0;
        any |= x[p];
        every &= words.partners[p] ? x[p] : key;
    }
    for (uint32_t rest = key & any & ~every; rest; rest &= rest - 1) {
        uint32_t shift = (uint32_t)__clz((int)(rest & (0 - rest))), set = 0;
#pragma unroll
        for (int p = DIMS - 1; p >= 0; p--) set = __funnelshift_l(x[p] << shift, set, 1);
        atomicAdd(&histogram[set], 1u);
    }
    return (uint32_t)__popc(every);
}

template <int DIMS>
__device__ __forceinline__ void count_columns(const cube_view &v, uint32_t *histogram) {
    cube_words<DIMS> words(v);
    uint32_t n_words = v.c.vectors * 4, n_all = 0;
    for (uint32_t w = threadIdx.x; w < n_words; w += BLOCK) {
        n_all += count_word<DIMS>(words, histogram, w);
    }
    n_all = warp_sum(n_all);
    if (lane_id() == 0 && n_all > 0) atomicAdd(&histogram[(1u << v.dims) - 1], n_all);
}

/* Adds the histograms of the warps up in the first. */
__device__ void join_histograms(uint32_t *histogram, uint32_t n_sets) {
    __syncthreads();
    for (uint32_t s = threadIdx.x; s < n_sets; s += BLOCK) {
        uint32_t sum = 0;
        for (uint32_t w = 0; w < WARPS; w++) sum += histogram[w * n_sets + s];
        histogram[s] = sum; /* nobody else looks at place s of the first */
    }
}

__device__ void make_histogram(const cube_view &v, uint32_t *histogram) {
    uint32_t n_sets = 1u << v.dims;
    uint32_t copies = v.dims <= OWN_DIMS ? WARPS : 1;
    for (uint32_t s = threadIdx.x; s < n_sets * copies; s += BLOCK) histogram[s] = 0;
    __syncthreads();
    uint32_t *own = histogram + (copies > 1 ? threadIdx.x / WARP_THREADS * n_sets : 0);
    if (v.dims <= 4) {
        count_columns<4>(v, own);
    } else if (v.dims <= 8) {
        count_columns<8>(v, own);
    } else {
        count_columns<CUDA_CUBE_DIMS>(v, own);
    }
    if (copies > 1) join_histograms(histogram, n_sets);
    __syncthreads();
}

__device__ void sum_supersets(uint32_t *histogram, uint32_t dims) {
    for (uint32_t p = 0; p < dims; p++) {
        for (uint32_t i = threadIdx.x; i < 1u << (dims - 1); i += BLOCK) {
            uint32_t low = i & ((1u << p) - 1), set = (i - low) * 2 + low;
            histogram[set] += histogram[set | 1u << p];
        }
        __syncthreads();
    }
}

/* ---- results ------------------------------------------------------------------------------- */

/* Whether a larger set rules this one out. */
__device__ bool is_ruled_out(const uint32_t *supports, uint32_t set, uint32_t dims,
                             const cuda_ask &ask) {
    uint32_t least = ask.target == CUDA_CLOSED ? supports[set] : ask.min_count;
    for (uint32_t p = 0; p < dims; p++) {
        if (!(set >> p & 1) && supports[set | 1u << p] >= least) return true;
    }
    return false;
}

__device__ bool is_wanted(const cube_view &v, const uint32_t *supports, uint32_t set,
                          const cuda_ask &ask) {
    if (set == 0 || set & ((1u << v.watched) - 1)) return false;
    if ((uint32_t)__popc(set) > ask.more || supports[set] < ask.min_count) return false;
    return ask.target == CUDA_ALL || !is_ruled_out(supports, set, v.dims, ask);
}

/* Counts results by size. */
__device__ void tally_sets(const cuda_frame &f, const cube_view &v, const uint32_t *supports,
                           const cuda_ask &ask, uint32_t *sizes, uint64_t *tally) {
    if (threadIdx.x <= v.dims) sizes[threadIdx.x] = 0;
    __syncthreads();
    for (uint32_t set = threadIdx.x; set < 1u << v.dims; set += BLOCK) {
        if (is_wanted(v, supports, set, ask)) atomicAdd(&sizes[__popc(set)], 1u);
    }
    __syncthreads();
    if (threadIdx.x > v.dims || sizes[threadIdx.x] == 0) return;
    add_tally(tally, f.items + threadIdx.x, f.class_free[v.number] + v.perfect, sizes[threadIdx.x]);
}

/* Writes them to the places of the cube. */
__device__ void list_sets(const cube_view &v, const uint32_t *supports, const cuda_ask &ask,
                          uint32_t *n, uint64_t at, const cuda_cube_results &results,
                          uint32_t cube) {
    if (threadIdx.x == 0) *n = 0;
    __syncthreads();
    for (uint32_t set = threadIdx.x; set < 1u << v.dims; set += BLOCK) {
        if (!is_wanted(v, supports, set, ask)) continue;
        uint64_t place = at + atomicAdd(n, 1u);
        results.sets[place] = set;
        results.supports[place] = supports[set];
    }
    __syncthreads();
    if (threadIdx.x == 0) results.n[cube] = *n;
}

__global__ void __launch_bounds__(BLOCK)
    cubes_kernel(const cuda_frame f, const cuda_ask ask, const cuda_found found, uint32_t first,
                 uint32_t end, const cuda_cube_results results, uint32_t *next) {
    __shared__ uint32_t histogram[SETS];
    __shared__ uint32_t rows[CUDA_CUBE_DIMS], sizes[CUDA_CUBE_DIMS + 1], taken;
    for (;;) {
        if (threadIdx.x == 0) taken = atomicAdd(next, 1u);
        __syncthreads();
        uint32_t cube = first + taken;
        __syncthreads();
        if (cube >= end) return;
        cube_view v(f, found, cube, rows);
        make_histogram(v, histogram);
        sum_supersets(histogram, v.dims);
        if (results.tally) {
            tally_sets(f, v, histogram, ask, sizes, results.tally);
        } else {
            list_sets(v, histogram, ask, sizes, found.cube_sets_at[cube] - results.sets0, results,
                      cube - first);
        }
        __syncthreads();
    }
}

cudaError_t cuda_launch_cubes(const cuda_frame *frame, const cuda_ask *ask, const cuda_found *found,
                              uint32_t first, uint32_t end, const cuda_cube_results *results,
                              uint32_t *next, unsigned n_sm, cudaStream_t stream) {
    cubes_kernel<<<n_sm * BLOCKS_SM, BLOCK, 0, stream>>>(*frame, *ask, *found, first, end, *results,
                                                         next);
    return cudaGetLastError();
}

/* ---- moving results together --------------------------------------------------------------- */

__global__ void __launch_bounds__(BLOCK)
    pack_kernel(const cuda_found found, uint32_t first, uint32_t n_cubes,
                const cuda_cube_results from, const uint64_t *ends, uint32_t *sets,
                uint32_t *supports) {
    uint32_t cube = blockIdx.x * WARPS + threadIdx.x / WARP_THREADS;
    if (cube >= n_cubes) return;
    uint64_t n = from.n[cube], to = ends[cube] - n;
    uint64_t at = found.cube_sets_at[first + cube] - from.sets0;
    for (uint64_t i = lane_id(); i < n; i += WARP_THREADS) {
        sets[to + i] = from.sets[at + i];
        supports[to + i] = from.supports[at + i];
    }
}

cudaError_t cuda_launch_cube_pack(const cuda_found *found, uint32_t first, uint32_t end,
                                  const cuda_cube_results *from, uint64_t *ends, uint32_t *sets,
                                  uint32_t *supports, void *scratch, size_t *scratch_bytes,
                                  cudaStream_t stream) {
    uint32_t n = end - first;
    cudaError_t error =
        cub::DeviceScan::InclusiveSum(scratch, *scratch_bytes, from->n, ends, n, stream);
    if (error != cudaSuccess || !scratch) return error;
    pack_kernel<<<blocks_for(n, WARPS), BLOCK, 0, stream>>>(*found, first, n, *from, ends, sets,
                                                            supports);
    return cudaGetLastError();
}
