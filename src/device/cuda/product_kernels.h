/* product_kernels.h - C interface of the kernels of the tensor miner
 *
 * Terms as in device/api/products.h. In addition:
 *     vector      16 bytes of a row; every row is a whole number of vectors
 *     local row   the number of a row within its class
 *     key         the local row to whose columns a histogram is restricted
 *     origin      running sums begin at the first row or child of a frame; a call that begins at a
 *                 later row or child subtracts the sum at that place, the origin
 *
 * A launch function queues work on a stream and returns the result of cudaGetLastError(). The
 * structs passed to it are in host memory, the arrays that they point to are in device memory.
 * Included by C and by CUDA C++.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_PRODUCT_KERNELS_H
#define LODE_DEVICE_CUDA_PRODUCT_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_LATTICE_DIMS 12 /* maximum partners of a lattice … */
#define CUDA_LARGE_DIMS   16 /* … and of a large one; equals PRODUCT_LATTICE_ITEMS */
#define CUDA_TALLY_SIZES  64 /* equals PRODUCT_SIZES */
/* A tally is an array of CUDA_TALLY_MISFITS + 1 entries: entry chosen * CUDA_TALLY_SIZES + free
 * counts the results with so many chosen and free items, and the last entry those with too many of
 * either. */
#define CUDA_TALLY_MISFITS (CUDA_TALLY_SIZES * CUDA_TALLY_SIZES)

typedef enum cuda_product_target { CUDA_ALL, CUDA_CLOSED, CUDA_MAXIMAL } cuda_product_target;
typedef enum cuda_product_kernel { CUDA_POPC, CUDA_MMA, CUDA_WGMMA } cuda_product_kernel;

/* A sparse root, by column and by row. items == NULL: the root has bit rows instead. */
typedef struct cuda_lists {
    const uint32_t *items;   /* column c is in the rows items[starts[c]] …, in ascending order */
    const uint64_t *starts;  /* by column, and one more entry, which ends the last column */
    const uint32_t *columns; /* row r has the columns columns[row_at[r]] …, in any order */
    const uint64_t *row_at;  /* by row, and one more entry, which ends the last row */
} cuda_lists;

/* The classes of one depth. */
typedef struct cuda_frame {
    const uint4 *base; /* the rows, class by class */
    uint32_t n_rows, n_classes;
    uint32_t items;              /* chosen items of a row's set: depth + 1 */
    const uint32_t *row_class;   /* by row: its class */
    const uint32_t *row_support; /* by row */
    /* by class; the first three have one more entry, which ends the last class */
    const uint32_t *class_first;   /* its first row */
    const uint64_t *class_at;      /* its first vector, from `base` on */
    const uint64_t *class_pairs;   /* sum of (rows squared) over the previous classes */
    const uint32_t *class_vectors; /* vectors of each of its rows */
    const uint32_t *class_earlier; /* how many of its rows, the first, belong to earlier items */
    const uint32_t *class_free;    /* free items of its prefix */
    cuda_lists lists;              /* of the root only */
    /* A root larger than the device is processed one slice of columns at a time: `base` then has
     * one slice, class_vectors is the length of a slice, and total_vectors that of a whole row. For
     * all other frames, total_vectors is 0. */
    uint32_t total_vectors;
} cuda_frame;

/* Rows [first, end) are to be counted. The count of local rows i and j of class c goes to
 * counts[class_pairs[c] + i * (rows of c) + j - origin]. */
typedef struct cuda_request {
    uint32_t first, end;
    uint32_t first_class, end_class; /* the classes that contain them */
    uint32_t min_count, max_added;   /* as in product_request */
    uint32_t lattice_items;          /* maximum partners of a lattice … */
    uint32_t excludes_earlier; /* … true: without earlier partners, which are checked separately */
    cuda_product_target target;
    uint64_t origin;
    uint32_t *counts;
    uint32_t adds; /* counts already hold the sums of other slices: add to them */
} cuda_request;

/* ---- products (product_plan.cu, product_small.cu, product_tiles.cu) ---- */

#define CUDA_SMALL_SHAPES                                                                          \
    4 /* small classes: up to 8, 16, 32 or 64 rows; larger classes are cut into tiles */
#define CUDA_SMALL_ROWS 64

/* A task: counts all pairs of a small class, in one chunk of its columns. */
typedef struct cuda_small_task {
    uint32_t class_index, chunk;
} cuda_small_task;

/* A task: counts the pairs of a tile, in one chunk of the columns. A tile pairs CUDA_TILE_ROWS rows
 * of a class with tile_columns other rows. */
typedef struct cuda_tile_task {
    uint32_t class_index;
    uint32_t row, column; /* the first local row on each of the two sides of the tile */
    uint32_t chunk;
} cuda_tile_task;

typedef struct cuda_product_tasks {
    uint32_t *n; /* number of tasks of each shape; the last entry: of tiles */
    cuda_small_task *small[CUDA_SMALL_SHAPES];
    cuda_tile_task *tiles;
    uint32_t tile_columns; /* rows on the second side of a tile; the first has CUDA_TILE_ROWS */
    uint32_t tile_chunk;   /* vectors in a chunk of a tile … */
    uint32_t small_chunk;  /* … and of a small class, a multiple of 4 */
    uint32_t all_in_tiles; /* small classes are cut into tiles, too */
    /* If the frame is a single class: the number of tile tasks, each of which is computed from its
     * number and not read from `tiles`. 0 = the tasks are listed. */
    uint32_t n_direct;
} cuda_product_tasks;

#define CUDA_TILE_ROWS 128

/* Lists the tasks; tasks->n must be zero. */
cudaError_t cuda_launch_product_tasks(const cuda_frame *frame, const cuda_request *request,
                                      const cuda_product_tasks *tasks, cudaStream_t stream);
/* Returns n_direct for a class of n_rows rows of `vectors` vectors each. */
uint32_t cuda_direct_tile_tasks(const cuda_product_tasks *tasks, const cuda_request *request,
                                uint32_t n_rows, uint32_t vectors);
/* Do the listed tasks: for small classes of one shape, or for tiles with one of the kernels. Both
 * functions add to counts, which must be zero; but a task whose chunk is the whole row sets its
 * counts instead. */
cudaError_t cuda_launch_product_small(const cuda_frame *frame, const cuda_request *request,
                                      const cuda_product_tasks *tasks, unsigned shape,
                                      unsigned n_sm, cudaStream_t stream);
cudaError_t cuda_launch_product_tiles(const cuda_frame *frame, const cuda_request *request,
                                      const cuda_product_tasks *tasks, cuda_product_kernel kernel,
                                      unsigned n_sm, cudaStream_t stream);

/* Counts all pairs of the only class of a frame, which has at most CUDA_SMALL_ROWS rows. If
 * `blocks` is 1, sets counts; if it is more, the blocks add to counts, which must be zero.
 * `vectors`: the vectors of a row if the frame is the root, 0 for other frames. */
cudaError_t cuda_launch_product_one(const cuda_frame *frame, const cuda_request *request,
                                    uint32_t vectors, unsigned blocks, cudaStream_t stream);
/* Counts the only class of a frame pair by pair, and sets counts: a block (`wide`) or a warp counts
 * a few pairs. */
cudaError_t cuda_launch_product_pairs(const cuda_frame *frame, const cuda_request *request,
                                      uint32_t vectors, int wide, cudaStream_t stream);

/* ---- evaluating counts (product_plan.cu) ----------------------------------------------------- */

/* Figures of a counted row or, after the scan, their sums over all counted rows before it. */
typedef struct cuda_row_plan {
    uint64_t partners;
    uint64_t vectors, pairs; /* of its child: vectors of all rows; rows squared */
    /* lattices, children, subsumed: 1 if the row has a lattice, becomes a child, is subsumed. Of
     * its child: rows, groups of CUDA_GROUP_ROWS rows, and the maximum number of tiles. */
    uint32_t lattices, children, rows, groups, tiles, subsumed;
    /* lattice_sets, lattice_vectors: sets of its lattice, and vectors that are read for the
     * lattice. pair_vectors: of its child, vectors of a row times pairs of rows. */
    uint64_t lattice_sets, lattice_vectors, pair_vectors;
} cuda_row_plan;

#define CUDA_GROUP_ROWS 16 /* rows of a class that are built together */

/* Lists that count() makes for lattices() and push(). lattice_sets_at, child_first, child_at and
 * child_pairs have one more entry, which ends the last lattice or child. */
typedef struct cuda_found {
    uint32_t *partners, *supports; /* of all counted rows, as in product_counted */
    /* by lattice */
    uint32_t *lattice_row, *lattice_partners; /* its row, and the number of that row's partners */
    uint64_t *lattice_at;                     /* start of that row's partners in `partners` */
    uint64_t *lattice_sets_at;                /* sum of the sets of the previous lattices */
    /* by child: its row, and the number and the start of that row's partners; then its entries in
     * the class tables of the next frame (class_first … class_pairs), as they would be if all
     * children were pushed */
    uint32_t *child_row, *child_partners;
    uint64_t *child_partners_at;
    uint32_t *child_first, *child_vectors, *child_earlier, *child_free;
    uint64_t *child_at, *child_pairs;
} cuda_found;

/* Evaluates counts: plans[i] receives the figures of row request->first + i. If tally is not NULL,
 * adds to it the results among the rows and, if max_added is 1, among their partners. */
cudaError_t cuda_launch_plan_rows(const cuda_frame *frame, const cuda_request *request,
                                  cuda_row_plan *plans, uint64_t *tally, cudaStream_t stream);
/* Replaces each of n plans by the sum of the plans before it; plans[n] receives the totals.
 * `scratch` is device memory; if it is NULL, only *scratch_bytes is set, to the bytes that it must
 * have. */
cudaError_t cuda_launch_plan_scan(cuda_row_plan *plans, size_t n, void *scratch,
                                  size_t *scratch_bytes, cudaStream_t stream);
/* Writes the lists of `found`; `plans` are the sums of cuda_launch_plan_scan(). If `ends` is not
 * NULL, ends[i] receives the end of the partners of row request->first + i. */
cudaError_t cuda_launch_plan_place(const cuda_frame *frame, const cuda_request *request,
                                   const cuda_row_plan *plans, const cuda_found *found,
                                   uint64_t *ends, cudaStream_t stream);

/* ---- children (product_build.cu) ---- */

/* A task: makes a group of CUDA_GROUP_ROWS rows of a new class, from one part of the columns of the
 * old class. */
typedef struct cuda_build_task {
    uint32_t child; /* class of the new frame */
    uint32_t first; /* first local row of the group */
    uint32_t part;  /* number of the part, if there are several */
} cuda_build_task;

#define CUDA_PART_WORDS 8192 /* words of an old row in a part */

/* The input of the functions that build a frame from children of the frame below it. */
typedef struct cuda_build {
    uint32_t *row_from;                  /* by row of the new frame: the row of the old one */
    cuda_build_task *copy, *gather;      /* tasks that keep all columns; tasks that drop columns */
    uint32_t *n;                         /* number of tasks of each kind; zero at the start */
    uint32_t first_child;                /* the child of `found` that is class 0 of the new frame */
    uint32_t row_origin;                 /* found->child_first, … */
    uint64_t vector_origin, pair_origin; /* … child_at and child_pairs of first_child */
    /* For a sliced root: the first vector of the present slice, and whether this is the last
     * slice. */
    uint32_t slice_at, last;
    uint32_t *fill; /* by child: words of its rows filled by earlier slices; NULL = no slices */
} cuda_build;

/* Fills in the tables of the new frame, `to`, and lists the tasks. */
cudaError_t cuda_launch_build_tables(const cuda_frame *from, const cuda_frame *to,
                                     const cuda_found *found, const cuda_build *build,
                                     cudaStream_t stream);
/* Adds to `fill` the words that the present slice fills; call this after building the rows. */
cudaError_t cuda_launch_build_fill(const cuda_frame *from, const cuda_frame *to,
                                   const cuda_found *found, const cuda_build *build,
                                   cudaStream_t stream);
/* Does the tasks: writes the rows of the new frame, or what the present slice adds to them. */
cudaError_t cuda_launch_build_rows(const cuda_frame *from, const cuda_frame *to,
                                   const cuda_found *found, const cuda_build *build, unsigned n_sm,
                                   cudaStream_t stream);

/* ---- sparse roots (product_lists.cu) ---- */

/* Writes `columns` (which is lists->columns), using lists->items and lists->starts. `cursors` must
 * be a copy of lists->row_at; it is overwritten. */
cudaError_t cuda_launch_list_columns(const cuda_lists *lists, uint32_t n_columns, uint64_t *cursors,
                                     uint32_t *columns, unsigned n_sm, cudaStream_t stream);
/* Counts the pairs of a sparse root. Adds to counts, which must be zero. */
cudaError_t cuda_launch_list_pairs(const cuda_frame *frame, const cuda_request *request,
                                   uint32_t n_columns, unsigned n_sm, cudaStream_t stream);
/* Replaces cuda_launch_build_rows() if `from` is a sparse root; the new rows must be zero. */
cudaError_t cuda_launch_list_children(const cuda_frame *from, const cuda_frame *to,
                                      const cuda_found *found, const cuda_build *build,
                                      unsigned n_sm, cudaStream_t stream);

/* ---- lattices (product_lattices.cu) ---- */

/* Where the results of lattices go. */
typedef struct cuda_lattice_results {
    /* without `fetch`: the numbers of results are added to this; otherwise NULL */
    uint64_t *tally;
    /* with `fetch`: the results of lattice c go to the places from lattice_sets_at[c] - set_origin
     * on, where there is room for all of its sets */
    uint32_t *sets, *supports;
    uint64_t set_origin;
    uint64_t *n; /* by lattice, from the first one of the call on: results so far; at first zero */
} cuda_lattice_results;

#define CUDA_LATTICES_SM 8 /* blocks per multiprocessor */

/* How blocks divide the histograms among themselves. The columns may be cut into parts; a block
 * takes one part of one histogram at a time. The block that finishes the last part of a histogram
 * reads the sum of all parts. (Large histograms do not use next, list, arrived and sliced.) */
typedef struct cuda_lattice_work {
    uint32_t *next;       /* number of the next histogram, or part, to take; at first zero */
    uint32_t n;           /* histograms */
    const uint32_t *list; /* cuda_launch_lattices(): their lattices; NULL = first … first + n - 1 */
    uint32_t n_parts;     /* parts of the columns; if 1, only large ones use `histograms` */
    uint32_t *histograms; /* for each histogram, the sums of its parts; at first zero */
    uint32_t *arrived;    /* by histogram: number of finished parts; at first zero */
    uint32_t sliced;      /* this launch counts one part of each: that of the slice on the device */
    uint32_t *supports;   /* for large histograms and closed sets: as long as `histograms` */
} cuda_lattice_work;

/* The common input of the three launches below, which compute lattices [first, end) of `found` with
 * a histogram for each lattice, with joint histograms, or with large ones. */
typedef struct cuda_lattice_call {
    const cuda_frame *frame;
    const cuda_request *request;
    const cuda_found *found;
    uint32_t first, end;
    const cuda_lattice_results *results;
    unsigned n_sm;
    cudaStream_t stream;
} cuda_lattice_call;

/* Computes lattices with a histogram of up to 2^CUDA_LATTICE_DIMS entries for each lattice. */
cudaError_t cuda_launch_lattices(const cuda_lattice_call *call, const cuda_lattice_work *work);

/* ---- joint lattices (product_joint.cu) and large ones (product_large.cu), not for maximal ---- */

#define CUDA_JOINT_ROWS 13         /* the last 13 rows of a class have at most 12 partners each */
#define CUDA_JOINT_SM   6          /* blocks per multiprocessor */
#define CUDA_NO_KEY     UINT32_MAX /* instead of a key: all columns count */

/* A histogram, and the lattices whose supports it contains: either all lattices of the last rows of
 * a class (a joint lattice), or a single large one. */
typedef struct cuda_histogram {
    uint32_t class_index;
    uint32_t key; /* the local row that a single lattice belongs to; CUDA_NO_KEY = a joint one */
    uint32_t first_lattice, n_lattices; /* the lattices, by number in cuda_found */
} cuda_histogram;

/* Every lattice is in exactly one of these lists. */
enum { CUDA_N_JOINT, CUDA_N_LARGE, CUDA_N_SINGLE, CUDA_N_LISTS };
typedef struct cuda_histograms {
    uint32_t *n;           /* length of each list; at first zero */
    uint32_t rows;         /* maximum rows of a joint lattice: CUDA_JOINT_ROWS or CUDA_LARGE_DIMS */
    cuda_histogram *joint; /* joint lattices of up to CUDA_JOINT_ROWS rows */
    cuda_histogram *large; /* larger joint ones, and lattices of > CUDA_LATTICE_DIMS partners */
    uint32_t *single;      /* all other lattices */
    uint32_t n_lattices;   /* of `found` */
    uint8_t *taken;        /* by lattice: whether it is part of a joint one; at first zero */
} cuda_histograms;

/* Makes the lists of `histograms`. */
cudaError_t cuda_launch_find_joint(const cuda_frame *frame, const cuda_request *request,
                                   const cuda_row_plan *plans, const cuda_found *found,
                                   const cuda_histograms *histograms, cudaStream_t stream);
/* Computes lattices with work->n joint histograms of up to 2^CUDA_JOINT_ROWS entries. */
cudaError_t cuda_launch_joint(const cuda_lattice_call *call, const cuda_histogram *joint,
                              const cuda_lattice_work *work);

#define CUDA_LARGE_WORDS 2016 /* words of a row that a block counts at a time: counts fit 16 bits */

/* Computes lattices with work->n large histograms of up to 2^CUDA_LARGE_DIMS entries, each with
 * lattices among [first, end). work->n_parts must be the number of pieces of CUDA_LARGE_WORDS words
 * that the longest row has. */
cudaError_t cuda_launch_large(const cuda_lattice_call *call, const cuda_histogram *large,
                              const cuda_lattice_work *work);
/* Sets *fits to whether a device has enough shared memory for large histograms. */
cudaError_t cuda_large_fits(int device, int *fits);

/* The buffers to which cuda_launch_lattice_pack() moves the results of lattices. */
typedef struct cuda_lattice_pack {
    uint64_t *ends; /* ends[c]: where the results of lattice call->first + c end */
    uint32_t *sets, *supports;
    void *scratch; /* device memory of scratch_bytes; NULL = do nothing but set scratch_bytes */
    size_t scratch_bytes;
} cuda_lattice_pack;

/* Moves the results of the lattices of a call to `to`, without gaps between them. */
cudaError_t cuda_launch_lattice_pack(const cuda_lattice_call *call, cuda_lattice_pack *to);

/* Load the code of the kernels that most runs need, so that their first launch does not have to.
 * One function for each file. */
cudaError_t cuda_load_plan(void);
cudaError_t cuda_load_small(void);
cudaError_t cuda_load_build(void);
cudaError_t cuda_load_lattices(void);
cudaError_t cuda_load_joint(void);
cudaError_t cuda_load_large(void);

/* Whether the current device runs the wgmma kernels, and this program has code for them. */
int cuda_product_has_wgmma(void);

#ifdef __cplusplus
}
#endif

#endif
