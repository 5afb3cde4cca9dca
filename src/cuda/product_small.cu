/* product_small.cu - all pairs of a class of up to 64 rows, by one warp, straight from memory
 *
 * Counting does not care for the order of columns, as long as it is the same for both operands. So
 * a lane may load 16 bytes of its row wherever they lie and use them as the fragments of two steps
 * of mma.m16n8k256, whose operands are then the same registers on both sides:
 *
 *     lane 4g + q loads vector q of row g        x y │ z w
 *     first operand, rows 0-7 (and 8-15)         a0 = x, a2 = y (a1, a3: of row g + 8)
 *     second operand, columns 0-7                b0 = x, b1 = y
 *
 * Every row is read once, and nothing else is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cuda/product_code.cuh"

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
    asked_rows rows;
    bool both;  /* pairs count both ways */
    bool alone; /* nobody else counts these pairs */

    __device__ void put(uint32_t i, uint32_t j, uint32_t count) const {
        if (i < rows.first || i >= rows.end) return;
        if (alone) {
            counts[(size_t)i * n + j] = count;
        } else if (count > 0) {
            atomicAdd(&counts[(size_t)i * n + j], count);
        }
    }
    /* A pair of local rows, if i < j; the others are the same ones again. */
    __device__ void put_pair(uint32_t i, uint32_t j, uint32_t count) const {
        if (i >= j || j >= n) return;
        put(i, j, count);
        if (both) put(j, i, count);
    }
};

/* TILES: of 8 rows, 1 or an even number. Accumulator (p, t): rows 16p … 16p + 15 with those of
 * tile t, where t >= 2p: the others are the same pairs the other way round. */
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
__device__ __forceinline__ void work_off(const cuda_frame &f, const cuda_ask &ask,
                                         cuda_small_task task, uint32_t chunk) {
    class_view c(f, task.of);
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
    pairs.put(count_target{counts_of(f, ask, task.of), c.n, asked_rows(ask, c),
                           ask.target != CUDA_ALL, chunk >= c.vectors});
}

template <int TILES>
__global__ void __launch_bounds__(BLOCK)
    small_kernel(const cuda_frame f, const cuda_ask ask, const cuda_small_task *tasks,
                 const uint32_t *n_listed, uint32_t n_direct, uint32_t chunk) {
    uint32_t warp = blockIdx.x * WARPS + threadIdx.x / WARP_THREADS;
    uint32_t n = n_direct ? n_direct : *n_listed;
    for (uint32_t t = warp; t < n; t += gridDim.x * WARPS) {
        work_off<TILES>(f, ask, n_direct ? cuda_small_task{0, t} : tasks[t], chunk);
    }
}

template <int TILES>
static void launch(const cuda_frame *frame, const cuda_ask *ask, const cuda_product_tasks *tasks,
                   unsigned shape, unsigned n_sm, cudaStream_t stream) {
    unsigned blocks = n_sm * BLOCKS_SM;
    if (tasks->n_direct && tasks->n_direct < blocks * WARPS) {
        blocks = blocks_for(tasks->n_direct, WARPS);
    }
    small_kernel<TILES><<<blocks, BLOCK, 0, stream>>>(
        *frame, *ask, tasks->small[shape], tasks->n + shape, tasks->n_direct, tasks->small_chunk);
}

cudaError_t cuda_launch_product_small(const cuda_frame *frame, const cuda_ask *ask,
                                      const cuda_product_tasks *tasks, unsigned shape,
                                      unsigned n_sm, cudaStream_t stream) {
    switch (shape) {
    case 0: launch<1>(frame, ask, tasks, shape, n_sm, stream); break;
    case 1: launch<2>(frame, ask, tasks, shape, n_sm, stream); break;
    case 2: launch<4>(frame, ask, tasks, shape, n_sm, stream); break;
    default: launch<8>(frame, ask, tasks, shape, n_sm, stream); break;
    }
    return cudaGetLastError();
}

uint32_t cuda_direct_small_tasks(const cuda_product_tasks *tasks, uint32_t vectors) {
    return (vectors + tasks->small_chunk - 1) / tasks->small_chunk;
}
