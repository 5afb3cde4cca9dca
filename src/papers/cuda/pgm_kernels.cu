/* pgm_kernels.cu - extensions of the occurrences of one pattern, as the papers lay them out
 *
 * A thread for each (path vertex, row), column-major: neighbouring threads work on neighbouring
 * rows of the same path vertex. What the papers compare are two templates: extensions as vectors of
 * 16 bytes or as four arrays, and read-only or ordinary loads of the graphs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

#include "papers/cuda/pgm_kernels.h"

#define BLOCK 256

static unsigned blocks_of(size_t n) {
    return (unsigned)((n + BLOCK - 1) / BLOCK);
}

/* ---- how memory is read and written ---- */

struct loads_readonly {
    static __device__ __forceinline__ uint32_t get(const uint32_t *p) {
        return __ldg(p);
    }
};
struct loads_plain {
    static __device__ __forceinline__ uint32_t get(const uint32_t *p) {
        return __ldca(p);
    }
};

/* `n` is the number of records. */
struct records_vectors {
    static __device__ __forceinline__ void put(void *at, size_t, size_t i, uint4 x) {
        static_cast<uint4 *>(at)[i] = x;
    }
    static __device__ __forceinline__ uint4 get(const void *at, size_t, size_t i) {
        return static_cast<const uint4 *>(at)[i];
    }
};
struct records_columns {
    static __device__ __forceinline__ void put(void *at, size_t n, size_t i, uint4 x) {
        uint32_t *to = static_cast<uint32_t *>(at);
        to[i] = x.x;
        to[n + i] = x.y;
        to[2 * n + i] = x.z;
        to[3 * n + i] = x.w;
    }
    static __device__ __forceinline__ uint4 get(const void *at, size_t n, size_t i) {
        const uint32_t *from = static_cast<const uint32_t *>(at);
        return make_uint4(from[i], from[n + i], from[2 * n + i], from[3 * n + i]);
    }
};

/* ---- extensions ---- */

__global__ void __launch_bounds__(BLOCK) matrix_kernel(const __grid_constant__ cuda_pgm p) {
    uint32_t row = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= p.n_rows) return;
    uint32_t at = row;
    for (uint32_t c = p.n_columns; c > 0; c--) {
        pgm_column column = p.columns[c - 1];
        p.matrix[(size_t)(c - 1) * p.n_rows + row] = column.vid[at];
        if (c > 1) at = column.idx[at];
    }
}

/* Calls f(from, to, half-edge, target) for each extension of work item t. */
template <class Loads, class F>
__device__ __forceinline__ void for_extensions(const cuda_pgm &p, size_t t, F f) {
    uint32_t i = (uint32_t)(t / p.n_rows), row = (uint32_t)(t % p.n_rows);
    uint32_t position = p.path[i];
    uint32_t v = p.matrix[(size_t)position * p.n_rows + row];
    uint32_t end = Loads::get(p.graphs.offsets + v + 1);
    for (uint32_t k = Loads::get(p.graphs.offsets + v); k < end; k++) {
        uint32_t to = Loads::get(&p.graphs.half[k].to), at = 0;
        while (at < p.n_columns && p.matrix[(size_t)at * p.n_rows + row] != to) at++;
        uint32_t target = BACKEND_GRAPH_NEW;
        if (at < p.n_columns) { /* backward: from the newest vertex to the others of the path */
            uint32_t j = 1;
            while (j < p.n_path && p.path[j] != at) j++;
            if (i != 0 || j == p.n_path) continue;
            target = at;
        }
        f(v, to, k, position << 16 | target);
    }
}

template <class Loads>
__global__ void __launch_bounds__(BLOCK) count_kernel(const __grid_constant__ cuda_pgm p) {
    size_t t = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (t >= (size_t)p.n_path * p.n_rows) return;
    uint32_t n = 0;
    for_extensions<Loads>(p, t, [&](uint32_t, uint32_t, uint32_t, uint32_t) { n++; });
    p.counts[t] = n;
}

template <class Loads, class Records>
__global__ void __launch_bounds__(BLOCK) record_kernel(const __grid_constant__ cuda_pgm p) {
    size_t t = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (t >= (size_t)p.n_path * p.n_rows) return;
    uint32_t row = (uint32_t)(t % p.n_rows);
    size_t at = p.places[t];
    for_extensions<Loads>(p, t, [&](uint32_t from, uint32_t to, uint32_t k, uint32_t ends) {
        if (at >= p.n_records) return; /* cannot be: they were counted */
        Records::put(p.records, p.n_records, at,
                     make_uint4(from, to, Loads::get(p.labels.of_half + k),
                                Loads::get(p.labels.of_vertex + to)));
        p.rows[at] = row;
        p.ends[at++] = ends;
    });
}

/* The code of an extension as a number: backward first, then by column, edge label, label. */
template <class Records>
__global__ void __launch_bounds__(BLOCK) key_kernel(const __grid_constant__ cuda_pgm p) {
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= p.n_records) return;
    uint4 x = Records::get(p.records, p.n_records, i);
    uint32_t ends = p.ends[i], target = ends & 0xffff;
    bool forward = target == BACKEND_GRAPH_NEW;
    uint64_t key = forward ? (uint64_t)p.n_columns + (ends >> 16) : target;
    key = key << p.labels.half_bits | x.z;
    key = key << p.labels.vertex_bits | x.w;
    p.keys[i] = key;
    p.order[i] = (uint32_t)i;
}

template <class Loads, class Records>
__global__ void __launch_bounds__(BLOCK) value_kernel(const __grid_constant__ cuda_pgm p) {
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= p.n_records) return;
    bool first = i == 0 || p.sorted_keys[i] != p.sorted_keys[i - 1];
    if (!first) {
        uint4 x = Records::get(p.records, p.n_records, p.sorted[i]);
        uint4 y = Records::get(p.records, p.n_records, p.sorted[i - 1]);
        first = Loads::get(p.graphs.graph_of + x.x) != Loads::get(p.graphs.graph_of + y.x);
    }
    p.values[i] = (uint64_t)1 << 32 | (first ? 1 : 0);
}

template <class Records>
__global__ void __launch_bounds__(BLOCK)
    column_kernel(const __grid_constant__ cuda_pgm p, pgm_extension e, uint32_t *idx,
                  uint32_t *vid) {
    uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= e.n_rows) return;
    bool backward = e.target != BACKEND_GRAPH_NEW;
    uint32_t record = p.sorted[e.first + i], row = p.rows[record];
    pgm_column last = p.columns[p.n_columns - 1];
    idx[i] = backward ? last.idx[row] : row;
    vid[i] = backward ? last.vid[row] : Records::get(p.records, p.n_records, record).y;
}

/* Calls f with the types that a layout names. */
template <class F> static cudaError_t with_layout(const pgm_layout &layout, F f) {
    if (layout.by_columns) {
        if (layout.plain) {
            f(loads_plain(), records_columns());
        } else {
            f(loads_readonly(), records_columns());
        }
    } else if (layout.plain) {
        f(loads_plain(), records_vectors());
    } else {
        f(loads_readonly(), records_vectors());
    }
    return cudaGetLastError();
}

/* ---- launches ---- */

extern "C" cudaError_t cuda_pgm_count_scratch(size_t n, size_t *bytes) {
    return cub::DeviceScan::ExclusiveScan(nullptr, *bytes, (uint32_t *)nullptr, (uint64_t *)nullptr,
                                          ::cuda::std::plus<>(), (uint64_t)0, (int64_t)n);
}

extern "C" cudaError_t cuda_launch_pgm_count(const cuda_pgm *p, cudaStream_t stream) {
    size_t n = (size_t)p->n_path * p->n_rows, bytes = p->scratch_bytes;
    matrix_kernel<<<blocks_of(p->n_rows), BLOCK, 0, stream>>>(*p);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    error = with_layout(p->layout, [&](auto loads, auto) {
        count_kernel<decltype(loads)><<<blocks_of(n), BLOCK, 0, stream>>>(*p);
    });
    if (error != cudaSuccess) return error;
    /* The sums are 64 bits wide because places is. */
    return cub::DeviceScan::ExclusiveScan(p->scratch, bytes, p->counts, p->places,
                                          ::cuda::std::plus<>(), (uint64_t)0, (int64_t)n, stream);
}

extern "C" cudaError_t cuda_pgm_sort_scratch(uint32_t n_records, uint32_t key_bits, size_t *bytes) {
    size_t sort = 0, reduce = 0;
    cudaError_t error = cub::DeviceRadixSort::SortPairs(
        nullptr, sort, (uint64_t *)nullptr, (uint64_t *)nullptr, (uint32_t *)nullptr,
        (uint32_t *)nullptr, (int)n_records, 0, (int)key_bits);
    if (error != cudaSuccess) return error;
    error = cub::DeviceReduce::ReduceByKey(
        nullptr, reduce, (uint64_t *)nullptr, (uint64_t *)nullptr, (uint64_t *)nullptr,
        (uint64_t *)nullptr, (uint32_t *)nullptr, ::cuda::std::plus<>(), (int)n_records);
    *bytes = sort > reduce ? sort : reduce;
    return error;
}

extern "C" cudaError_t cuda_launch_pgm_sort(const cuda_pgm *p, cudaStream_t stream) {
    size_t items = (size_t)p->n_path * p->n_rows, bytes = p->scratch_bytes;
    unsigned record_blocks = blocks_of(p->n_records);
    cudaError_t error = with_layout(p->layout, [&](auto loads, auto records) {
        using L = decltype(loads);
        using R = decltype(records);
        record_kernel<L, R><<<blocks_of(items), BLOCK, 0, stream>>>(*p);
        key_kernel<R><<<record_blocks, BLOCK, 0, stream>>>(*p);
    });
    if (error != cudaSuccess) return error;
    error =
        cub::DeviceRadixSort::SortPairs(p->scratch, bytes, p->keys, p->sorted_keys, p->order,
                                        p->sorted, (int)p->n_records, 0, (int)p->key_bits, stream);
    if (error != cudaSuccess) return error;
    error = with_layout(p->layout, [&](auto loads, auto records) {
        value_kernel<decltype(loads), decltype(records)><<<record_blocks, BLOCK, 0, stream>>>(*p);
    });
    if (error != cudaSuccess) return error;
    bytes = p->scratch_bytes;
    return cub::DeviceReduce::ReduceByKey(p->scratch, bytes, p->sorted_keys, p->run_keys, p->values,
                                          p->run_values, p->n_runs, ::cuda::std::plus<>(),
                                          (int)p->n_records, stream);
}

extern "C" cudaError_t cuda_launch_pgm_column(const cuda_pgm *p, const pgm_extension *e,
                                              uint32_t *idx, uint32_t *vid, cudaStream_t stream) {
    return with_layout(p->layout, [&](auto, auto records) {
        column_kernel<decltype(records)>
            <<<blocks_of(e->n_rows), BLOCK, 0, stream>>>(*p, *e, idx, vid);
    });
}
