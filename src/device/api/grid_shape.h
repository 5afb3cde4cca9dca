/* grid_shape.h - the two grids over all pairs of N sets: blocks, tiles, and the pair of a block
 *
 * GPU Apriori compares all pairs of sets. Each thread block of a grid compares one pair; in the
 * square grid, more than half of the blocks have no pair. Included by C and by CUDA C++: the CPU, a
 * GPU and the tests share this code.
 *
 *     square   N * N blocks. Block (x, y) has the pair of sets y and x if y < x; the other
 *              N (N + 1) / 2 blocks have none.
 *     folded   N (N - 1) / 2 blocks, each with a pair: N - 1 wide and N/2 high if N is even, N wide
 *              and (N - 1)/2 high if N is odd. Row y ends with the pairs of set y and larger sets.
 *              The blocks in front of these have no pairs in the square grid. Here they take the
 *              pairs of one set from the upper half of the numbers with larger sets; there are just
 *              as many such pairs as blocks:
 *
 *     N = 6   01 02 03 04 05   →   01 02 03 04 05     N = 5   01 02 03 04   →   34 01 02 03 04
 *                12 13 14 15       45 12 13 14 15                12 13 14       24 23 12 13 14
 *                   23 24 25       35 34 23 24 25                   23 24
 *                      34 35                                           34
 *                         45
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_API_GRID_SHAPE_H
#define LODE_DEVICE_API_GRID_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define GRID_SHAPE_INLINE static __host__ __device__ __forceinline__
#else
#define GRID_SHAPE_INLINE static inline
#endif

/* A rectangle of the grid: blocks x … x + width - 1 of the rows y … y + height - 1. */
typedef struct backend_grid_tile {
    uint32_t x, y, width, height;
} backend_grid_tile;

/* The number of blocks of a tile. */
GRID_SHAPE_INLINE uint64_t backend_grid_blocks(backend_grid_tile t) {
    return (uint64_t)t.width * t.height;
}

/* The whole grid over n sets. */
GRID_SHAPE_INLINE backend_grid_tile backend_grid_whole(bool square, uint32_t n) {
    backend_grid_tile whole = {0, 0, n, n};
    if (square) return whole;
    whole.width = n % 2 || n == 0 ? n : n - 1;
    whole.height = n / 2;
    return whole;
}

/* Sets *a < *b to the pair of block (x, y); returns false if the block has none. */
GRID_SHAPE_INLINE bool backend_grid_pair(bool square, uint32_t n, uint32_t x, uint32_t y,
                                         uint32_t *a, uint32_t *b) {
    uint32_t odd = n % 2, column = square || odd ? x : x + 1;
    *a = y;
    *b = column;
    if (column > y) return true;
    *a = n - 1 - odd - y;
    *b = n - 1 - x;
    return !square;
}

/* The number of blocks without a pair in a tile. */
static inline uint64_t backend_grid_idle(bool square, backend_grid_tile t) {
    uint64_t idle = 0;
    for (uint32_t row = 0; row < t.height && square; row++) {
        uint64_t first_pair = (uint64_t)t.y + row + 1; /* the x of the first block with a pair */
        uint64_t before = first_pair > t.x ? first_pair - t.x : 0;
        idle += before < t.width ? before : t.width;
    }
    return idle;
}

/* The maximum size of a tile. */
typedef struct backend_grid_cut {
    uint64_t blocks; /* at least 1 */
    uint32_t rows;   /* at least 1 */
} backend_grid_cut;

/* Cuts an area into tiles: moves *tile to the next one, or returns false after the last. Begin with
 * an empty tile ({0}). A tile is several whole rows of the area or a piece of one row, so the tiles
 * go through all blocks row by row, whatever the limits are. */
static inline bool backend_grid_next(backend_grid_tile area, backend_grid_cut cut,
                                     backend_grid_tile *tile) {
    bool begun = tile->width > 0;
    uint32_t x = begun ? tile->x + tile->width : area.x, y = begun ? tile->y : area.y;
    if (begun && x == area.x + area.width) {
        x = area.x;
        y += tile->height;
    }
    uint32_t rows = area.y + area.height - y, width = area.x + area.width - x;
    if (rows == 0 || width == 0) return false;
    backend_grid_tile next = {x, y, width, 1};
    *tile = next;
    if (x != area.x || cut.blocks < width) {
        if (cut.blocks < width) tile->width = (uint32_t)cut.blocks;
        return true;
    }
    uint64_t most = cut.blocks / width < cut.rows ? cut.blocks / width : cut.rows;
    tile->height = most < rows ? (uint32_t)most : rows;
    return true;
}

#endif
