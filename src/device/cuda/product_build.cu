/* product_build.cu - the rows of children: rows of the partners, in the columns of the parent row
 *
 * The parent row is the key: a child has its columns. If these are at least half of all columns,
 * rows are ANDed with the key and keep their width. If not, the columns of the key are moved
 * together (gathered), 8,192 columns of up to 16 rows at a time:
 *
 *     1  A thread takes 32 columns of all rows and turns them (product_histograms.cuh) into 32
 *        numbers of 16 bits, one for each column. It writes the numbers of the key's columns to
 *        shared memory, after those of the threads before it.
 *     2  A thread takes 32 of these numbers and turns them back into a word of each row.
 *
 * Each batch of 8,192 columns starts a new vector; the padding is zero and counts nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/product_histograms.cuh"

#define BLOCK        256
#define WARPS        (BLOCK / WARP_THREADS)
#define GATHER_WORDS BLOCK /* a batch: one word of the key for each thread; as in product_plan.cu */
#define PART_WORDS   CUDA_PART_WORDS
#define BLOCKS_SM    5
#define TABLE_BLOCK  256

/* ---- tables -------------------------------------------------------------------------------- */

/* Fills in the tables of a class. Number n_classes only ends the last class. */
__device__ void name_class(const cuda_frame &to, const cuda_found &found, const cuda_build &build,
                           uint32_t child) {
    uint32_t number = build.first_child + child;
    writable(to.class_first)[child] = found.child_first[number] - build.row_origin;
    writable(to.class_at)[child] = found.child_at[number] - build.vector_origin;
    writable(to.class_pairs)[child] = found.child_pairs[number] - build.pair_origin;
    if (child == to.n_classes) return;
    writable(to.class_vectors)[child] = found.child_vectors[number];
    writable(to.class_earlier)[child] = found.child_earlier[number];
    writable(to.class_free)[child] = found.child_free[number];
}

/* Fills in the tables of a child's rows: the partners that are not perfect. */
__device__ void name_rows(const cuda_frame &from, const cuda_frame &to, const cuda_found &found,
                          const cuda_build &build, uint32_t child) {
    uint32_t number = build.first_child + child;
    uint64_t at = found.child_partners_at[number];
    uint32_t n = found.child_partners[number];
    uint32_t support = from.row_support[found.child_row[number]];
    uint32_t row = found.child_first[number] - build.row_origin;
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

/* Parts that the columns of a class are cut into, to be gathered by different blocks. */
__device__ __forceinline__ uint32_t gather_parts(uint32_t vectors) {
    return (vectors * 4 + PART_WORDS - 1) / PART_WORDS;
}

__device__ void list_groups(const cuda_frame &from, const cuda_frame &to, const cuda_found &found,
                            const cuda_build &build, uint32_t child) {
    uint32_t number = build.first_child + child;
    uint32_t n_rows = found.child_first[number + 1] - found.child_first[number];
    uint32_t vectors = from.class_vectors[from.row_class[found.child_row[number]]];
    bool same_width =
        found.child_vectors[number] == (from.total_vectors ? from.total_vectors : vectors);
    uint32_t n_groups = (n_rows + CUDA_GROUP_ROWS - 1) / CUDA_GROUP_ROWS;
    uint32_t n = n_groups * (same_width ? 1 : gather_parts(vectors)), place = 0;
    if (lane_id() == 0) place = atomicAdd(&build.n[same_width ? 0 : 1], n);
    place = __shfl_sync(ALL_LANES, place, 0);
    for (uint32_t i = lane_id(); i < n; i += WARP_THREADS) {
        (same_width ? build.copy : build.gather)[place + i] = {
            child, i % n_groups * CUDA_GROUP_ROWS, i / n_groups};
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
    uint32_t part;       /* of the columns */
    uint32_t key;        /* local row of the parent class: the parent row */
    const uint32_t *row_from;

    __device__ group_view(const cuda_frame &f, const cuda_frame &t, const cuda_found &found,
                          const cuda_build &build, const cuda_build_task &task)
        : to(t, task.child), from(f, f.row_class[found.child_row[build.first_child + task.child]]),
          first(task.first),
          n(to.n - task.first < CUDA_GROUP_ROWS ? to.n - task.first : CUDA_GROUP_ROWS),
          part(task.part), key(found.child_row[build.first_child + task.child] - from.first),
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
        uint32_t left = g.to.vectors > build.slice_at ? g.to.vectors - build.slice_at : 0;
        uint32_t n = g.from.vectors < left ? g.from.vectors : left;
        for (uint32_t v = part * BLOCK + threadIdx.x; v < n; v += n_parts * BLOCK) {
            uint4 k = __ldg(key + v);
            for (uint32_t i = 0; i < g.n; i++) {
                uint4 x = __ldg(g.source(i) + v);
                g.target(i)[build.slice_at + v] =
                    make_uint4(x.x & k.x, x.y & k.y, x.z & k.z, x.w & k.w);
            }
        }
    }
}

/* ---- rows whose columns move together ------------------------------------------------------ */

/* 32 numbers of 16 bits are 16 words. One more word lets neighbouring threads use different
 * banks. */
#define STRIDE_WORDS 17

struct gather_memory {
    uint32_t columns[GATHER_WORDS * STRIDE_WORDS];
    uint32_t sums[WARPS];
    const uint32_t *sources[CUDA_GROUP_ROWS];
};

/* A thread's word of the key and of each row of the group. */
struct gather_words {
    uint32_t key, low[8], high[8];

    /* Starts all loads before any is used. */
    __device__ __forceinline__ void load(const gather_memory &m, const uint32_t *key_words,
                                         uint32_t n_rows, uint32_t word, uint32_t n_words) {
        bool there = word < n_words;
        key = there ? __ldg(key_words + word) : 0;
#pragma unroll
        for (uint32_t i = 0; i < 8; i++) {
            low[i] = there && i < n_rows ? __ldg(m.sources[i] + word) : 0;
            high[i] = there && i + 8 < n_rows ? __ldg(m.sources[i + 8] + word) : 0;
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

__device__ __forceinline__ uint16_t *column_at(gather_memory &m, uint32_t i) {
    return (uint16_t *)m.columns + i + i / 32 * (STRIDE_WORDS * 2 - 32);
}

/* Appends a column, if it stays. */
__device__ __forceinline__ void put_column(gather_memory &m, uint32_t &at, uint32_t key,
                                           uint32_t column, uint32_t rows) {
    if (key >> column & 1) *column_at(m, at++) = (uint16_t)rows;
}

/* Step 1; returns how many columns stay. A thread writes its columns in the order in which they lie
 * in its registers. Any order will do, if it is the same for all rows of the class. */
__device__ __forceinline__ uint32_t gather_columns(gather_memory &m, gather_words &w) {
    uint32_t total, at = sum_before((uint32_t)__popc(w.key), m.sums, &total);
    turn(w.low);
    turn(w.high);
#pragma unroll
    for (int r = 0; r < 8; r++) {
        uint32_t first = __byte_perm(w.low[r], w.high[r], 0x5140); /* columns r and 8 + r … */
        uint32_t last = __byte_perm(w.low[r], w.high[r], 0x7362);  /* … 16 + r and 24 + r */
        put_column(m, at, w.key, r, first);
        put_column(m, at, w.key, 8 + r, first >> 16);
        put_column(m, at, w.key, 16 + r, last);
        put_column(m, at, w.key, 24 + r, last >> 16);
    }
    return total;
}

/* Clears the padding up to the end of the last vector. */
__device__ __forceinline__ void clear_rest(gather_memory &m, uint32_t n) {
    uint32_t end = (n + 127) / 128 * 128;
    if (n + threadIdx.x < end) *column_at(m, n + threadIdx.x) = 0;
}

/* Step 2: writes words `at` … of all rows. */
__device__ __forceinline__ void gather_rows(const gather_memory &m, const group_view &g,
                                            uint32_t n_words, uint32_t at) {
    for (uint32_t w = threadIdx.x; w < n_words; w += BLOCK) {
        uint32_t low[8], high[8];
        /* Column 8 b + r of the word is number 4 r + b of the 32. */
#pragma unroll
        for (int r = 0; r < 8; r++) {
            uint32_t first = m.columns[w * STRIDE_WORDS + 2 * r];
            uint32_t last = m.columns[w * STRIDE_WORDS + 2 * r + 1];
            low[r] = __byte_perm(first, last, 0x6420);
            high[r] = __byte_perm(first, last, 0x7531);
        }
        turn(low);
        turn(high);
#pragma unroll
        for (uint32_t i = 0; i < 8; i++) {
            if (i < g.n) ((uint32_t *)g.target(i))[at + w] = low[i];
            if (i + 8 < g.n) ((uint32_t *)g.target(i + 8))[at + w] = high[i];
        }
    }
}

/* Words that the columns in front of a part take after gathering. */
__device__ uint32_t words_before(gather_memory &m, const uint32_t *key, uint32_t n_words) {
    uint32_t vectors = 0, total;
    for (uint32_t first = threadIdx.x / WARP_THREADS * GATHER_WORDS; first < n_words;
         first += WARPS * GATHER_WORDS) {
        uint32_t n = 0;
        for (uint32_t w = lane_id(); w < GATHER_WORDS; w += WARP_THREADS) {
            n += (uint32_t)__popc(__ldg(key + first + w));
        }
        vectors += (warp_sum(n) + 127) / 128;
    }
    sum_before(lane_id() == 0 ? vectors : 0, m.sums, &total);
    __syncthreads();
    return total * 4;
}

__device__ void gather_zero(const group_view &g, uint32_t at) {
    for (uint32_t i = 0; i < g.n; i++) {
        uint32_t *to = (uint32_t *)g.target(i);
        for (uint32_t w = at + threadIdx.x; w < g.to.vectors * 4; w += BLOCK) to[w] = 0;
    }
}

/* Loads the next batch of columns while it works on one. */
__device__ void gather_group(gather_memory &m, const group_view &g, uint32_t filled, bool last) {
    const uint32_t *key_words = g.from.words(g.key);
    uint32_t all = g.from.vectors * 4, first = g.part * PART_WORDS;
    uint32_t end = first + PART_WORDS < all ? first + PART_WORDS : all;
    uint32_t at = filled + words_before(m, key_words, first);
    gather_words next;
    if (threadIdx.x < g.n) m.sources[threadIdx.x] = (const uint32_t *)g.source(threadIdx.x);
    __syncthreads();
    next.load(m, key_words, g.n, first + threadIdx.x, end);
    for (uint32_t word = first; word < end; word += GATHER_WORDS) {
        uint32_t n = gather_columns(m, next), n_words = (n + 127) / 128 * 4;
        clear_rest(m, n);
        next.load(m, key_words, g.n, word + GATHER_WORDS + threadIdx.x, end);
        __syncthreads();
        gather_rows(m, g, n_words, at);
        at += n_words;
        __syncthreads();
    }
    if (end == all && last) gather_zero(g, at);
    __syncthreads();
}

__global__ void __launch_bounds__(BLOCK, BLOCKS_SM)
    gather_kernel(const cuda_frame from, const cuda_frame to, const cuda_found found,
                  const cuda_build build) {
    __shared__ gather_memory m;
    for (uint32_t t = blockIdx.x; t < build.n[1]; t += gridDim.x) {
        cuda_build_task task = build.gather[t];
        gather_group(m, group_view(from, to, found, build, task),
                     build.fill ? build.fill[task.child] : 0, !build.fill || build.last);
    }
}

/* A block per child. (A slice is a whole number of batches, so that fills add up.) */
__global__ void __launch_bounds__(BLOCK)
    fill_kernel(const cuda_frame from, const cuda_found found, const cuda_build build) {
    __shared__ gather_memory m;
    uint32_t row = found.child_row[build.first_child + blockIdx.x];
    class_view c(from, from.row_class[row]);
    uint32_t words = words_before(m, c.words(row - c.first), c.vectors * 4);
    if (threadIdx.x == 0) build.fill[blockIdx.x] += words;
}

/* ---- launching ----------------------------------------------------------------------------- */

cudaError_t cuda_launch_build_rows(const cuda_frame *from, const cuda_frame *to,
                                   const cuda_found *found, const cuda_build *build, unsigned n_sm,
                                   cudaStream_t stream) {
    const unsigned parts = 8; /* blocks that divide the columns of a group of rows */
    gather_kernel<<<n_sm * BLOCKS_SM, BLOCK, 0, stream>>>(*from, *to, *found, *build);
    copy_kernel<<<dim3(n_sm, parts), BLOCK, 0, stream>>>(*from, *to, *found, *build, parts);
    return cudaGetLastError();
}

cudaError_t cuda_launch_build_fill(const cuda_frame *from, const cuda_frame *to,
                                   const cuda_found *found, const cuda_build *build,
                                   cudaStream_t stream) {
    fill_kernel<<<to->n_classes, BLOCK, 0, stream>>>(*from, *found, *build);
    return cudaGetLastError();
}

cudaError_t cuda_load_build(void) {
    return load_kernels(tables_kernel, copy_kernel, gather_kernel);
}
