/* grid_shape.h - the two grids over all pairs of N sets: blocks, tiles, and the pair of a block
 *
 * Included by C and by CUDA C++, like graph_shapes.h: the CPU, a GPU and the tests share this code.
 *
 *     square   N * N blocks; (x, y) has the pair y < x, and N (N + 1) / 2 blocks have none
 *     folded   N (N - 1) / 2 blocks: (N - 1) * N/2 for an even N, N * (N - 1)/2 for an odd one.
 *              Row y begins with the pairs of a set of the lower half, which are too few for a
 *              row of their own, and goes on with those of set y:
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

/* Blocks x … x + width - 1 of the rows y … y + height - 1. */
typedef struct backend_grid_tile {
    uint32_t x, y, width, height;
} backend_grid_tile;

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

/* The pair *a < *b of block (x, y); false if the block has none. */
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

/* The number of blocks of a tile without a pair. */
static inline uint64_t backend_grid_idle(bool square, backend_grid_tile t) {
    uint64_t idle = 0;
    for (uint32_t row = 0; row < t.height && square; row++) {
        uint64_t first_pair = (uint64_t)t.y + row + 1; /* the x of the first block with a pair */
        uint64_t before = first_pair > t.x ? first_pair - t.x : 0;
        idle += before < t.width ? before : t.width;
    }
    return idle;
}

/* The limits for tiles of a grid: blocks, and rows. */
typedef struct backend_grid_cut {
    uint64_t blocks; /* at least 1 */
    uint32_t rows;   /* at least 1 */
} backend_grid_cut;

/* Moves to the next tile of an area; begin with an empty tile. A tile is whole rows of the area or
 * a piece of one row, so the blocks of all tiles are in the order of the area, row by row, however
 * it is cut. Returns false after the last. */
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
