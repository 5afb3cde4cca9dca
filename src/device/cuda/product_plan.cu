/* product_plan.cu - lists the products to compute, and evaluates the counts that they give
 *
 *     tasks    a warp per class lists the products that count the pairs of the class
 *     rows     a warp per row finds its partners, and whether it has a lattice or a child
 *     scan     finds where the entries of each row begin in every list
 *     place    a warp per row writes the lists
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cub/device/device_scan.cuh>

#include "device/cuda/product_code.cuh"

#define BLOCK 256
#define WARPS (BLOCK / WARP_THREADS)

__device__ __forceinline__ uint32_t warp_index(void) {
    return blockIdx.x * WARPS + threadIdx.x / WARP_THREADS;
}

/* ---- tasks --------------------------------------------------------------------------------- */

/* Reserves n places at the end of a list of tasks. */
__device__ __forceinline__ uint32_t take_places(uint32_t *n_tasks, uint32_t n) {
    uint32_t at = 0;
    if (lane_id() == 0) at = atomicAdd(n_tasks, n);
    return __shfl_sync(ALL_LANES, at, 0);
}

__device__ void list_small(const class_view &c, uint32_t number, const cuda_product_tasks &tasks) {
    uint32_t shape = c.n <= 8 ? 0 : c.n <= 16 ? 1 : c.n <= 32 ? 2 : 3;
    uint32_t n = (c.vectors + tasks.small_chunk - 1) / tasks.small_chunk;
    uint32_t at = take_places(&tasks.n[shape], n);
    for (uint32_t i = lane_id(); i < n; i += WARP_THREADS) tasks.small[shape][at + i] = {number, i};
}

/* Where the first tile of a row of tiles begins: on the diagonal, or at 0 if pairs are counted both
 * ways. */
__device__ __forceinline__ uint32_t first_column(uint32_t row, uint32_t width, bool both) {
    return both ? 0 : (row + 1) / width * width;
}

__device__ void list_tiles(const class_view &c, const requested_rows &rows, uint32_t number,
                           bool both, const cuda_product_tasks &tasks) {
    uint32_t width = tasks.tile_columns;
    uint32_t n_chunks = (c.vectors + tasks.tile_chunk - 1) / tasks.tile_chunk;
    for (uint32_t row = rows.first; row < rows.end; row += CUDA_TILE_ROWS) {
        uint32_t column = first_column(row, width, both);
        uint32_t n_columns = column < c.n ? (c.n - column + width - 1) / width : 0;
        uint32_t n = n_columns * n_chunks;
        uint32_t at = take_places(&tasks.n[CUDA_SMALL_SHAPES], n);
        for (uint32_t i = lane_id(); i < n; i += WARP_THREADS) {
            tasks.tiles[at + i] = {number, row, column + i % n_columns * width, i / n_columns};
        }
    }
}

__global__ void __launch_bounds__(BLOCK)
    tasks_kernel(const cuda_frame f, const cuda_request request, const cuda_product_tasks tasks) {
    uint32_t number = request.first_class + warp_index();
    if (number >= request.end_class) return;
    class_view c(f, number);
    requested_rows rows(request, c);
    if (c.n < 2 || rows.first >= rows.end) return;
    if (c.n <= CUDA_SMALL_ROWS && !tasks.all_in_tiles) {
        list_small(c, number, tasks);
    } else {
        list_tiles(c, rows, number, request.target != CUDA_ALL, tasks);
    }
}

cudaError_t cuda_launch_product_tasks(const cuda_frame *frame, const cuda_request *request,
                                      const cuda_product_tasks *tasks, cudaStream_t stream) {
    tasks_kernel<<<blocks_for(request->end_class - request->first_class, WARPS), BLOCK, 0,
                   stream>>>(*frame, *request, *tasks);
    return cudaGetLastError();
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* A row and its counts with the others of its class. */
struct row_view {
    uint32_t row, number; /* its class */
    class_view c;
    uint32_t local, support;
    const uint32_t *counts;

    __device__ row_view(const cuda_frame &f, const cuda_request &request, uint32_t row)
        : row(row), number(f.row_class[row]), c(f, number), local(row - c.first),
          support(f.row_support[row]), counts(counts_of(f, request, number) + (size_t)local * c.n) {
    }
    __device__ bool is_earlier() const {
        return local < c.earlier;
    }
    /* The first local row that may be a partner. */
    __device__ uint32_t begin(const cuda_request &request) const {
        return request.target == CUDA_ALL ? local + 1 : 0;
    }
    __device__ bool is_partner(const cuda_request &request, uint32_t j) const {
        return request.max_added > 0 && j < c.n && j != local && counts[j] >= request.min_count;
    }
};

/* How many partners a row has. */
struct partner_counts {
    uint32_t earlier, others, perfect;
    bool subsumed;

    __device__ partner_counts(const row_view &r, const cuda_request &request) {
        uint32_t w = 0, o = 0, p = 0, s = 0;
        for (uint32_t j = r.begin(request) + lane_id(); j < r.c.n; j += WARP_THREADS) {
            if (!r.is_partner(request, j)) continue;
            bool same = r.counts[j] == r.support;
            if (j < r.local) {
                w++;
                s |= same;
            } else {
                o += !same;
                p += same;
            }
        }
        earlier = warp_sum(w);
        others = warp_sum(o);
        perfect = warp_sum(p);
        subsumed = __any_sync(ALL_LANES, s != 0);
    }
    __device__ uint32_t all() const {
        return earlier + others;
    }
    /* Whether anything is left to do below the row. */
    __device__ bool leads_on(const cuda_request &request) const {
        return !subsumed && others > 0 && request.max_added > 1;
    }
    __device__ bool fits_lattice(const cuda_request &request) const {
        return (request.excludes_earlier ? others : all()) <= request.lattice_items;
    }
    __device__ bool is_lattice(const cuda_request &request) const {
        return leads_on(request) && fits_lattice(request);
    }
    __device__ bool is_child(const cuda_request &request) const {
        return leads_on(request) && !fits_lattice(request);
    }
};

#define GATHER_WORDS                                                                               \
    256 /* of the parent row: what is gathered from them starts a new vector; as in product_build.cu */

/* Vectors of the rows of a child. Columns are only gathered if less than half of them stay. */
__device__ uint32_t child_vectors(const cuda_frame &f, const row_view &r) {
    uint32_t all = f.total_vectors ? f.total_vectors : r.c.vectors, words = all * 4;
    if (f.lists.items) return (r.support + 127) / 128;
    if ((uint64_t)r.support * 2 >= (uint64_t)words * 32) return all;
    uint32_t vectors = (r.support + 127) / 128 + (words + GATHER_WORDS - 1) / GATHER_WORDS;
    return vectors < all ? vectors : all;
}

__device__ cuda_row_plan plan_of(const cuda_frame &f, const row_view &r, const partner_counts &p,
                                 const cuda_request &request) {
    cuda_row_plan plan = {};
    plan.subsumed = p.subsumed;
    plan.partners = p.all() + p.perfect;
    if (p.is_lattice(request)) {
        plan.lattices = 1;
        plan.lattice_sets = ((uint64_t)1 << p.others) - 1;
        plan.lattice_vectors = (uint64_t)r.c.vectors * (p.all() + 1);
    }
    if (p.is_child(request)) {
        uint32_t rows = p.all(), side = (rows + CUDA_TILE_ROWS - 1) / CUDA_TILE_ROWS;
        plan.children = 1;
        plan.rows = rows;
        plan.groups = (rows + CUDA_GROUP_ROWS - 1) / CUDA_GROUP_ROWS;
        uint32_t vectors = child_vectors(f, r);
        plan.vectors = (uint64_t)rows * vectors;
        plan.pairs = (uint64_t)rows * rows;
        plan.pair_vectors = (uint64_t)rows * (rows - 1) / 2 * vectors;
        plan.tiles = rows > CUDA_SMALL_ROWS ? side * side : 0;
    }
    return plan;
}

/* Tallies the row itself, and its partners if no more may be added. */
__device__ void tally_row(const cuda_frame &f, const row_view &r, const partner_counts &p,
                          const cuda_request &request, uint64_t *tally) {
    bool wanted = !p.subsumed && (request.target != CUDA_MAXIMAL || p.all() == 0);
    uint32_t free = f.class_free[r.number] + p.perfect;
    if (!wanted) return;
    add_tally(tally, f.items, free, 1);
    if (request.max_added == 1 && p.others > 0) add_tally(tally, f.items + 1, free, p.others);
}

__global__ void __launch_bounds__(BLOCK) rows_kernel(const cuda_frame f, const cuda_request request,
                                                     cuda_row_plan *plans, uint64_t *tally) {
    uint32_t row = request.first + warp_index();
    if (row >= request.end) return;
    row_view r(f, request, row);
    if (r.is_earlier()) {
        if (lane_id() == 0) plans[row - request.first] = cuda_row_plan{};
        return;
    }
    partner_counts p(r, request);
    if (lane_id() != 0) return;
    plans[row - request.first] = plan_of(f, r, p, request);
    if (tally) tally_row(f, r, p, request, tally);
}

cudaError_t cuda_launch_plan_rows(const cuda_frame *frame, const cuda_request *request,
                                  cuda_row_plan *plans, uint64_t *tally, cudaStream_t stream) {
    rows_kernel<<<blocks_for(request->end - request->first, WARPS), BLOCK, 0, stream>>>(
        *frame, *request, plans, tally);
    return cudaGetLastError();
}

/* ---- scan ---------------------------------------------------------------------------------- */

struct add_plans {
    __host__ __device__ cuda_row_plan operator()(const cuda_row_plan &a,
                                                 const cuda_row_plan &b) const {
        return {a.partners + b.partners,
                a.vectors + b.vectors,
                a.pairs + b.pairs,
                a.lattices + b.lattices,
                a.children + b.children,
                a.rows + b.rows,
                a.groups + b.groups,
                a.tiles + b.tiles,
                a.subsumed + b.subsumed,
                a.lattice_sets + b.lattice_sets,
                a.lattice_vectors + b.lattice_vectors,
                a.pair_vectors + b.pair_vectors};
    }
};

cudaError_t cuda_launch_plan_scan(cuda_row_plan *plans, size_t n, void *scratch,
                                  size_t *scratch_bytes, cudaStream_t stream) {
    if (scratch) {
        cudaError_t error = cudaMemsetAsync(plans + n, 0, sizeof *plans, stream);
        if (error != cudaSuccess) return error;
    }
    return cub::DeviceScan::ExclusiveScan(scratch, *scratch_bytes, plans, plans, add_plans(),
                                          cuda_row_plan{}, n + 1, stream);
}

/* ---- place --------------------------------------------------------------------------------- */

__device__ void place_partners(const row_view &r, const cuda_request &request, uint64_t at,
                               const cuda_found &found) {
    for (uint32_t from = r.begin(request); from < r.c.n; from += WARP_THREADS) {
        uint32_t j = from + lane_id();
        bool is = r.is_partner(request, j);
        uint32_t those = __ballot_sync(ALL_LANES, is);
        if (is) {
            uint64_t place = at + (uint32_t)__popc(those & ((1u << lane_id()) - 1));
            found.partners[place] = r.c.first + j;
            found.supports[place] = r.counts[j];
        }
        at += (uint32_t)__popc(those);
    }
}

/* One lane does this and the next. */
__device__ void place_lattice(const row_view &r, const cuda_row_plan &at, uint32_t n_partners,
                              const cuda_found &found) {
    uint32_t i = at.lattices;
    found.lattice_row[i] = r.row;
    found.lattice_partners[i] = n_partners;
    found.lattice_at[i] = at.partners;
    found.lattice_sets_at[i] = at.lattice_sets;
}

__device__ void place_child(const cuda_frame &f, const row_view &r, const partner_counts &p,
                            const cuda_row_plan &at, uint32_t n_partners, const cuda_found &found) {
    uint32_t i = at.children;
    found.child_row[i] = r.row;
    found.child_partners[i] = n_partners;
    found.child_partners_at[i] = at.partners;
    found.child_first[i] = at.rows;
    found.child_vectors[i] = child_vectors(f, r);
    found.child_earlier[i] = p.earlier;
    found.child_free[i] = f.class_free[r.number] + p.perfect;
    found.child_at[i] = at.vectors;
    found.child_pairs[i] = at.pairs;
}

__global__ void __launch_bounds__(BLOCK)
    place_kernel(const cuda_frame f, const cuda_request request, const cuda_row_plan *plans,
                 const cuda_found found, uint64_t *ends) {
    uint32_t i = warp_index();
    if (i >= request.end - request.first) return;
    const cuda_row_plan &at = plans[i], &next = plans[i + 1];
    uint32_t n_partners = (uint32_t)(next.partners - at.partners);
    if (lane_id() == 0 && ends) ends[i] = next.partners;
    if (n_partners == 0) return;
    row_view r(f, request, request.first + i);
    place_partners(r, request, at.partners, found);
    if (next.lattices > at.lattices && lane_id() == 0) place_lattice(r, at, n_partners, found);
    if (next.children > at.children) {
        partner_counts p(r, request);
        if (lane_id() == 0) place_child(f, r, p, at, n_partners, found);
    }
}

/* The last entries, which end the last child and the last lattice. */
__global__ void close_kernel(const cuda_row_plan *plans, uint32_t n, const cuda_found found) {
    const cuda_row_plan &all = plans[n];
    found.child_first[all.children] = all.rows;
    found.child_at[all.children] = all.vectors;
    found.child_pairs[all.children] = all.pairs;
    found.lattice_sets_at[all.lattices] = all.lattice_sets;
}

cudaError_t cuda_launch_plan_place(const cuda_frame *frame, const cuda_request *request,
                                   const cuda_row_plan *plans, const cuda_found *found,
                                   uint64_t *ends, cudaStream_t stream) {
    uint32_t n = request->end - request->first;
    place_kernel<<<blocks_for(n, WARPS), BLOCK, 0, stream>>>(*frame, *request, plans, *found, ends);
    close_kernel<<<1, 1, 0, stream>>>(plans, n, *found);
    return cudaGetLastError();
}

cudaError_t cuda_load_plan(void) {
    return load_kernels(tasks_kernel, rows_kernel, place_kernel, close_kernel);
}
