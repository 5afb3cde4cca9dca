/* graph_kernels.cu - many patterns at a time: extensions of their occurrences, and new matrices
 *
 * A block of threads works on a tile: 128 rows of one node, a thread for each. All threads of a
 * block process the same candidates in the same order, and neighbouring threads read neighbouring
 * entries of a column. If a node does not have too many slots, a block counts them in shared memory
 * first, so that it adds to each slot in global memory only once. A bit set of graphs in global
 * memory tells whether a slot already had a row in this graph.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>

#include <cub/device/device_scan.cuh>

#include "device/api/graph_rows.h"
#include "device/cuda/graph_kernels.h"

#define TILE         BACKEND_GRAPH_TILE
#define WARP         32
#define SHARED_SLOTS 1024 /* the slots of nodes that have more are counted in global memory */
#define FLAG_BLOCK   256

/* ---- rows ---- */

__device__ __forceinline__ backend_half half_at(const backend_graphs &g, uint32_t k) {
    uint2 h = __ldg(reinterpret_cast<const uint2 *>(g.half) + k);
    return backend_half{h.x, h.y};
}

/* The half-edges of a vertex of a row. */
struct edges_view {
    uint32_t begin, end;
    __device__ static edges_view at(const backend_graphs &g, const backend_row &r,
                                    uint32_t column) {
        uint32_t v = backend_row_vertex(r, column);
        return edges_view{__ldg(g.offsets + v), __ldg(g.offsets + v + 1)};
    }
};

/* Calls f(to) for each half-edge by which a candidate extends the row. */
template <class F>
__device__ __forceinline__ void for_candidate(const backend_graphs &g, const backend_candidate &c,
                                              const backend_row &r, const edges_view &edges, F f) {
    for (uint32_t k = edges.begin; k < edges.end; k++) {
        backend_half h = half_at(g, k);
        if (h.type > c.type) break; /* sorted by type */
        if (h.type == c.type && backend_row_takes(r, &c, h.to)) f(h.to);
    }
}

/* The last i below n for which first(i) is not above a value; first() ascends, from 0 on. */
template <class F>
__device__ __forceinline__ uint32_t last_from(uint32_t n, uint32_t value, F first) {
    uint32_t low = 0, high = n;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (first(middle) <= value) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The node or child that a tile belongs to. */
template <class T> __device__ uint32_t tile_owner(const T *list, uint32_t n, uint32_t tile) {
    return last_from(n, tile, [&](uint32_t i) { return list[i].first_tile; });
}

/* ---- extend ---- */

/* The slots of a block's node. */
struct slot_counter {
    const backend_node &node;
    const backend_graph_slots &global;
    uint32_t n, n_words;       /* slots; words of a bit set */
    uint32_t *rows, *supports; /* in shared memory */
    bool shared;

    __device__ void add(uint32_t slot, uint32_t n_rows, uint32_t n_graphs) const {
        if (shared) {
            if (n_rows) atomicAdd(rows + slot, n_rows);
            if (n_graphs) atomicAdd(supports + slot, n_graphs);
        } else {
            add_global(slot, n_rows, n_graphs);
        }
    }
    __device__ void add_global(uint32_t slot, uint32_t n_rows, uint32_t n_graphs) const {
        unsigned long long *all = (unsigned long long *)global.rows;
        if (n_rows) atomicAdd(all + node.first_slot + slot, (unsigned long long)n_rows);
        if (n_graphs) atomicAdd(global.supports + node.first_slot + slot, n_graphs);
    }
    /* Notes that the slot occurs in a graph; 1 if that is new. */
    __device__ uint32_t mark(uint32_t slot, uint32_t seg) const {
        uint32_t *word = global.bits + node.first_word + (size_t)slot * n_words + seg / 32;
        uint32_t bit = 1u << (seg % 32);
        if (__ldcg(word) & bit) return 0;
        return (atomicOr(word, bit) & bit) == 0;
    }
    __device__ void clear() const {
        for (uint32_t s = threadIdx.x; shared && s < n; s += TILE) rows[s] = supports[s] = 0;
        __syncthreads();
    }
    __device__ void flush() const {
        __syncthreads();
        for (uint32_t s = threadIdx.x; shared && s < n; s += TILE) {
            add_global(s, rows[s], supports[s]);
        }
    }
};

/* All lanes of a warp do the same candidate; those without a row find nothing. */
__device__ void extend_candidates(const backend_graphs &g, const backend_candidate *candidates,
                                  const backend_row &r, bool active, uint32_t seg,
                                  const slot_counter &slots) {
    edges_view edges = {0, 0};
    uint32_t position = BACKEND_GRAPH_NONE; /* candidates at one vertex follow each other */
    for (uint32_t k = 0; k < slots.node.n_candidates; k++) {
        backend_candidate c = candidates[slots.node.first_candidate + k];
        uint32_t n = 0, fresh = 0;
        if (c.position != position) edges = edges_view::at(g, r, c.position);
        position = c.position;
        if (active) for_candidate(g, c, r, edges, [&](uint32_t) { n++; });
        if (n > 0) fresh = slots.mark(k, seg);
        n = __reduce_add_sync(0xffffffffu, n);
        fresh = __reduce_add_sync(0xffffffffu, fresh);
        if (threadIdx.x % WARP == 0) slots.add(k, n, fresh);
    }
}

__device__ void extend_newest(const backend_graphs &g, const uint16_t *path, const backend_row &r,
                              uint32_t seg, const slot_counter &slots) {
    const backend_node &node = slots.node;
    edges_view edges = edges_view::at(g, r, node.n_vertices - 1);
    for (uint32_t k = edges.begin; k < edges.end; k++) {
        uint32_t slot = backend_row_slot(r, &g, &node, path, half_at(g, k));
        if (slot != BACKEND_GRAPH_NONE) slots.add(slot, 1, slots.mark(slot, seg));
    }
}

__global__ void __launch_bounds__(TILE)
    extend_kernel(const __grid_constant__ backend_graphs g, const backend_node *nodes,
                  uint32_t n_nodes, const backend_candidate *candidates, const uint16_t *paths,
                  const __grid_constant__ backend_graph_slots found) {
    __shared__ backend_node node;
    __shared__ uint32_t rows[SHARED_SLOTS], supports[SHARED_SLOTS];
    if (threadIdx.x == 0) node = nodes[tile_owner(nodes, n_nodes, blockIdx.x)];
    __syncthreads();
    uint32_t n_slots = backend_node_slots(&node, g.pair_width);
    slot_counter slots = {
        node, found, n_slots, (node.n_segs + 31) / 32, rows, supports, n_slots <= SHARED_SLOTS};
    slots.clear();
    uint32_t row = (blockIdx.x - node.first_tile) * TILE + threadIdx.x;
    bool active = row < node.n_rows;
    uint32_t seg = active ? __ldg(node.segs + row) - __ldg(node.segs) : 0;
    backend_row r = {node.rows + (active ? row : 0), node.n_rows, node.n_vertices};
    extend_candidates(g, candidates, r, active, seg, slots);
    if (active && node.n_path > 0) extend_newest(g, paths + node.first_path, r, seg, slots);
    slots.flush();
}

extern "C" cudaError_t cuda_launch_extend(const backend_graphs *graphs,
                                          const backend_graph_batch *batch, cudaStream_t stream) {
    if (batch->n_tiles == 0) return cudaSuccess;
    extend_kernel<<<batch->n_tiles, TILE, 0, stream>>>(*graphs, batch->nodes, batch->n_nodes,
                                                       batch->candidates, batch->paths,
                                                       backend_graph_slots_of(batch));
    return cudaGetLastError();
}

/* ---- build ---- */

__device__ __forceinline__ backend_row child_row(const backend_child &c, uint32_t tile,
                                                 bool *active) {
    uint32_t row = (tile - c.first_tile) * TILE + threadIdx.x;
    *active = row < c.n_from;
    return backend_row{c.from + (*active ? row : 0), c.n_from, c.n_vertices};
}

__device__ __forceinline__ uint32_t count_extensions(const backend_graphs &g,
                                                     const backend_child &c, const backend_row &r,
                                                     bool active) {
    uint32_t n = 0;
    if (active) {
        edges_view edges = edges_view::at(g, r, c.candidate.position);
        for_candidate(g, c.candidate, r, edges, [&](uint32_t) { n++; });
    }
    return n;
}

__global__ void __launch_bounds__(TILE)
    count_kernel(const __grid_constant__ backend_graphs g, const backend_child *children,
                 uint32_t n_children, uint32_t *counts) {
    __shared__ backend_child c;
    __shared__ uint32_t sum;
    if (threadIdx.x == 0) {
        c = children[tile_owner(children, n_children, blockIdx.x)];
        sum = 0;
    }
    __syncthreads();
    bool active;
    backend_row r = child_row(c, blockIdx.x, &active);
    uint32_t n = __reduce_add_sync(0xffffffffu, count_extensions(g, c, r, active));
    if (threadIdx.x % WARP == 0 && n) atomicAdd(&sum, n);
    __syncthreads();
    if (threadIdx.x == 0) counts[blockIdx.x] = sum;
}

/* The sum of n over the threads before this one: where its rows begin in the tile. */
__device__ uint32_t rows_before(uint32_t n) {
    __shared__ uint32_t warps[TILE / WARP];
    uint32_t lane = threadIdx.x % WARP, sum = n;
    for (uint32_t step = 1; step < WARP; step *= 2) {
        uint32_t other = __shfl_up_sync(0xffffffffu, sum, step);
        if (lane >= step) sum += other;
    }
    if (lane == WARP - 1) warps[threadIdx.x / WARP] = sum;
    __syncthreads();
    uint32_t before = sum - n;
    for (uint32_t w = 0; w < threadIdx.x / WARP; w++) before += warps[w];
    return before;
}

__global__ void __launch_bounds__(TILE)
    write_kernel(const __grid_constant__ backend_graphs g, const backend_child *children,
                 uint32_t n_children, const uint32_t *places) {
    __shared__ backend_child c;
    if (threadIdx.x == 0) c = children[tile_owner(children, n_children, blockIdx.x)];
    __syncthreads();
    bool active;
    backend_row r = child_row(c, blockIdx.x, &active);
    uint32_t at = places[blockIdx.x] - places[c.first_tile];
    at += rows_before(count_extensions(g, c, r, active));
    if (!active) return;
    for_candidate(g, c.candidate, r, edges_view::at(g, r, c.candidate.position), [&](uint32_t to) {
        if (at >= c.n_rows) return; /* cannot be: extend counted them */
        backend_child_write(&c, at++, r, to);
    });
}

/* 1 for each row that is the first of its graph, by the rows of all children. */
__global__ void __launch_bounds__(FLAG_BLOCK)
    flag_kernel(const __grid_constant__ backend_graphs g, const backend_child *children,
                uint32_t n_children, uint32_t n_rows, uint32_t *flags) {
    uint32_t row = blockIdx.x * FLAG_BLOCK + threadIdx.x;
    if (row >= n_rows) return;
    uint32_t child =
        last_from(n_children, row, [&](uint32_t i) { return __ldg(&children[i].first_row); });
    const uint32_t *first = children[child].rows;
    uint32_t at = row - children[child].first_row;
    flags[row] = at == 0 || __ldg(g.graph_of + first[at]) != __ldg(g.graph_of + first[at - 1]);
}

static size_t round_up(size_t bytes) {
    return (bytes + 255) / 256 * 256;
}

static cudaError_t scan_bytes(uint32_t n_tiles, uint32_t n_rows, size_t *bytes) {
    size_t tiles = 0, rows = 0;
    cudaError_t error = cub::DeviceScan::ExclusiveSum(nullptr, tiles, (uint32_t *)nullptr,
                                                      (uint32_t *)nullptr, (int)n_tiles);
    if (error != cudaSuccess) return error;
    error = cub::DeviceScan::InclusiveSum(nullptr, rows, (uint32_t *)nullptr, (uint32_t *)nullptr,
                                          (int)n_rows);
    *bytes = tiles > rows ? tiles : rows;
    return error;
}

extern "C" cudaError_t cuda_build_work(uint32_t n_tiles, uint32_t n_rows, size_t *bytes) {
    cudaError_t error = scan_bytes(n_tiles, n_rows, bytes);
    *bytes = round_up(*bytes) + 2 * round_up(n_tiles * sizeof(uint32_t));
    return error;
}

extern "C" cudaError_t cuda_launch_build(const backend_graphs *graphs, const backend_build *build,
                                         cudaStream_t stream) {
    uint32_t *counts = (uint32_t *)build->work;
    size_t part = round_up(build->n_tiles * sizeof(uint32_t)), bytes = 0;
    uint32_t *places = (uint32_t *)((char *)build->work + part);
    void *scratch = (char *)build->work + 2 * part;
    cudaError_t error = scan_bytes(build->n_tiles, build->n_rows, &bytes);
    if (error != cudaSuccess) return error;
    count_kernel<<<build->n_tiles, TILE, 0, stream>>>(*graphs, build->children, build->n_children,
                                                      counts);
    error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    error =
        cub::DeviceScan::ExclusiveSum(scratch, bytes, counts, places, (int)build->n_tiles, stream);
    if (error != cudaSuccess) return error;
    write_kernel<<<build->n_tiles, TILE, 0, stream>>>(*graphs, build->children, build->n_children,
                                                      places);
    error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    flag_kernel<<<(build->n_rows + FLAG_BLOCK - 1) / FLAG_BLOCK, FLAG_BLOCK, 0, stream>>>(
        *graphs, build->children, build->n_children, build->n_rows, build->segs);
    error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    return cub::DeviceScan::InclusiveSum(scratch, bytes, build->segs, build->segs,
                                         (int)build->n_rows, stream);
}
