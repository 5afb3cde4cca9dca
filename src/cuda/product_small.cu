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

/* Adds the count of local rows i < j, if it is wanted. */
__device__ __forceinline__ void add_count(uint32_t *counts, const class_view &c,
                                          const asked_rows &rows, bool both, uint32_t i, uint32_t j,
                                          uint32_t n) {
    if (i >= j || j >= c.n || n == 0) return;
    if (i >= rows.first && i < rows.end) atomicAdd(&counts[(size_t)i * c.n + j], n);
    if (both && j >= rows.first && j < rows.end) atomicAdd(&counts[(size_t)j * c.n + i], n);
}

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
    __device__ void add_to(uint32_t *counts, const class_view &c, const asked_rows &rows,
                           bool both) const {
        uint32_t g = lane_id() / 4, q = lane_id() % 4;
#pragma unroll
        for (int p = 0; p < N_PAIRS; p++)
#pragma unroll
            for (int t = 2 * p; t < TILES; t++)
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    add_count(counts, c, rows, both, 16 * p + g + k / 2 * 8, 8 * t + 2 * q + k % 2,
                              acc[p][t][k]);
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
__global__ void __launch_bounds__(BLOCK)
    small_kernel(const cuda_frame f, const cuda_ask ask, const cuda_small_task *tasks,
                 const uint32_t *n_tasks) {
    uint32_t warp = blockIdx.x * WARPS + threadIdx.x / WARP_THREADS;
    for (uint32_t t = warp; t < *n_tasks; t += gridDim.x * WARPS) {
        class_view c(f, tasks[t].of);
        asked_rows rows(ask, c);
        uint32_t vector = tasks[t].chunk * CUDA_SMALL_CHUNK, end = vector + CUDA_SMALL_CHUNK;
        if (end > c.vectors) end = c.vectors;
        pairs_of<TILES> pairs;
        pairs.clear();
        for (; vector < end; vector += STEP) {
            uint4 x[TILES];
            load_step<TILES>(c, vector, x);
            pairs.step(x);
        }
        pairs.add_to(counts_of(f, ask, tasks[t].of), c, rows, ask.target != CUDA_ALL);
    }
}

cudaError_t cuda_launch_product_small(const cuda_frame *frame, const cuda_ask *ask,
                                      const cuda_product_tasks *tasks, unsigned shape,
                                      unsigned n_sm, cudaStream_t stream) {
    const cuda_small_task *list = tasks->small[shape];
    const uint32_t *n = tasks->n + shape;
    unsigned blocks = n_sm * BLOCKS_SM;
    switch (shape) {
    case 0: small_kernel<1><<<blocks, BLOCK, 0, stream>>>(*frame, *ask, list, n); break;
    case 1: small_kernel<2><<<blocks, BLOCK, 0, stream>>>(*frame, *ask, list, n); break;
    case 2: small_kernel<4><<<blocks, BLOCK, 0, stream>>>(*frame, *ask, list, n); break;
    default: small_kernel<8><<<blocks, BLOCK, 0, stream>>>(*frame, *ask, list, n); break;
    }
    return cudaGetLastError();
}
