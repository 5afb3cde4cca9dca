/* product_lists.cu - a sparse root: lists instead of bit rows
 *
 * A sparse root is kept as two kinds of lists: the rows of each column, and the columns of each
 * row. Pairs are counted by occurrence deliver: each column adds one to the count of every pair of
 * its rows. Children have the columns of one row only and are dense enough for bit rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/product_code.cuh"

#define BLOCK     256
#define WARPS     (BLOCK / WARP_THREADS)
#define BLOCKS_SM 4
#define SHARES    8 /* warps that divide the pairs of a column, or the columns of a child */

struct warp_place {
    uint32_t index, n;
    __device__ warp_place()
        : index(blockIdx.x * WARPS + threadIdx.x / WARP_THREADS), n(gridDim.x * WARPS) {}
};

/* ---- columns by row ------------------------------------------------------------------------ */

__global__ void __launch_bounds__(BLOCK) columns_kernel(const cuda_lists lists, uint32_t n_columns,
                                                        uint64_t *cursors, uint32_t *columns) {
    warp_place warp;
    for (uint32_t c = warp.index; c < n_columns; c += warp.n) {
        for (uint64_t i = lists.starts[c] + lane_id(); i < lists.starts[c + 1]; i += WARP_THREADS) {
            uint64_t at = atomicAdd((unsigned long long *)&cursors[lists.items[i]], 1ull);
            columns[at] = c;
        }
    }
}

cudaError_t cuda_launch_list_columns(const cuda_lists *lists, uint32_t n_columns, uint64_t *cursors,
                                     uint32_t *columns, unsigned n_sm, cudaStream_t stream) {
    columns_kernel<<<n_sm * BLOCKS_SM, BLOCK, 0, stream>>>(*lists, n_columns, cursors, columns);
    return cudaGetLastError();
}

/* ---- pairs --------------------------------------------------------------------------------- */

__device__ __forceinline__ void deliver(const cuda_request &request, uint32_t n_rows, uint32_t i,
                                        uint32_t j) {
    if (i < request.first || i >= request.end) return;
    atomicAdd(&request.counts[(size_t)(i - request.first) * n_rows + j], 1u);
}

/* blockIdx.y: which rows of a column are taken as the first of a pair. */
__global__ void __launch_bounds__(BLOCK)
    pairs_kernel(const cuda_frame f, const cuda_request request, uint32_t n_columns) {
    warp_place warp;
    bool both = request.target != CUDA_ALL;
    for (uint32_t c = warp.index; c < n_columns; c += warp.n) {
        const uint32_t *items = f.lists.items + f.lists.starts[c];
        uint32_t n = (uint32_t)(f.lists.starts[c + 1] - f.lists.starts[c]);
        for (uint32_t a = blockIdx.y; a < n; a += SHARES) {
            for (uint32_t b = a + 1 + lane_id(); b < n; b += WARP_THREADS) {
                deliver(request, f.n_rows, items[a], items[b]);
                if (both) deliver(request, f.n_rows, items[b], items[a]);
            }
        }
    }
}

cudaError_t cuda_launch_list_pairs(const cuda_frame *frame, const cuda_request *request,
                                   uint32_t n_columns, unsigned n_sm, cudaStream_t stream) {
    pairs_kernel<<<dim3(n_sm * BLOCKS_SM, SHARES), BLOCK, 0, stream>>>(*frame, *request, n_columns);
    return cudaGetLastError();
}

/* ---- children ------------------------------------------------------------------------------ */

/* Finds a row in an ascending list; n if it is not there. */
__device__ uint32_t find_row(const uint32_t *rows, uint32_t n, uint32_t row) {
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rows[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < n && rows[low] == row ? low : n;
}

/* Sets the bits of children, whose rows are zero. Column p of a child is the p-th column of its
 * parent row. */
__global__ void __launch_bounds__(BLOCK)
    children_kernel(const cuda_frame from, const cuda_frame to, const cuda_found found,
                    const cuda_build build) {
    for (uint32_t child = blockIdx.x; child < to.n_classes; child += gridDim.x) {
        class_view c(to, child);
        uint32_t row = found.child_row[build.first_child + child];
        const uint32_t *columns = from.lists.columns + from.lists.row_at[row];
        const uint32_t *rows = build.row_from + c.first;
        uint32_t n = (uint32_t)(from.lists.row_at[row + 1] - from.lists.row_at[row]);
        uint32_t warp = blockIdx.y * WARPS + threadIdx.x / WARP_THREADS;
        for (uint32_t p = warp; p < n; p += SHARES * WARPS) {
            uint64_t i = from.lists.starts[columns[p]], end = from.lists.starts[columns[p] + 1];
            for (i += lane_id(); i < end; i += WARP_THREADS) {
                uint32_t local = find_row(rows, c.n, from.lists.items[i]);
                if (local == c.n) continue;
                atomicOr(const_cast<uint32_t *>(c.words(local)) + p / 32, 1u << p % 32);
            }
        }
    }
}

cudaError_t cuda_launch_list_children(const cuda_frame *from, const cuda_frame *to,
                                      const cuda_found *found, const cuda_build *build,
                                      unsigned n_sm, cudaStream_t stream) {
    unsigned blocks = to->n_classes < n_sm * BLOCKS_SM ? to->n_classes : n_sm * BLOCKS_SM;
    children_kernel<<<dim3(blocks, SHARES), BLOCK, 0, stream>>>(*from, *to, *found, *build);
    return cudaGetLastError();
}
