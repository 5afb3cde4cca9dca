/* paper_kernels.cu - the kernels of the papers' miners of itemsets
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/cuda/paper_kernels.h"

#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include "device/cuda/device_code.cuh"
#include "device/cuda/launch.cuh"
#include "device/cuda/row_code.cuh"
#include "papers/cuda/popcounts.cuh"

/* ---- rows counted by any population count: of work items, of pairs of sets, of lists --------- */

extern "C" cudaError_t cuda_launch_paper_count(const cuda_rows *rows,
                                               const cuda_paper_config *config,
                                               const cuda_paper_work *work, cudaStream_t stream) {
    from_work from = {work->work, work->n};
    switch (config->popcount) {
    case CUDA_POPCOUNT_TABLE16:
        return launch_and_count(rows, &config->count, popcount_table16{config->table}, from,
                                work->counts, stream);
    case CUDA_POPCOUNT_SHIFT:
        return launch_and_count(rows, &config->count, popcount_shift(), from, work->counts, stream);
    case CUDA_POPCOUNT_CONSTANT16:
        return launch_and_count(rows, &config->count, popcount_constant16(), from, work->counts,
                                stream);
    default:
        return cuda_launch_and_count(rows, &config->count, from.work, from.n, work->counts, stream);
    }
}

/* ---- pairs of sets ---- */

struct from_pairs {
    cuda_paper_pairs p;
    __device__ size_t count() const {
        return *p.n;
    }
    __device__ cuda_work operator()(size_t i) const {
        return cuda_work{p.set_rows[p.pairs[i].a], p.set_rows[p.pairs[i].b], CUDA_NO_ROW};
    }
};

extern "C" cudaError_t cuda_launch_pair_count(const cuda_rows *rows,
                                              const cuda_paper_config *config,
                                              const cuda_paper_pairs *pairs, cudaStream_t stream) {
    if (pairs->most == 0) return cudaSuccess;
    return with_popcount(config, [&](auto popcount) {
        two_rows<decltype(popcount), from_pairs>{
            rows,        &config->count, popcount,      from_pairs{*pairs},
            pairs->most, false,          pairs->counts, stream}
            .launch();
    });
}

/* ---- lists of k rows ---- */

/* THREADS per candidate: a warp for short rows, a block for others. */
template <class Popcount, int THREADS>
__global__ void __launch_bounds__(BLOCK)
    list_kernel(const __grid_constant__ cuda_rows rows, const __grid_constant__ Popcount popcount,
                const __grid_constant__ cuda_paper_lists lists) {
    size_t i = ((size_t)blockIdx.x * BLOCK + threadIdx.x) / THREADS;
    if (i >= lists.n) return;
    uint32_t n = 0;
    for (uint32_t v = threadIdx.x % THREADS; v < rows.vectors; v += THREADS) {
        n += count_vector(popcount, and_list(rows, lists.rows + i * lists.k, lists.k, v));
    }
    n = THREADS == WARP_THREADS ? sum_lanes<WARP_THREADS>(n) : sum_block<BLOCK>(n);
    if (threadIdx.x % THREADS == 0) lists.counts[i] = n;
}

extern "C" cudaError_t cuda_launch_list_count(const cuda_rows *rows,
                                              const cuda_paper_config *config,
                                              const cuda_paper_lists *lists, cudaStream_t stream) {
    if (lists->n == 0) return cudaSuccess;
    return with_popcount(config, [&](auto popcount) {
        using P = decltype(popcount);
        if (rows->vectors <= SHORT_VECTORS) {
            list_kernel<P, WARP_THREADS>
                <<<blocks_for(lists->n, BLOCK / WARP_THREADS), BLOCK, 0, stream>>>(*rows, popcount,
                                                                                   *lists);
        } else {
            list_kernel<P, BLOCK>
                <<<(unsigned)lists->n, BLOCK, 0, stream>>>(*rows, popcount, *lists);
        }
    });
}

/* ---- candidates by equivalence class: a prefix and its members ------------------------------- */

/* Members travel without the number of their class, so that a candidate is 4 bytes on the way. */

/* ---- with the prefix in registers ---- */

/* A span is a run of members that a group of lanes counts one after another. The group holds the
 * AND of the prefix rows of the current class in registers, EACH vectors a lane, so it reads one
 * row a member, and nothing is stored. Spans are equally long, whatever the classes: where one
 * begins within a class, it intersects that prefix once more.
 *
 * LANES up to a warp: groups of a warp side by side. More: a block, whose warps do not wait for one
 * another until the end of the span. Rows that are longer than the registers of a block are counted
 * in pieces (y). */

#define SPAN_MOST  32
#define SPAN_LANES 1024 /* per multiprocessor, that are kept busy before spans get longer */

template <int LANES, int EACH>
__device__ __forceinline__ void fill_prefix(const cuda_rows &rows, const uint32_t *prefix,
                                            uint32_t n_prefix, uint32_t first, uint4 *all) {
    const uint4 *row = row_at(rows, prefix[0]);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        uint32_t v = first + e * LANES;
        all[e] = v < rows.vectors ? row[v] : make_uint4(0, 0, 0, 0);
    }
#pragma unroll 2
    for (uint32_t r = 1; r < n_prefix; r++) {
        row = row_at(rows, prefix[r]);
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            uint32_t v = first + e * LANES;
            if (v < rows.vectors) all[e] = all[e] & row[v];
        }
    }
}

template <class Popcount, int LANES, int EACH>
__global__ void __launch_bounds__(LANES > WARP_THREADS ? LANES : BLOCK)
    span_kernel(const __grid_constant__ cuda_rows rows, const __grid_constant__ Popcount popcount,
                const __grid_constant__ cuda_class_spans c) {
    constexpr bool IS_BLOCK = LANES > WARP_THREADS;
    constexpr int THREADS = IS_BLOCK ? LANES : BLOCK;
    constexpr int SUM_LANES = IS_BLOCK ? WARP_THREADS : LANES;
    __shared__ uint32_t sums[IS_BLOCK ? SPAN_MOST : 1][IS_BLOCK ? LANES / WARP_THREADS : 1];
    size_t span = ((size_t)blockIdx.x * THREADS + threadIdx.x) / LANES, i = span * c.length;
    uint32_t lane = threadIdx.x % LANES, first = blockIdx.y * (LANES * EACH) + lane;
    const uint32_t *prefix = c.prefixes;
    if (i < c.n) prefix += (size_t)c.first_class[span] * c.n_prefix;
    uint4 all[EACH] = {};
    bool is_new = true;
    for (uint32_t j = 0; j < c.length; j++, i++) { /* all lanes of a warp, for the sum */
        uint32_t n = 0;
        if (i < c.n) {
            uint32_t member = c.members[i];
            if (is_new) {
                fill_prefix<LANES, EACH>(rows, prefix, c.n_prefix, first, all);
                prefix += c.n_prefix;
            }
            is_new = member & CUDA_LAST_MEMBER;
            const uint4 *row = row_at(rows, member & ~CUDA_LAST_MEMBER);
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                uint32_t v = first + e * LANES;
                if (v < rows.vectors) n += count_vector(popcount, all[e] & row[v]);
            }
        }
        n = sum_lanes<SUM_LANES>(n);
        if constexpr (IS_BLOCK) {
            if (lane % WARP_THREADS == 0) sums[j][lane / WARP_THREADS] = n;
        } else if (lane == 0 && i < c.n) {
            c.counts[i] = n;
        }
    }
    if constexpr (!IS_BLOCK) return;
    __syncthreads();
    i = span * c.length + lane;
    if (lane >= c.length || i >= c.n) return;
    uint32_t n = 0;
    for (int w = 0; w < LANES / WARP_THREADS; w++) n += sums[lane][w];
    if (gridDim.y == 1) {
        c.counts[i] = n;
    } else {
        atomicAdd(&c.counts[i], n);
    }
}

/* The shape of a launch, by the length of a row. */
struct span_shape {
    uint32_t lanes, each;
};

static span_shape span_shape_for(uint32_t vectors) {
    if (vectors <= 32) return {8, 4};
    if (vectors <= 64) return {16, 4};
    if (vectors <= 128) return {32, 4};
    if (vectors <= 512) return {128, 4};
    if (vectors <= 1024) return {256, 4};
    return {256, 8};
}

static unsigned span_pieces(uint32_t vectors, span_shape shape) {
    unsigned pieces = blocks_for(vectors, shape.lanes * shape.each);
    return pieces > 0 ? pieces : 1;
}

extern "C" uint32_t cuda_class_span(const cuda_rows *rows, const cuda_paper_config *config,
                                    size_t n) {
    span_shape shape = span_shape_for(rows->vectors);
    size_t lanes = (size_t)shape.lanes * span_pieces(rows->vectors, shape);
    size_t length = n * lanes / ((size_t)config->count.n_sm * SPAN_LANES + 1);
    return length < 1 ? 1 : length > SPAN_MOST ? SPAN_MOST : (uint32_t)length;
}

extern "C" cudaError_t cuda_launch_class_spans(const cuda_rows *rows,
                                               const cuda_paper_config *config,
                                               const cuda_class_spans *c, cudaStream_t stream) {
    if (c->n == 0) return cudaSuccess;
    span_shape shape = span_shape_for(rows->vectors);
    uint32_t threads = shape.lanes > WARP_THREADS ? shape.lanes : BLOCK;
    size_t n_spans = (c->n + c->length - 1) / c->length;
    dim3 grid(blocks_for(n_spans, threads / shape.lanes), span_pieces(rows->vectors, shape));
    if (grid.y > 1) {
        cudaError_t error = cudaMemsetAsync(c->counts, 0, c->n * sizeof *c->counts, stream);
        if (error != cudaSuccess) return error;
    }
    return with_popcount(config, [&](auto popcount) {
        using P = decltype(popcount);
        switch (shape.lanes) {
        case 8: span_kernel<P, 8, 4><<<grid, threads, 0, stream>>>(*rows, popcount, *c); break;
        case 16: span_kernel<P, 16, 4><<<grid, threads, 0, stream>>>(*rows, popcount, *c); break;
        case 32: span_kernel<P, 32, 4><<<grid, threads, 0, stream>>>(*rows, popcount, *c); break;
        case 128: span_kernel<P, 128, 4><<<grid, threads, 0, stream>>>(*rows, popcount, *c); break;
        default:
            if (shape.each == 4) {
                span_kernel<P, 256, 4><<<grid, threads, 0, stream>>>(*rows, popcount, *c);
            } else {
                span_kernel<P, 256, 8><<<grid, threads, 0, stream>>>(*rows, popcount, *c);
            }
        }
    });
}

/* ---- with the prefix in a row, as the paper has it ---- */

/* A scan over the marks of the last members gives each member the number of its class. */

#define BLOCK         256
#define SHORT_VECTORS 128 /* a warp per member, else a block */

struct is_last {
    __host__ __device__ uint32_t operator()(uint32_t member) const {
        return member >> 31;
    }
};

extern "C" cudaError_t cuda_launch_class_of(const uint32_t *members, size_t n, uint32_t *class_of,
                                            void *scratch, size_t *scratch_bytes,
                                            cudaStream_t stream) {
    auto marks = thrust::make_transform_iterator(members, is_last());
    return cub::DeviceScan::ExclusiveSum(scratch, *scratch_bytes, marks, class_of, (uint32_t)n,
                                         stream);
}

template <class Popcount, int THREADS>
__global__ void __launch_bounds__(BLOCK)
    class_kernel(const __grid_constant__ cuda_rows rows, const __grid_constant__ Popcount popcount,
                 const __grid_constant__ cuda_classes c) {
    size_t i = c.first + ((size_t)blockIdx.x * BLOCK + threadIdx.x) / THREADS;
    if (i >= c.end) return;
    uint32_t n = 0;
    const uint4 *prefix = row_at(rows, c.cached[c.class_of[i]]);
    const uint4 *member = row_at(rows, c.members[i] & ~CUDA_LAST_MEMBER);
#pragma unroll 2
    for (uint32_t v = threadIdx.x % THREADS; v < rows.vectors; v += THREADS) {
        n += count_vector(popcount, prefix[v] & member[v]);
    }
    n = THREADS == WARP_THREADS ? sum_lanes<WARP_THREADS>(n) : sum_block<BLOCK>(n);
    if (threadIdx.x % THREADS == 0) c.counts[i] = n;
}

extern "C" cudaError_t cuda_launch_class_count(const cuda_rows *rows,
                                               const cuda_paper_config *config,
                                               const cuda_classes *classes, cudaStream_t stream) {
    size_t n = classes->end - classes->first;
    if (n == 0) return cudaSuccess;
    return with_popcount(config, [&](auto popcount) {
        using P = decltype(popcount);
        if (rows->vectors <= SHORT_VECTORS) {
            class_kernel<P, WARP_THREADS>
                <<<blocks_for(n, BLOCK / WARP_THREADS), BLOCK, 0, stream>>>(*rows, popcount,
                                                                            *classes);
        } else {
            class_kernel<P, BLOCK><<<(unsigned)n, BLOCK, 0, stream>>>(*rows, popcount, *classes);
        }
    });
}

/* ---- the trees over partial counts that the papers compare ----------------------------------- */

/* A block per candidate, a thread per 32-bit word (threads stride over longer rows), a partial count
 * each in shared memory, then rounds that fold the upper half onto the lower:
 *     pow2  over the next power of two, padded with zeros
 *     any   over any length: in an odd round the middle one waits for the next */

#define TREE_PARTIALS 1024 /* threads of a block, at most: as on the CPU */

__device__ __forceinline__ void fold_any(uint32_t *partial, uint32_t n) {
    while (n > 1) {
        uint32_t half = n / 2, rest = n - half;
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + rest];
        __syncthreads();
        n = rest;
    }
}

__device__ __forceinline__ void fold_pow2(uint32_t *partial, uint32_t n) {
    uint32_t power = 1;
    while (power < n) power *= 2;
    for (uint32_t half = power / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
}

template <class Popcount, bool POW2>
__global__ void __launch_bounds__(TREE_PARTIALS)
    tree_kernel(const __grid_constant__ cuda_rows rows, const __grid_constant__ Popcount popcount,
                uint32_t n_words, uint32_t min_count,
                const __grid_constant__ cuda_paper_work work) {
    __shared__ uint32_t partial[TREE_PARTIALS];
    cuda_work w = work.work[blockIdx.x];
    const uint32_t *a = (const uint32_t *)row_at(rows, w.a);
    const uint32_t *b = (const uint32_t *)row_at(rows, w.b);
    uint32_t n = 0;
    for (uint32_t i = threadIdx.x; i < n_words; i += TREE_PARTIALS) n += popcount(a[i] & b[i]);
    partial[threadIdx.x] = n;
    __syncthreads();
    uint32_t n_partials = n_words < TREE_PARTIALS ? n_words : TREE_PARTIALS;
    if (POW2) {
        fold_pow2(partial, n_partials);
    } else {
        fold_any(partial, n_partials);
    }
    n = n_words > 0 ? partial[0] : 0;
    if (threadIdx.x == 0) work.counts[blockIdx.x] = n;
    if (w.dst == CUDA_NO_ROW || n < min_count) return;
    uint32_t *dst = (uint32_t *)list_at(rows, w.dst);
    for (uint32_t i = threadIdx.x; i < rows.vectors * 4; i += blockDim.x) dst[i] = a[i] & b[i];
}

/* Threads that hold a partial count each, padding included, in whole warps. */
static unsigned tree_threads(const cuda_paper_config *config) {
    unsigned n = config->n_words < TREE_PARTIALS ? config->n_words : TREE_PARTIALS,
             power = WARP_THREADS;
    if (!config->pow2) {
        return n ? blocks_for(n, WARP_THREADS) * WARP_THREADS : WARP_THREADS;
    }
    while (power < n) power *= 2;
    return power;
}

extern "C" cudaError_t cuda_launch_tree_count(const cuda_rows *rows,
                                              const cuda_paper_config *config,
                                              const cuda_paper_work *work, cudaStream_t stream) {
    unsigned n = (unsigned)work->n, threads = tree_threads(config);
    if (n == 0) return cudaSuccess;
    return with_popcount(config, [&](auto popcount) {
        using P = decltype(popcount);
        if (config->pow2) {
            tree_kernel<P, true><<<n, threads, 0, stream>>>(*rows, popcount, config->n_words,
                                                            config->count.min_count, *work);
        } else {
            tree_kernel<P, false><<<n, threads, 0, stream>>>(*rows, popcount, config->n_words,
                                                             config->count.min_count, *work);
        }
    });
}

__global__ void fill_table_kernel(uint8_t *table) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    table[i] = (uint8_t)__popc(i);
}

extern "C" cudaError_t cuda_launch_fill_table(uint8_t *table, cudaStream_t stream) {
    fill_table_kernel<<<65536 / 256, 256, 0, stream>>>(table);
    return cudaGetLastError();
}

/* ---- joins of itemsets as rows of bits ------------------------------------------------------- */

/* In a row, bit r stands for the item of rank r; rows of equal size are in lexicographic order when
 * they are compared by the lowest bit in which they differ: the one that has it comes first. */

#define BLOCK 256

/* ---- joining and pruning ---- */

/* How the union of rows i and j without one of its items compares with a row: < 0, 0, > 0. */
__device__ int compare_subset(const cuda_sets &s, const uint64_t *x, const uint64_t *y,
                              uint32_t without, const uint64_t *row) {
    for (uint32_t w = 0; w < s.words; w++) {
        uint64_t set = x[w] | y[w];
        if (w == without / 64) set &= ~((uint64_t)1 << (without % 64));
        uint64_t differ = set ^ row[w];
        if (differ) return set & (differ & (0 - differ)) ? -1 : 1;
    }
    return 0;
}

__device__ bool subset_is_row(const cuda_sets &s, const uint64_t *x, const uint64_t *y,
                              uint32_t without) {
    uint32_t low = 0, high = s.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = compare_subset(s, x, y, without, s.data + (size_t)middle * s.words);
        if (order == 0) return true;
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return false;
}

__device__ uint32_t union_size(const cuda_sets &s, const uint64_t *x, const uint64_t *y) {
    uint32_t n = 0;
    for (uint32_t w = 0; w < s.words; w++) n += (uint32_t)__popcll(x[w] | y[w]);
    return n;
}

/* All subsets of the union with one item less; the two without one of the last two items are the
 * rows it was joined from. */
__device__ bool is_candidate(const cuda_sets &s, const uint64_t *x, const uint64_t *y) {
    uint32_t size = union_size(s, x, y), seen = 0;
    for (uint32_t w = 0; w < s.words && seen + 2 < size; w++) {
        for (uint64_t rest = x[w] | y[w]; rest && seen + 2 < size; rest &= rest - 1, seen++) {
            uint32_t item = w * 64 + (uint32_t)__ffsll((long long)rest) - 1;
            if (!subset_is_row(s, x, y, item)) return false;
        }
    }
    return true;
}

/* The left set of a join: the last whose place is not after it. */
__device__ uint32_t find_left(const uint64_t *places, uint32_t n, uint64_t join) {
    uint32_t low = 0, high = n;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (places[middle] <= join) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

__global__ void __launch_bounds__(BLOCK)
    join_kernel(const __grid_constant__ cuda_sets s, const __grid_constant__ cuda_join j) {
    uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= j.n_joins) return;
    uint64_t join = j.first_join + i;
    uint32_t left = find_left(j.places, j.n_left, join), a = j.first + left;
    cuda_pair p = {a, a + 1 + (uint32_t)(join - j.places[left])};
    j.all[i] = p;
    j.keep[i] = is_candidate(s, s.data + (size_t)p.a * s.words, s.data + (size_t)p.b * s.words);
}

/* How many joins a left set makes; 64 bits, as that is what they are added up in. The set after the
 * last one makes none. */
struct joins_of {
    const uint32_t *group_end;
    uint32_t n_sets;
    __host__ __device__ uint64_t operator()(uint32_t i) const {
        return i < n_sets ? group_end[i] - i - 1 : 0;
    }
};

extern "C" cudaError_t cuda_launch_places(const cuda_places *p, void *scratch,
                                          size_t *scratch_bytes, cudaStream_t stream) {
    auto joins = thrust::make_transform_iterator(thrust::counting_iterator<uint32_t>(p->first),
                                                 joins_of{p->group_end, p->n_sets});
    return cub::DeviceScan::ExclusiveSum(scratch, *scratch_bytes, joins, p->places, p->n, stream);
}

extern "C" cudaError_t cuda_join_scratch(size_t n_joins, size_t *bytes) {
    size_t pairs = 0, counts = 0;
    cudaError_t error =
        cub::DeviceSelect::Flagged(nullptr, pairs, (cuda_pair *)nullptr, (uint8_t *)nullptr,
                                   (cuda_pair *)nullptr, (uint32_t *)nullptr, (int)n_joins);
    if (error != cudaSuccess) return error;
    error = cub::DeviceSelect::Flagged(nullptr, counts, (uint32_t *)nullptr, (uint8_t *)nullptr,
                                       (uint32_t *)nullptr, (uint32_t *)nullptr, (int)n_joins);
    *bytes = pairs > counts ? pairs : counts;
    return error;
}

extern "C" cudaError_t cuda_launch_join(const cuda_sets *sets, const cuda_join *join,
                                        cudaStream_t stream) {
    join_kernel<<<blocks_for(join->n_joins, BLOCK), BLOCK, 0, stream>>>(*sets, *join);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    size_t bytes = join->scratch_bytes;
    return cub::DeviceSelect::Flagged(join->scratch, bytes, join->all, join->keep, join->pairs,
                                      join->totals, (int)join->n_joins, stream);
}

__global__ void __launch_bounds__(BLOCK)
    frequent_kernel(const uint32_t *counts, const uint32_t *n, uint32_t most, uint32_t min_count,
                    uint8_t *keep) {
    uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < most) keep[i] = i < *n && counts[i] >= min_count;
}

extern "C" cudaError_t cuda_launch_keep_frequent(uint32_t min_count, const cuda_join *join,
                                                 cudaStream_t stream) {
    size_t most = join->n_joins;
    frequent_kernel<<<blocks_for(most, BLOCK), BLOCK, 0, stream>>>(
        join->counts, join->totals, (uint32_t)most, min_count, join->keep);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    size_t bytes = join->scratch_bytes;
    error = cub::DeviceSelect::Flagged(join->scratch, bytes, join->pairs, join->keep, join->all,
                                       join->totals + 1, (int)most, stream);
    if (error != cudaSuccess) return error;
    bytes = join->scratch_bytes;
    return cub::DeviceSelect::Flagged(join->scratch, bytes, join->counts, join->keep,
                                      join->kept_counts, join->totals + 1, (int)most, stream);
}

/* ---- a grid over all pairs of itemsets as rows of bits --------------------------------------- */

/* Where rows are given, one block for each coordinate, as the paper has it: its threads take a 32-bit
 * word each (and stride over longer rows), OR the words of the two sets, and count the items of the
 * union together; if there are k, they also AND the words of the sets' two rows. A block without a
 * pair leaves at once; what remains is the cost of starting it.
 *
 * Where only sets are united, that is all cost there is: a device starts about one block a clock
 * (5.3e9 blocks of two to four words each took 3.2 s on an H200, 1.65e9 a second). So a thread takes
 * the place of a block there: the same coordinates, the same pairs, 256 of them in a block.
 *
 * Each coordinate writes to a place of its own, so nothing depends on the order in which blocks run. The
 * kept pairs are gathered by a second kernel, which is not part of the grid's time. */

#define GRID_THREADS 1024 /* of a block, at most */

/* Over all threads of a block, in whole warps; every thread gets the sum. To be called once. */
__device__ __forceinline__ uint32_t sum_threads(uint32_t n) {
    __shared__ uint32_t warps[GRID_THREADS / WARP_THREADS];
    n = sum_lanes<WARP_THREADS>(n);
    if (blockDim.x == WARP_THREADS) return n;
    if (threadIdx.x % WARP_THREADS == 0) warps[threadIdx.x / WARP_THREADS] = n;
    __syncthreads();
    n = 0;
    for (uint32_t i = 0; i < blockDim.x / WARP_THREADS; i++) n += warps[i];
    return n;
}

/* The items of the union of two sets. */
__device__ __forceinline__ uint32_t unite_sets(const cuda_sets &s, cuda_pair p) {
    const uint32_t *a = (const uint32_t *)(s.data + (size_t)p.a * s.words);
    const uint32_t *b = (const uint32_t *)(s.data + (size_t)p.b * s.words);
    uint32_t n = 0;
    for (uint32_t i = threadIdx.x; i < 2 * s.words; i += blockDim.x) n += __popc(a[i] | b[i]);
    return sum_threads(n);
}

/* The AND of the rows of two sets that have one, to the place of a block. */
__device__ __forceinline__ void intersect_rows(const cuda_rows &rows, const cuda_grid &g,
                                               cuda_pair p, size_t block) {
    uint32_t left = g.set_rows[p.a], right = g.set_rows[p.b], n_words = rows.vectors * 4;
    if (left == CUDA_NO_ROW || right == CUDA_NO_ROW) return;
    const uint32_t *a = (const uint32_t *)row_at(rows, left);
    const uint32_t *b = (const uint32_t *)row_at(rows, right);
    uint32_t *to = (uint32_t *)(g.united + block * rows.vectors);
    for (uint32_t i = threadIdx.x; i < n_words; i += blockDim.x) to[i] = a[i] & b[i];
}

__global__ void __launch_bounds__(GRID_THREADS)
    grid_kernel(const __grid_constant__ cuda_rows rows, const __grid_constant__ cuda_sets s,
                const __grid_constant__ cuda_grid g) {
    cuda_pair p;
    if (!backend_grid_pair(g.square != 0, s.n, g.tile.x + blockIdx.x, g.tile.y + blockIdx.y, &p.a,
                           &p.b)) {
        return; /* all threads of the block */
    }
    if (unite_sets(s, p) != g.k) return; /* likewise */
    size_t block = (size_t)blockIdx.y * g.tile.width + blockIdx.x;
    if (threadIdx.x == 0) g.keep[block] = 1;
    intersect_rows(rows, g, p, block);
}

/* The same for sets alone, a coordinate for each thread. */
__global__ void __launch_bounds__(CUDA_GRID_PAIRS)
    grid_pairs_kernel(const __grid_constant__ cuda_sets s, const __grid_constant__ cuda_grid g) {
    uint32_t at = blockIdx.x * CUDA_GRID_PAIRS + threadIdx.x;
    if (at >= g.tile.width * g.tile.height) return;
    cuda_pair p;
    if (!backend_grid_pair(g.square != 0, s.n, g.tile.x + at % g.tile.width,
                           g.tile.y + at / g.tile.width, &p.a, &p.b)) {
        return;
    }
    const uint64_t *a = s.data + (size_t)p.a * s.words, *b = s.data + (size_t)p.b * s.words;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s.words; i++) n += (uint32_t)__popcll(a[i] | b[i]);
    if (n == g.k) g.keep[at] = 1;
}

extern "C" cudaError_t cuda_grid_load(void) {
    cudaFuncAttributes attributes;
    cudaError_t error = cudaFuncGetAttributes(&attributes, grid_pairs_kernel);
    return error == cudaSuccess ? cudaFuncGetAttributes(&attributes, grid_kernel) : error;
}

/* A thread for each word of the longest row that a block reads, in whole warps. */
static unsigned grid_threads(size_t words) {
    if (words > GRID_THREADS) words = GRID_THREADS;
    return words > 0 ? blocks_for(words, WARP_THREADS) * WARP_THREADS : WARP_THREADS;
}

extern "C" cudaError_t cuda_launch_grid(const cuda_rows *rows, const cuda_sets *sets,
                                        const cuda_grid *grid, cudaStream_t stream) {
    size_t set_words = (size_t)2 * sets->words, row_words = (size_t)4 * rows->vectors;
    if (grid->set_rows) {
        size_t words = set_words > row_words ? set_words : row_words;
        dim3 blocks(grid->tile.width, grid->tile.height);
        grid_kernel<<<blocks, grid_threads(words), 0, stream>>>(*rows, *sets, *grid);
    } else {
        unsigned blocks = blocks_for((size_t)backend_grid_blocks(grid->tile), CUDA_GRID_PAIRS);
        grid_pairs_kernel<<<blocks, CUDA_GRID_PAIRS, 0, stream>>>(*sets, *grid);
    }
    return cudaGetLastError();
}

/* Block number → its pair. */
struct pair_of_block {
    bool square;
    uint32_t n;
    backend_grid_tile tile;
    __host__ __device__ cuda_pair operator()(uint32_t block) const {
        cuda_pair p;
        backend_grid_pair(square, n, tile.x + block % tile.width, tile.y + block / tile.width, &p.a,
                          &p.b);
        return p;
    }
};

extern "C" cudaError_t cuda_launch_grid_select(const cuda_sets *sets, cuda_grid *grid,
                                               cudaStream_t stream) {
    pair_of_block pair = {grid->square != 0, sets->n, grid->tile};
    auto blocks = thrust::counting_iterator<uint32_t>(0);
    auto out = thrust::make_transform_output_iterator(grid->pairs, pair);
    return cub::DeviceSelect::Flagged(grid->scratch, grid->scratch_bytes, blocks, grid->keep, out,
                                      grid->n_pairs, (int)backend_grid_blocks(grid->tile), stream);
}

/* ---- levels that are made on the device: tables, groups and rows of their sets --------------- */

#define BLOCK 256

__device__ __forceinline__ size_t thread_number() {
    return (size_t)blockIdx.x * BLOCK + threadIdx.x;
}

/* ---- single items ---- */

/* A thread per word of the table. */
__global__ void __launch_bounds__(BLOCK) item_table_kernel(const __grid_constant__ cuda_level l) {
    size_t at = thread_number();
    if (at >= (size_t)l.n * l.words) return;
    uint32_t item = (uint32_t)(at / l.words), word = (uint32_t)(at % l.words);
    l.data[at] = item / 64 == word ? (uint64_t)1 << (item % 64) : 0;
}

__global__ void __launch_bounds__(BLOCK) item_groups_kernel(const __grid_constant__ cuda_level l) {
    size_t i = thread_number();
    if (i >= l.n) return;
    l.group_end[i] = l.n;
    l.rows[i] = l.first_row + (uint32_t)i * l.step;
}

extern "C" cudaError_t cuda_launch_level_items(const cuda_level *level, cudaStream_t stream) {
    if (level->n == 0) return cudaSuccess;
    size_t words = (size_t)level->n * level->words;
    item_table_kernel<<<blocks_for(words, BLOCK), BLOCK, 0, stream>>>(*level);
    item_groups_kernel<<<blocks_for(level->n, BLOCK), BLOCK, 0, stream>>>(*level);
    return cudaGetLastError();
}

/* ---- unions ---- */

/* A thread per word of the table. */
__global__ void __launch_bounds__(BLOCK)
    union_table_kernel(const __grid_constant__ cuda_sets s, const cuda_pair *pairs,
                       const __grid_constant__ cuda_level l) {
    size_t at = thread_number();
    if (at >= (size_t)l.n * l.words) return;
    cuda_pair p = pairs[at / l.words];
    size_t word = at % l.words;
    l.data[at] = s.data[(size_t)p.a * l.words + word] | s.data[(size_t)p.b * l.words + word];
}

/* A group is a run of equal left sets. They ascend, so a binary search finds the end of the run:
 * the first pair after i with another one. */
__global__ void __launch_bounds__(BLOCK)
    union_groups_kernel(const cuda_pair *pairs, const __grid_constant__ cuda_level l) {
    size_t i = thread_number();
    if (i >= l.n) return;
    uint32_t left = pairs[i].a, low = (uint32_t)i + 1, high = l.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (pairs[middle].a == left) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    l.group_end[i] = low;
    l.rows[i] = l.first_row + (uint32_t)i * l.step;
}

extern "C" cudaError_t cuda_launch_level_unions(const cuda_sets *sets, const cuda_pair *pairs,
                                                const cuda_level *level, cudaStream_t stream) {
    if (level->n == 0) return cudaSuccess;
    size_t words = (size_t)level->n * level->words;
    union_table_kernel<<<blocks_for(words, BLOCK), BLOCK, 0, stream>>>(*sets, pairs, *level);
    union_groups_kernel<<<blocks_for(level->n, BLOCK), BLOCK, 0, stream>>>(pairs, *level);
    return cudaGetLastError();
}

/* ---- rows ---- */

__global__ void __launch_bounds__(BLOCK)
    level_rows_kernel(const __grid_constant__ cuda_level_rows r) {
    size_t i = thread_number();
    if (i >= r.n) return;
    cuda_pair p = r.pairs[i];
    r.dst[i] = r.first_row + (uint32_t)i * r.step;
    r.lists[2 * i] = r.set_rows[p.a];
    r.lists[2 * i + 1] = r.set_rows[p.b];
}

extern "C" cudaError_t cuda_launch_level_rows(const cuda_level_rows *rows, cudaStream_t stream) {
    if (rows->n == 0) return cudaSuccess;
    level_rows_kernel<<<blocks_for(rows->n, BLOCK), BLOCK, 0, stream>>>(*rows);
    return cudaGetLastError();
}
