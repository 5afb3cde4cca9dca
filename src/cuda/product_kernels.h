/* product_kernels.h - the kernels of the miner by products, seen from C
 *
 * Words as in backend/products.h. Launch functions queue work on a stream and return what
 * cudaGetLastError() says; pointers are to device memory. Read by C and by CUDA C++.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CUDA_PRODUCT_KERNELS_H
#define LODE_CUDA_PRODUCT_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_CUBE_DIMS   12 /* partners that a cube takes … */
#define CUDA_LARGE_DIMS  16 /* … where there are many columns. PRODUCT_CUBE */
#define CUDA_TALLY_SIZES 64 /* PRODUCT_SIZES */
/* A tally: by size, then by free items; at the end, those that have more of either. */
#define CUDA_TALLY_MISFITS (CUDA_TALLY_SIZES * CUDA_TALLY_SIZES)

typedef enum cuda_product_target { CUDA_ALL, CUDA_CLOSED, CUDA_MAXIMAL } cuda_product_target;
typedef enum cuda_product_kernel { CUDA_POPC, CUDA_MMA, CUDA_WGMMA } cuda_product_kernel;

/* A sparse root: both ways round. items == NULL: there are rows of bits instead. */
typedef struct cuda_lists {
    const uint32_t *items; /* of column c, the rows that have it: items[starts[c]] …, ascending */
    const uint64_t *starts;
    const uint32_t *columns; /* of row r, its columns: columns[row_at[r]] … */
    const uint64_t *row_at;
} cuda_lists;

/* Classes of one depth. */
typedef struct cuda_frame {
    const uint4 *base; /* rows, each of whole vectors of 16 bytes */
    uint32_t n_rows, n_classes;
    uint32_t items;              /* chosen in the set of a row: depth + 1 */
    const uint32_t *row_class;   /* by row */
    const uint32_t *row_support; /* by row */
    const uint32_t *class_first; /* n_classes + 1: rows */
    const uint64_t *class_at;    /* n_classes + 1: vectors */
    const uint64_t *class_pairs; /* n_classes + 1: sums of rows squared */
    const uint32_t *class_vectors;
    const uint32_t *class_watch; /* rows in front that are watched */
    const uint32_t *class_free;
    cuda_lists lists; /* of the root, and only there */
    /* Of a root that is larger than the device: its rows are there a slice of columns at a time, of
     * class_vectors, and this is how long they are. 0: they are there as a whole. */
    uint32_t total_vectors;
} cuda_frame;

/* The rows that are asked for, and where counts go: the count of local rows i and j of class c is
 * counts[class_pairs[c] + i * (rows of c) + j - origin]. */
typedef struct cuda_ask {
    uint32_t first, end;             /* rows */
    uint32_t first_class, end_class; /* that these are of */
    uint32_t min_count, more;
    uint32_t cube;   /* partners that a cube takes; … */
    uint32_t beside; /* … without the watched ones, which are looked at beside it */
    cuda_product_target target;
    uint64_t origin;
    uint32_t *counts;
    uint32_t adds; /* to counts, which are there from other columns */
} cuda_ask;

/* ---- products (product_plan.cu, product_small.cu, product_tiles.cu) ---- */

#define CUDA_SMALL_SHAPES 4 /* classes of up to 8, 16, 32, 64 rows; larger ones in tiles */
#define CUDA_SMALL_ROWS   64

typedef struct cuda_small_task {
    uint32_t of, chunk;
} cuda_small_task;

typedef struct cuda_tile_task {
    uint32_t of;
    uint32_t row, column; /* local, the first of the tile */
    uint32_t chunk;
} cuda_tile_task;

typedef struct cuda_product_tasks {
    uint32_t *n; /* CUDA_SMALL_SHAPES + 1 */
    cuda_small_task *small[CUDA_SMALL_SHAPES];
    cuda_tile_task *tiles;
    uint32_t tile_columns; /* of a tile; it has CUDA_TILE_ROWS rows */
    uint32_t tile_chunk;   /* vectors that a task of a tile goes through … */
    uint32_t small_chunk;  /* … and one of a small class; a multiple of 4 */
    uint32_t all_in_tiles; /* small classes, too */
    /* There is one class: tiles follow from their numbers, and nobody lists them; 0: they do. */
    uint32_t n_direct;
} cuda_product_tasks;

#define CUDA_TILE_ROWS 128

/* Fills in the tasks; n must be zero. Not for direct ones. */
cudaError_t cuda_launch_product_tasks(const cuda_frame *frame, const cuda_ask *ask,
                                      const cuda_product_tasks *tasks, cudaStream_t stream);
/* How many tiles follow from their numbers. */
uint32_t cuda_direct_tile_tasks(const cuda_product_tasks *tasks, const cuda_ask *ask,
                                uint32_t n_rows, uint32_t vectors);
/* Add to counts, which must be zero; but where one task goes through all of a row, it sets them. */
cudaError_t cuda_launch_product_small(const cuda_frame *frame, const cuda_ask *ask,
                                      const cuda_product_tasks *tasks, unsigned shape,
                                      unsigned n_sm, cudaStream_t stream);
cudaError_t cuda_launch_product_tiles(const cuda_frame *frame, const cuda_ask *ask,
                                      const cuda_product_tasks *tasks, cuda_product_kernel kernel,
                                      unsigned n_sm, cudaStream_t stream);

/* The only class of a frame: of up to CUDA_SMALL_ROWS rows, by so many blocks; a single one sets
 * counts, several add to them. vectors: of a row of the root; 0 for other frames. */
cudaError_t cuda_launch_product_one(const cuda_frame *frame, const cuda_ask *ask, uint32_t vectors,
                                    unsigned blocks, cudaStream_t stream);
/* Pair by pair, a few at a time by a block if `wide`, else by a warp; sets counts. */
cudaError_t cuda_launch_product_pairs(const cuda_frame *frame, const cuda_ask *ask,
                                      uint32_t vectors, int wide, cudaStream_t stream);

/* ---- what the counts say (product_plan.cu) ---- */

/* Of one row, and summed over those before it. */
typedef struct cuda_row_plan {
    uint64_t partners, vectors, pairs;
    uint32_t cubes, children, rows, groups, tiles, subsumed;
    uint64_t cube_sets, cube_vectors, pair_vectors;
} cuda_row_plan;

#define CUDA_GROUP_ROWS 16 /* rows of a class that are built together */

typedef struct cuda_found {
    uint32_t *partners, *supports;
    /* by cube */
    uint32_t *cube_row, *cube_partners;
    uint64_t *cube_at, *cube_sets_at;
    /* by child; these become the classes of the next frame */
    uint32_t *child_row, *child_partners;
    uint64_t *child_partners_at;
    uint32_t *child_first, *child_vectors, *child_watch, *child_free;
    uint64_t *child_at, *child_pairs;
} cuda_found;

/* plans[i]: what row ask->first + i has. tally may be NULL. */
cudaError_t cuda_launch_plan_rows(const cuda_frame *frame, const cuda_ask *ask,
                                  cuda_row_plan *plans, uint64_t *tally, cudaStream_t stream);
/* plans become sums; plans[n] the totals. With scratch NULL: sets *scratch_bytes. */
cudaError_t cuda_launch_plan_scan(cuda_row_plan *plans, size_t n, void *scratch,
                                  size_t *scratch_bytes, cudaStream_t stream);
/* ends[i] (may be NULL): where the partners of row ask->first + i end. */
cudaError_t cuda_launch_plan_place(const cuda_frame *frame, const cuda_ask *ask,
                                   const cuda_row_plan *plans, const cuda_found *found,
                                   uint64_t *ends, cudaStream_t stream);

/* ---- children (product_build.cu) ---- */

typedef struct cuda_build_task {
    uint32_t child; /* class of the new frame */
    uint32_t first; /* local row */
    uint32_t part;  /* of the columns, which are many */
} cuda_build_task;

#define CUDA_PART_WORDS 8192 /* of a row, that one task goes through */

typedef struct cuda_build {
    uint32_t *row_from;             /* row of the old frame, by row of the new one */
    cuda_build_task *copy, *gather; /* tasks */
    uint32_t *n;                    /* of them: two numbers, zero before */
    uint32_t first_child;           /* in `found` */
    uint32_t first0;                /* what it has there as first row … */
    uint64_t at0, pairs0;           /* … and so on: they begin at 0 in the new frame */
    /* Of a slice: where it begins in the rows of the old frame, and whether it is the last. */
    uint32_t slice_at, last;
    uint32_t *fill; /* words that earlier slices left in each child; NULL: there is one slice */
} cuda_build;

/* Fills in the tables of the new frame, `to`, and lists what is to be built. */
cudaError_t cuda_launch_build_tables(const cuda_frame *from, const cuda_frame *to,
                                     const cuda_found *found, const cuda_build *build,
                                     cudaStream_t stream);
/* Adds what this slice leaves to `fill`. */
cudaError_t cuda_launch_build_fill(const cuda_frame *from, const cuda_frame *to,
                                   const cuda_found *found, const cuda_build *build,
                                   cudaStream_t stream);
cudaError_t cuda_launch_build_rows(const cuda_frame *from, const cuda_frame *to,
                                   const cuda_found *found, const cuda_build *build, unsigned n_sm,
                                   cudaStream_t stream);

/* ---- sparse roots (product_lists.cu) ---- */

/* columns, from items and starts; cursors is a copy of row_at, and is spoilt. */
cudaError_t cuda_launch_list_columns(const cuda_lists *lists, uint32_t n_columns, uint64_t *cursors,
                                     uint32_t *columns, unsigned n_sm, cudaStream_t stream);
/* Adds to counts, which must be zero. */
cudaError_t cuda_launch_list_pairs(const cuda_frame *frame, const cuda_ask *ask, uint32_t n_columns,
                                   unsigned n_sm, cudaStream_t stream);
/* In place of cuda_launch_build_rows(); the rows must be zero. */
cudaError_t cuda_launch_list_children(const cuda_frame *from, const cuda_frame *to,
                                      const cuda_found *found, const cuda_build *build,
                                      unsigned n_sm, cudaStream_t stream);

/* ---- cubes (product_cubes.cu) ---- */

typedef struct cuda_cube_results {
    /* Without `fetch`. */
    uint64_t *tally;
    /* With it: places for all sets of cube c are from cube_sets_at[c] - sets0 on. */
    uint32_t *sets, *supports;
    uint64_t sets0;
    uint64_t *n; /* by cube: how many there are */
} cuda_cube_results;

#define CUDA_CUBES_SM 8 /* blocks of a multiprocessor that work on cubes */

/* How blocks divide cubes, or other things with histograms, among them. */
typedef struct cuda_cube_work {
    uint32_t *next;       /* zero before */
    uint32_t n;           /* cubes */
    const uint32_t *list; /* of their numbers; NULL: all in turn */
    uint32_t n_parts;     /* of each cube: of the columns; 1: what follows is not used */
    uint32_t *histograms; /* for each cube; zero before */
    uint32_t *arrived;    /* by cube: parts that are done; zero before */
    uint32_t sliced;      /* this launch does one part of each cube: all columns that are there */
} cuda_cube_work;

/* Cubes of `work` as far as they are among [first, end) of `found`. */
cudaError_t cuda_launch_cubes(const cuda_frame *frame, const cuda_ask *ask, const cuda_found *found,
                              uint32_t first, uint32_t end, const cuda_cube_results *results,
                              const cuda_cube_work *work, unsigned n_sm, cudaStream_t stream);
/* ---- tails (product_tails.cu) and large cubes (product_large.cu) ---- */

#define CUDA_TAIL_ROWS 13         /* the last rows of a class: all have cubes, if anything */
#define CUDA_TAILS_SM  6          /* blocks of a multiprocessor */
#define CUDA_NO_KEY    UINT32_MAX /* in place of a row: all columns count */

/* Cubes that one histogram serves. */
typedef struct cuda_tail {
    uint32_t of;  /* class */
    uint32_t key; /* local row of the only one, a large cube; CUDA_NO_KEY: they are of a tail */
    uint32_t first_cube, n_cubes;
} cuda_tail;

/* How the cubes are served; every one of them is in one of the lists. */
enum { CUDA_N_TAILS, CUDA_N_LARGE, CUDA_N_LOOSE, CUDA_N_LISTS };
typedef struct cuda_tails {
    uint32_t *n;      /* of each list; zero before */
    uint32_t rows;    /* of a tail, at the most: CUDA_TAIL_ROWS or CUDA_LARGE_DIMS */
    cuda_tail *tails; /* of CUDA_TAIL_ROWS rows at the most */
    cuda_tail *large; /* larger ones, and cubes of more than CUDA_CUBE_DIMS partners */
    uint32_t *loose;  /* the other cubes: one by one */
} cuda_tails;

/* Makes the lists, for target ALL. `taken`, by cube, is zero before: whether a tail serves it. */
cudaError_t cuda_launch_find_tails(const cuda_frame *frame, const cuda_ask *ask,
                                   const cuda_row_plan *plans, const cuda_found *found,
                                   const cuda_tails *tails, uint32_t n_cubes, uint8_t *taken,
                                   cudaStream_t stream);
/* The results of tails, as far as they are among cubes [first, end). Histograms are of
 * 2^CUDA_TAIL_ROWS. */
cudaError_t cuda_launch_tails(const cuda_frame *frame, const cuda_ask *ask, const cuda_found *found,
                              const cuda_tails *tails, uint32_t first, uint32_t end,
                              const cuda_cube_results *results, const cuda_cube_work *work,
                              unsigned n_sm, cudaStream_t stream);

#define CUDA_LARGE_WORDS 2016 /* of a row, that a block counts at a time: columns fit 16 bits */

/* The results of `large` ones likewise, each of which has cubes among [first, end). Of `work`: how
 * many; n_parts, as many times CUDA_LARGE_WORDS as the longest row has; and histograms of
 * 2^CUDA_LARGE_DIMS. */
cudaError_t cuda_launch_large(const cuda_frame *frame, const cuda_ask *ask, const cuda_found *found,
                              const cuda_tail *large, uint32_t first, uint32_t end,
                              const cuda_cube_results *results, const cuda_cube_work *work,
                              unsigned n_sm, cudaStream_t stream);
/* Whether the present device has the shared memory for that. */
cudaError_t cuda_large_fits(int device, int *fits);

/* Moves the results of each cube together: ends[c] = where those of cube `first` + c end. With
 * scratch NULL: sets *scratch_bytes. */
cudaError_t cuda_launch_cube_pack(const cuda_found *found, uint32_t first, uint32_t end,
                                  const cuda_cube_results *from, uint64_t *ends, uint32_t *sets,
                                  uint32_t *supports, void *scratch, size_t *scratch_bytes,
                                  cudaStream_t stream);

/* Load the kernels of a file that most runs need. */
cudaError_t cuda_load_plan(void);
cudaError_t cuda_load_small(void);
cudaError_t cuda_load_build(void);
cudaError_t cuda_load_cubes(void);
cudaError_t cuda_load_tails(void);
cudaError_t cuda_load_large(void);

/* Which target each kernel has code for on the present device: 0 = none, so it must not be used. */
int cuda_product_has_wgmma(void);

#ifdef __cplusplus
}
#endif

#endif
