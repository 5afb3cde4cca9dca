/* product_tiles.cu - all pairs of a large class, tile by tile
 *
 * A tile is all pairs of CUDA_TILE_ROWS rows of a class with 128 or 256 others. A block goes
 * through a range of the columns of these rows, 1,024 at a time; the copies to shared memory are
 * several steps ahead:
 *
 *     memory ──cp.async──▶ stage 0 │ stage 1 │ …        each: rows of both sides, 128 bytes of each
 *                             │
 *                             ▼ tensor cores             accumulators stay in registers
 *
 * Rows or columns past the end count as zeros. There are three ways to multiply, with the compute
 * capability that they need:
 *     wgmma   by a warp group, with operands in shared memory                    9.0a only
 *     mma     by a warp, with operands in registers                              8.0 and later
 *     popc    by AND and population count, a thread for 8 x 8 pairs              any
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/product_code.cuh"
#include "device/cuda/product_wgmma.cuh"

#define BLOCK       256
#define ROW_BYTES   128 /* of a row in a stage */
#define ROW_VECTORS (ROW_BYTES / 16)

/* The tasks of a launch: from a list or, for a single class, computed from the task number.
 * Computed tasks include tiles without any wanted pair. */
struct tile_tasks {
    const cuda_tile_task *listed;
    const uint32_t *n_listed;
    uint32_t n_direct, chunk, columns;

    __device__ uint32_t n() const {
        return n_direct ? n_direct : *n_listed;
    }
    __device__ cuda_tile_task at(const cuda_frame &f, const cuda_request &request,
                                 uint32_t i) const {
        if (!n_direct) return listed[i];
        class_view c(f, 0);
        uint32_t n_chunks = (c.vectors + chunk - 1) / chunk;
        uint32_t n_columns = (c.n + columns - 1) / columns;
        uint32_t tile = i / n_chunks;
        return {0, requested_rows(request, c).first + tile / n_columns * CUDA_TILE_ROWS,
                tile % n_columns * columns, i % n_chunks};
    }
    /* Whether a pair of the tile is wanted. */
    __device__ bool wants(const cuda_request &request, const cuda_tile_task &t) const {
        return !n_direct || request.target != CUDA_ALL || t.column + columns > t.row + 1;
    }
};

/* A task, unpacked. */
struct tile_view {
    class_view c;
    requested_rows rows;
    uint32_t row, column;        /* the first, local */
    uint32_t vector, end_vector; /* columns to go through */
    bool alone;                  /* no other block counts these pairs */
    uint32_t *counts;

    __device__ tile_view(const cuda_frame &f, const cuda_request &request, const cuda_tile_task &t,
                         uint32_t chunk)
        : c(f, t.class_index), rows(request, c), row(t.row), column(t.column),
          vector(t.chunk * chunk),
          end_vector(vector + chunk < c.vectors ? vector + chunk : c.vectors),
          alone(chunk >= c.vectors && !request.adds), counts(counts_of(f, request, t.class_index)) {
    }

    __device__ uint32_t n_steps() const {
        return (end_vector - vector + ROW_VECTORS - 1) / ROW_VECTORS;
    }
    /* Stores the count of a pair: i is from the rows, j from the columns of the tile. */
    __device__ void put(bool both, uint32_t i, uint32_t j, uint32_t n) const {
        bool wanted = i < rows.end && j < c.n && (i < j || (both && i != j));
        if (!wanted) return;
        if (alone) {
            counts[(size_t)i * c.n + j] = n;
        } else if (n > 0) {
            atomicAdd(&counts[(size_t)i * c.n + j], n);
        }
    }
};

/* ---- stages -------------------------------------------------------------------------------- */

/* Copies 16 bytes to shared memory in the background; zeros if `there` is false. */
__device__ __forceinline__ void copy_vector(uint32_t to, const uint4 *from, bool there) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                 "r"(there ? 16 : 0)
                 : "memory");
}

__device__ __forceinline__ void copy_commit(void) {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int N> __device__ __forceinline__ void copy_wait(void) {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

/* How the 16-byte pieces of a row are permuted, so that threads that read together use different
 * banks. wgmma requires its own layout; for mma, a quarter of a warp reads half of two rows. */
struct swizzle_wgmma {
    static __device__ __forceinline__ uint32_t of(uint32_t row, uint32_t piece) {
        return piece ^ (row & 7);
    }
};
struct swizzle_mma {
    static __device__ __forceinline__ uint32_t of(uint32_t row, uint32_t piece) {
        return piece ^ ((row & 1) << 2);
    }
};

/* Copies one step of the columns of N rows, from `first` on. */
template <int N, class Swizzle>
__device__ __forceinline__ void copy_rows(uint32_t to, const tile_view &t, uint32_t first,
                                          uint32_t step) {
#pragma unroll
    for (int k = 0; k < N * ROW_VECTORS / BLOCK; k++) {
        uint32_t row = (k * BLOCK + threadIdx.x) / ROW_VECTORS, piece = threadIdx.x % ROW_VECTORS;
        uint32_t vector = t.vector + step * ROW_VECTORS + piece;
        bool there = first + row < t.c.n && vector < t.end_vector;
        const uint4 *from = there ? t.c.row(first + row) + vector : t.c.rows;
        copy_vector(to + row * ROW_BYTES + Swizzle::of(row, piece) * 16, from, there);
    }
}

/* ---- wgmma --------------------------------------------------------------------------------- */

template <int N> struct wgmma_shape {
    static const int STAGE_BYTES = (CUDA_TILE_ROWS + N) * ROW_BYTES;
    static const int STAGES = N == 128 ? 6 : 4;
    static const int AHEAD = STAGES - 2;
    static const int SHARED = STAGES * STAGE_BYTES + 1024; /* to begin at a multiple of 1,024 */
};

/* Whether the rows of the tile are among its columns, so that one copy serves both. */
template <int N> __device__ __forceinline__ bool is_within(const tile_view &t) {
    return t.row >= t.column && t.row + CUDA_TILE_ROWS <= t.column + N &&
           (t.row - t.column) % 8 == 0;
}

template <int N>
__device__ __forceinline__ void wgmma_load(uint32_t stage, const tile_view &t, bool within,
                                           uint32_t step) {
    copy_rows<N, swizzle_wgmma>(stage + CUDA_TILE_ROWS * ROW_BYTES, t, t.column, step);
    if (!within) copy_rows<CUDA_TILE_ROWS, swizzle_wgmma>(stage, t, t.row, step);
}

/* One stage: 64 rows of this warp group with N columns, 4 x 256 columns of bits. */
template <int N>
__device__ __forceinline__ void wgmma_stage(uint32_t (&d)[N / 2], uint32_t rows, uint32_t columns) {
    uint64_t a = descriptor(rows), b = descriptor(columns);
    warpgroup_begin();
#pragma unroll
    for (int k = 0; k < ROW_BYTES / 32; k++) {
        warpgroup_mma<N>::step(d, a + 2 * k, b + 2 * k);
    }
    warpgroup_commit();
}

template <int N>
__device__ __forceinline__ void wgmma_put(const uint32_t (&d)[N / 2], const tile_view &t,
                                          bool both) {
    uint32_t i = t.row + threadIdx.x / 32 * 16 + lane_id() / 4;
    uint32_t j = t.column + lane_id() % 4 * 2;
#pragma unroll
    for (int k = 0; k < N / 2; k++) t.put(both, i + k / 2 % 2 * 8, j + k / 4 * 8 + k % 2, d[k]);
}

template <int N>
__device__ __forceinline__ void wgmma_tile(uint32_t shared, const tile_view &t, bool both) {
    typedef wgmma_shape<N> shape;
    uint32_t d[N / 2];
    uint32_t n_steps = t.n_steps();
    bool within = is_within<N>(t);
    uint32_t rows_at = (within ? CUDA_TILE_ROWS + t.row - t.column : 0) * ROW_BYTES;
#pragma unroll
    for (int k = 0; k < N / 2; k++) d[k] = 0;
    for (uint32_t step = 0; step < shape::AHEAD; step++) {
        if (step < n_steps) wgmma_load<N>(shared + step * shape::STAGE_BYTES, t, within, step);
        copy_commit();
    }
    rows_at += threadIdx.x / 128 * 64 * ROW_BYTES; /* this warp group's half */
    for (uint32_t step = 0; step < n_steps; step++) {
        copy_wait<shape::AHEAD - 1>();
        warpgroup_see();
        /* After this, the copies of all threads have arrived, and all are done with step - 2. */
        __syncthreads();
        uint32_t next = step + shape::AHEAD;
        if (next < n_steps) {
            wgmma_load<N>(shared + next % shape::STAGES * shape::STAGE_BYTES, t, within, next);
        }
        copy_commit();
        uint32_t stage = shared + step % shape::STAGES * shape::STAGE_BYTES;
        wgmma_stage<N>(d, stage + rows_at, stage + CUDA_TILE_ROWS * ROW_BYTES);
        warpgroup_wait<1>();
    }
    warpgroup_wait<0>();
    wgmma_put<N>(d, t, both);
    __syncthreads();
}

template <int N>
__global__ void __launch_bounds__(BLOCK, 1)
    wgmma_kernel(const cuda_frame f, const cuda_request request, const tile_tasks tasks) {
#ifdef HAS_WGMMA
    extern __shared__ uint8_t memory[];
    uint32_t shared = ((uint32_t)__cvta_generic_to_shared(memory) + 1023) / 1024 * 1024;
    for (uint32_t i = blockIdx.x; i < tasks.n(); i += gridDim.x) {
        cuda_tile_task t = tasks.at(f, request, i);
        if (!tasks.wants(request, t)) continue;
        wgmma_tile<N>(shared, tile_view(f, request, t, tasks.chunk), request.target != CUDA_ALL);
    }
#endif
}

/* ---- mma ----------------------------------------------------------------------------------- */

#define MMA_STAGES      3
#define MMA_STAGE_BYTES (2 * CUDA_TILE_ROWS * ROW_BYTES)
#define MMA_SHARED      (MMA_STAGES * MMA_STAGE_BYTES)
#define MMA_ROWS        64 /* of a warp; two warps cover the rows, four the columns */
#define MMA_COLUMNS     32

__device__ __forceinline__ void mma_b1(uint32_t (&c)[4], const uint32_t (&a)[4], uint32_t b0,
                                       uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

struct mma_place {
    uint32_t row, column; /* of the warp within the tile */
    __device__ mma_place() {
        uint32_t warp = threadIdx.x / WARP_THREADS;
        row = warp / 4 * MMA_ROWS;
        column = warp % 4 * MMA_COLUMNS;
    }
};

/* The 16 bytes of a lane: of row `first` + lane / 4, half `half` of the stage. */
__device__ __forceinline__ uint4 mma_load(const uint8_t *rows, uint32_t first, uint32_t half) {
    uint32_t row = first + lane_id() / 4, piece = half * 4 + lane_id() % 4;
    return *(const uint4 *)(rows + row * ROW_BYTES + swizzle_mma::of(row, piece) * 16);
}

__device__ __forceinline__ void mma_half(uint32_t (&acc)[4][4][4], const uint8_t *stage,
                                         const mma_place &at, uint32_t half) {
    uint4 b[4];
#pragma unroll
    for (int t = 0; t < 4; t++) {
        b[t] = mma_load(stage + CUDA_TILE_ROWS * ROW_BYTES, at.column + 8 * t, half);
    }
#pragma unroll
    for (int p = 0; p < 4; p++) {
        uint4 low = mma_load(stage, at.row + 16 * p, half);
        uint4 high = mma_load(stage, at.row + 16 * p + 8, half);
        uint32_t first[4] = {low.x, high.x, low.y, high.y};
        uint32_t second[4] = {low.z, high.z, low.w, high.w};
#pragma unroll
        for (int t = 0; t < 4; t++) {
            mma_b1(acc[p][t], first, b[t].x, b[t].y);
            mma_b1(acc[p][t], second, b[t].z, b[t].w);
        }
    }
}

__device__ __forceinline__ void mma_put(const uint32_t (&acc)[4][4][4], const tile_view &t,
                                        const mma_place &at, bool both) {
    uint32_t i = t.row + at.row + lane_id() / 4, j = t.column + at.column + lane_id() % 4 * 2;
#pragma unroll
    for (int p = 0; p < 4; p++)
#pragma unroll
        for (int n = 0; n < 4; n++)
#pragma unroll
            for (int k = 0; k < 4; k++) {
                t.put(both, i + 16 * p + k / 2 * 8, j + 8 * n + k % 2, acc[p][n][k]);
            }
}

__device__ __forceinline__ void mma_copy(uint32_t stage, const tile_view &t, uint32_t step) {
    copy_rows<CUDA_TILE_ROWS, swizzle_mma>(stage, t, t.row, step);
    copy_rows<CUDA_TILE_ROWS, swizzle_mma>(stage + CUDA_TILE_ROWS * ROW_BYTES, t, t.column, step);
}

__device__ __forceinline__ void mma_tile(uint8_t *memory, const tile_view &t, bool both) {
    uint32_t shared = (uint32_t)__cvta_generic_to_shared(memory), n_steps = t.n_steps();
    uint32_t acc[4][4][4] = {};
    mma_place at;
    for (uint32_t step = 0; step < MMA_STAGES - 1; step++) {
        if (step < n_steps) mma_copy(shared + step * MMA_STAGE_BYTES, t, step);
        copy_commit();
    }
    for (uint32_t step = 0; step < n_steps; step++) {
        copy_wait<MMA_STAGES - 2>();
        __syncthreads();
        uint32_t next = step + MMA_STAGES - 1;
        if (next < n_steps) mma_copy(shared + next % MMA_STAGES * MMA_STAGE_BYTES, t, next);
        copy_commit();
        const uint8_t *stage = memory + step % MMA_STAGES * MMA_STAGE_BYTES;
        mma_half(acc, stage, at, 0);
        mma_half(acc, stage, at, 1);
    }
    mma_put(acc, t, at, both);
    __syncthreads();
}

__global__ void __launch_bounds__(BLOCK, 2)
    mma_kernel(const cuda_frame f, const cuda_request request, const tile_tasks tasks) {
    extern __shared__ __align__(16) uint8_t memory[];
    for (uint32_t i = blockIdx.x; i < tasks.n(); i += gridDim.x) {
        cuda_tile_task t = tasks.at(f, request, i);
        if (!tasks.wants(request, t)) continue;
        mma_tile(memory, tile_view(f, request, t, tasks.chunk), request.target != CUDA_ALL);
    }
}

/* ---- popc ---------------------------------------------------------------------------------- */

#define POPC_WORDS  32 /* of a row in a stage */
#define POPC_STRIDE (POPC_WORDS + 1)
#define POPC_SHARED (2 * CUDA_TILE_ROWS * POPC_STRIDE * 4)
#define POPC_SIDE   16 /* threads a side; each has every 16th row and column */
#define POPC_EACH   (CUDA_TILE_ROWS / POPC_SIDE)

__device__ __forceinline__ void popc_load(uint32_t *to, const tile_view &t, uint32_t first,
                                          uint32_t step) {
    for (uint32_t k = threadIdx.x; k < CUDA_TILE_ROWS * POPC_WORDS; k += BLOCK) {
        uint32_t row = k / POPC_WORDS, word = step * POPC_WORDS + k % POPC_WORDS;
        bool there = first + row < t.c.n && t.vector + word / 4 < t.end_vector;
        to[row * POPC_STRIDE + k % POPC_WORDS] =
            there ? t.c.words(first + row)[t.vector * 4 + word] : 0;
    }
}

__device__ __forceinline__ void popc_step(uint32_t (&acc)[POPC_EACH][POPC_EACH],
                                          const uint32_t *rows, const uint32_t *columns) {
    uint32_t y = threadIdx.x / POPC_SIDE, x = threadIdx.x % POPC_SIDE;
    for (uint32_t w = 0; w < POPC_WORDS; w++) {
        uint32_t a[POPC_EACH], b[POPC_EACH];
#pragma unroll
        for (int k = 0; k < POPC_EACH; k++) {
            a[k] = rows[(y + k * POPC_SIDE) * POPC_STRIDE + w];
            b[k] = columns[(x + k * POPC_SIDE) * POPC_STRIDE + w];
        }
#pragma unroll
        for (int i = 0; i < POPC_EACH; i++)
#pragma unroll
            for (int j = 0; j < POPC_EACH; j++) acc[i][j] += (uint32_t)__popc(a[i] & b[j]);
    }
}

__device__ __forceinline__ void popc_tile(uint32_t *memory, const tile_view &t, bool both) {
    uint32_t acc[POPC_EACH][POPC_EACH] = {};
    uint32_t *columns = memory + CUDA_TILE_ROWS * POPC_STRIDE;
    for (uint32_t step = 0; step < t.n_steps(); step++) {
        popc_load(memory, t, t.row, step);
        popc_load(columns, t, t.column, step);
        __syncthreads();
        popc_step(acc, memory, columns);
        __syncthreads();
    }
    uint32_t i = t.row + threadIdx.x / POPC_SIDE, j = t.column + threadIdx.x % POPC_SIDE;
#pragma unroll
    for (int p = 0; p < POPC_EACH; p++)
#pragma unroll
        for (int q = 0; q < POPC_EACH; q++) {
            t.put(both, i + p * POPC_SIDE, j + q * POPC_SIDE, acc[p][q]);
        }
}

__global__ void __launch_bounds__(BLOCK)
    popc_kernel(const cuda_frame f, const cuda_request request, const tile_tasks tasks) {
    __shared__ uint32_t memory[POPC_SHARED / 4];
    for (uint32_t i = blockIdx.x; i < tasks.n(); i += gridDim.x) {
        cuda_tile_task t = tasks.at(f, request, i);
        if (!tasks.wants(request, t)) continue;
        popc_tile(memory, tile_view(f, request, t, tasks.chunk), request.target != CUDA_ALL);
    }
}

/* ---- launching ----------------------------------------------------------------------------- */

struct tile_launch {
    const cuda_frame *frame;
    const cuda_request *request;
    const cuda_product_tasks *tasks;
    cudaStream_t stream;
};

template <class Kernel>
static cudaError_t launch(Kernel kernel, unsigned blocks, size_t shared, const tile_launch &l) {
    const cuda_product_tasks *tasks = l.tasks;
    tile_tasks list = {tasks->tiles, tasks->n + CUDA_SMALL_SHAPES, tasks->n_direct,
                       tasks->tile_chunk, tasks->tile_columns};
    cudaError_t error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (error != cudaSuccess) return error;
    if (tasks->n_direct && tasks->n_direct < blocks) blocks = tasks->n_direct;
    kernel<<<blocks, BLOCK, shared, l.stream>>>(*l.frame, *l.request, list);
    return cudaGetLastError();
}

cudaError_t cuda_launch_product_tiles(const cuda_frame *frame, const cuda_request *request,
                                      const cuda_product_tasks *tasks, cuda_product_kernel kernel,
                                      unsigned n_sm, cudaStream_t stream) {
    tile_launch l = {frame, request, tasks, stream};
    switch (kernel) {
    case CUDA_WGMMA:
        if (tasks->tile_columns == 128) {
            return launch(wgmma_kernel<128>, n_sm, wgmma_shape<128>::SHARED, l);
        }
        return launch(wgmma_kernel<256>, n_sm, wgmma_shape<256>::SHARED, l);
    case CUDA_MMA: return launch(mma_kernel, 2 * n_sm, MMA_SHARED, l);
    default: return launch(popc_kernel, 4 * n_sm, 0, l);
    }
}

uint32_t cuda_direct_tile_tasks(const cuda_product_tasks *tasks, const cuda_request *request,
                                uint32_t n_rows, uint32_t vectors) {
    uint32_t rows = (request->end - request->first + CUDA_TILE_ROWS - 1) / CUDA_TILE_ROWS;
    uint32_t columns = (n_rows + tasks->tile_columns - 1) / tasks->tile_columns;
    return rows * columns * ((vectors + tasks->tile_chunk - 1) / tasks->tile_chunk);
}

/* The code of compute capability 9.0a is what would run here. */
int cuda_product_has_wgmma(void) {
    cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, wgmma_kernel<128>) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return attributes.binaryVersion == 90 && attributes.ptxVersion == 90;
}
