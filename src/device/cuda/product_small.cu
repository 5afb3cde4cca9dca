/* product_small.cu - all pairs of a class of up to 64 rows, by one warp, straight from memory
 *
 * The order of columns does not matter for counting, as long as it is the same for both operands.
 * So a lane may load any 16 bytes of its row (x, y, z, w) and use these registers as fragments of
 * both operands, in two steps of mma.m16n8k256:
 *
 *     lane 4g + q loads vector q of row g        x y │ z w
 *     first operand, rows 0-7 (and 8-15)         a0 = x, a2 = y (a1, a3: of row g + 8)
 *     second operand, columns 0-7                b0 = x, b1 = y
 *
 * Every row is read exactly once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/product_code.cuh"

#define BLOCK     128
#define WARPS     (BLOCK / WARP_THREADS)
#define TILE      8 /* rows that a warp loads at a time */
#define STEP      4 /* vectors of a row that it loads at a time */
#define BLOCKS_SM 8

/* c += |rows of a AND rows of b|, 16 x 8 of them over 256 columns. */
__device__ __forceinline__ void mma_b1(uint32_t (&c)[4], uint32_t a0, uint32_t a1, uint32_t a2,
                                       uint32_t a3, uint32_t b0, uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

/* Where the counts of a class go. */
struct count_target {
    uint32_t *counts;
    uint32_t n; /* rows of the class */
    requested_rows rows;
    bool both;  /* pairs count both ways */
    bool alone; /* no other block counts these pairs */

    __device__ void put(uint32_t i, uint32_t j, uint32_t count) const {
        if (i < rows.first || i >= rows.end) return;
        if (alone) {
            counts[(size_t)i * n + j] = count;
        } else if (count > 0) {
            atomicAdd(&counts[(size_t)i * n + j], count);
        }
    }
    /* A pair of local rows, if i < j; pairs with i > j are the same ones again. */
    __device__ void put_pair(uint32_t i, uint32_t j, uint32_t count) const {
        if (i >= j || j >= n) return;
        put(i, j, count);
        if (both) put(j, i, count);
    }
};

/* TILES of 8 rows: 1, or an even number. Accumulator (p, t) pairs rows 16p … 16p + 15 with those of
 * tile t. Only t >= 2p is used; the others would be the same pairs in reverse. */
template <int TILES> struct pairs_of {
    static const int N_PAIRS = (TILES + 1) / 2;
    uint32_t acc[N_PAIRS][TILES][4];

    __device__ void clear() {
#pragma unroll
        for (int p = 0; p < N_PAIRS; p++)
#pragma unroll
            for (int t = 0; t < TILES; t++)
#pragma unroll
                for (int k = 0; k < 4; k++) acc[p][t][k] = 0;
    }
    __device__ void step(const uint4 (&x)[TILES]) {
#pragma unroll
        for (int p = 0; p < N_PAIRS; p++) {
            uint4 low = x[2 * p],
                  high = 2 * p + 1 < TILES ? x[2 * p + 1 < TILES ? 2 * p + 1 : 0] : zero_vector();
#pragma unroll
            for (int t = 2 * p; t < TILES; t++) {
                mma_b1(acc[p][t], low.x, high.x, low.y, high.y, x[t].x, x[t].y);
                mma_b1(acc[p][t], low.z, high.z, low.w, high.w, x[t].z, x[t].w);
            }
        }
    }
    __device__ void put(const count_target &to) const {
        uint32_t g = lane_id() / 4, q = lane_id() % 4;
#pragma unroll
        for (int p = 0; p < N_PAIRS; p++)
#pragma unroll
            for (int t = 2 * p; t < TILES; t++)
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    to.put_pair(16 * p + g + k / 2 * 8, 8 * t + 2 * q + k % 2, acc[p][t][k]);
                }
    }
};

template <int TILES>
__device__ __forceinline__ void load_step(const class_view &c, uint32_t vector, uint4 (&x)[TILES]) {
    uint32_t g = lane_id() / 4, q = lane_id() % 4;
#pragma unroll
    for (int t = 0; t < TILES; t++) {
        uint32_t row = TILE * t + g;
        bool there = row < c.n && vector + q < c.vectors;
        x[t] = there ? __ldg(c.row(row) + vector + q) : zero_vector();
    }
}

template <int TILES>
__device__ __forceinline__ void work_off(const cuda_frame &f, const cuda_request &request,
                                         cuda_small_task task, uint32_t chunk) {
    class_view c(f, task.class_index);
    uint32_t vector = task.chunk * chunk, end = vector + chunk;
    if (vector >= c.vectors) return; /* direct tasks may be too many */
    if (end > c.vectors) end = c.vectors;
    pairs_of<TILES> pairs;
    pairs.clear();
    for (; vector < end; vector += STEP) {
        uint4 x[TILES];
        load_step<TILES>(c, vector, x);
        pairs.step(x);
    }
    pairs.put(count_target{counts_of(f, request, task.class_index), c.n, requested_rows(request, c),
                           request.target != CUDA_ALL, chunk >= c.vectors && !request.adds});
}

template <int TILES>
__global__ void __launch_bounds__(BLOCK)
    small_kernel(const cuda_frame f, const cuda_request request, const cuda_small_task *tasks,
                 const uint32_t *n_tasks, uint32_t chunk) {
    uint32_t warp = blockIdx.x * WARPS + threadIdx.x / WARP_THREADS;
    for (uint32_t t = warp; t < *n_tasks; t += gridDim.x * WARPS) {
        work_off<TILES>(f, request, tasks[t], chunk);
    }
}

cudaError_t cuda_launch_product_small(const cuda_frame *frame, const cuda_request *request,
                                      const cuda_product_tasks *tasks, unsigned shape,
                                      unsigned n_sm, cudaStream_t stream) {
    const cuda_small_task *list = tasks->small[shape];
    const uint32_t *n = tasks->n + shape;
    unsigned blocks = n_sm * BLOCKS_SM, chunk = tasks->small_chunk;
    switch (shape) {
    case 0: small_kernel<1><<<blocks, BLOCK, 0, stream>>>(*frame, *request, list, n, chunk); break;
    case 1: small_kernel<2><<<blocks, BLOCK, 0, stream>>>(*frame, *request, list, n, chunk); break;
    case 2: small_kernel<4><<<blocks, BLOCK, 0, stream>>>(*frame, *request, list, n, chunk); break;
    default: small_kernel<8><<<blocks, BLOCK, 0, stream>>>(*frame, *request, list, n, chunk); break;
    }
    return cudaGetLastError();
}

/* ---- a single class ------------------------------------------------------------------------ */

#define ONE_BLOCK 256
#define ONE_WARPS (ONE_BLOCK / WARP_THREADS)

/* Needs no list of tasks: warps take vectors in turn, and a block sums in shared memory before it
 * adds to the global counts. */
template <int TILES>
__global__ void __launch_bounds__(ONE_BLOCK)
    one_kernel(const cuda_frame f, const cuda_request request, uint32_t vectors) {
    const uint32_t ROWS = TILES * TILE;
    __shared__ uint32_t sums[ROWS * ROWS];
    class_view c = only_class(f, vectors);
    uint32_t warp = blockIdx.x * ONE_WARPS + threadIdx.x / WARP_THREADS;
    pairs_of<TILES> pairs;
    pairs.clear();
    for (uint32_t i = threadIdx.x; i < ROWS * ROWS; i += ONE_BLOCK) sums[i] = 0;
    __syncthreads();
    for (uint32_t v = warp * STEP; v < c.vectors; v += gridDim.x * ONE_WARPS * STEP) {
        uint4 x[TILES];
        load_step<TILES>(c, v, x);
        pairs.step(x);
    }
    requested_rows all(request, c);
    all.first = 0;
    all.end = c.n;
    pairs.put(count_target{sums, c.n, all, false, false});
    __syncthreads();
    count_target to{counts_of_only(request), c.n, requested_rows(request, c),
                    request.target != CUDA_ALL, gridDim.x == 1 && !request.adds};
    for (uint32_t i = threadIdx.x; i < c.n * c.n; i += ONE_BLOCK) {
        to.put_pair(i / c.n, i % c.n, sums[i]);
    }
}

cudaError_t cuda_launch_product_one(const cuda_frame *frame, const cuda_request *request,
                                    uint32_t vectors, unsigned blocks, cudaStream_t stream) {
    uint32_t n = frame->n_rows;
    if (n <= 8) {
        one_kernel<1><<<blocks, ONE_BLOCK, 0, stream>>>(*frame, *request, vectors);
    } else if (n <= 16) {
        one_kernel<2><<<blocks, ONE_BLOCK, 0, stream>>>(*frame, *request, vectors);
    } else if (n <= 32) {
        one_kernel<4><<<blocks, ONE_BLOCK, 0, stream>>>(*frame, *request, vectors);
    } else {
        one_kernel<8><<<blocks, ONE_BLOCK, 0, stream>>>(*frame, *request, vectors);
    }
    return cudaGetLastError();
}

/* ---- a single class, pair by pair ------------------------------------------------------------ */

#define PAIR_BLOCK 256
#define PAIR_WARPS (PAIR_BLOCK / WARP_THREADS)
#define PAIR_ROWS  4 /* rows that a group of threads pairs with another one */

/* Sums over groups of LANES threads; the first thread of a group gets them. */
template <int LANES> __device__ __forceinline__ void sum_pairs(uint32_t (&n)[PAIR_ROWS]) {
    __shared__ uint32_t warps[PAIR_ROWS][PAIR_WARPS];
#pragma unroll
    for (int k = 0; k < PAIR_ROWS; k++) {
#pragma unroll
        for (int step = (LANES < WARP_THREADS ? LANES : WARP_THREADS) / 2; step > 0; step /= 2) {
            n[k] += __shfl_xor_sync(ALL_LANES, n[k], step);
        }
        if (LANES > WARP_THREADS && lane_id() == 0) warps[k][threadIdx.x / WARP_THREADS] = n[k];
    }
    if (LANES <= WARP_THREADS) return;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < PAIR_ROWS; k++) {
        n[k] = 0;
        for (int w = 0; w < PAIR_WARPS; w++) n[k] += warps[k][w];
    }
}

/* LANES threads pair PAIR_ROWS rows with one other row. With so little work, any other kernel takes
 * longer to start. blockIdx.y selects the rows. */
template <int LANES>
__global__ void __launch_bounds__(PAIR_BLOCK)
    pairs_kernel(const cuda_frame f, const cuda_request request, uint32_t vectors) {
    class_view c = only_class(f, vectors);
    requested_rows rows(request, c);
    uint32_t first = blockIdx.x * (PAIR_BLOCK / LANES), lane = threadIdx.x % LANES;
    uint32_t i = rows.first + blockIdx.y * PAIR_ROWS, j = first + threadIdx.x / LANES;
    uint32_t n[PAIR_ROWS] = {0};
    bool upper = request.target == CUDA_ALL, wanted[PAIR_ROWS];
    if (i >= rows.end || (upper && first + PAIR_BLOCK / LANES <= i + 1)) return;
#pragma unroll
    for (int k = 0; k < PAIR_ROWS; k++) {
        wanted[k] = j < c.n && i + k < rows.end && (!upper || i + k < j);
    }
    for (uint32_t v = lane; j < c.n && v < c.vectors; v += LANES) {
        uint4 b = __ldg(c.row(j) + v);
#pragma unroll
        for (int k = 0; k < PAIR_ROWS; k++) {
            uint4 a = wanted[k] ? __ldg(c.row(i + k) + v) : zero_vector();
            n[k] += (uint32_t)(__popc(a.x & b.x) + __popc(a.y & b.y) + __popc(a.z & b.z) +
                               __popc(a.w & b.w));
        }
    }
    sum_pairs<LANES>(n);
#pragma unroll
    for (int k = 0; k < PAIR_ROWS; k++) {
        if (lane == 0 && wanted[k]) counts_of_only(request)[(size_t)(i + k) * c.n + j] = n[k];
    }
}

cudaError_t cuda_launch_product_pairs(const cuda_frame *frame, const cuda_request *request,
                                      uint32_t vectors, int wide, cudaStream_t stream) {
    unsigned n = blocks_for(request->end - request->first, PAIR_ROWS), side = frame->n_rows;
    if (wide) {
        pairs_kernel<PAIR_BLOCK>
            <<<dim3(side, n), PAIR_BLOCK, 0, stream>>>(*frame, *request, vectors);
    } else {
        dim3 grid(blocks_for(side, PAIR_WARPS), n);
        pairs_kernel<WARP_THREADS><<<grid, PAIR_BLOCK, 0, stream>>>(*frame, *request, vectors);
    }
    return cudaGetLastError();
}

cudaError_t cuda_load_small(void) {
    return load_kernels(small_kernel<1>, small_kernel<2>, small_kernel<4>, small_kernel<8>,
                        one_kernel<8>);
}
