/* product_build.cu - the rows of children: those of the partners, in the columns of one row
 *
 * Where less than half of the columns stay, they are moved together; else the rows are ANDed and
 * keep their width. Moving together, 8,192 columns of up to 16 rows at a time:
 *
 *     1  the columns that stay, as a list of places (in shared memory)
 *     2  the words of the rows (likewise)
 *     3  a warp takes 32 places of the list: each lane looks its bit up in row after row, and a
 *        vote of the warp is the new word
 *
 * Each batch of 8,192 begins a new vector: the holes are zeros, which count nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cuda/product_code.cuh"

#define BLOCK        256
#define WARPS        (BLOCK / WARP_THREADS)
#define GATHER_WORDS BLOCK /* a thread has one word of the row that decides; see product_plan.cu */
#define BLOCKS_SM    5
#define TABLE_BLOCK  256

/* ---- tables -------------------------------------------------------------------------------- */

/* A child as a class of the new frame; the last one also closes the tables. */
__device__ void name_class(const cuda_frame &to, const cuda_found &found, const cuda_build &build,
                           uint32_t child) {
    uint32_t number = build.first_child + child;
    writable(to.class_first)[child] = found.child_first[number] - build.first0;
    writable(to.class_at)[child] = found.child_at[number] - build.at0;
    writable(to.class_pairs)[child] = found.child_pairs[number] - build.pairs0;
    if (child == to.n_classes) return;
    writable(to.class_vectors)[child] = found.child_vectors[number];
    writable(to.class_watch)[child] = found.child_watch[number];
    writable(to.class_free)[child] = found.child_free[number];
}

/* Names the rows of a child: the partners that are not perfect. */
__device__ void name_rows(const cuda_frame &from, const cuda_frame &to, const cuda_found &found,
                          const cuda_build &build, uint32_t child) {
    uint32_t number = build.first_child + child;
    uint64_t at = found.child_partners_at[number];
    uint32_t n = found.child_partners[number];
    uint32_t support = from.row_support[found.child_row[number]];
    uint32_t row = found.child_first[number] - build.first0;
    for (uint32_t start = 0; start < n; start += WARP_THREADS) {
        uint32_t i = start + lane_id();
        bool is = i < n && found.supports[at + i] != support;
        uint32_t those = __ballot_sync(ALL_LANES, is);
        if (is) {
            uint32_t place = row + (uint32_t)__popc(those & ((1u << lane_id()) - 1));
            writable(to.row_class)[place] = child;
            writable(to.row_support)[place] = found.supports[at + i];
            build.row_from[place] = found.partners[at + i];
        }
        row += (uint32_t)__popc(those);
    }
}

__device__ void list_groups(const cuda_frame &from, const cuda_frame &to, const cuda_found &found,
                            const cuda_build &build, uint32_t child) {
    uint32_t number = build.first_child + child;
    uint32_t n_rows = found.child_first[number + 1] - found.child_first[number];
    uint32_t parent = from.row_class[found.child_row[number]];
    bool same_width = found.child_vectors[number] == from.class_vectors[parent];
    uint32_t n = (n_rows + CUDA_GROUP_ROWS - 1) / CUDA_GROUP_ROWS, place = 0;
    if (lane_id() == 0) place = atomicAdd(&build.n[same_width ? 0 : 1], n);
    place = __shfl_sync(ALL_LANES, place, 0);
    for (uint32_t i = lane_id(); i < n; i += WARP_THREADS) {
        (same_width ? build.copy : build.gather)[place + i] = {child, i * CUDA_GROUP_ROWS};
    }
}

__global__ void __launch_bounds__(TABLE_BLOCK)
    tables_kernel(const cuda_frame from, const cuda_frame to, const cuda_found found,
                  const cuda_build build) {
    uint32_t child = (blockIdx.x * TABLE_BLOCK + threadIdx.x) / WARP_THREADS;
    if (child > to.n_classes) return;
    if (lane_id() == 0) name_class(to, found, build, child);
    if (child == to.n_classes) return;
    name_rows(from, to, found, build, child);
    list_groups(from, to, found, build, child);
}

cudaError_t cuda_launch_build_tables(const cuda_frame *from, const cuda_frame *to,
                                     const cuda_found *found, const cuda_build *build,
                                     cudaStream_t stream) {
    unsigned blocks = blocks_for(((size_t)to->n_classes + 1) * WARP_THREADS, TABLE_BLOCK);
    tables_kernel<<<blocks, TABLE_BLOCK, 0, stream>>>(*from, *to, *found, *build);
    return cudaGetLastError();
}

/* ---- a group of rows ----------------------------------------------------------------------- */

struct group_view {
    class_view to, from; /* the child, and the class of its parent row */
    uint32_t first, n;   /* local rows of the child */
    uint32_t key;        /* local row of the parent class that decides which columns stay */
    const uint32_t *row_from;

    __device__ group_view(const cuda_frame &f, const cuda_frame &t, const cuda_found &found,
                          const cuda_build &build, const cuda_build_task &task)
        : to(t, task.child), from(f, f.row_class[found.child_row[build.first_child + task.child]]),
          first(task.first),
          n(to.n - task.first < CUDA_GROUP_ROWS ? to.n - task.first : CUDA_GROUP_ROWS),
          key(found.child_row[build.first_child + task.child] - from.first),
          row_from(build.row_from + to.first + task.first) {}
    __device__ const uint4 *source(uint32_t i) const {
        return from.row(row_from[i] - from.first);
    }
    __device__ uint4 *target(uint32_t i) const {
        return const_cast<uint4 *>(to.row(first + i));
    }
};

/* ---- rows that keep their width ------------------------------------------------------------ */

__global__ void __launch_bounds__(BLOCK)
    copy_kernel(const cuda_frame from, const cuda_frame to, const cuda_found found,
                const cuda_build build, uint32_t n_parts) {
    uint32_t part = blockIdx.y;
    for (uint32_t t = blockIdx.x; t < build.n[0]; t += gridDim.x) {
        group_view g(from, to, found, build, build.copy[t]);
        const uint4 *key = g.from.row(g.key);
        for (uint32_t v = part * BLOCK + threadIdx.x; v < g.to.vectors; v += n_parts * BLOCK) {
            uint4 k = __ldg(key + v);
            for (uint32_t i = 0; i < g.n; i++) {
                uint4 x = __ldg(g.source(i) + v);
                g.target(i)[v] = make_uint4(x.x & k.x, x.y & k.y, x.z & k.z, x.w & k.w);
            }
        }
    }
}

/* ---- rows whose columns move together ------------------------------------------------------ */

#define QUADS (CUDA_GROUP_ROWS / 4) /* of rows */

struct gather_memory {
    uint4 words[QUADS][GATHER_WORDS]; /* of four rows each */
    uint16_t places[GATHER_WORDS * 32];
    uint32_t sums[WARPS];
    const uint32_t *sources[CUDA_GROUP_ROWS];
};

/* One word of the row that decides, and of each row of the group, of a thread. */
struct gather_words {
    uint32_t key, rows[CUDA_GROUP_ROWS];

    /* All loads are on their way at once. */
    __device__ __forceinline__ void load(const gather_memory &m, const uint32_t *key_words,
                                         uint32_t n_rows, uint32_t word, uint32_t n_words) {
        bool there = word < n_words;
        key = there ? __ldg(key_words + word) : 0;
#pragma unroll
        for (uint32_t i = 0; i < CUDA_GROUP_ROWS; i++) {
            rows[i] = there && i < n_rows ? __ldg(m.sources[i] + word) : 0;
        }
    }
};

/* The sum of n over the threads before this one; *total: over all of the block. */
__device__ __forceinline__ uint32_t sum_before(uint32_t n, uint32_t *sums, uint32_t *total) {
    uint32_t sum = n;
#pragma unroll
    for (int step = 1; step < WARP_THREADS; step *= 2) {
        uint32_t other = __shfl_up_sync(ALL_LANES, sum, step);
        if (lane_id() >= step) sum += other;
    }
    if (lane_id() == WARP_THREADS - 1) sums[threadIdx.x / WARP_THREADS] = sum;
    __syncthreads();
    uint32_t before = sum - n, all = 0;
#pragma unroll
    for (uint32_t w = 0; w < WARPS; w++) {
        if (w < threadIdx.x / WARP_THREADS) before += sums[w];
        all += sums[w];
    }
    *total = all;
    return before;
}

/* Steps 1 and 2; returns how many columns stay. */
__device__ __forceinline__ uint32_t gather_list(gather_memory &m, const gather_words &w) {
    uint32_t total, at = sum_before((uint32_t)__popc(w.key), m.sums, &total);
    for (uint32_t rest = w.key; rest; rest &= rest - 1) {
        m.places[at++] = (uint16_t)(threadIdx.x * 32 + (uint32_t)__ffs((int)rest) - 1);
    }
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        m.words[q][threadIdx.x] =
            make_uint4(w.rows[4 * q], w.rows[4 * q + 1], w.rows[4 * q + 2], w.rows[4 * q + 3]);
    }
    return total;
}

/* One new word of each row: lane r has that of row r. */
__device__ __forceinline__ uint32_t gather_word(const gather_memory &m, uint32_t w, uint32_t n) {
    uint32_t i = w * 32 + lane_id(), made = 0;
    uint32_t place = i < n ? m.places[i] : 0, bit = i < n ? 1u << place % 32 : 0;
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        uint4 x = m.words[q][place / 32];
        uint32_t votes[4] = {
            __ballot_sync(ALL_LANES, (x.x & bit) != 0), __ballot_sync(ALL_LANES, (x.y & bit) != 0),
            __ballot_sync(ALL_LANES, (x.z & bit) != 0), __ballot_sync(ALL_LANES, (x.w & bit) != 0)};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (lane_id() == 4 * q + k) made = votes[k];
        }
    }
    return made;
}

/* Step 3: vectors of all rows from the list, the first of them at `at`. */
__device__ __forceinline__ void gather_make(const gather_memory &m, uint4 *target, uint32_t n_rows,
                                            uint32_t n, uint32_t at) {
    for (uint32_t v = threadIdx.x / WARP_THREADS; v * 128 < n; v += WARPS) {
        uint4 made = make_uint4(gather_word(m, 4 * v, n), gather_word(m, 4 * v + 1, n),
                                gather_word(m, 4 * v + 2, n), gather_word(m, 4 * v + 3, n));
        if (lane_id() < n_rows) target[at + v] = made;
    }
}

__device__ void gather_zero(const group_view &g, uint32_t at) {
    for (uint32_t i = 0; i < g.n; i++) {
        for (uint32_t v = at + threadIdx.x; v < g.to.vectors; v += BLOCK) {
            g.target(i)[v] = zero_vector();
        }
    }
}

/* While one batch of columns is worked on, the next is on its way. */
__device__ void gather_group(gather_memory &m, const group_view &g) {
    uint32_t n_words = g.from.vectors * 4, at = 0;
    const uint32_t *key_words = g.from.words(g.key);
    uint4 *target = lane_id() < g.n ? g.target(lane_id()) : nullptr;
    gather_words next;
    if (threadIdx.x < g.n) m.sources[threadIdx.x] = (const uint32_t *)g.source(threadIdx.x);
    __syncthreads();
    next.load(m, key_words, g.n, threadIdx.x, n_words);
    for (uint32_t word = 0; word < n_words; word += GATHER_WORDS) {
        uint32_t n = gather_list(m, next);
        next.load(m, key_words, g.n, word + GATHER_WORDS + threadIdx.x, n_words);
        __syncthreads();
        gather_make(m, target, g.n, n, at);
        at += (n + 127) / 128;
        __syncthreads();
    }
    gather_zero(g, at);
    __syncthreads();
}

__global__ void __launch_bounds__(BLOCK, BLOCKS_SM)
    gather_kernel(const cuda_frame from, const cuda_frame to, const cuda_found found,
                  const cuda_build build) {
    extern __shared__ __align__(16) uint8_t memory[];
    for (uint32_t t = blockIdx.x; t < build.n[1]; t += gridDim.x) {
        gather_group(*(gather_memory *)memory, group_view(from, to, found, build, build.gather[t]));
    }
}

/* ---- launching ----------------------------------------------------------------------------- */

cudaError_t cuda_launch_build_rows(const cuda_frame *from, const cuda_frame *to,
                                   const cuda_found *found, const cuda_build *build, unsigned n_sm,
                                   cudaStream_t stream) {
    const unsigned parts = 8; /* blocks along a group of rows */
    cudaError_t error = cudaFuncSetAttribute(
        gather_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizeof(gather_memory));
    if (error != cudaSuccess) return error;
    gather_kernel<<<n_sm * BLOCKS_SM, BLOCK, sizeof(gather_memory), stream>>>(*from, *to, *found,
                                                                              *build);
    copy_kernel<<<dim3(n_sm, parts), BLOCK, 0, stream>>>(*from, *to, *found, *build, parts);
    return cudaGetLastError();
}
