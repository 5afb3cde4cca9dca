/* pgm_kernels.cu - extensions of the occurrences of patterns, as the papers lay them out
 *
 * A thread for each (path vertex, row) of a pattern, column-major: neighbouring threads work on
 * neighbouring rows of the same path vertex. A block works for one pattern of the batch. What the papers compare is one template parameter of all kernels,
 * `M` for memory: records and entries as vectors or as an array for each number, read by read-only
 * or by ordinary loads. Through M go the reads of graphs, labels, columns, the rows written out,
 * records and entries; what is read once and in order (places, keys, numbers) is the same for all.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

#include "papers/cuda/pgm_kernels.h"

#define BLOCK       CUDA_PGM_TILE
#define LIST_BLOCKS 1024u

static unsigned blocks_of(size_t n) {
    return (unsigned)((n + BLOCK - 1) / BLOCK);
}

/* ---- how memory is read and written ---- */

/* T: uint32_t, uint2, uint4. The ordinary ones stay ordinary because the pointers are fields of a
 * struct and not __restrict__: the compiler cannot know that nobody writes. */
struct loads_readonly {
    template <class T> static __device__ __forceinline__ T get(const T *p) {
        return __ldg(p);
    }
};
struct loads_plain {
    template <class T> static __device__ __forceinline__ T get(const T *p) {
        return *p;
    }
};

/* Record or entry i of n; vertex: of an entry. */
template <class Loads> struct memory_vectors : Loads {
    static __device__ __forceinline__ void put_record(void *to, size_t, size_t i, uint4 r) {
        static_cast<uint4 *>(to)[i] = r;
    }
    static __device__ __forceinline__ uint4 record(const void *from, size_t, size_t i) {
        return Loads::get(static_cast<const uint4 *>(from) + i);
    }
    static __device__ __forceinline__ void put_entry(void *to, size_t, size_t i, uint2 e) {
        static_cast<uint2 *>(to)[i] = e;
    }
    static __device__ __forceinline__ uint2 entry(const void *from, size_t, size_t i) {
        return Loads::get(static_cast<const uint2 *>(from) + i);
    }
    static __device__ __forceinline__ uint32_t vertex(const void *from, size_t, size_t i) {
        return Loads::get(&static_cast<const uint2 *>(from)[i].y);
    }
};
template <class Loads> struct memory_columns : Loads {
    static __device__ __forceinline__ void put_record(void *to, size_t n, size_t i, uint4 r) {
        uint32_t *at = static_cast<uint32_t *>(to) + i;
        at[0] = r.x;
        at[n] = r.y;
        at[2 * n] = r.z;
        at[3 * n] = r.w;
    }
    static __device__ __forceinline__ uint4 record(const void *from, size_t n, size_t i) {
        const uint32_t *at = static_cast<const uint32_t *>(from) + i;
        return make_uint4(Loads::get(at), Loads::get(at + n), Loads::get(at + 2 * n),
                          Loads::get(at + 3 * n));
    }
    static __device__ __forceinline__ void put_entry(void *to, size_t n, size_t i, uint2 e) {
        uint32_t *at = static_cast<uint32_t *>(to) + i;
        at[0] = e.x;
        at[n] = e.y;
    }
    static __device__ __forceinline__ uint2 entry(const void *from, size_t n, size_t i) {
        const uint32_t *at = static_cast<const uint32_t *>(from) + i;
        return make_uint2(Loads::get(at), Loads::get(at + n));
    }
    static __device__ __forceinline__ uint32_t vertex(const void *from, size_t n, size_t i) {
        return Loads::get(static_cast<const uint32_t *>(from) + n + i);
    }
};

/* Calls f with the memory that a layout names. */
template <class F> static cudaError_t with_layout(const pgm_layout &layout, F f) {
    if (layout.by_columns) {
        if (layout.plain) {
            f(memory_columns<loads_plain>());
        } else {
            f(memory_columns<loads_readonly>());
        }
    } else if (layout.plain) {
        f(memory_vectors<loads_plain>());
    } else {
        f(memory_vectors<loads_readonly>());
    }
    return cudaGetLastError();
}

/* ---- whose work it is ---- */

/* The last i of n for which f(i) holds; it holds for 0, and from where it does not on, for none. */
template <class F> static __device__ __forceinline__ uint32_t last_that(uint32_t n, F f) {
    uint32_t low = 0;
    while (n - low > 1) {
        uint32_t middle = low + (n - low) / 2;
        if (f(middle)) {
            low = middle;
        } else {
            n = middle;
        }
    }
    return low;
}

static __device__ __forceinline__ uint32_t pattern_of_row_tile(const cuda_pgm &p, uint32_t tile) {
    return last_that(p.n_patterns,
                     [&](uint32_t i) { return p.patterns[i].first_row_tile <= tile; });
}

static __device__ __forceinline__ uint32_t pattern_of_item_tile(const cuda_pgm &p, uint32_t tile) {
    return last_that(p.n_patterns,
                     [&](uint32_t i) { return p.patterns[i].first_item_tile <= tile; });
}

static __device__ __forceinline__ uint32_t pattern_of_record(const cuda_pgm &p, size_t record) {
    return last_that(p.n_patterns, [&](uint32_t i) { return i == 0 || p.ends[i - 1] <= record; });
}

/* ---- extensions ---- */

/* Follows each row through the columns, and writes its vertices out. */
template <class M>
__global__ void __launch_bounds__(BLOCK) pgm_matrix_kernel(const __grid_constant__ cuda_pgm p) {
    const cuda_pgm_pattern &x = p.patterns[pattern_of_row_tile(p, blockIdx.x)];
    uint32_t n_rows = x.n_rows, row = (blockIdx.x - x.first_row_tile) * BLOCK + threadIdx.x;
    if (row >= n_rows) return;
    uint32_t *matrix = p.matrix + (size_t)x.first_cell_tile * BLOCK;
    const pgm_column *columns = p.columns + x.of.first_column;
    uint32_t at = row;
    for (uint32_t c = x.of.n_columns; c > 0; c--) {
        pgm_column column = columns[c - 1];
        uint2 e = M::entry(column.block, column.n, at);
        matrix[(size_t)(c - 1) * n_rows + row] = e.y;
        at = e.x;
    }
}

/* Calls f(from, to, half-edge, vertex) for each extension of work item t of a pattern. */
template <class M, class F>
__device__ __forceinline__ void for_extensions(const cuda_pgm &p, const cuda_pgm_pattern &x,
                                               size_t t, F f) {
    uint32_t n_rows = x.n_rows, n_columns = x.of.n_columns, n_path = x.of.n_path;
    uint32_t least_type = x.of.least_type;
    const uint32_t *matrix = p.matrix + (size_t)x.first_cell_tile * BLOCK;
    const uint16_t *path = p.paths + x.of.first_path;
    uint32_t i = (uint32_t)(t / n_rows), row = (uint32_t)(t % n_rows);
    uint32_t position = path[i];
    uint32_t v = M::get(matrix + (size_t)position * n_rows + row);
    uint32_t end = M::get(p.graphs.offsets + v + 1);
    for (uint32_t k = M::get(p.graphs.offsets + v); k < end; k++) {
        if (M::get(&p.graphs.half[k].type) < least_type) continue;
        uint32_t vertex = M::get(&p.graphs.half[k].to), at = 0;
        while (at < n_columns && M::get(matrix + (size_t)at * n_rows + row) != vertex) at++;
        if (at < n_columns) { /* backward: from the newest vertex to the others of the path */
            uint32_t j = 1;
            while (j < n_path && path[j] != at) j++;
            if (i != 0 || j == n_path) continue;
        }
        f(position, at, k, vertex);
    }
}

/* Work items that fill up the last tile of a pattern have no extensions. */
template <class M>
__global__ void __launch_bounds__(BLOCK) pgm_count_kernel(const __grid_constant__ cuda_pgm p) {
    const cuda_pgm_pattern &x = p.patterns[pattern_of_item_tile(p, blockIdx.x)];
    size_t t = (size_t)(blockIdx.x - x.first_item_tile) * BLOCK + threadIdx.x;
    uint32_t n = 0;
    if (t < (size_t)x.of.n_path * x.n_rows) {
        for_extensions<M>(p, x, t, [&](uint32_t, uint32_t, uint32_t, uint32_t) { n++; });
    }
    p.counts[(size_t)blockIdx.x * BLOCK + threadIdx.x] = n;
}

/* Where the records of each pattern end. */
__global__ void __launch_bounds__(BLOCK) end_patterns_kernel(const __grid_constant__ cuda_pgm p) {
    uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= p.n_patterns) return;
    size_t items = (size_t)p.patterns[i + 1].first_item_tile * BLOCK;
    p.ends[i] = items ? p.places[items - 1] + p.counts[items - 1] : 0;
}

template <class M>
__global__ void __launch_bounds__(BLOCK) pgm_record_kernel(const __grid_constant__ cuda_pgm p) {
    const cuda_pgm_pattern &x = p.patterns[pattern_of_item_tile(p, blockIdx.x)];
    size_t t = (size_t)(blockIdx.x - x.first_item_tile) * BLOCK + threadIdx.x;
    if (t >= (size_t)x.of.n_path * x.n_rows) return;
    uint32_t row = (uint32_t)(t % x.n_rows);
    size_t at = p.places[(size_t)blockIdx.x * BLOCK + threadIdx.x];
    for_extensions<M>(p, x, t, [&](uint32_t from, uint32_t to, uint32_t k, uint32_t vertex) {
        if (at >= p.n_records) return; /* cannot be: they were counted */
        uint32_t edge_label = M::get(p.labels.of_half + k);
        uint32_t to_label = M::get(p.labels.of_vertex + vertex);
        M::put_record(p.records, p.n_records, at, make_uint4(from, to, edge_label, to_label));
        M::put_entry(p.entries, p.n_records, at, make_uint2(row, vertex));
        at++;
    });
}

/* ---- order and supports ---- */

/* The code of an extension as a number: pattern, backward first, column, edge label, label. */
template <class M>
__global__ void __launch_bounds__(BLOCK) pgm_key_kernel(const __grid_constant__ cuda_pgm p) {
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= p.n_records) return;
    uint64_t key = pattern_of_record(p, i);
    uint32_t n_columns = p.patterns[key].of.n_columns;
    uint4 r = M::record(p.records, p.n_records, i);
    bool forward = r.y == n_columns;
    key = key << p.column_bits | (forward ? n_columns + r.x : r.y);
    key = key << p.labels.half_bits | r.z;
    key = key << p.labels.vertex_bits | r.w;
    p.keys[i] = key;
    p.order[i] = (uint32_t)i;
}

/* In sorted order: whether a record is the first of its extension, or of a graph in it. */
template <class M>
__global__ void __launch_bounds__(BLOCK) pgm_value_kernel(const __grid_constant__ cuda_pgm p) {
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= p.n_records) return;
    if (i == 0) p.head->n_listed = 0;
    bool first = i == 0 || p.sorted_keys[i] != p.sorted_keys[i - 1];
    if (!first) {
        uint32_t vertex = M::vertex(p.entries, p.n_records, p.sorted[i]);
        uint32_t earlier = M::vertex(p.entries, p.n_records, p.sorted[i - 1]);
        first = M::get(p.graphs.graph_of + vertex) != M::get(p.graphs.graph_of + earlier);
    }
    p.values[i] = (uint64_t)i << 32 | (first ? 1 : 0);
}

/* Adds values up: the number of the first, and the sum of what is below it. */
struct add_to_first {
    __device__ __forceinline__ uint64_t operator()(uint64_t first, uint64_t next) const {
        return first + (uint32_t)next;
    }
};

__global__ void __launch_bounds__(BLOCK) list_frequent_kernel(const __grid_constant__ cuda_pgm p) {
    uint32_t n = p.head->n_runs;
    for (uint32_t i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        uint64_t value = p.run_values[i];
        uint32_t first = (uint32_t)(value >> 32), support = (uint32_t)value;
        if (support < p.min_support) continue;
        uint32_t end = i + 1 < n ? (uint32_t)(p.run_values[i + 1] >> 32) : p.n_records;
        uint32_t at = atomicAdd(&p.head->n_listed, 1u);
        if (at >= p.list_cap) continue; /* cannot be: each has min_support records */
        cuda_pgm_run run = {p.run_keys[i], first, end - first, support, 0};
        p.list[at] = run;
    }
}

/* Forward, the entry of a record is that of the new column; backward, some rows of the last column
 * stay. */
template <class M>
__global__ void __launch_bounds__(BLOCK)
    pgm_column_kernel(const __grid_constant__ cuda_pgm p, const cuda_pgm_child *children,
                      uint32_t n) {
    const cuda_pgm_child &c =
        children[last_that(n, [&](uint32_t i) { return children[i].first_tile <= blockIdx.x; })];
    uint32_t n_rows = c.n_rows, i = (blockIdx.x - c.first_tile) * BLOCK + threadIdx.x;
    if (i >= n_rows) return;
    uint2 entry = M::entry(p.entries, p.n_records, p.sorted[c.first + i]);
    if (c.backward) {
        const pgm_pattern &x = p.patterns[c.pattern].of;
        pgm_column last = p.columns[x.first_column + x.n_columns - 1];
        entry = M::entry(last.block, last.n, entry.x);
    }
    M::put_entry(c.block, n_rows, i, entry);
}

/* ---- launches ---- */

extern "C" cudaError_t cuda_pgm_count_scratch(size_t n, size_t *bytes) {
    return cub::DeviceScan::ExclusiveScan(nullptr, *bytes, (uint32_t *)nullptr, (uint64_t *)nullptr,
                                          ::cuda::std::plus<>(), (uint64_t)0, (int64_t)n);
}

extern "C" cudaError_t cuda_launch_pgm_count(const cuda_pgm *p, cudaStream_t stream) {
    size_t n = (size_t)p->n_item_tiles * BLOCK, bytes = p->scratch_bytes;
    cudaError_t error = with_layout(p->layout, [&](auto memory) {
        using M = decltype(memory);
        pgm_matrix_kernel<M><<<p->n_row_tiles, BLOCK, 0, stream>>>(*p);
        pgm_count_kernel<M><<<p->n_item_tiles, BLOCK, 0, stream>>>(*p);
    });
    if (error != cudaSuccess) return error;
    /* The sums are 64 bits wide because places is. */
    error = cub::DeviceScan::ExclusiveScan(p->scratch, bytes, p->counts, p->places,
                                           ::cuda::std::plus<>(), (uint64_t)0, (int64_t)n, stream);
    if (error != cudaSuccess) return error;
    end_patterns_kernel<<<blocks_of(p->n_patterns), BLOCK, 0, stream>>>(*p);
    return cudaGetLastError();
}

extern "C" cudaError_t cuda_launch_pgm_records(const cuda_pgm *p, cudaStream_t stream) {
    return with_layout(p->layout, [&](auto memory) {
        pgm_record_kernel<decltype(memory)><<<p->n_item_tiles, BLOCK, 0, stream>>>(*p);
    });
}

extern "C" cudaError_t cuda_pgm_sort_scratch(uint32_t n_records, uint32_t key_bits, size_t *bytes) {
    size_t sort = 0, reduce = 0;
    cudaError_t error = cub::DeviceRadixSort::SortPairs(
        nullptr, sort, (uint64_t *)nullptr, (uint64_t *)nullptr, (uint32_t *)nullptr,
        (uint32_t *)nullptr, (int)n_records, 0, (int)key_bits);
    if (error != cudaSuccess) return error;
    error = cub::DeviceReduce::ReduceByKey(
        nullptr, reduce, (uint64_t *)nullptr, (uint64_t *)nullptr, (uint64_t *)nullptr,
        (uint64_t *)nullptr, (uint32_t *)nullptr, add_to_first(), (int)n_records);
    *bytes = sort > reduce ? sort : reduce;
    return error;
}

extern "C" cudaError_t cuda_launch_pgm_sort(const cuda_pgm *p, cudaStream_t stream) {
    size_t bytes = p->scratch_bytes;
    cudaError_t error = with_layout(p->layout, [&](auto memory) {
        pgm_key_kernel<decltype(memory)><<<blocks_of(p->n_records), BLOCK, 0, stream>>>(*p);
    });
    if (error != cudaSuccess) return error;
    return cub::DeviceRadixSort::SortPairs(p->scratch, bytes, p->keys, p->sorted_keys, p->order,
                                           p->sorted, (int)p->n_records, 0, (int)p->key_bits,
                                           stream);
}

extern "C" cudaError_t cuda_launch_pgm_supports(const cuda_pgm *p, cudaStream_t stream) {
    size_t bytes = p->scratch_bytes;
    cudaError_t error = with_layout(p->layout, [&](auto memory) {
        pgm_value_kernel<decltype(memory)><<<blocks_of(p->n_records), BLOCK, 0, stream>>>(*p);
    });
    if (error != cudaSuccess) return error;
    error = cub::DeviceReduce::ReduceByKey(p->scratch, bytes, p->sorted_keys, p->run_keys,
                                           p->values, p->run_values, &p->head->n_runs,
                                           add_to_first(), (int)p->n_records, stream);
    if (error != cudaSuccess) return error;
    unsigned blocks = blocks_of(p->n_records);
    if (blocks > LIST_BLOCKS) blocks = LIST_BLOCKS; /* runs are far fewer than records, mostly */
    list_frequent_kernel<<<blocks, BLOCK, 0, stream>>>(*p);
    return cudaGetLastError();
}

extern "C" cudaError_t cuda_launch_pgm_columns(const cuda_pgm *p, const cuda_pgm_child *children,
                                               uint32_t n, uint32_t n_tiles, cudaStream_t stream) {
    return with_layout(p->layout, [&](auto memory) {
        pgm_column_kernel<decltype(memory)><<<n_tiles, BLOCK, 0, stream>>>(*p, children, n);
    });
}
