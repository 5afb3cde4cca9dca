/* grid_kernels.cu - the grid over all pairs of itemsets as rows of bits
 * SPDX-License-Identifier: Apache-2.0 */
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include "papers/cuda/paper_kernels.h"

__device__ uint32_t grid_union_size(const cuda_sets &s, const uint64_t *x, const uint64_t *y) {
    uint32_t n = 0;
    for (uint32_t w = 0; w < s.words; w++) n += (uint32_t)__popcll(x[w] | y[w]);
    return n;
}

/* Work item number → pair x < y; x == y for items that have nothing to do. The folded triangle is
 * floor(n / 2) wide: row x of the triangle starts in row x of the rectangle, and what does not fit
 * there fills up the row that is as much too short, counted from the other end. */
struct grid_pair {
    uint64_t first;
    uint32_t n;
    bool square;
    __host__ __device__ cuda_pair operator()(uint32_t i) const {
        uint64_t item = first + i;
        uint32_t width = square ? n : n / 2;
        uint32_t row = (uint32_t)(item / width), column = (uint32_t)(item % width);
        if (square) return column > row ? cuda_pair{row, column} : cuda_pair{0, 0};
        uint32_t own = n - 1 - row; /* length of this row of the triangle */
        if (column < own) return cuda_pair{row, row + 1 + column};
        uint32_t height = n % 2 ? n : n - 1, x = height - 1 - row;
        return cuda_pair{x, x + 1 + width + (column - own)};
    }
};

struct union_has {
    cuda_sets s;
    grid_pair grid;
    uint32_t k;
    __device__ bool operator()(uint32_t i) const {
        cuda_pair p = grid(i);
        if (p.a == p.b) return false;
        return grid_union_size(s, s.data + (size_t)p.a * s.words, s.data + (size_t)p.b * s.words) ==
               k;
    }
};

extern "C" cudaError_t cuda_launch_or_pairs(const cuda_sets *sets, cuda_grid_part *part,
                                            cudaStream_t stream) {
    grid_pair grid = {part->first, sets->n, part->square != 0};
    auto items = thrust::counting_iterator<uint32_t>(0);
    auto out = thrust::make_transform_output_iterator(part->pairs, grid);
    return cub::DeviceSelect::If(part->scratch, part->scratch_bytes, items, out, part->n_pairs,
                                 (int)(part->end - part->first), union_has{*sets, grid, part->k},
                                 stream);
}
